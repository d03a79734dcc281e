<?php

declare(strict_types=1);

namespace Manilla\Error;

/** 400, 413 or 415: the request is invalid; see `details`. */
final class ValidationError extends ManillaError
{
}
