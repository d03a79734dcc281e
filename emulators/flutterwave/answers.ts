import type { EmulatedProvider } from '../emulated-provider.js'
import { json, type ProviderAnswer } from '../http-server.js'
import { readCount } from '../read-count.js'
import type { Table } from '../table.js'

export function succeed(message: string, data: unknown): ProviderAnswer {
  return json(200, { status: 'success', message, data })
}

export function fail(message: string, status = 400): ProviderAnswer {
  return json(status, { status: 'error', message, data: null })
}

const rowsPerPage = 10

/** One page of a list, newest first. */
export function listPage<Row>(
  message: string,
  query: URLSearchParams,
  { rows, write }: { rows: Row[]; write: (row: Row) => unknown },
): ProviderAnswer {
  const page = readCount(query.get('page'), 1)
  const shown = rows.toReversed().slice((page - 1) * rowsPerPage, page * rowsPerPage)
  const pageInfo = {
    total: rows.length,
    current_page: page,
    total_pages: Math.ceil(rows.length / rowsPerPage),
  }
  const meta = { page_info: pageInfo }
  return json(200, { status: 'success', message, meta, data: shown.map(write) })
}

/** Rows of the requested days that show in lists yet. The time of day is ignored. */
export function listedRows<Row extends { createdMs: number }>(
  bank: Pick<EmulatedProvider<object>, 'isListed'>,
  { rows }: Table<Row>,
  query: URLSearchParams,
): Row[] {
  const from = query.get('from')?.slice(0, 10)
  const to = query.get('to')?.slice(0, 10)
  return rows.filter(({ createdMs }) => {
    const day = new Date(createdMs).toISOString().slice(0, 10)
    return bank.isListed(createdMs) && (!from || day >= from) && (!to || day <= to)
  })
}
