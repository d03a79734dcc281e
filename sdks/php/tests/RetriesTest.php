<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Error\ConnectionError;
use Manilla\Error\ManillaError;
use Manilla\Internal\Retries;
use PHPUnit\Framework\TestCase;

final class RetriesTest extends TestCase
{
    public function testOnlyTheseStatusesAreRetried(): void
    {
        $retried = array_filter(range(300, 599), fn (int $status) => Retries::whyRetry(
            new ManillaError('No.', errorCode: 'some_code', status: $status),
        ) !== null);
        self::assertSame([408, 429, 500, 502, 503, 504], array_values($retried));
        self::assertNotNull(Retries::whyRetry(new ConnectionError('Gone.', errorCode: 'no_answer')));
        $inProgress = new ManillaError('Wait.', errorCode: 'conflict', reason: 'idempotency_in_progress', status: 409);
        self::assertNotNull(Retries::whyRetry($inProgress));
    }

    public function testWaitsDoubleWithJitterUpToALimit(): void
    {
        $error = new ManillaError('No.', errorCode: 'internal_error', status: 500);
        $waits = fn (float $random) => array_map(
            fn (int $before) => Retries::waitMs($error, $before, $random),
            [0, 1, 2, 3, 4, 5, 100],
        );
        self::assertSame([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000], $waits(0.0));
        self::assertSame([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000], $waits(1.0));
    }

    public function testWaitsAsLongAsTheServiceSays(): void
    {
        $after = fn (int $ms) => new ManillaError('No.', errorCode: 'some_code', status: 429, retryAfterMs: $ms);
        self::assertSame(3_000, Retries::waitMs($after(3_000), 0, 1.0));
        self::assertSame(500, Retries::waitMs($after(1), 0, 1.0));
        self::assertSame(30_000, Retries::waitMs($after(30_000), 0, 1.0));
        self::assertNull(Retries::waitMs($after(30_001), 0, 1.0));
    }

    /**
     * @testWith [null, null]
     *           ["", null]
     *           ["2", 2000]
     *           ["0.5", 500]
     *           ["-1", 0]
     *           ["soon", null]
     *           ["Mon, 05 Jan 2026 09:00:05 GMT", 5000]
     *           ["Mon, 05 Jan 2026 08:59:00 GMT", 0]
     */
    public function testReadsRetryAfter(?string $header, ?int $expected): void
    {
        self::assertSame($expected, Retries::readRetryAfter($header, 1_767_603_600_000));
    }
}
