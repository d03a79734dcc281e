import type { ProviderAnswer } from '../http-server.js'

export function succeed(message: string, data: unknown): ProviderAnswer {
  return { status: 200, body: JSON.stringify({ status: 'success', message, data }) }
}

export function fail(message: string, status = 400): ProviderAnswer {
  return { status, body: JSON.stringify({ status: 'error', message, data: null }) }
}

/** What Flutterwave answers when its own systems time out. */
export function failUnknown(): ProviderAnswer {
  return fail('An error occurred. Please contact support', 503)
}

const rowsPerPage = 10

/** One page of a list, newest first. */
export function listPage<Row>(
  message: string,
  query: URLSearchParams,
  { rows, write }: { rows: Row[]; write: (row: Row) => unknown },
): ProviderAnswer {
  const page = Math.max(1, Number(query.get('page') ?? 1) || 1)
  const shown = rows.toReversed().slice((page - 1) * rowsPerPage, page * rowsPerPage)
  const pageInfo = {
    total: rows.length,
    current_page: page,
    total_pages: Math.ceil(rows.length / rowsPerPage),
  }
  const body = {
    status: 'success',
    message,
    meta: { page_info: pageInfo },
    data: shown.map(write),
  }
  return { status: 200, body: JSON.stringify(body) }
}

/** Rows of the requested days. The time of day is ignored. */
export function ofDays<Row extends { createdMs: number }>(
  rows: Row[],
  query: URLSearchParams,
): Row[] {
  const from = query.get('from')?.slice(0, 10)
  const to = query.get('to')?.slice(0, 10)
  if (!from && !to) return rows
  return rows.filter(({ createdMs }) => {
    const day = new Date(createdMs).toISOString().slice(0, 10)
    return (!from || day >= from) && (!to || day <= to)
  })
}

export type Fields = Record<string, unknown>

/** Anything but a JSON object has no fields. */
export function readFields(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

/** The text of a field; numbers are accepted as text. Undefined if it is missing or empty. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
