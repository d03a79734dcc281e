<?php

declare(strict_types=1);

namespace Manilla\Error;

/** 429: too many requests, even after retries. */
final class RateLimitError extends ManillaError
{
}
