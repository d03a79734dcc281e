import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironmentById, lockEnvironment } from '../../merchants/environments.js'
import { formatMoney } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import {
  closeLocked,
  findMovable,
  notEmpty,
  refuseClosed,
  refuseClosing,
  startClosing,
  stopClosing,
} from '../../subaccounts/change-subaccount.js'
import { lockSubaccounts, type ShownSubaccount } from '../../subaccounts/store-subaccounts.js'
import { type SubaccountBalance, subaccountReference } from '../../subaccounts/subaccount.js'
import { settlementLimits } from '../limits.js'
import type { Payout, PayoutStatus } from '../payout.js'
import { createSettlement } from './create-settlement.js'
import type { PreparedSettlement } from './prepared-settlement.js'

/**
 * Settles all naira of a sub-account; a worker closes it when they have arrived. What is too little
 * for a transfer stays behind and then goes to the merchant. The payout may have to wait. Throws
 * refusals.
 */
export async function payOutAndClose(
  tx: Tx,
  now: RealTime,
  { environment, reference }: { environment: Environment; reference: string },
  prepared: PreparedSettlement,
): Promise<{ closing: ShownSubaccount; payout: Payout }> {
  // Workers that settle lock in this order.
  await lockEnvironment(tx, environment.id)
  const [before] = await lockSubaccounts(tx, environment.id, [reference])
  refuseClosed(before!)
  refuseClosing(before!)
  for (const { asset, available } of await findMovable(tx, before!))
    if (asset !== 'NGN' && available > 0n)
      throw notEmpty(
        `It has ${formatMoney(available, asset)}, which no bank account takes. Pay them to its wallet first, with \`from\` in a crypto transfer, or move its balance to yours.`,
      )
  if (prepared.hasRest)
    throw notEmpty('It has more than one transfer carries. Settle it first, or in parts.')
  const settled = await createSettlement(tx, now, prepared)
  if (settled instanceof Refusal) throw settled
  const { payout } = settled
  return { closing: await startClosing(tx, before!, payout.id), payout }
}

type Closing = { environmentId: EnvironmentId; id: string }

/**
 * Closes the sub-accounts whose last payout has arrived; those whose payout has failed stay paused.
 * Nothing outside is called, so two workers that find the same one only wait for each other.
 * Returns how many had ended.
 */
export async function closeSettled(db: Database, now: RealTime): Promise<number> {
  const ended = await db.rows(sql<Closing>`
    select s.environment_id, s.id from subaccounts s
    join payouts p on p.environment_id = s.environment_id and p.id = s.closing_payout_id
    where s.closing_payout_id is not null and p.status in ('COMPLETED', 'FAILED', 'REVERSED')
    order by s.environment_id, s.id limit ${settlementLimits.perBatchMax}`)
  for (const closing of ended) await db.transaction((tx) => closeOne(tx, now, closing))
  return ended.length
}

async function closeOne(tx: Tx, now: RealTime, { environmentId, id }: Closing): Promise<void> {
  await lockEnvironment(tx, environmentId)
  const [subaccount] = await lockSubaccounts(tx, environmentId, [subaccountReference({ id })])
  const { closingPayoutId } = subaccount!
  // Another worker was first.
  if (closingPayoutId === null) return
  const [payout] = await tx.rows(sql<{ status: PayoutStatus }>`
    select status from payouts where environment_id = ${environmentId} and id = ${closingPayoutId}`)
  if (payout!.status !== 'COMPLETED') return stopClosing(tx, now, subaccount!)
  const movable = await findMovable(tx, subaccount!).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
  const leftBehind = await findLeftBehind(tx, environmentId, closingPayoutId)
  // Sales that came meanwhile are the seller's: the merchant decides what becomes of them.
  const hasMore = ({ asset, available }: SubaccountBalance) =>
    available > (asset === 'NGN' ? leftBehind : 0n)
  if (!movable || movable.some(hasMore)) return stopClosing(tx, now, subaccount!)
  const environment = await getEnvironmentById(tx, environmentId)
  const times = { now: toEnvironmentTime(now, environment.clockOffsetMs), realNow: now }
  const byWorker = { createdByKey: null, createdByUser: null }
  await closeLocked(tx, times, environment, subaccount!, byWorker)
}

/** What the settlement left in the sub-account. */
async function findLeftBehind(
  tx: Tx,
  environmentId: EnvironmentId,
  payoutId: string,
): Promise<bigint> {
  const [row] = await tx.rows(sql<{ closing: bigint }>`
    select closing from settlements where environment_id = ${environmentId}
      and payout_id = ${payoutId}`)
  return row!.closing
}
