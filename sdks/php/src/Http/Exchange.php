<?php

declare(strict_types=1);

namespace Manilla\Http;

/**
 * One request and its answer, as it arrives.
 *
 * @internal
 */
final class Exchange
{
    /** A longer time in nanoseconds would not fit an integer. */
    private const TIMEOUT_MAX_MS = 2_147_483_647;

    private readonly \CurlHandle $handle;
    private int $status = 0;
    /** @var array<string, string> */
    private array $headers = [];
    private bool $hasHeaders = false;
    private string $body = '';
    private bool $isDone = false;
    private int $deadlineNs;

    public function __construct(private readonly \CurlMultiHandle $multi, private readonly Request $request)
    {
        // The handle must not hold what holds it: such a circle would keep handles of a long-running worker open.
        $weak = \WeakReference::create($this);
        $this->handle = curl_init();
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => self::printHeaders($request->headers),
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            // Never send the key to an address that a redirect names.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_FRESH_CONNECT => $request->needsNewConnection,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static fn ($handle, string $line) => $weak->get()->readHeader($line),
            CURLOPT_WRITEFUNCTION => static fn ($handle, string $chunk) => $weak->get()->readBody($chunk),
            // What a proxy says first is not the answer.
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
        ]);
        if ($request->body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $request->body);
        }
        $this->startTimer();
        curl_multi_add_handle($multi, $this->handle);
    }

    public function __destruct()
    {
        curl_multi_remove_handle($this->multi, $this->handle);
    }

    public function isAnswered(): bool
    {
        return $this->isDone || ($this->hasHeaders && $this->isStream());
    }

    public function response(): Response
    {
        if ($this->isStream()) {
            return new Response($this->status, $this->headers, '', $this->readChunks());
        }
        return new Response($this->status, $this->headers, $this->body);
    }

    /** Waits for the next piece of the answer. */
    public function advance(): void
    {
        $had = strlen($this->body);
        curl_multi_exec($this->multi, $running);
        while ($message = curl_multi_info_read($this->multi)) {
            $this->finish($message['result']);
        }
        if ($this->isDone || strlen($this->body) > $had) {
            return;
        }
        $leftMs = intdiv($this->deadlineNs - hrtime(true), 1_000_000);
        if ($leftMs <= 0) {
            throw new TransportFailure("within {$this->request->timeoutMs} ms", isTimeout: true);
        }
        // Without a socket to wait for, curl returns -1 at once.
        if (curl_multi_select($this->multi, min($leftMs, 1_000) / 1_000) === -1) {
            usleep(1_000);
        }
    }

    private function finish(int $result): void
    {
        $this->isDone = true;
        if ($result !== CURLE_OK) {
            $why = curl_error($this->handle);
            throw new TransportFailure($why === '' ? (string) curl_strerror($result) : $why);
        }
    }

    private function isStream(): bool
    {
        return $this->request->isStreamed && $this->status >= 200 && $this->status < 300;
    }

    /** @return \Generator<int, string> */
    private function readChunks(): \Generator
    {
        for (;;) {
            if ($this->body !== '') {
                [$chunk, $this->body] = [$this->body, ''];
                yield $chunk;
            } elseif ($this->isDone) {
                return;
            } else {
                $this->startTimer();
                while ($this->body === '' && !$this->isDone) {
                    $this->advance();
                }
            }
        }
    }

    private function startTimer(): void
    {
        $this->deadlineNs = hrtime(true) + min($this->request->timeoutMs, self::TIMEOUT_MAX_MS) * 1_000_000;
    }

    private function readHeader(string $line): int
    {
        if (preg_match('~^HTTP/\S+ (\d+)~', $line, $found)) {
            // The headers of an interim answer, such as 100 Continue, are not those of the answer.
            [$this->status, $this->headers] = [(int) $found[1], []];
        } elseif (trim($line) === '') {
            $this->hasHeaders = $this->status >= 200;
        } else {
            [$name, $value] = [...explode(':', $line, 2), ''];
            $this->headers[strtolower(trim($name))] = trim($value);
        }
        return strlen($line);
    }

    private function readBody(string $chunk): int
    {
        $this->body .= $chunk;
        return strlen($chunk);
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function printHeaders(array $headers): array
    {
        // Without this, curl waits for a 100 Continue before it sends a long body.
        $lines = ['expect:'];
        foreach ($headers as $name => $value) {
            if (preg_match('/[\x00-\x1f\x7f]/', $value)) {
                throw new \InvalidArgumentException("The header $name must not contain control characters.");
            }
            $lines[] = "$name: $value";
        }
        return $lines;
    }
}
