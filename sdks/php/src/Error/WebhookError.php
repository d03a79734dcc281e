<?php

declare(strict_types=1);

namespace Manilla\Error;

/** The webhook could not be verified. Answer 400 and do nothing. */
final class WebhookError extends \RuntimeException
{
    public const BODY_PARSED = 'body_parsed';
    public const BODY_CHANGED = 'body_changed';
    public const HEADERS_MISSING = 'headers_missing';
    public const SECRET_MALFORMED = 'secret_malformed';
    public const SIGNATURE_MISMATCH = 'signature_mismatch';
    public const TOO_OLD = 'too_old';
    public const TOO_NEW = 'too_new';

    /**
     * @param self::* $problem what is wrong; branch on it
     * @param string $message what to change
     */
    public function __construct(public readonly string $problem, string $message)
    {
        parent::__construct($message);
    }
}
