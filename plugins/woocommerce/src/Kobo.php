<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

/** Naira as WooCommerce writes them, `1250.5`, and as Manilla counts them, 125050 kobo. */
final class Kobo
{
    /** @throws \InvalidArgumentException for what is not an amount of whole kobo */
    public static function of(string $naira): int
    {
        // Digits beyond kobo must be zeros: shops may calculate with more decimals than they show.
        if (!preg_match('/^(\d{1,13})(?:\.(\d{0,2})0*)?$/D', trim($naira), $parts)) {
            throw new \InvalidArgumentException("$naira is not an amount in naira and kobo.");
        }
        return (int) ($parts[1] . str_pad($parts[2] ?? '', 2, '0'));
    }

    /** For people: ₦1,250.50. */
    public static function print(int $kobo): string
    {
        return sprintf('₦%s.%02d', number_format(intdiv($kobo, 100)), $kobo % 100);
    }
}
