<?php

declare(strict_types=1);

namespace Manilla;

use Manilla\Error\WebhookError;
use Manilla\Internal\WebhookDiagnosis;
use Manilla\Internal\WebhookKey;
use Manilla\Model\WebhookEvent;

/** Verifies webhooks. Needs no client and no key of the API. */
final class Webhook
{
    private const HEADER_NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

    /**
     * Verifies signature and age of a webhook and returns the event.
     *
     *     $event = Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret);
     *
     * @param string|\Stringable $rawBody the body as it arrived, before anything parsed it
     * @param iterable<string, string|array<string>> $headers all headers of the request, or `$_SERVER`
     * @param string|false|null $secret the endpoint's `secret` (`whsec_…`) or its `publicKey` (`whpk_…`)
     * @param int $toleranceMs maximum difference to your clock
     * @param int|null $nowMs the current time, for tests
     * @throws WebhookError that says what to change
     */
    public static function verify(
        mixed $rawBody,
        iterable $headers,
        #[\SensitiveParameter] string|false|null $secret,
        int $toleranceMs = 300_000,
        ?int $nowMs = null,
    ): WebhookEvent {
        if ($toleranceMs < 0) {
            throw new \InvalidArgumentException('toleranceMs must not be negative.');
        }
        $body = self::checkBody($rawBody);
        [$id, $timestamp, $signatureHeader] = self::readHeaders($headers);
        $key = WebhookKey::read($secret);
        $signatures = self::signaturesOf($signatureHeader, $key->version);
        if (!$key->matches("$id.$timestamp.$body", $signatures)) {
            throw WebhookDiagnosis::of($key, $id, $timestamp, $body, $signatures);
        }
        // After the signature, so that the time is proven to be the sender's.
        self::checkTime((int) $timestamp * 1_000, $toleranceMs, $nowMs ?? (int) (microtime(true) * 1_000));
        return self::readEvent($body);
    }

    private static function checkBody(mixed $rawBody): string
    {
        if (is_string($rawBody) || $rawBody instanceof \Stringable) {
            return (string) $rawBody;
        }
        throw new WebhookError(
            WebhookError::BODY_PARSED,
            'The body must be the raw text, but is ' . get_debug_type($rawBody) . ". If a framework parsed it, use the raw body: file_get_contents('php://input'), or \$request->getContent() in Laravel.",
        );
    }

    /** @return array{string, string, string} */
    private static function readHeaders(iterable $headers): array
    {
        $values = array_fill_keys(self::HEADER_NAMES, '');
        foreach ($headers as $key => $value) {
            // $_SERVER says HTTP_WEBHOOK_ID.
            $name = strtr(preg_replace('/^http_/', '', strtolower((string) $key)), '_', '-');
            if (isset($values[$name])) {
                $values[$name] = (string) (is_array($value) ? reset($value) : $value);
            }
        }
        // An invalid time would be neither too old nor too new.
        if (!preg_match('/^\d{1,12}$/D', $values['webhook-timestamp'])) {
            $values['webhook-timestamp'] = '';
        }
        $missing = array_keys($values, '', true);
        if ($missing === []) {
            return array_values($values);
        }
        throw new WebhookError(
            WebhookError::HEADERS_MISSING,
            'The request has no ' . implode(', no ', $missing) . '. Pass all headers of the request; if these did not arrive, it is not a webhook, or a proxy removed them.',
        );
    }

    /** @return list<string> */
    private static function signaturesOf(string $header, string $version): array
    {
        $own = array_filter(explode(' ', $header), fn (string $part) => str_starts_with($part, "$version,"));
        return array_map(fn (string $part) => substr($part, strlen($version) + 1), array_values($own));
    }

    private static function checkTime(int $sentMs, int $toleranceMs, int $nowMs): void
    {
        $ageMs = $nowMs - $sentMs;
        $seconds = (int) round(abs($ageMs) / 1_000);
        $allowed = $toleranceMs / 1_000 . ' s';
        if ($ageMs > $toleranceMs) {
            throw new WebhookError(
                WebhookError::TOO_OLD,
                "The signature is valid, but the webhook was sent $seconds s ago; at most $allowed is allowed. It was delayed or replayed, or your clock is fast.",
            );
        }
        if ($ageMs < -$toleranceMs) {
            throw new WebhookError(
                WebhookError::TOO_NEW,
                "The signature is valid, but the webhook is $seconds s ahead of your clock; at most $allowed is allowed. Your clock is slow, or the service's is fast.",
            );
        }
    }

    private static function readEvent(string $body): WebhookEvent
    {
        $event = json_decode($body, flags: JSON_BIGINT_AS_STRING);
        if ($event instanceof \stdClass) {
            return new WebhookEvent($event);
        }
        throw new WebhookError(
            WebhookError::BODY_CHANGED,
            'The body is signed with your secret but is not JSON: it is not a webhook of Manilla.',
        );
    }
}
