<?php

declare(strict_types=1);

namespace Manilla\Http;

final class Request
{
    /**
     * @param array<string, string> $headers by lowercase name
     * @param int $timeoutMs for the whole answer; of a stream, for its beginning and for each pause
     * @param bool $isStreamed whether the body of a successful answer is read piece by piece
     * @param bool $needsNewConnection whether an idle connection must not be used again. If the service
     *   has closed one, curl would send the request a second time.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly int $timeoutMs,
        public readonly bool $isStreamed,
        public readonly bool $needsNewConnection,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }
}
