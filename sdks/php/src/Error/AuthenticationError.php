<?php

declare(strict_types=1);

namespace Manilla\Error;

/** 401 or 403: the key is missing, invalid or lacks permission. */
final class AuthenticationError extends ManillaError
{
}
