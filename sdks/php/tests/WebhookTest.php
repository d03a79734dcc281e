<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Error\WebhookError;
use Manilla\Model\Payment;
use Manilla\Testing\SignedWebhook;
use Manilla\Webhook;
use PHPUnit\Framework\TestCase;

final class WebhookTest extends TestCase
{
    private const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
    private const NOW_MS = 1_767_603_600_000;
    private const BODY = '{"id":"evt_1","type":"payment.held","timestamp":"2026-01-05T09:00:00.000Z","mode":"test","sequence":1,"data":{"reference":"pay_1","url":"https://a/b","narration":"Àṣẹ, ₦5,000 for Ada"}}';

    public function testVerifiesAGenuineWebhook(): void
    {
        $event = Webhook::verify(self::BODY, self::headers(), self::SECRET, nowMs: self::NOW_MS);
        self::assertSame(['evt_1', 'payment.held'], [$event->id, $event->type]);
        self::assertInstanceOf(Payment::class, $event->data);
        self::assertSame(self::BODY, json_encode($event, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE));
    }

    public function testAcceptsHeadersInAnyForm(): void
    {
        $headers = self::headers();
        $forms = [
            array_change_key_case($headers, CASE_UPPER),
            array_map(fn ($value) => [$value], $headers),
            new \ArrayIterator($headers),
            array_combine(
                array_map(fn ($name) => 'HTTP_' . strtr(strtoupper($name), '-', '_'), array_keys($headers)),
                $headers,
            ) + ['REQUEST_TIME' => 5, 'argv' => []],
        ];
        foreach ($forms as $form) {
            $event = Webhook::verify(self::BODY, $form, self::SECRET, nowMs: self::NOW_MS);
            self::assertSame('evt_1', $event->id);
        }
    }

    public function testAcceptsABodyThatCanBeText(): void
    {
        $stream = new class (self::BODY) implements \Stringable {
            public function __construct(private string $text)
            {
            }

            public function __toString(): string
            {
                return $this->text;
            }
        };
        self::assertSame('evt_1', Webhook::verify($stream, self::headers(), self::SECRET, nowMs: self::NOW_MS)->id);
    }

    public function testAcceptsOneValidSignatureAmongSeveral(): void
    {
        $headers = self::headers();
        $other = SignedWebhook::sign(self::BODY, SignedWebhook::makeSecret(), self::NOW_MS, 'evt_1');
        $headers['webhook-signature'] = "v1a,abc {$other->headers['webhook-signature']} {$headers['webhook-signature']}";
        self::assertSame('evt_1', Webhook::verify(self::BODY, $headers, self::SECRET, nowMs: self::NOW_MS)->id);
    }

    /** @requires extension sodium */
    public function testVerifiesWithThePublicKey(): void
    {
        $pair = sodium_crypto_sign_keypair();
        $publicKey = 'whpk_' . base64_encode(sodium_crypto_sign_publickey($pair));
        $headers = self::headers();
        $content = "evt_1.{$headers['webhook-timestamp']}." . self::BODY;
        $signature = base64_encode(sodium_crypto_sign_detached($content, sodium_crypto_sign_secretkey($pair)));
        $headers['webhook-signature'] .= " v1a,$signature";
        self::assertSame('evt_1', Webhook::verify(self::BODY, $headers, $publicKey, nowMs: self::NOW_MS)->id);
        self::assertProblem('body_changed', 'whitespace', self::BODY . "\n", $headers, $publicKey);
        $headers['webhook-signature'] = 'v1a,' . base64_encode('short');
        self::assertProblem('signature_mismatch', 'another secret', self::BODY, $headers, $publicKey);
    }

    public function testSaysThatTheBodyWasParsed(): void
    {
        foreach ([json_decode(self::BODY), json_decode(self::BODY, true), null, false] as $body) {
            self::assertProblem('body_parsed', '$request->getContent() in Laravel', $body);
        }
    }

    /** @dataProvider changedBodies */
    public function testSaysHowTheBodyWasChanged(string $how, string $body): void
    {
        self::assertProblem('body_changed', $how, $body);
    }

    /** @return array<string, array{string, string}> */
    public function changedBodies(): array
    {
        $latin1 = '';
        foreach (str_split(self::BODY) as $byte) {
            $code = ord($byte);
            $latin1 .= $code < 0x80 ? $byte : chr(0xc0 | $code >> 6) . chr(0x80 | $code & 0x3f);
        }
        return [
            'decoded and encoded by PHP' => ['parsed and serialized again', json_encode(json_decode(self::BODY))],
            'printed with spaces' => [
                'parsed and serialized again',
                json_encode(json_decode(self::BODY), JSON_PRETTY_PRINT),
            ],
            'with a line break' => ['whitespace was added', self::BODY . "\n"],
            'read as Latin-1' => ['read as Latin-1', $latin1],
            'cut' => ['not complete JSON', substr(self::BODY, 0, -10)],
            'empty' => ['is empty', ''],
            'of another event' => ['to another event', str_replace('evt_1', 'evt_2', self::BODY)],
        ];
    }

    public function testSaysThatTheAmountWasChangedOnTheWay(): void
    {
        self::assertProblem('signature_mismatch', 'another secret', str_replace('5,000', '9,000', self::BODY));
        self::assertProblem('signature_mismatch', 'another secret', self::BODY, null, SignedWebhook::makeSecret());
    }

    /**
     * @testWith ["v2,abc"]
     *           ["v1"]
     *           ["nonsense"]
     *           ["v1a,abc"]
     */
    public function testSaysThatThereIsNoSignature(string $signature): void
    {
        $headers = ['webhook-signature' => $signature] + self::headers();
        self::assertProblem('signature_mismatch', 'no v1 signature', self::BODY, $headers);
    }

    public function testSaysWhichHeadersAreMissing(): void
    {
        $headers = self::headers();
        unset($headers['webhook-id']);
        self::assertProblem('headers_missing', 'The request has no webhook-id.', self::BODY, $headers);
        self::assertProblem('headers_missing', 'no webhook-id, no webhook-timestamp', self::BODY, []);
        $late = ['webhook-timestamp' => 'soon'] + self::headers();
        self::assertProblem('headers_missing', 'no webhook-timestamp', self::BODY, $late);
    }

    /** @dataProvider badSecrets */
    public function testSaysWhatIsWrongWithTheSecret(string|false|null $secret, string $message): void
    {
        self::assertProblem('secret_malformed', $message, self::BODY, null, $secret);
    }

    /** @return list<array{string|false|null, string}> */
    public function badSecrets(): array
    {
        return [
            [null, 'is missing. Is the variable set?'],
            [false, 'is missing. Is the variable set?'],
            ['', 'is empty'],
            [self::SECRET . "\n", 'whitespace around it'],
            ['sk_test_abc', 'is an API key'],
            ['we_01hx', 'is an endpoint id'],
            [substr(self::SECRET, 6), 'must start with whsec_'],
            ['whsec_abc', 'is incomplete'],
            ['whsec_!!!!', 'is not a valid key'],
            ['whpk_' . base64_encode('short'), 'is incomplete'],
        ];
    }

    public function testSaysThatItIsTooOldOrTooNew(): void
    {
        $verify = fn (int $seconds, int $toleranceMs = 300_000) => Webhook::verify(
            self::BODY,
            self::headers(),
            self::SECRET,
            $toleranceMs,
            self::NOW_MS + $seconds * 1_000,
        );
        foreach ([[301, 'too_old', 'sent 301 s ago; at most 300 s'], [-420, 'too_new', '420 s ahead of your clock']] as [$seconds, $problem, $message]) {
            try {
                $verify($seconds);
                self::fail('No error.');
            } catch (WebhookError $error) {
                self::assertSame($problem, $error->problem);
                self::assertStringContainsString($message, $error->getMessage());
            }
        }
        self::assertSame('evt_1', $verify(301, 600_000)->id);
        self::assertSame('evt_1', $verify(300)->id);
        $this->expectException(\InvalidArgumentException::class);
        $verify(0, -1);
    }

    public function testSaysThatASignedBodyIsNoEvent(): void
    {
        foreach (['not json', '[]', '5'] as $body) {
            $headers = SignedWebhook::sign($body, self::SECRET, self::NOW_MS, 'evt_1')->headers;
            self::assertProblem('body_changed', 'not a webhook of Manilla', $body, $headers);
        }
    }

    public function testMakesWebhooksForTests(): void
    {
        $secret = SignedWebhook::makeSecret();
        $webhook = SignedWebhook::make('virtual_account.paid', ['merchantReference' => 'order-1001'], $secret);
        $event = Webhook::verify($webhook->body, $webhook->headers, $secret);
        self::assertSame('order-1001', $event->data->merchantReference);
        self::assertMatchesRegularExpression('/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/', $event->timestamp);
        self::assertSame('evt_9', SignedWebhook::sign('{"id":"evt_9"}', $secret)->headers['webhook-id']);
        $old = SignedWebhook::make('virtual_account.paid', [], $secret, sentMs: self::NOW_MS);
        self::assertSame('2026-01-05T09:00:00.000Z', json_decode($old->body)->timestamp);
        self::assertProblem('too_old', 's ago', $old->body, $old->headers, $secret, self::NOW_MS + 301_000);
    }

    /**
     * @testWith ["{\"id\":\"evt_1\"}", "whpk_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "secret_malformed"]
     *           ["{\"id\":\"evt_1\"}", "whsec_abc", "secret_malformed"]
     *           ["{\"id\":5}", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "body_changed"]
     *           ["", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "body_changed"]
     */
    public function testRefusesToSignWhatCouldNotBeVerified(string $body, string $secret, string $problem): void
    {
        try {
            SignedWebhook::sign($body, $secret);
            self::fail('No error.');
        } catch (WebhookError $error) {
            self::assertSame($problem, $error->problem);
        }
    }

    /** @return array<string, string> */
    private static function headers(): array
    {
        return SignedWebhook::sign(self::BODY, self::SECRET, self::NOW_MS, 'evt_1')->headers;
    }

    private static function assertProblem(
        string $problem,
        string $message,
        mixed $body,
        ?array $headers = null,
        string|false|null $secret = self::SECRET,
        int $nowMs = self::NOW_MS,
    ): void {
        try {
            Webhook::verify($body, $headers ?? self::headers(), $secret, nowMs: $nowMs);
            self::fail("No $problem.");
        } catch (WebhookError $error) {
            self::assertSame($problem, $error->problem, $error->getMessage());
            self::assertStringContainsString($message, $error->getMessage());
        }
    }
}
