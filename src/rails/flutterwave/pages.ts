import type { Page } from '../bank/driver.js'
import { type Fields, needText } from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'

/**
 * One page of a list. Rows that arrive while pages are read push others to the next page, where
 * they would appear again: the cursor names the page and the ids of the page before.
 */
export async function listFlutterwavePage(
  api: FlutterwaveApi,
  path: string,
  { query, after }: { query: Record<string, string>; after: string | undefined },
): Promise<Page<Fields>> {
  const [page = '1', ...known] = (after ?? '1').split(' ')
  const { rows, hasMore } = await api.list(path, query, Number(page))
  const ids = rows.map(({ id }) => needText(id, 'id'))
  return {
    items: rows.filter((_, index) => !known.includes(ids[index]!)),
    next: hasMore ? [Number(page) + 1, ...ids].join(' ') : null,
  }
}
