<?php

declare(strict_types=1);

namespace Manilla;

/** The data of an event type that is newer than this SDK: everything is in `raw()`. */
final class UnknownModel extends Model
{
}
