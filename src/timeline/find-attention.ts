import type { Environment, EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import { getSettings } from '../merchants/settings/settings.js'
import { findSettlementWallet, isChosen } from '../merchants/settings/settlement-wallets.js'
import type { Asset } from '../money/assets.js'
import { findApprovers, type Waiting } from '../payouts/approvals/find-approvers.js'
import { readSettlementDestination } from '../payouts/settlements/destination.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { findFreedom } from '../team/shared-access.js'
import { countUndelivered } from '../webhooks/deliveries/count-undelivered.js'
import { attentionLimits } from './limits.js'

export const attentionKinds = [
  'approval',
  'batch_approval',
  'held_payment',
  'payment_request',
  'endpoint_failing',
  'payout_review',
  'low_balance',
  'case_overdue',
  'bank_account_waiting',
  'settlement_wallet_waiting',
  'settlement_destination_unconfirmed',
  'kyc',
  'second_factor',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** Something that waits for a member. */
export type Attention = {
  kind: AttentionKind
  count: number
  /** Amounts in the smallest unit. */
  amounts: Partial<Record<Asset, bigint>>
  since: Date | null
  /** The reference of what it is about, if that is a single resource. */
  subject: string | null
}

type Group = { asset: Asset; count: number; amount: bigint; since: Date }

/** Payments with money that waits for a decision. */
export async function findHeldPayments(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Attention[]> {
  const groups = await db.rows(sql<Group>`
    select asset, count(*)::int as count, sum(amount_held)::bigint as amount,
      min(created_at) as since
    from (select asset, amount_held, created_at from payments
      where environment_id = ${environmentId} and status = 'HELD'
      limit ${attentionLimits.rowsCountedMax}) held
    group by asset`)
  return summarizeGroups('held_payment', groups)
}

/** Payments about which a member asked for a decision. */
export async function findPaymentRequests(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Attention[]> {
  const rows = await db.rows(sql<{ paymentId: string; since: Date }>`
    select payment_id, created_at as since from payment_requests
    where environment_id = ${environmentId} and state = 'OPEN'
    order by created_at limit ${attentionLimits.rowsCountedMax}`)
  const [oldest] = rows
  if (!oldest) return []
  const subject = toReference(prefixes.payment, oldest.paymentId)
  return [
    { kind: 'payment_request', count: rows.length, amounts: {}, since: oldest.since, subject },
  ]
}

type Member = { environmentId: EnvironmentId; userId: string; now: Date }

type WaitingRow = Waiting & { asset: Asset; amount: bigint }

/** Those that this member may approve now. */
async function findApprovable(
  db: Queryable,
  { environmentId, userId, now }: Member,
  waiting: WaitingRow[],
): Promise<WaitingRow[]> {
  const approvers = await findApprovers(db, environmentId, waiting, userId)
  return waiting.filter(({ id }) => approvers.get(id)!.some(({ from }) => from <= now))
}

/** Payouts, and refunds to another destination, that this member may approve. */
export async function findApprovals(db: Queryable, member: Member): Promise<Attention[]> {
  const waiting = await db.rows(sql<WaitingRow>`
    select p.id, p.asset, p.amount, p.created_at as waits_since,
      p.created_by_key, p.created_by_user,
      array(select * from approvers_of(p)) as approved_by
    from payouts p
    where p.environment_id = ${member.environmentId}
      and p.kind in ('bank_transfer', 'crypto_transfer', 'bank_return', 'crypto_return')
      and p.status = 'PENDING'
    limit ${attentionLimits.rowsCountedMax}`)
  return summarizeWaiting('approval', await findApprovable(db, member, waiting))
}

/** Batches of payouts that this member may approve; the oldest is the subject. */
export async function findBatchApprovals(db: Queryable, member: Member): Promise<Attention[]> {
  const waiting = await db.rows(sql<WaitingRow>`
    select b.id, b.asset, b.amount - b.invalid_amount as amount, b.submitted_at as waits_since,
      b.created_by_key, b.created_by_user,
      array(select * from approvers_of(b)) as approved_by
    from payout_batches b
    where b.environment_id = ${member.environmentId} and b.state = 'PENDING'
    order by b.id limit ${attentionLimits.rowsCountedMax}`)
  const approvable = await findApprovable(db, member, waiting)
  return summarizeWaiting('batch_approval', approvable).map((attention) => ({
    ...attention,
    subject: toReference(prefixes.payoutBatch, approvable[0]!.id),
  }))
}

function summarizeWaiting(kind: AttentionKind, waiting: WaitingRow[]): Attention[] {
  return summarizeGroups(
    kind,
    waiting.map(({ asset, amount, waitsSince: since }) => ({ asset, amount, since, count: 1 })),
  )
}

/** A looser approval rule that another member proposed and this one may confirm. */
export async function findProposedRule(
  db: Queryable,
  { environmentId, userId, now }: Member,
): Promise<Attention[]> {
  const rows = await db.rows(sql<{ since: Date; proposer: string }>`
    select created_at as since, proposed_by as proposer from setting_changes
    where environment_id = ${environmentId} and state = 'OPEN' and proposed_by <> ${userId}::uuid
      and expires_at > ${now}`)
  const [proposed] = rows
  if (!proposed) return []
  const { from } = await findFreedom(db, now, [userId, proposed.proposer])
  if (from > now) return []
  const { since } = proposed
  return [{ kind: 'approval', count: 1, amounts: {}, since, subject: 'approval rule' }]
}

/** Payouts whose outcome is unknown after days: the operator asks the bank. */
export async function findPayoutsInReview(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Attention[]> {
  const groups = await db.rows(sql<Group>`
    select asset, count(*)::int as count, sum(amount)::bigint as amount,
      min(submitted_at) as since
    from (select asset, amount, submitted_at from payouts
      where environment_id = ${environmentId} and kind in ('bank_transfer', 'crypto_transfer')
        and status = 'SUBMITTED' and is_review_required
      limit ${attentionLimits.rowsCountedMax}) open
    group by asset`)
  return summarizeGroups('payout_review', groups)
}

/** Open cases whose deadline has passed. */
export async function findOverdueCases(
  db: Queryable,
  { environmentId, now }: { environmentId: EnvironmentId; now: Date },
): Promise<Attention[]> {
  const rows = await db.rows(sql<{ id: string; since: Date }>`
    select id, deadline as since from cases
    where environment_id = ${environmentId} and status = 'OPEN' and deadline < ${now}
    order by deadline limit ${attentionLimits.rowsCountedMax}`)
  const [first] = rows
  if (!first) return []
  const subject = rows.length === 1 ? toReference(prefixes.case, first.id) : null
  return [{ kind: 'case_overdue', count: rows.length, amounts: {}, since: first.since, subject }]
}

/** Balances below their threshold, with what is available. */
export async function findLowBalances(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Attention[]> {
  const groups = await db.rows(sql<Group>`
    select b.asset, 1 as count, b.changed_at as since,
      coalesce(a.credits_posted - a.debits_posted - a.debits_pending, 0) as amount
    from low_balances b left join ledger_accounts a on a.environment_id = b.environment_id
      and a.asset = b.asset and a.name = 'available'
    where b.environment_id = ${environmentId} and b.is_low`)
  return summarizeGroups('low_balance', groups)
}

function summarizeGroups(kind: AttentionKind, groups: Group[]): Attention[] {
  if (groups.length === 0) return []
  return [
    {
      kind,
      count: groups.reduce((sum, { count }) => sum + count, 0),
      amounts: sumByAsset(groups),
      since: new Date(Math.min(...groups.map(({ since }) => since.getTime()))),
      subject: null,
    },
  ]
}

function sumByAsset(groups: Group[]): Attention['amounts'] {
  const amounts: Attention['amounts'] = {}
  for (const { asset, amount } of groups) amounts[asset] = (amounts[asset] ?? 0n) + amount
  return amounts
}

/** Endpoints that fail, or were disabled because they failed, with the events they missed. */
export async function findFailingEndpoints(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Attention[]> {
  const rows = await db.rows(sql<{ id: string; url: string; since: Date | null }>`
    select id, url, failing_since as since from webhook_endpoints
    where environment_id = ${environmentId} and deleted_at is null
      and (failing_since is not null or disabled_reason in ('gone', 'failing'))
    order by failing_since`)
  if (rows.length === 0) return []
  const subject = rows.length === 1 ? rows[0]!.url : null
  const { since } = rows[0]!
  const ids = rows.map(({ id }) => id)
  const { count } = await countUndelivered(db, environmentId, ids)
  return [{ kind: 'endpoint_failing', count, amounts: {}, since, subject }]
}

/**
 * New bank accounts of live mode to which settlements wait, so that a member who does not know one
 * can remove it in time.
 */
export async function findWaitingBankAccounts(
  db: Queryable,
  { environmentId, now }: { environmentId: EnvironmentId; now: Date },
): Promise<Attention[]> {
  const rows = await db.rows(sql<{ number: string }>`
    select account_number as number
    from merchant_bank_accounts
    where environment_id = ${environmentId} and is_active and usable_from > ${now}
    order by usable_from limit ${attentionLimits.rowsCountedMax}`)
  const [first] = rows
  if (!first) return []
  const subject = rows.length === 1 ? first.number : null
  const count = rows.length
  return [{ kind: 'bank_account_waiting', count, amounts: {}, since: null, subject }]
}

/**
 * A new wallet to which settlements wait, so that a member who does not know it can choose another
 * one in time.
 */
export async function findWaitingWallet(
  db: Queryable,
  environment: Environment,
  now: Date,
): Promise<Attention[]> {
  const { settlement } = await getSettings(db, environment)
  const wallet = await findSettlementWallet(db, environment.id)
  const isWaiting = settlement.payTo === 'wallet' && isChosen(settlement, wallet)
  if (!isWaiting || wallet.usableFrom <= now) return []
  const subject = wallet.address
  return [{ kind: 'settlement_wallet_waiting', count: 1, amounts: {}, since: null, subject }]
}

/** The destination of settlements that one member chose, while another must confirm it. */
export async function findUnconfirmedDestination(
  db: Queryable,
  environment: Environment,
): Promise<Attention[]> {
  const destination = await readSettlementDestination(db, environment)
  if (!destination.needsConfirmation) return []
  const subject = destination.walletAddress ?? destination.accountNumber
  const kind = 'settlement_destination_unconfirmed'
  return [{ kind, count: 1, amounts: {}, since: null, subject }]
}

/**
 * What is missing before the merchant may use live mode. In test mode only what a reviewer asked
 * for: a merchant that tries Manilla out owes nothing yet.
 */
export async function findKyc(db: Queryable, environment: Environment): Promise<Attention[]> {
  const [row] = await db.rows(sql<{ status: string }>`
    select kyc_status as status from environments
    where merchant_id = ${environment.merchantId} and mode = 'live'`)
  const waiting = [
    'MORE_NEEDED',
    'REJECTED',
    ...(environment.mode === 'live' ? ['NONE', 'DRAFT'] : []),
  ]
  if (!waiting.includes(row!.status)) return []
  return [{ kind: 'kyc', count: 1, amounts: {}, since: null, subject: row!.status }]
}
