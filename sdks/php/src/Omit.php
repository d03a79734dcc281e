<?php

declare(strict_types=1);

namespace Manilla;

/**
 * The default of fields that can be cleared: `null` clears such a field, and leaving it out keeps it
 * as it is.
 */
enum Omit
{
    case Field;
}
