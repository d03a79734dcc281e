<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Error\ConnectionError;
use Manilla\Error\ManillaError;

/** @internal */
final class Retries
{
    /** Shortened by tests. */
    public static int $firstWaitMs = 500;
    private const WAIT_MAX_MS = 8_000;
    /** A longer Retry-After is left to the caller. */
    private const RETRY_AFTER_MAX_MS = 30_000;

    /** The only reasons to retry. Its idempotency key makes a POST safe to repeat. */
    public static function whyRetry(ManillaError $error): ?string
    {
        return match (true) {
            $error instanceof ConnectionError => 'no answer',
            $error->status === 408 => 'the request arrived too slowly',
            $error->reason === 'idempotency_in_progress' => 'the first request with this key is still in progress',
            $error->status === 429 => 'too many requests',
            $error->status === 500 => 'the service failed and rolled back',
            $error->status === 502 => 'a proxy could not reach the service',
            $error->status === 503 => 'the service is unavailable',
            $error->status === 504 => 'a proxy timed out',
            default => null,
        };
    }

    /**
     * The wait before the next retry, or null if a retry would not help. Doubles every time, with
     * jitter, so that clients that failed together do not return together.
     *
     * @param float $random between 0 and 1
     */
    public static function waitMs(ManillaError $error, int $retriesBefore, float $random): ?int
    {
        $retryAfterMs = $error->retryAfterMs ?? 0;
        if (self::whyRetry($error) === null || $retryAfterMs > self::RETRY_AFTER_MAX_MS) {
            return null;
        }
        $fullMs = min(self::$firstWaitMs * 2 ** min($retriesBefore, 10), self::WAIT_MAX_MS);
        return max($retryAfterMs, (int) ceil($fullMs * (0.5 + $random / 2)));
    }

    /** `Retry-After` as seconds or as a date. */
    public static function readRetryAfter(?string $header, int $nowMs): ?int
    {
        if ($header === null || $header === '') {
            return null;
        }
        if (is_numeric($header)) {
            return (int) max(0, min((float) $header * 1_000, PHP_INT_MAX / 2));
        }
        $date = strtotime($header);
        return $date === false ? null : max(0, $date * 1_000 - $nowMs);
    }
}
