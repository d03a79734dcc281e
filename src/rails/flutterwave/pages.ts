import type { DriverPage } from '../bank/driver.js'
import { type Fields, readText } from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'

/**
 * One page of a list. Rows that arrive while pages are read push others to the next page, where
 * they would appear again: the cursor names the page and the ids of the page before.
 */
export async function listFlutterwavePage(
  api: FlutterwaveApi,
  path: string,
  { query, after }: { query: Record<string, string>; after: string | undefined },
): Promise<Omit<DriverPage<Fields>, 'unreadable'>> {
  const [page = '1', ...known] = (after ?? '1').split(' ')
  const { rows, hasMore } = await api.list(path, query, Number(page))
  const ids = rows.map(({ id }) => readId(id))
  return {
    items: rows.filter((_, index) => !known.includes(ids[index] || 'unknown')),
    next: hasMore ? [Number(page) + 1, ...ids.filter(Boolean)].join(' ') : null,
  }
}

/** Empty unless it is a number. */
export function readId(value: unknown): string {
  const text = readText(value) ?? ''
  return /^\d{1,20}$/.test(text) ? text : ''
}
