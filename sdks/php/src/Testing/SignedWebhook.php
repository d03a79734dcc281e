<?php

declare(strict_types=1);

namespace Manilla\Testing;

use Manilla\Error\WebhookError;
use Manilla\Internal\WebhookKey;

/**
 * A webhook as the service would send it, for tests of your endpoint.
 *
 *     $webhook = SignedWebhook::make('virtual_account.paid', ['merchantReference' => 'order-1001'], $secret);
 *     $this->post('/webhooks', $webhook->body, $webhook->headers);
 */
final class SignedWebhook
{
    /**
     * @param string $body the raw body
     * @param array<string, string> $headers by name
     */
    private function __construct(
        public readonly string $body,
        public readonly array $headers,
    ) {
    }

    /**
     * @param array<string, mixed>|\JsonSerializable $data
     * @param string $secret any `whsec_…`; `SignedWebhook::makeSecret()` makes one
     * @param int|null $sentMs when the webhook is sent; now by default
     */
    public static function make(
        string $type,
        array|\JsonSerializable $data,
        #[\SensitiveParameter] string $secret,
        ?int $sentMs = null,
        string $id = 'evt_test',
    ): self {
        $sentMs ??= (int) (microtime(true) * 1_000);
        $seconds = intdiv($sentMs, 1_000);
        $event = [
            'id' => $id,
            'type' => $type,
            'timestamp' => gmdate('Y-m-d\TH:i:s', $seconds) . sprintf('.%03dZ', $sentMs % 1_000),
            'mode' => 'test',
            'sequence' => 1,
            'data' => is_array($data) ? (object) $data : $data,
        ];
        $body = json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        return self::sign($body, $secret, $sentMs, $id);
    }

    /**
     * Signs any body.
     *
     * @param string|null $id of the event; by default that of the body
     */
    public static function sign(
        string $body,
        #[\SensitiveParameter] string $secret,
        ?int $sentMs = null,
        ?string $id = null,
    ): self {
        $timestamp = intdiv($sentMs ?? (int) (microtime(true) * 1_000), 1_000);
        $id ??= json_decode($body)->id ?? null;
        if (!is_string($id)) {
            throw new WebhookError(WebhookError::BODY_CHANGED, 'The body has no `id`. Sign an event, or pass the id.');
        }
        $signature = WebhookKey::read($secret)->sign("$id.$timestamp.$body");
        return new self($body, [
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $timestamp,
            'webhook-signature' => "v1,$signature",
        ]);
    }

    public static function makeSecret(): string
    {
        return 'whsec_' . base64_encode(random_bytes(32));
    }
}
