<?php

declare(strict_types=1);

namespace Manilla\Http;

/** There is no whole answer. */
final class TransportFailure extends \RuntimeException
{
    public function __construct(string $why, public readonly bool $isTimeout = false)
    {
        parent::__construct($why);
    }
}
