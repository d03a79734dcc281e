import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { gather } from '../../postgres/transactions/gather.js'
import { keyedRead, type RowKey } from '../../postgres/transactions/keyed-read.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { ScreeningFinding } from '../../screening/ports.js'
import type { CallbackCheck, CallbackStatus, WaitReason } from '../controls/wait.js'
import {
  type ApprovalDecision,
  type Payout,
  type PayoutApproval,
  type PayoutAttempt,
  type PayoutKind,
  payoutAttempts,
  payoutKinds,
  payouts,
} from '../payout.js'

export type PayoutRow = typeof payouts.readRow & { approval: string | null }

/** As JSON; null for a payout that needed no approval, which then costs nothing to find out. */
const approvalOf = `case when p.order_hash is not null then json_build_object(
  'orderHash', encode(p.order_hash, 'hex'), 'expiresAt', p.approve_by,
  'needed', approvals_needed(p), 'round', round_of(p), 'check', (
    select json_build_object('reasons', c.reasons, 'callback', c.callback, 'attempts', c.attempts,
      'problem', c.problem, 'rejection', c.rejection, 'screening', c.screening)
    from payout_checks c where c.environment_id = p.environment_id and c.payout_id = p.id),
  'decisions', array(
    select json_build_object('verdict', d.verdict, 'reason', d.reason, 'at', d.decided_at,
      'user', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end,
      'isOfOperator', d.decided_by = 'operator')
    from payout_approvals d left join users u on u.id = d.user_id
    where d.environment_id = p.environment_id and d.payout_id = p.id
      and (p.status <> 'PENDING' or d.round = round_of(p) and (d.decided_by = 'simulated'
        or d.decided_by = 'operator' and waits_for_screening_only(p.environment_id, p.id)
        or d.user_id in (select * from approvers_of(p))))
    order by d.decided_at, d.user_id)) end`

export type ApprovalJson = {
  orderHash: string
  expiresAt: string
  needed: number
  /** Absent for batches, which have one. */
  round?: number
  decisions: (Omit<ApprovalDecision, 'at'> & { at: string })[]
  /** Null for what only waits because of limits. */
  check: CheckJson | null
}

type CheckJson = Omit<CallbackCheck, 'status'> & {
  reasons: WaitReason[]
  callback: CallbackStatus | null
  screening: ScreeningFinding | null
}

export function toApproval(json: ApprovalJson): PayoutApproval {
  const { orderHash, expiresAt, needed, round = 1, decisions, check } = json
  return {
    orderHash,
    expiresAt: new Date(expiresAt),
    needed,
    decisions: decisions.map((decision) => ({ ...decision, at: new Date(decision.at) })),
    reasons: check ? check.reasons : ['amount'],
    callback: check ? toCallback(check) : null,
    screening: check?.screening ?? null,
    round,
  }
}

function toCallback({ callback, attempts, problem, rejection }: CheckJson): CallbackCheck | null {
  return callback && { status: callback, attempts, problem, rejection }
}

export const payoutColumns = sql.raw(`${payouts.of('p')}, ${approvalOf} as approval`)

export function toPayout({ approval, ...row }: PayoutRow): Payout {
  return {
    ...payouts.read(row),
    approval: approval === null ? null : toApproval(JSON.parse(approval)),
  }
}

/** Attempts are sorted oldest first. */
export type PayoutWithAttempts = { payout: Payout; attempts: PayoutAttempt[] }

/** The last value tells whether the payout needs or needed approval. */
const packed = `json_build_array(${payouts.packed('p')}, array(
    select ${payoutAttempts.packed('a')} from payout_attempts a
    where a.environment_id = p.environment_id and a.payout_id = p.id order by a.number),
  p.order_hash is not null) as packed`

export const packedPayouts = sql.raw<PackedRow>(packed)

export type PackedRow = { packed: string }

type Unpacked = PayoutWithAttempts & { hasApproval: boolean }

function unpack(row: PackedRow): Unpacked {
  const [payout, attempts, hasApproval] = JSON.parse(row.packed) as [
    unknown[],
    unknown[][],
    boolean,
  ]
  return {
    payout: Object.assign(payouts.unpack(payout), { approval: null }),
    attempts: attempts.map((attempt) => payoutAttempts.unpack(attempt)),
    hasApproval,
  }
}

export function unpackPayouts(db: Queryable, rows: PackedRow[]): Promise<PayoutWithAttempts[]> {
  return withApprovals(db, rows.map(unpack))
}

const findApprovals = keyedRead<
  RowKey & { approval: string },
  RowKey & { approval: PayoutApproval }
>({
  name: 'read_approvals',
  columns: `p.environment_id, p.id, ${approvalOf} as approval`,
  table: 'payouts',
  alias: 'p',
  toValues: (_db, rows) =>
    rows.map((row) => ({ ...row, approval: toApproval(JSON.parse(row.approval)) })),
  keyOf: (found) => found,
})

/**
 * Few payouts need approval, so approvals are read apart: to prepare for reading them takes
 * PostgreSQL longer than to read a page of payouts.
 */
async function withApprovals(db: Queryable, found: Unpacked[]): Promise<PayoutWithAttempts[]> {
  const approved = found.filter(({ hasApproval }) => hasApproval).map(({ payout }) => payout)
  const approvals = approved.length === 0 ? [] : await findApprovals(db, approved)
  for (const [index, payout] of approved.entries()) payout.approval = approvals[index]!.approval
  return found.map(({ payout, attempts }) => ({ payout, attempts }))
}

/** Payouts and returns that wait for approval, oldest first. */
export async function listWaiting(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<PayoutWithAttempts[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select id from payouts
    where environment_id = ${environmentId} and kind = any (${Object.keys(payoutKinds)}::text[])
      and status = 'PENDING'
    order by id limit ${limits.http.pageSizeMax}`)
  if (rows.length === 0) return []
  const found = await findPayouts(
    db,
    rows.map(({ id }) => ({ environmentId, id })),
  )
  return found.filter((one) => one !== undefined)
}

type PayoutName = { environmentId: EnvironmentId; kind?: PayoutKind; reference: string }

const findPayouts = keyedRead<PackedRow, PayoutWithAttempts>({
  name: 'read_payouts',
  columns: packed,
  table: 'payouts',
  alias: 'p',
  toValues: unpackPayouts,
  keyOf: ({ payout }) => payout,
})

/** Reads single payouts; calls that arrive together share a query. */
export function createPayoutReader(db: Queryable) {
  const findOne = gather((keys: RowKey[]) => findPayouts(db, keys))
  return async (name: PayoutName) => checkFound(name, await findOne(toKey(name)))
}

export async function getPayout(db: Queryable, name: PayoutName): Promise<PayoutWithAttempts> {
  const [found] = await findPayouts(db, [toKey(name)])
  return checkFound(name, found)
}

const prefixesOfPayouts = [...new Set(Object.values(payoutKinds).map(({ prefix }) => prefix))]

function toKey({ environmentId, reference }: PayoutName): RowKey {
  const prefix = prefixesOfPayouts.find((one) => reference.startsWith(one))
  const id = prefix && fromReference(prefix, reference)
  if (!id) throw notFound('transfer', reference)
  return { environmentId, id }
}

function checkFound(
  { kind, reference }: PayoutName,
  found: PayoutWithAttempts | undefined,
): PayoutWithAttempts {
  const isOfKind =
    found &&
    reference.startsWith(payoutKinds[found.payout.kind].prefix) &&
    (kind === undefined || found.payout.kind === kind)
  if (!isOfKind) throw notFound('transfer', reference)
  return found
}
