/** One page of a list, newest first. */
export type Page<Item> = {
  items: Item[]
  /** Where the next page starts; null on the last. */
  nextCursor: string | null
}

/**
 * A list that is asked for as you read it. `for await` walks through all of it, page after page;
 * `page()` fetches one page only.
 */
export type Pages<Item> = AsyncIterable<Item> & {
  /** The page at `cursor`, or the first, with the cursor of the next. */
  page(): Promise<Page<Item>>
}

export function toPages<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
): Pages<Item> {
  return {
    page: () => fetchPage(first),
    async *[Symbol.asyncIterator]() {
      let cursor = first
      for (;;) {
        const { items, nextCursor } = await fetchPage(cursor)
        yield* items
        // The same place twice would go on for ever.
        if (nextCursor === null || nextCursor === cursor) return
        cursor = nextCursor
      }
    },
  }
}
