import { firstIdAt } from '../../base/ids.js'
import { type Sql, sql } from '../sql.js'

export type TimeRange = { from?: Date | undefined; to?: Date | undefined }

/** Ids hold the time, so a range of ids is a range of time. */
export type KeyRange = {
  /** Inclusive. */
  from: string | undefined
  before: string | undefined
}

/** `before` is where the previous page ended. */
export function toIdRange({ from, to }: TimeRange, before: string | undefined): KeyRange {
  const end = to && firstIdAt(to)
  return {
    from: from && firstIdAt(from),
    before: end !== undefined && (before === undefined || end < before) ? end : before,
  }
}

/** Conditions on a column of ids; empty if there are none. */
export function withinRange({ from, before }: KeyRange, column = 'id'): Sql {
  const name = sql.raw(column)
  return sql`
    ${from === undefined ? sql`` : sql`and ${name} >= ${from}::uuid`}
    ${before === undefined ? sql`` : sql`and ${name} < ${before}::uuid`}`
}
