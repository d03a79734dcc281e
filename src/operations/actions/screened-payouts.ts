import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { createLogger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { followReturns } from '../../collections/returns/follow-returns.js'
import { getMerchantId } from '../../merchants/environments.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import {
  approvePayout,
  prepareApproval,
  rejectPayout,
} from '../../payouts/approvals/decide-pending.js'
import { byOperator } from '../../payouts/approvals/judge-approval.js'
import { findPending } from '../../payouts/approvals/pending-payouts.js'
import { describeNotOpen, findOpenPayout } from '../../payouts/attempts/decide-payout.js'
import {
  foundAtApproval,
  holdForScreening,
  isNewHit,
} from '../../payouts/controls/hold-for-screening.js'
import { screenApproved } from '../../payouts/controls/screen-destination.js'
import { type Payout, referenceOf } from '../../payouts/payout.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { auditOperator } from '../changes/audit-operator.js'
import { describeRecipient } from '../changes/decide-open-payout.js'
import { type Action, type CommandCall, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { withScreening } from './screening.js'

const decision = {
  reference: fields.text('reference of the payout, bt_… or ct_…'),
  evidence: fields.note('how you know, for the audit log', { placeholder: 'note' }),
  yes: fields.yes,
}

/** Payouts that only screening holds, for merchants without members who could decide. */
export const screenedPayoutActions: Action[] = [
  command({
    name: 'payouts release',
    description: 'approve a payout that waits for screening only, with evidence',
    args: ['reference'],
    input: decision,
    run: release,
  }),
  command({
    name: 'payouts reject',
    description: 'end a payout that waits for screening only, with evidence; its money is released',
    args: ['reference'],
    input: decision,
    run: reject,
  }),
]

type Decision = { reference: string; evidence: string }

/** A worker sends it from its row. */
async function release(call: CommandCall, { reference, evidence }: Decision) {
  const { db } = call
  const { payout, clockOffsetMs } = await findScreened(call, reference)
  const now = await confirm(call, reference, 'sent')
  const { environmentId, approval } = payout
  const name = { environmentId, reference }
  const { orderHash, round } = approval!
  const approved = { ...name, orderHash, round, decider: byOperator }
  const verdict = await withScreening(call, (screening) => screenApproved(screening, db, payout))
  if (isNewHit(payout, verdict)) {
    await db.transaction((tx) => holdForScreening(tx, now, payout, verdict))
    throw foundAtApproval(payout, verdict)
  }
  const attempt = await call.withRails(({ rails }) =>
    prepareApproval(
      { db, rails, logger: createLogger('silent') },
      toEnvironmentTime(now, clockOffsetMs),
      approved,
    ),
  )
  const { status } = await db.transaction(async (tx) => {
    const outcome = await approvePayout(tx, now, attempt, approved)
    const about = { action: 'payout_screening.release', payout: outcome.payout }
    await audit(tx, now, call, { ...about, details: { evidence, ...verdict } })
    return outcome.payout
  })
  const text =
    status === 'PENDING'
      ? `${reference} is approved. Its callback has not answered yet.`
      : `${reference} is ${status}. A worker sends it.`
  return { data: { reference, status, ...verdict }, text }
}

async function reject(call: CommandCall, { reference, evidence }: Decision) {
  const { payout } = await findScreened(call, reference)
  const now = await confirm(call, reference, 'rejected: the money is released')
  const { environmentId } = payout
  const reason = 'The operator rejected it after screening.'
  const rejection = { environmentId, reference, reason, decider: byOperator }
  const { status } = await call.db.transaction(async (tx) => {
    const rejected = await rejectPayout(tx, now, rejection, followReturns)
    const about = { action: 'payout_screening.reject', payout: rejected }
    await audit(tx, now, call, { ...about, details: { evidence } })
    return rejected
  })
  return { data: { reference, status }, text: `${reference} is ${status}.` }
}

async function confirm(call: CommandCall, reference: string, outcome: string) {
  const { mode, merchantName, amount, asset, destination } = await findOpenPayout(
    call.db,
    reference,
  )
  return call.confirm({
    mode,
    facts: [
      ['Payout', `${reference} of ${formatMoney(amount, asset)}`],
      ['Recipient', describeRecipient(destination)],
      ['Merchant', merchantName],
      ['Outcome', outcome],
    ],
  })
}

/** Refuses other payouts: their merchants decide. The database does, too. */
async function findScreened({ db }: CommandCall, reference: string) {
  const { environmentId } = await findOpenPayout(db, reference)
  const pending = await findPending(db, { environmentId, reference }, { isLocked: false })
  const { status, approval } = pending.payout
  if (status !== 'PENDING')
    throw new Refusal('approval_failed', {
      reason: 'invalid_state',
      message:
        status === 'SUBMITTED'
          ? `${reference} was sent and does not wait.`
          : describeNotOpen(reference, status),
    })
  if (approval!.reasons.length === 1 && approval!.reasons[0] === 'screening') return pending
  const others = approval!.reasons.filter((reason) => reason !== 'screening')
  throw new Refusal('approval_failed', {
    reason: 'invalid_state',
    message: `${reference} waits because of rules of its merchant (${others.join(', ') || 'callback'}). Its members decide.`,
  })
}

async function audit(
  tx: Tx,
  now: RealTime,
  { operator }: CommandCall,
  { action, payout, details }: { action: string; payout: Payout; details: object },
): Promise<void> {
  const { environmentId, amount, asset } = payout
  const about = { reference: referenceOf(payout), amount: formatMoney(amount, asset) }
  auditOperator(tx, now, operator, {
    action,
    merchantId: await getMerchantId(tx, environmentId),
    environmentId,
    details: { ...about, ...details },
  })
}

type Row = Pick<Payout, 'id' | 'kind' | 'rail' | 'asset' | 'amount'> & {
  createdAt: Date
  mode: Mode
  merchantId: string
  reasons: string[]
}

/** Payouts that screening holds, oldest first. */
export async function findScreenedPayouts(db: Queryable) {
  const rows = await db.rows(sql<Row>`
    select p.id, p.kind, p.rail, p.asset, p.amount, c.created_at, c.mode, e.merchant_id, c.reasons
    from payout_checks c
    join payouts p on p.environment_id = c.environment_id and p.id = c.payout_id
    join environments e on e.id = c.environment_id
    where p.status = 'PENDING' and 'screening' = any (c.reasons)
    order by c.created_at, p.id limit ${limits.operator.rowsListedMax}`)
  return rows.map(({ merchantId, asset, amount, ...row }) => ({
    ...row,
    asset,
    reference: referenceOf(row),
    merchant: toReference(prefixes.merchant, merchantId),
    amount: formatDecimal(amount, asset),
  }))
}
