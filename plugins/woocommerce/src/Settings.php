<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Enum\EventFilter;
use Manilla\Error\ManillaError;

/** The settings of the payment method. Checks throw with a message for the shop's owner. */
final class Settings
{
    /** @return array<string, array<string, mixed>> */
    public static function fields(): array
    {
        $secret = fn (string $mode) => [
            /* translators: %s: test or live */
            'title' => sprintf(__('Webhook secret (%s)', 'manilla'), $mode),
            'type' => 'password',
            'description' => __('Leave empty: the plug-in creates the endpoint when you save, and fills this in.', 'manilla'),
        ];
        return [
            'enabled' => ['title' => __('Enable', 'manilla'), 'type' => 'checkbox', 'label' => 'Manilla', 'default' => 'no'],
            'title' => ['title' => __('Title', 'manilla'), 'type' => 'text', 'default' => __('Bank transfer', 'manilla')],
            'description' => [
                'title' => __('Description', 'manilla'),
                'type' => 'textarea',
                'default' => __('Transfer from any Nigerian bank. Your order is confirmed within seconds.', 'manilla'),
            ],
            'url' => [
                'title' => __('Address of Manilla', 'manilla'),
                'type' => 'text',
                'placeholder' => 'https://pay.example.com',
            ],
            'testmode' => [
                'title' => __('Test mode', 'manilla'),
                'type' => 'checkbox',
                'label' => __('Payments are simulated: no money moves', 'manilla'),
                'default' => 'yes',
            ],
            'test_key' => ['title' => __('Secret key (test)', 'manilla'), 'type' => 'password', 'placeholder' => 'sk_test_…'],
            'test_webhook_secret' => $secret('test'),
            'live_key' => ['title' => __('Secret key (live)', 'manilla'), 'type' => 'password', 'placeholder' => 'sk_live_…'],
            'live_webhook_secret' => $secret('live'),
            'presentation' => [
                'title' => __('Payment page', 'manilla'),
                'type' => 'select',
                'default' => 'redirect',
                'options' => [
                    'redirect' => __('The page of Manilla', 'manilla'),
                    'inline' => __('A dialog on your shop', 'manilla'),
                ],
                'description' => sprintf(
                    /* translators: %s: address of the shop */
                    __('For the dialog, add %s to checkout.frameOrigins in the settings of Manilla.', 'manilla'),
                    self::origin(),
                ),
            ],
        ];
    }

    public static function checkUrl(string $url): string
    {
        $url = rtrim(trim($url), '/');
        $isLocal = preg_match('~^http://(localhost|127\.0\.0\.1)(:\d+)?$~D', $url);
        if ($url !== '' && !$isLocal && !preg_match('~^https://[^/?#\s]+$~D', $url)) {
            throw new \Exception(__('The address of Manilla must look like https://pay.example.com.', 'manilla'));
        }
        return $url;
    }

    public static function checkKey(string $mode, string $key): string
    {
        $key = trim($key);
        if ($key !== '' && !preg_match("/^sk_{$mode}_[\w-]+$/D", $key)) {
            /* translators: 1: test or live, 2: beginning of a key */
            throw new \Exception(sprintf(__('The secret key (%1$s) must start with %2$s.', 'manilla'), $mode, "sk_{$mode}_"));
        }
        return $key;
    }

    public static function checkSecret(string $secret): string
    {
        $secret = trim($secret);
        if ($secret !== '' && !preg_match('~^whsec_[\w+/=-]{20,}$~D', $secret)) {
            throw new \Exception(__('The webhook secret must start with whsec_.', 'manilla'));
        }
        return $secret;
    }

    /** Creates the webhook endpoint of a key that has none. Returns its secret, or why it could not. */
    public static function connect(Account $account): string|\WP_Error|null
    {
        if (!$account->isComplete() || $account->webhookSecret !== '') {
            return null;
        }
        try {
            $endpoints = $account->client()->webhookEndpoints;
            $url = rest_url(Webhooks::ROUTE);
            // One whose secret is lost would only be refused.
            foreach ($endpoints->list() as $endpoint) {
                if ($endpoint->url === $url) {
                    $endpoints->delete($endpoint->id);
                }
            }
            return $endpoints->create(
                url: $url,
                description: 'WooCommerce',
                events: [EventFilter::CHECKOUT_SESSION_ALL, EventFilter::PAYMENT_ALL],
            )->secret;
        } catch (ManillaError $error) {
            $message = __('Manilla could not send webhooks to this shop; orders are updated every five minutes.', 'manilla');
            return new \WP_Error('manilla_webhook', "$message {$error->getMessage()} {$error->nextStep}");
        }
    }

    private static function origin(): string
    {
        $url = wp_parse_url(home_url());
        return ($url['scheme'] ?? 'https') . '://' . ($url['host'] ?? '') . (isset($url['port']) ? ":{$url['port']}" : '');
    }
}
