import { after, type RealTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/**
 * Counts what was sent to a provider and what the provider refused. If every sending of an
 * instruction was refused, nothing can have moved, and the instruction is closed. Closing and
 * sending exclude each other: both change the same row, and a closed instruction is never sent.
 */

const named = { rail: 'text', token: 'text' } as const

const begin = listStatement<typeof named, { token: string }>({
  name: 'begin_sending_orders',
  columns: named,
  text: (list, parameter) => `
    insert into bank_orders as o (rail, token, sendings, first_sent_at)
    select rail, token, 1, ${parameter(0)}::timestamptz from ${list}
    on conflict (rail, token) do update set sendings = o.sendings + 1 where o.closed_at is null
    returning token`,
})

/** Call it before sending. Returns the tokens that may be sent: the others are closed. */
export async function beginSending(
  db: Queryable,
  now: RealTime,
  { rail, tokens }: { rail: string; tokens: string[] },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set()
  const wanted = [...new Set(tokens)].sort().map((token) => ({ rail, token }))
  return new Set((await db.rows(begin(wanted, now))).map(({ token }) => token))
}

type InstructionName = { rail: string; token: string }

/**
 * Like `beginSending`, for a refund. One request may be under way at a time: a provider may carry
 * out a second one, and a list may show the first one late. Returns until when no other request is
 * made. Undefined: do not send now.
 */
export async function beginSendingRefund(
  db: Queryable,
  now: RealTime,
  { rail, token }: InstructionName,
): Promise<Date | undefined> {
  const busyUntil = after(now, limits.banks.refundRetryMs)
  const rows = await db.rows(sql`
    insert into bank_orders as o (rail, token, sendings, busy_until, first_sent_at)
    values (${rail}, ${token}, 1, ${busyUntil}, ${now})
    on conflict (rail, token) do update
      set sendings = o.sendings + 1, busy_until = excluded.busy_until
      where o.closed_at is null and (o.busy_until is null or o.busy_until <= ${now})
    returning token`)
  return rows.length > 0 ? busyUntil : undefined
}

/**
 * Nothing left in this sending: the next poll may try again. Does nothing if another process has
 * begun one since.
 */
export async function takeBackSending(
  db: Queryable,
  { rail, token }: InstructionName,
  busyUntil: Date,
): Promise<void> {
  await db.rows(sql`
    update bank_orders set sendings = sendings - 1, busy_until = null
    where rail = ${rail} and token = ${token} and busy_until = ${busyUntil}
      and sendings > refusals`)
}

/** The provider has the refund: it is never requested again, however late a list shows it. */
export async function recordAcceptedRefund(
  db: Queryable,
  { rail, token }: InstructionName,
): Promise<void> {
  await db.rows(sql`
    update bank_orders set busy_until = 'infinity' where rail = ${rail} and token = ${token}`)
}

/** The provider refused this sending: it moved nothing. */
export async function recordRefusedSending(
  db: Queryable,
  { rail, token }: InstructionName,
  refusal: string,
): Promise<void> {
  await db.rows(sql`
    update bank_orders set refusals = refusals + 1, refusal = ${refusal}, busy_until = null
    where rail = ${rail} and token = ${token}`)
}

const close = listStatement<typeof named, { token: string; refusal: string }>({
  name: 'close_refused_orders',
  columns: named,
  text: (list, parameter) => `
    update bank_orders o set closed_at = coalesce(o.closed_at, ${parameter(0)}::timestamptz)
    from ${list} where o.rail = list.rail and o.token = list.token
      and o.sendings = o.refusals and o.refusals > 0
    returning o.token, o.refusal`,
})

/** Closes those whose every sending was refused. Returns why, by token. */
export async function closeRefused(
  db: Queryable,
  now: RealTime,
  { rail, tokens }: { rail: string; tokens: string[] },
): Promise<Map<string, string>> {
  if (tokens.length === 0) return new Map()
  const wanted = [...new Set(tokens)].sort().map((token) => ({ rail, token }))
  const rows = await db.rows(close(wanted, now))
  return new Map(rows.map(({ token, refusal }) => [token, refusal]))
}

const find = listStatement<typeof named, { token: string }>({
  name: 'find_sent_orders',
  columns: named,
  text: (list) => `
    select o.token from ${list}
    join bank_orders o on o.rail = list.rail and o.token = list.token`,
})

/** Tokens of instructions that we sent. Others were made by hand at the provider. */
export async function findSent(
  db: Queryable,
  { rail, tokens }: { rail: string; tokens: string[] },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set()
  const rows = await db.rows(find(tokens.map((token) => ({ rail, token }))))
  return new Set(rows.map(({ token }) => token))
}
