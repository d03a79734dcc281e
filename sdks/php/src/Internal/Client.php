<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Error\ConnectionError;
use Manilla\Error\ManillaError;
use Manilla\Http\Request;
use Manilla\Http\Response;
use Manilla\Http\TransportFailure;
use Manilla\Page;
use Manilla\Pages;

/**
 * Sends calls, retries them while that helps, and reads the answers.
 *
 * @internal
 */
final class Client
{
    public function __construct(private readonly Connection $connection)
    {
    }

    /**
     * @template T
     * @param \Closure(mixed): T $read
     * @return T
     */
    public function data(Call $call, \Closure $read): mixed
    {
        return $this->readData($call, $this->toRequest($call, $call->pathWithQuery()), $read);
    }

    /**
     * @template Item
     * @param \Closure(mixed): Item $read
     * @return list<Item>
     */
    public function list(Call $call, \Closure $read): array
    {
        return $this->data($call, fn (\stdClass $data) => array_map($read, $data->items));
    }

    public function nothing(Call $call): void
    {
        $this->send($call, $this->toRequest($call, $call->pathWithQuery()));
    }

    /**
     * @template Item
     * @param \Closure(mixed): Item $read
     * @return Pages<Item>
     */
    public function pages(Call $call, \Closure $read): Pages
    {
        $fetchPage = function (?string $cursor) use ($call, $read): Page {
            $request = $this->toRequest($call, $call->pathWithQuery(['cursor' => $cursor]));
            $toPage = fn (\stdClass $page) => new Page(array_map($read, $page->items), $page->nextCursor ?? null);
            return $this->readData($call, $request, $toPage);
        };
        return new Pages($fetchPage, $call->query['cursor'] ?? null);
    }

    /**
     * A file, as it arrives. A file that breaks off throws.
     *
     * @return \Generator<int, string>
     */
    public function stream(Call $call, string $type): \Generator
    {
        [$response] = $this->send($call, $this->toRequest($call, $call->pathWithQuery(), $type));
        try {
            yield from $response->chunks;
        } catch (TransportFailure $failure) {
            throw new ConnectionError(
                "The export from {$this->connection->baseUrl} broke off ({$failure->getMessage()}).",
                errorCode: 'no_answer',
                nextStep: 'What you have is not complete. Request it again.',
                previous: $failure,
            );
        }
    }

    /** A whole file. One that breaks off throws. */
    public function file(Call $call, string $type): string
    {
        return implode('', iterator_to_array($this->stream($call, $type)));
    }

    /**
     * All attempts carry the same idempotency key, so the service runs the request at most once.
     *
     * @return array{Response, mixed} the answer and its `data`; a file is read from the answer
     */
    private function send(Call $call, Request $request): array
    {
        // A public POST has no key that would make a repeat safe.
        $isRepeatable = !$request->needsNewConnection;
        $maxRetries = $call->options?->maxRetries ?? $this->connection->maxRetries;
        $mayHaveRun = false;
        for ($retries = 0;; $retries++) {
            $outcome = $this->tryOnce($request);
            if (is_array($outcome)) {
                return $outcome;
            }
            // An earlier attempt whose answer was lost has deleted it.
            if ($mayHaveRun && $request->method === 'DELETE' && $outcome->status === 404) {
                return [new Response(404, [], ''), null];
            }
            $mayHaveRun = $mayHaveRun || ($outcome->status ?? 500) >= 500;
            $waitMs = Retries::waitMs($outcome, $retries, random_int(0, 1_000) / 1_000);
            if (!$isRepeatable || $waitMs === null || $retries >= $maxRetries) {
                throw $outcome;
            }
            usleep($waitMs * 1_000);
        }
    }

    private function toRequest(Call $call, string $target, ?string $fileType = null): Request
    {
        $isKeyed = $call->method === 'POST' && !$call->isPublic;
        $body = $call->encodeBody();
        $headers = [
            'accept' => $fileType ?? 'application/json',
            // Some firewalls refuse requests without one.
            'user-agent' => 'manilla-php',
            'authorization' => $call->isPublic ? null : "Bearer {$this->connection->key}",
            'idempotency-key' => $isKeyed ? $call->options?->idempotencyKey ?? self::makeUuid() : null,
            'content-type' => match (true) {
                $body === null => null,
                is_string($call->body) => 'text/csv',
                default => 'application/json',
            },
        ];
        return new Request(
            method: $call->method,
            url: $this->connection->baseUrl . $target,
            headers: array_filter($headers, fn (?string $value) => $value !== null),
            body: $body,
            timeoutMs: $call->options?->timeoutMs ?? $this->connection->timeoutMs,
            isStreamed: $fileType !== null,
            needsNewConnection: $call->method === 'POST' && !$isKeyed,
        );
    }

    /** @return array{Response, mixed}|ManillaError */
    private function tryOnce(Request $request): array|ManillaError
    {
        try {
            $response = $this->connection->transport->send($request);
        } catch (TransportFailure $failure) {
            $why = $failure->isTimeout ? $failure->getMessage() : "({$failure->getMessage()})";
            $key = $request->headers['idempotency-key'] ?? null;
            return new ConnectionError(
                "No answer from {$this->connection->baseUrl} $why.",
                errorCode: 'no_answer',
                nextStep: $key === null
                    ? 'Check baseUrl and that the service is running.'
                    : "The request may have been carried out. Retry with the same idempotencyKey, $key: it runs at most once.",
                idempotencyKey: $key,
                previous: $failure,
            );
        }
        if ($response->isOk() && $request->isStreamed) {
            return [$response, null];
        }
        $envelope = self::parse($response->body);
        if ($response->isOk() && $envelope !== null && property_exists($envelope, 'data')) {
            return [$response, $envelope->data];
        }
        return self::toError($response, $request, $envelope);
    }

    private static function toError(Response $response, Request $request, ?\stdClass $envelope): ManillaError
    {
        $code = self::textOf($envelope, 'code');
        if ($code === null) {
            return self::unexpected($response, $request);
        }
        $details = array_filter(
            is_array($envelope->details ?? null) ? $envelope->details : [],
            fn (mixed $detail) => $detail instanceof \stdClass,
        );
        $kind = ManillaError::kindOf($response->status);
        return new $kind(
            ...self::factsOf($response, $request, $envelope),
            message: self::textOf($envelope, 'message') ?? 'The service sent no message.',
            errorCode: $code,
            reason: self::textOf($envelope, 'reason'),
            nextStep: self::textOf($envelope, 'nextStep'),
            details: array_map(fn (\stdClass $detail) => get_object_vars($detail), array_values($details)),
        );
    }

    private static function unexpected(
        Response $response,
        Request $request,
        ?\Throwable $previous = null,
    ): ManillaError {
        $target = $response->headers['location'] ?? null;
        $what = $target === null ? ', which is not an answer of Manilla' : " and redirects to $target";
        $kind = ManillaError::kindOf($response->status);
        return new $kind(
            ...self::factsOf($response, $request, null),
            message: "$request->url answered $response->status$what.",
            errorCode: 'unexpected_answer',
            nextStep: 'Check baseUrl and any proxy between you and the service.',
            previous: $previous,
        );
    }

    /** @return array<string, mixed> */
    private static function factsOf(Response $response, Request $request, ?\stdClass $envelope): array
    {
        $nowMs = (int) (microtime(true) * 1_000);
        return [
            'status' => $response->status,
            'requestId' => self::textOf($envelope, 'requestId') ?? $response->headers['x-request-id'] ?? null,
            'idempotencyKey' => $request->headers['idempotency-key'] ?? null,
            'retryAfterMs' => Retries::readRetryAfter($response->headers['retry-after'] ?? null, $nowMs),
        ];
    }

    /**
     * @template T
     * @param \Closure(mixed): T $read
     * @return T
     */
    private function readData(Call $call, Request $request, \Closure $read): mixed
    {
        [$response, $data] = $this->send($call, $request);
        try {
            return $read($data);
        } catch (\TypeError $error) {
            throw self::unexpected($response, $request, $error);
        }
    }

    private static function textOf(?\stdClass $envelope, string $field): ?string
    {
        $value = $envelope->$field ?? null;
        return is_string($value) && $value !== '' ? $value : null;
    }

    private static function parse(string $text): ?\stdClass
    {
        $value = json_decode($text, flags: JSON_BIGINT_AS_STRING);
        return $value instanceof \stdClass ? $value : null;
    }

    private static function makeUuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
