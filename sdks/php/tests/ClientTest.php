<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Error\AuthenticationError;
use Manilla\Error\ConnectionError;
use Manilla\Error\InsufficientBalanceError;
use Manilla\Error\ManillaError;
use Manilla\Error\NotFoundError;
use Manilla\Error\RateLimitError;
use Manilla\Error\ValidationError;
use Manilla\Http\Response;
use Manilla\Http\TransportFailure;
use Manilla\Internal\Retries;
use Manilla\Manilla;
use Manilla\RequestOptions;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/PlayedTransport.php';

final class ClientTest extends TestCase
{
    protected function setUp(): void
    {
        Retries::$firstWaitMs = 0;
    }

    protected function tearDown(): void
    {
        Retries::$firstWaitMs = 500;
    }

    /** @dataProvider keysThatNeverWork */
    public function testRefusesAKeyThatCouldNeverWork(string|false|null $key, string $message): void
    {
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage($message);
        new Manilla($key, baseUrl: 'https://pay.example.com');
    }

    /** @return list<array{string|false|null, string}> */
    public function keysThatNeverWork(): array
    {
        return [
            [null, 'The key is missing. Is its variable set?'],
            [getenv('MANILLA_NEVER_SET'), 'The key is missing.'],
            ['', 'The key is empty.'],
            ["sk_test_abc\n", 'whitespace around it'],
            ['whsec_abc', 'not a Manilla key'],
        ];
    }

    /**
     * @testWith [""]
     *           ["pay.example.com"]
     *           ["ftp://pay.example.com"]
     *           ["https://pay.example.com?a=b"]
     *           ["https://"]
     */
    public function testRefusesAUrlThatCouldNeverWork(string $baseUrl): void
    {
        $this->expectExceptionMessage('baseUrl must be the URL of your Manilla service');
        new Manilla('sk_test_abc', baseUrl: $baseUrl);
    }

    /**
     * @testWith ["https://pay.example.com/"]
     *           ["https://pay.example.com/v1"]
     *           ["https://pay.example.com/v1//"]
     */
    public function testPathsBeginAfterTheHost(string $baseUrl): void
    {
        $transport = new PlayedTransport([PlayedTransport::json(200, ['data' => ['reference' => 'va_1']])]);
        $manilla = new Manilla('sk_test_abc', baseUrl: $baseUrl, transport: $transport);
        $manilla->virtualAccounts->get('va 1/2');
        $expected = 'https://pay.example.com/v1/collections/virtual-accounts/va%201%2F2';
        self::assertSame($expected, $transport->requests[0]->url);
    }

    public function testPrintingTheClientNeverShowsTheKey(): void
    {
        $manilla = new Manilla('sk_test_secret', baseUrl: 'https://pay.example.com');
        self::assertFalse(isset($manilla->nothing));
        self::assertTrue(isset($manilla->payments));
        ob_start();
        var_dump($manilla, $manilla->payments);
        self::assertStringNotContainsString('sk_test_secret', ob_get_clean() . print_r($manilla, true));
        $this->expectException(\LogicException::class);
        serialize($manilla);
    }

    public function testNamesAResourceThatDoesNotExist(): void
    {
        $this->expectExceptionMessage('Manilla has no resource payouts.');
        (new Manilla('sk_test_abc', baseUrl: 'https://pay.example.com'))->payouts;
    }

    public function testSendsOnlyGivenFieldsAndExactAmounts(): void
    {
        $account = ['reference' => 'va_1', 'amount' => 9_007_199_254_740_993];
        $transport = new PlayedTransport([PlayedTransport::json(201, ['data' => $account])]);
        $answer = $transport->client()->virtualAccounts
            ->create(merchantReference: 'order-1', amount: 9_007_199_254_740_993, metadata: []);
        [$request] = $transport->requests;
        self::assertSame('POST', $request->method);
        $sent = '{"amount":9007199254740993,"merchantReference":"order-1","metadata":{}}';
        self::assertJsonStringEqualsJsonString($sent, $request->body);
        self::assertStringContainsString('"amount":9007199254740993', $request->body);
        self::assertStringContainsString('"metadata":{}', $request->body);
        self::assertSame('Bearer sk_test_abc', $request->headers['authorization']);
        self::assertSame('application/json', $request->headers['content-type']);
        self::assertSame(9_007_199_254_740_993, $answer->amount);
    }

    public function testRefusesFloatsAsAmounts(): void
    {
        $transport = new PlayedTransport([]);
        $transfers = $transport->client()->bankTransfers;
        try {
            $transfers->create(amount: 19.99 * 100);
            self::fail('A float was sent.');
        } catch (\InvalidArgumentException $error) {
            self::assertStringContainsString('amount must not be a float', $error->getMessage());
        }
        $this->expectExceptionMessage('amount must not be a float');
        $items = [['amount' => 250_000], (object) ['amount' => 7.5]];
        $transport->client()->batches->create(kind: 'bank_transfer', items: $items);
    }

    public function testSendsFractionsInMetadata(): void
    {
        $transport = new PlayedTransport([PlayedTransport::json(201, ['data' => (object) []])]);
        $transport->client()->bankTransfers->create(amount: 100, metadata: ['rate' => 1520.5]);
        self::assertSame('{"amount":100,"metadata":{"rate":1520.5}}', $transport->requests[0]->body);
    }

    public function testClearsAFieldWithNullAndOmitsOthers(): void
    {
        $transport = new PlayedTransport([PlayedTransport::json(200, ['data' => (object) []])]);
        $transport->client()->paymentLinks->update('pl_1', amount: null, description: null);
        self::assertSame('{"amount":null}', $transport->requests[0]->body);
    }

    public function testKeepsTheIdempotencyKeyAcrossRetries(): void
    {
        $transport = new PlayedTransport([
            new TransportFailure('Connection reset by peer'),
            PlayedTransport::refusal(503, 'unavailable'),
            PlayedTransport::refusal(409, 'conflict', 'idempotency_in_progress'),
            PlayedTransport::json(201, ['data' => ['reference' => 'bt_1']]),
        ]);
        $transport->client()->bankTransfers->create(amount: 100);
        $keys = array_map(fn ($request) => $request->headers['idempotency-key'], $transport->requests);
        self::assertCount(4, $keys);
        self::assertCount(1, array_unique($keys));
        self::assertMatchesRegularExpression('/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/', $keys[0]);
    }

    public function testTakesTheCallersIdempotencyKey(): void
    {
        $transport = new PlayedTransport([new TransportFailure('Timeout', isTimeout: true)]);
        $options = new RequestOptions(idempotencyKey: 'salary-11', maxRetries: 0);
        try {
            $transport->client()->bankTransfers->create(amount: 100, options: $options);
            self::fail('No error.');
        } catch (ConnectionError $error) {
            self::assertSame(['no_answer', null, 0], [$error->errorCode, $error->status, $error->getCode()]);
            self::assertSame('salary-11', $error->idempotencyKey);
            self::assertStringContainsString('Retry with the same idempotencyKey, salary-11', $error->nextStep);
        }
        self::assertSame('salary-11', $transport->requests[0]->headers['idempotency-key']);
    }

    public function testGivesUpAfterTheLastRetry(): void
    {
        $transport = new PlayedTransport(array_fill(0, 3, PlayedTransport::refusal(500, 'internal_error')));
        try {
            $transport->client(maxRetries: 2)->payments->get('pay_1');
            self::fail('No error.');
        } catch (ManillaError $error) {
            self::assertSame(500, $error->status);
        }
        self::assertCount(3, $transport->requests);
        self::assertArrayNotHasKey('idempotency-key', $transport->requests[0]->headers);
    }

    public function testDoesNotRepeatAPublicPost(): void
    {
        $transport = new PlayedTransport([PlayedTransport::refusal(503, 'unavailable')]);
        try {
            $transport->client()->checkout->simulate('cs_1');
            self::fail('No error.');
        } catch (ManillaError $error) {
            self::assertSame(503, $error->status);
        }
        self::assertArrayNotHasKey('authorization', $transport->requests[0]->headers);
        self::assertTrue($transport->requests[0]->needsNewConnection);
    }

    public function testCountsNotFoundAfterALostAnswerAsDeleted(): void
    {
        $notFound = PlayedTransport::refusal(404, 'not_found');
        $transport = new PlayedTransport([new TransportFailure('reset'), $notFound, $notFound]);
        $endpoints = $transport->client()->webhookEndpoints;
        $endpoints->delete('we_1');
        $this->expectException(NotFoundError::class);
        $endpoints->delete('we_1');
    }

    /** @dataProvider statuses */
    public function testErrorsHaveTheTypeOfTheirStatus(int $status, string $class): void
    {
        $details = [['field' => 'amount', 'issue' => 'Amount must be at least 100 kobo.']];
        $envelope = [
            'code' => 'some_code', 'reason' => 'some_reason', 'message' => 'Say why.', 'nextStep' => 'Say how.',
            'details' => $details, 'requestId' => 'req_1',
        ];
        $transport = new PlayedTransport([PlayedTransport::json($status, $envelope, ['retry-after' => '60'])]);
        try {
            $transport->client()->payments->get('pay_1');
            self::fail('No error.');
        } catch (ManillaError $error) {
            self::assertSame($class, $error::class);
            self::assertSame(['some_code', 'some_reason'], [$error->errorCode, $error->reason]);
            self::assertSame(['Say why.', 'Say how.'], [$error->getMessage(), $error->nextStep]);
            self::assertSame([$details, 'req_1'], [$error->details, $error->requestId]);
            self::assertSame([$status, 60_000], [$error->status, $error->retryAfterMs]);
        }
    }

    /** @return list<array{int, class-string}> */
    public function statuses(): array
    {
        return [
            [400, ValidationError::class], [401, AuthenticationError::class], [402, InsufficientBalanceError::class],
            [403, AuthenticationError::class], [404, NotFoundError::class], [409, ManillaError::class],
            [413, ValidationError::class], [415, ValidationError::class], [422, ManillaError::class],
            [429, RateLimitError::class], [503, ManillaError::class],
        ];
    }

    /** @dataProvider strangeAnswers */
    public function testAnAnswerThatIsNotOfManillaIsAnError(Response $answer, string $message): void
    {
        $transport = new PlayedTransport([$answer]);
        try {
            $transport->client(maxRetries: 0)->payments->get('pay_1');
            self::fail('No error.');
        } catch (ManillaError $error) {
            self::assertSame('unexpected_answer', $error->errorCode);
            self::assertStringContainsString($message, $error->getMessage());
            self::assertSame('proxy-7', $error->requestId);
        }
    }

    /** @return array<string, array{Response, string}> */
    public function strangeAnswers(): array
    {
        $headers = ['x-request-id' => 'proxy-7'];
        return [
            'a page of a proxy' => [new Response(502, $headers, '<html>'), 'answered 502, which is not'],
            'a redirect' => [
                new Response(301, ['location' => 'https://evil.example', ...$headers], ''),
                'answered 301 and redirects to https://evil.example',
            ],
            'no data' => [new Response(200, $headers, '{"items":[]}'), 'answered 200, which is not'],
            'half a body' => [new Response(200, $headers, '{"data":{'), 'answered 200, which is not'],
            'a code that is not text' => [new Response(400, $headers, '{"code":7}'), 'answered 400, which is not'],
            'a field of another type' => [
                new Response(200, $headers, '{"data":{"reference":{"a":1}}}'),
                'answered 200, which is not',
            ],
            'data that is no object' => [new Response(200, $headers, '{"data":"yes"}'), 'answered 200, which is not'],
        ];
    }

    public function testListsWalkAllPages(): void
    {
        $page = fn (array $references, ?string $next) => PlayedTransport::json(200, ['data' => [
            'items' => array_map(fn ($reference) => ['reference' => $reference], $references),
            'nextCursor' => $next,
        ]]);
        $transport = new PlayedTransport([$page(['a', 'b'], 'c1'), $page([], 'c2'), $page(['c'], null)]);
        $payments = $transport->client()->payments->list(limit: 2, sender: 'Chuka & Söhne');
        self::assertSame([], $transport->requests);
        $references = array_map(fn ($payment) => $payment->reference, iterator_to_array($payments));
        self::assertSame(['a', 'b', 'c'], $references);
        $queries = array_map(fn ($request) => parse_url($request->url, PHP_URL_QUERY), $transport->requests);
        self::assertSame(['limit=2', 'limit=2&cursor=c1', 'limit=2&cursor=c2'], array_map(
            fn ($query) => str_replace('sender=Chuka%20%26%20S%C3%B6hne&', '', $query),
            $queries,
        ));
    }

    public function testARepeatedCursorEndsAList(): void
    {
        $page = PlayedTransport::json(200, ['data' => ['items' => [['reference' => 'a']], 'nextCursor' => 'c1']]);
        $transport = new PlayedTransport([$page, $page, $page]);
        self::assertCount(2, iterator_to_array($transport->client()->payments->list()));
    }

    public function testOnePageOfAList(): void
    {
        $data = ['items' => [['reference' => 'a']], 'nextCursor' => 'c1'];
        $transport = new PlayedTransport([PlayedTransport::json(200, ['data' => $data])]);
        $page = $transport->client()->payments->list(cursor: 'c0')->page();
        self::assertSame(['a', 'c1'], [$page->items[0]->reference, $page->nextCursor]);
        self::assertStringEndsWith('?cursor=c0', $transport->requests[0]->url);
    }

    public function testRefusesAnEmptyReference(): void
    {
        $this->expectExceptionMessage('$manilla->payments->get needs reference, but got an empty string.');
        (new PlayedTransport([]))->client()->payments->get('');
    }
}
