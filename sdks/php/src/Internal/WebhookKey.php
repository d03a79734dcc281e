<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Error\WebhookError;

/**
 * `whsec_…` verifies the HMAC signature, `whpk_…` the Ed25519 one.
 *
 * @internal
 */
final class WebhookKey
{
    private const VERSIONS = ['whsec_' => 'v1', 'whpk_' => 'v1a'];

    private function __construct(
        public readonly string $version,
        #[\SensitiveParameter] private readonly string $bytes,
    ) {
    }

    public static function read(#[\SensitiveParameter] string|false|null $secret): self
    {
        if ($secret === null || $secret === false || $secret === '') {
            $how = $secret === '' ? 'empty' : 'missing';
            throw self::malformed("is $how. Is the variable set?");
        }
        if (trim($secret) !== $secret) {
            throw self::malformed('has whitespace around it. Trim it.');
        }
        if (preg_match('/^[sp]k_/', $secret)) {
            throw self::malformed('is an API key. Use the `secret` (whsec_…) that came with the endpoint.');
        }
        if (str_starts_with($secret, 'we_')) {
            throw self::malformed('is an endpoint id. Use the `secret` (whsec_…) that came with it.');
        }
        if (!preg_match('/^(whsec_|whpk_)(.*)$/Ds', $secret, $parts)) {
            throw self::malformed('must start with whsec_ (or whpk_, for the public key).');
        }
        [, $prefix, $encoded] = $parts;
        $bytes = (string) base64_decode($encoded, strict: true);
        $isWhole = $prefix === 'whpk_' ? strlen($bytes) === 32 : strlen($bytes) >= 16;
        if (!$isWhole) {
            throw self::malformed("is incomplete or changed: the part after $prefix is not a valid key.");
        }
        return new self(self::VERSIONS[$prefix], $bytes);
    }

    /**
     * @param string $content what is signed: id, timestamp and body
     * @param list<string> $signatures
     */
    public function matches(string $content, array $signatures): bool
    {
        foreach ($signatures as $signature) {
            $given = base64_decode($signature, strict: true);
            if ($given !== false && $this->isSignature($given, $content)) {
                return true;
            }
        }
        return false;
    }

    /** A `v1` signature, for tests of receivers. */
    public function sign(string $content): string
    {
        if ($this->version !== 'v1') {
            throw self::malformed('is a public key, which cannot sign. Use a secret (whsec_…).');
        }
        return base64_encode(hash_hmac('sha256', $content, $this->bytes, binary: true));
    }

    public function __debugInfo(): array
    {
        return ['version' => $this->version];
    }

    private function isSignature(string $given, string $content): bool
    {
        if ($this->version === 'v1') {
            return hash_equals(hash_hmac('sha256', $content, $this->bytes, binary: true), $given);
        }
        // Also defined by paragonie/sodium_compat, which WordPress includes.
        if (!function_exists('sodium_crypto_sign_verify_detached')) {
            throw new \LogicException(
                'This PHP cannot verify webhooks with a public key (whpk_…): ext-sodium is missing. Enable it, install paragonie/sodium_compat, or use the secret of the endpoint (whsec_…), which needs no extension.',
            );
        }
        return strlen($given) === 64 && sodium_crypto_sign_verify_detached($given, $content, $this->bytes);
    }

    private static function malformed(string $how): WebhookError
    {
        return new WebhookError(WebhookError::SECRET_MALFORMED, "The webhook secret $how");
    }
}
