<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Error\ConnectionError;
use Manilla\Error\ManillaError;
use Manilla\Manilla;
use Manilla\RequestOptions;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/PlayedServer.php';

/** Over real sockets. */
final class CurlTransportTest extends TestCase
{
    private ?PlayedServer $server = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
    }

    public function testConnectionsStayOpen(): void
    {
        $manilla = $this->serve([self::json('{"data":{"reference":"pay_1"}}')], [self::json('{"data":{"reference":"pay_2"}}')]);
        self::assertSame('pay_1', $manilla->payments->get('pay_1')->reference);
        self::assertSame('pay_2', $manilla->payments->get('pay_2')->reference);
        $requests = $this->requests();
        self::assertSame([1, 1], array_column($requests, 'connection'));
        self::assertSame('GET /v1/collections/payments/pay_2 HTTP/1.1', $requests[1]['line']);
        self::assertSame('Bearer sk_test_abc', $requests[1]['headers']['authorization']);
    }

    public function testSendsBodiesOfAnyLengthWithoutAskingFirst(): void
    {
        $manilla = $this->serve(
            ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", self::json('{"data":{"reference":"pb_1"}}')],
        );
        $csv = str_repeat("250000,058,0123456789,₦\n", 60_000);
        self::assertSame('pb_1', $manilla->batches->createFromCsv($csv)->reference);
        [$request] = $this->requests();
        self::assertSame($csv, $request['body']);
        self::assertSame('text/csv', $request['headers']['content-type']);
        self::assertArrayNotHasKey('expect', $request['headers']);
    }

    public function testAClosedConnectionIsRetriedOnANewOne(): void
    {
        $manilla = $this->serve(['close'], [self::json('{"data":{"reference":"bt_1"}}')]);
        self::assertSame('bt_1', $manilla->bankTransfers->create(amount: 100)->reference);
        $requests = $this->requests();
        self::assertSame([1, 2], array_column($requests, 'connection'));
        $keys = array_map(fn ($request) => $request['headers']['idempotency-key'], $requests);
        self::assertSame($keys[0], $keys[1]);
    }

    public function testHalfABodyIsNoAnswer(): void
    {
        $half = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"data\":{}}";
        $error = $this->errorOf($this->serve([$half, 'close']));
        self::assertInstanceOf(ConnectionError::class, $error);
    }

    public function testALateAnswerIsNoAnswer(): void
    {
        $started = hrtime(true);
        $error = $this->errorOf($this->serve(["HTTP/1.1 200 OK\r\n", 2_000]), timeoutMs: 100);
        self::assertInstanceOf(ConnectionError::class, $error);
        self::assertStringContainsString('within 100 ms', $error->getMessage());
        self::assertLessThan(1_500, (hrtime(true) - $started) / 1_000_000);
    }

    public function testRedirectsAreNotFollowed(): void
    {
        $error = $this->errorOf($this->serve(
            ["HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n"],
        ));
        self::assertStringContainsString('answered 302 and redirects to /elsewhere', $error->getMessage());
        self::assertCount(1, $this->requests());
    }

    public function testNothingListens(): void
    {
        $error = $this->errorOf(new Manilla('sk_test_abc', baseUrl: 'http://127.0.0.1:9'));
        self::assertInstanceOf(ConnectionError::class, $error);
        self::assertStringContainsString('Check baseUrl', $error->nextStep);
    }

    public function testExportsArriveInPieces(): void
    {
        $manilla = $this->serve(
            [self::chunk("reference\n", head: true), 200, self::chunk("pay_1\n"), "0\r\n\r\n"],
            [self::json('{"data":{"reference":"pay_1"}}')],
        );
        $pieces = [];
        $times = [];
        foreach ($manilla->payments->csv(from: '2026-11-01') as $piece) {
            $pieces[] = $piece;
            $times[] = hrtime(true);
        }
        self::assertSame(["reference\n", "pay_1\n"], $pieces);
        self::assertGreaterThan(100, ($times[1] - $times[0]) / 1_000_000);
        [$request] = $this->requests();
        self::assertSame('text/csv', $request['headers']['accept']);
        self::assertStringContainsString('?from=2026-11-01', $request['line']);
    }

    public function testAnExportThatBreaksOffThrows(): void
    {
        $manilla = $this->serve([self::chunk("reference\n", head: true), 50, 'close']);
        $got = '';
        try {
            foreach ($manilla->payments->csv() as $piece) {
                $got .= $piece;
            }
            self::fail('No error.');
        } catch (ConnectionError $error) {
            self::assertSame("reference\n", $got);
            self::assertStringContainsString('broke off', $error->getMessage());
        }
    }

    public function testARefusedExportIsAnError(): void
    {
        $manilla = $this->serve([self::json('{"code":"forbidden","message":"No."}', '403 Forbidden')]);
        $this->expectException(ManillaError::class);
        $manilla->payments->receipt('pay_1');
    }

    public function testRequestsLeaveNothingBehind(): void
    {
        $manilla = $this->serve(...array_fill(0, 3, [self::json('{"data":{"reference":"pay_1"}}')]));
        $manilla->payments->get('pay_1');
        gc_collect_cycles();
        $manilla->payments->get('pay_1');
        $manilla->payments->get('pay_1');
        self::assertSame(0, gc_collect_cycles());
    }

    public function testAnExportThatIsNotReadToItsEndIsClosed(): void
    {
        $manilla = $this->serve(
            [self::chunk("reference\n", head: true), self::chunk("pay_1\n"), 10_000],
            [self::json('{"data":{"reference":"pay_1"}}')],
        );
        foreach ($manilla->payments->csv(options: new RequestOptions(timeoutMs: PHP_INT_MAX)) as $piece) {
            self::assertStringStartsWith('reference', $piece);
            break;
        }
        unset($piece);
        self::assertSame(0, gc_collect_cycles());
    }

    public function testAProxyIsNotTheAnswer(): void
    {
        $established = "HTTP/1.1 200 Connection established\r\n\r\n";
        $this->server = new PlayedServer([[$established, 200, 'close']]);
        putenv('https_proxy=' . $this->server->url);
        try {
            $manilla = new Manilla('sk_test_abc', baseUrl: 'https://pay.example.com', maxRetries: 0);
            $this->expectExceptionMessage("No answer from https://pay.example.com");
            iterator_to_array($manilla->payments->csv());
        } finally {
            putenv('https_proxy');
        }
    }

    public function testAHeaderCannotSmuggleAnother(): void
    {
        $manilla = new Manilla('sk_test_abc', baseUrl: 'http://127.0.0.1:9');
        $this->expectExceptionMessage('idempotency-key must not contain control characters');
        $manilla->bankTransfers->create(amount: 1, options: new RequestOptions("a\r\nauthorization: b"));
    }

    /** @param list<string|int> ...$answers */
    private function serve(array ...$answers): Manilla
    {
        $this->server = new PlayedServer($answers);
        return new Manilla('sk_test_abc', baseUrl: $this->server->url);
    }

    private function requests(): array
    {
        [$server, $this->server] = [$this->server, null];
        return $server->stop();
    }

    private function errorOf(Manilla $manilla, int $timeoutMs = 30_000): ManillaError
    {
        try {
            $manilla->payments->get('pay_1', options: new RequestOptions(timeoutMs: $timeoutMs, maxRetries: 0));
        } catch (ManillaError $error) {
            return $error;
        }
        self::fail('No error.');
    }

    private static function json(string $body, string $status = '200 OK'): string
    {
        return "HTTP/1.1 $status\r\ncontent-length: " . strlen($body) . "\r\n\r\n$body";
    }

    private static function chunk(string $text, bool $head = false): string
    {
        $start = $head ? "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" : '';
        return $start . dechex(strlen($text)) . "\r\n$text\r\n";
    }
}
