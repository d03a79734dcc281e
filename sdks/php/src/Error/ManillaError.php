<?php

declare(strict_types=1);

namespace Manilla\Error;

/**
 * Thrown by every request that does not succeed. `getMessage()` is for people; `getCode()` is the HTTP
 * status, or 0.
 */
class ManillaError extends \RuntimeException
{
    /**
     * @param string $errorCode branch on this; `no_answer` and `unexpected_answer` are the SDK's own
     * @param string|null $reason a more specific code, if there is one
     * @param int|null $status HTTP status; null if there was no answer
     * @param string|null $nextStep what to do next
     * @param list<array{field: string, issue: string}> $details problems by field
     * @param string|null $requestId identifies the request in the logs of the service
     * @param string|null $idempotencyKey the key the request was sent with. Retry with the same key:
     *   it runs at most once.
     * @param int|null $retryAfterMs from the Retry-After header
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly ?string $reason = null,
        public readonly ?int $status = null,
        public readonly ?string $nextStep = null,
        public readonly array $details = [],
        public readonly ?string $requestId = null,
        public readonly ?string $idempotencyKey = null,
        public readonly ?int $retryAfterMs = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $status ?? 0, $previous);
    }

    /**
     * @internal
     * @return class-string<self>
     */
    public static function kindOf(int $status): string
    {
        return match ($status) {
            400, 413, 415 => ValidationError::class,
            401, 403 => AuthenticationError::class,
            402 => InsufficientBalanceError::class,
            404 => NotFoundError::class,
            429 => RateLimitError::class,
            default => self::class,
        };
    }
}
