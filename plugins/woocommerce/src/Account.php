<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Http\Transport;
use Manilla\Manilla;

/** How the shop reaches Manilla in one mode, test or live. */
final class Account
{
    /** Replaced by tests. */
    public static ?Transport $transport = null;

    private function __construct(
        public readonly string $mode,
        private readonly string $url,
        #[\SensitiveParameter] private readonly string $key,
        #[\SensitiveParameter] public readonly string $webhookSecret,
    ) {
    }

    /** The mode that new orders are paid in. */
    public static function current(): self
    {
        return self::of((self::settings()['testmode'] ?? 'yes') === 'yes' ? 'test' : 'live');
    }

    /** Orders keep the mode that they were paid in when the shop switches. */
    public static function of(string $mode): self
    {
        $settings = self::settings();
        return new self(
            $mode,
            $settings['url'] ?? '',
            $settings["{$mode}_key"] ?? '',
            $settings["{$mode}_webhook_secret"] ?? '',
        );
    }

    public function isComplete(): bool
    {
        return $this->url !== '' && $this->key !== '';
    }

    /** A customer or a worker waits for the answer: a short timeout, and retries that do not take minutes. */
    public function client(int $timeoutMs = 10_000, int $maxRetries = 1): Manilla
    {
        return new Manilla($this->key, $this->url, $timeoutMs, $maxRetries, self::$transport);
    }

    /** @return array<string, string> */
    private static function settings(): array
    {
        return (array) get_option('woocommerce_' . Plugin::ID . '_settings', []);
    }
}
