<?php

declare(strict_types=1);

namespace Manilla;

/** Options of one request. */
final class RequestOptions
{
    /**
     * @param string|null $idempotencyKey makes a POST safe to retry, even after a crash: the same key
     *   with the same request runs at most once. Generated if absent, and kept across retries.
     * @param int|null $timeoutMs timeout of each attempt
     * @param int|null $maxRetries 0 means one attempt only
     */
    public function __construct(
        public readonly ?string $idempotencyKey = null,
        public readonly ?int $timeoutMs = null,
        public readonly ?int $maxRetries = null,
    ) {
    }
}
