<?php

declare(strict_types=1);

namespace Manilla\Error;

/** 404: not found in the environment of this key. */
final class NotFoundError extends ManillaError
{
}
