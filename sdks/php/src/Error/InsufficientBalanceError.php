<?php

declare(strict_types=1);

namespace Manilla\Error;

/** 402: the available balance cannot cover amount and fee. */
final class InsufficientBalanceError extends ManillaError
{
}
