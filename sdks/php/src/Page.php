<?php

declare(strict_types=1);

namespace Manilla;

/**
 * One page of a list, newest first.
 *
 * @template Item
 */
final class Page
{
    /**
     * @param list<Item> $items
     * @param string|null $nextCursor start of the next page; null on the last
     */
    public function __construct(
        public readonly array $items,
        public readonly ?string $nextCursor,
    ) {
    }
}
