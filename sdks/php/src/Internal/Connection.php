<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Http\Transport;

/**
 * Where requests go, and with which key.
 *
 * @internal
 */
final class Connection
{
    public readonly string $baseUrl;
    public readonly string $key;

    /** @throws \InvalidArgumentException for a key or URL that could never work */
    public function __construct(
        #[\SensitiveParameter] string|false|null $key,
        string $baseUrl,
        public readonly int $timeoutMs,
        public readonly int $maxRetries,
        public readonly Transport $transport,
    ) {
        if (PHP_INT_SIZE < 8) {
            throw new \LogicException('Manilla needs a 64-bit PHP: amounts in kobo exceed 32 bits.');
        }
        $this->key = self::checkKey($key);
        $this->baseUrl = self::readBaseUrl($baseUrl);
    }

    /** Keeps the key out of dumps. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    public function __serialize(): array
    {
        throw new \LogicException('A client of Manilla cannot be serialized. Create it where it is used.');
    }

    private static function checkKey(#[\SensitiveParameter] string|false|null $key): string
    {
        if ($key === null || $key === false || $key === '') {
            $how = $key === '' ? 'empty' : 'missing';
            throw new \InvalidArgumentException("The key is $how. Is its variable set?");
        }
        if (trim($key) !== $key) {
            throw new \InvalidArgumentException('The key has whitespace around it. Trim it.');
        }
        if (!preg_match('/^[sp]k_(test|live)_/', $key)) {
            throw new \InvalidArgumentException(
                'This is not a Manilla key. Keys start with sk_test_ or sk_live_.',
            );
        }
        return $key;
    }

    private static function readBaseUrl(string $baseUrl): string
    {
        if (!preg_match('~^https?://[^/?#]+[^?#]*$~iD', $baseUrl)) {
            throw new \InvalidArgumentException(
                'baseUrl must be the URL of your Manilla service, such as https://pay.example.com.',
            );
        }
        // Paths include the version.
        return preg_replace('~/v1$~D', '', rtrim($baseUrl, '/'));
    }
}
