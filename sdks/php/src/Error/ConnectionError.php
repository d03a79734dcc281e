<?php

declare(strict_types=1);

namespace Manilla\Error;

/** No connection, or no answer in time. The request may have been carried out. */
final class ConnectionError extends ManillaError
{
}
