import type { EnvironmentId } from '../base/environment.js'
import { fromReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { notFound } from '../base/refusal.js'
import type { Asset } from '../money/assets.js'
import { gather } from '../postgres/gather.js'
import { keyedRead, type RowKey } from '../postgres/keyed-read.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { findPayoutPage, type PayoutFilter } from './filter-payouts.js'
import {
  type ApprovalDecision,
  type AttemptState,
  type Payout,
  type PayoutApproval,
  type PayoutAttempt,
  type PayoutKind,
  type PayoutStatus,
  payoutKinds,
} from './payout.js'
import type { Destination } from './ports.js'

export type PayoutRow = Omit<Payout, 'destination' | 'approval'> & {
  destination: string
  approval: string | null
}

/** As JSON; null for a payout that needed no approval, which then costs nothing to find out. */
const approvalOf = `case when p.order_hash is not null then json_build_object(
  'orderHash', encode(p.order_hash, 'hex'), 'expiresAt', p.approve_by,
  'needed', approvals_needed(p.created_by_user, p.created_by_key), 'decisions', array(
    select json_build_object('verdict', d.verdict, 'reason', d.reason, 'at', d.decided_at,
      'user', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end)
    from payout_approvals d left join users u on u.id = d.user_id
    where d.environment_id = p.environment_id and d.payout_id = p.id
      and (p.status <> 'PENDING' or d.decided_by = 'simulated'
        or d.user_id in (select * from approvers_of(p)))
    order by d.decided_at, d.user_id)) end`

export type ApprovalJson = {
  orderHash: string
  expiresAt: string
  needed: number
  decisions: (Omit<ApprovalDecision, 'at'> & { at: string })[]
}

export function toApproval(json: ApprovalJson): PayoutApproval {
  const { orderHash, expiresAt, needed, decisions } = json
  return {
    orderHash,
    expiresAt: new Date(expiresAt),
    needed,
    decisions: decisions.map((decision) => ({ ...decision, at: new Date(decision.at) })),
  }
}

export const payoutColumns = `p.environment_id, p.id, p.kind, p.rail, p.asset, p.amount, p.fee,
  p.requested_amount, p.destination, p.merchant_reference, p.metadata, p.takes_from,
  p.created_by_key, p.created_by_user,
  ${approvalOf} as approval, p.status,
  p.failure_reason, p.is_review_required, p.event_sequence, p.submitted_at, p.completed_at,
  p.failed_at, p.reversed_at, p.bank_session_id, p.created_at`

export function toPayout(row: PayoutRow): Payout {
  return {
    ...row,
    destination: JSON.parse(row.destination) as Destination,
    approval: row.approval === null ? null : toApproval(JSON.parse(row.approval)),
  }
}

/** Attempts are sorted oldest first. */
export type PayoutWithAttempts = { payout: Payout; attempts: PayoutAttempt[] }

/**
 * A payout with its attempts as one JSON array: the driver spends more time on twenty columns than
 * JSON.parse on one. Amounts and metadata are text, because a JSON number is not exact.
 */
const packed = `json_build_array(p.environment_id, p.id, p.kind, p.rail, p.asset, p.amount::text,
  p.fee::text, p.requested_amount, p.destination, p.merchant_reference, p.metadata::text,
  p.takes_from, p.status, p.failure_reason, p.is_review_required, p.event_sequence, p.submitted_at,
  p.completed_at, p.failed_at, p.reversed_at, p.created_at, p.created_by_key, array(
    select json_build_array(a.number, a.token, a.state, a.created_at) from payout_attempts a
    where a.environment_id = p.environment_id and a.payout_id = p.id order by a.number),
  p.created_by_user, ${approvalOf}, p.bank_session_id) as packed`

type PackedRow = { packed: string }
type Time = string

type Packed = [
  environmentId: EnvironmentId,
  id: string,
  kind: PayoutKind,
  rail: string,
  asset: Asset,
  amount: string,
  fee: string,
  requestedAmount: string,
  destination: Destination,
  merchantReference: string | null,
  metadata: string,
  takesFrom: Payout['takesFrom'],
  status: PayoutStatus,
  failureReason: string | null,
  isReviewRequired: boolean,
  eventSequence: number,
  submittedAt: Time | null,
  completedAt: Time | null,
  failedAt: Time | null,
  reversedAt: Time | null,
  createdAt: Time,
  createdByKey: string | null,
  attempts: [number: number, token: string, state: AttemptState, createdAt: Time][],
  createdByUser: string | null,
  approval: ApprovalJson | null,
  bankSessionId: string | null,
]

function unpack(row: PackedRow): PayoutWithAttempts {
  const fields = JSON.parse(row.packed) as Packed
  return {
    payout: {
      environmentId: fields[0],
      id: fields[1],
      kind: fields[2],
      rail: fields[3],
      asset: fields[4],
      amount: BigInt(fields[5]),
      fee: BigInt(fields[6]),
      requestedAmount: fields[7],
      destination: fields[8],
      merchantReference: fields[9],
      metadata: fields[10],
      takesFrom: fields[11],
      status: fields[12],
      failureReason: fields[13],
      isReviewRequired: fields[14],
      eventSequence: fields[15],
      submittedAt: toTime(fields[16]),
      completedAt: toTime(fields[17]),
      failedAt: toTime(fields[18]),
      reversedAt: toTime(fields[19]),
      createdAt: new Date(fields[20]),
      createdByKey: fields[21],
      createdByUser: fields[23],
      approval: fields[24] && toApproval(fields[24]),
      bankSessionId: fields[25],
    },
    attempts: fields[22].map((attempt) => ({
      number: attempt[0],
      token: attempt[1],
      state: attempt[2],
      createdAt: new Date(attempt[3]),
    })),
  }
}

function toTime(text: Time | null): Date | null {
  return text === null ? null : new Date(text)
}

/** Newest first. */
export async function listPayouts(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PayoutFilter,
  page: { beforeId: string | undefined; limit: number },
): Promise<{ payouts: PayoutWithAttempts[]; next: string | undefined }> {
  const { ids, next } = await findPayoutPage(db, environmentId, filter, page)
  const found =
    ids.length === 0
      ? []
      : await findPayouts(
          db,
          ids.map((id) => ({ environmentId, id })),
        )
  return { payouts: found.filter((one) => one !== undefined), next }
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
  toValue: unpack,
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
