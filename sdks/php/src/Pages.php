<?php

declare(strict_types=1);

namespace Manilla;

/**
 * A list that is fetched as you read it. `foreach` walks all pages; `page()` fetches one.
 *
 * @template Item
 * @implements \IteratorAggregate<int, Item>
 */
final class Pages implements \IteratorAggregate
{
    /**
     * @internal
     * @param \Closure(?string): Page<Item> $fetchPage
     */
    public function __construct(
        private readonly \Closure $fetchPage,
        private readonly ?string $first,
    ) {
    }

    /**
     * The page at `cursor`, or the first.
     *
     * @return Page<Item>
     */
    public function page(): Page
    {
        return ($this->fetchPage)($this->first);
    }

    /** @return \Generator<int, Item> */
    public function getIterator(): \Generator
    {
        $cursor = $this->first;
        for (;;) {
            $page = ($this->fetchPage)($cursor);
            // Not `yield from`: its keys start again with each page, so iterator_to_array() would lose items.
            foreach ($page->items as $item) {
                yield $item;
            }
            // A repeated cursor would loop forever.
            if ($page->nextCursor === null || $page->nextCursor === $cursor) {
                return;
            }
            $cursor = $page->nextCursor;
        }
    }
}
