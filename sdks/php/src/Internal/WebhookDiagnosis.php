<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Error\WebhookError;

/**
 * Finds out why no signature matches, as far as possible.
 *
 * @internal
 */
final class WebhookDiagnosis
{
    /** @param list<string> $signatures */
    public static function of(
        WebhookKey $key,
        string $id,
        string $timestamp,
        string $body,
        array $signatures,
    ): WebhookError {
        if ($signatures === []) {
            return self::mismatch(
                "The webhook-signature header has no $key->version signature. The request is not from Manilla, or a proxy cut the header.",
            );
        }
        foreach (self::undoings() as $what => $undo) {
            $original = $undo($body);
            if ($original !== null && $key->matches("$id.$timestamp.$original", $signatures)) {
                return self::changed(
                    "The body was changed: $what. Verify the raw body before any middleware touches it.",
                );
            }
        }
        if ($body === '') {
            return self::changed('The body is empty: something has already read it.');
        }
        return self::guess($id, $body);
    }

    /**
     * Common changes to a body before verification; undoing one proves that it happened.
     *
     * @return array<string, \Closure(string): ?string>
     */
    private static function undoings(): array
    {
        return [
            'whitespace was added around it' => trim(...),
            'it was parsed and serialized again' => self::serializeAgain(...),
            'its bytes were read as Latin-1 instead of UTF-8' => self::readAgainAsUtf8(...),
        ];
    }

    private static function serializeAgain(string $text): ?string
    {
        // As the service writes JSON: PHP escapes slashes and other letters unless told not to.
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS
            | JSON_PRESERVE_ZERO_FRACTION;
        $value = json_decode($text);
        return $value === null ? null : (json_encode($value, $flags) ?: null);
    }

    private static function readAgainAsUtf8(string $text): ?string
    {
        // Each letter from U+0080 to U+00FF was one byte.
        $toByte = fn (array $found) => chr((ord($found[0][0]) & 0x03) << 6 | ord($found[0][1]) & 0x3f);
        return preg_replace_callback('/[\x{80}-\x{ff}]/u', $toByte, $text);
    }

    /** A body that looks intact suggests a wrong secret. */
    private static function guess(string $id, string $body): WebhookError
    {
        $event = json_decode($body, associative: true, flags: JSON_INVALID_UTF8_SUBSTITUTE);
        if ($event === null) {
            return self::changed('The body is not complete JSON: it was cut or changed.');
        }
        if (!is_array($event) || ($event['id'] ?? null) !== $id) {
            return self::changed(
                'The body belongs to another event than the headers. Pass both from the same request.',
            );
        }
        return self::mismatch(
            'The signature was made with another secret. Use the secret of this endpoint and mode; after a rotation, the new one. If the secret is right, the body was changed on the way.',
        );
    }

    private static function changed(string $message): WebhookError
    {
        return new WebhookError(WebhookError::BODY_CHANGED, $message);
    }

    private static function mismatch(string $message): WebhookError
    {
        return new WebhookError(WebhookError::SIGNATURE_MISMATCH, $message);
    }
}
