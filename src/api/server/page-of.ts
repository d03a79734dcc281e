import { limits } from '../../base/limits.js'
import { readCursor, writeCursor, wrongCursor } from './cursor.js'

/** A page of a list that is short enough to be read whole; the cursor names the last item. */
export function pageOf<Item>(
  items: Item[],
  { limit = limits.http.pageSizeDefault, cursor }: { limit?: number; cursor?: string },
  nameOf: (item: Item) => string,
): { items: Item[]; nextCursor: string | null } {
  const last = cursor === undefined ? undefined : readCursor(cursor).after
  const from = cursor === undefined ? 0 : items.findLastIndex((item) => nameOf(item) === last) + 1
  if (cursor !== undefined && from === 0)
    throw wrongCursor('cursor is not from this list. Start again without it.')
  const shown = items.slice(from, from + limit)
  const isMore = from + limit < items.length
  return { items: shown, nextCursor: isMore ? writeCursor({ after: nameOf(shown.at(-1)!) }) : null }
}
