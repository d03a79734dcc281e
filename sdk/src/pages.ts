/** One page of a list, newest first. */
export type Page<Item> = {
  items: Item[]
  /** Start of the next page; null on the last. */
  nextCursor: string | null
}

/** A list that is fetched as you read it. `for await` walks all pages; `page()` fetches one. */
export type Pages<Item> = AsyncIterable<Item> & {
  /** The page at `cursor`, or the first. */
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
        // A repeated cursor would loop forever.
        if (nextCursor === null || nextCursor === cursor) return
        cursor = nextCursor
      }
    },
  }
}
