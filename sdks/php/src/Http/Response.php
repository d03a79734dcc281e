<?php

declare(strict_types=1);

namespace Manilla\Http;

final class Response
{
    /**
     * @param array<string, string> $headers by lowercase name
     * @param iterable<string> $chunks the rest of the body of a streamed answer
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly iterable $chunks = [],
    ) {
    }

    public function isOk(): bool
    {
        return $this->status >= 200 && $this->status < 300;
    }
}
