import { createHash } from 'node:crypto'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId, prefixes, toReference, toUuid } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { fundAll } from '../../ledger/fund.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from './audit-operator.js'

export type Credit = {
  environment: Pick<Environment, 'id' | 'merchantId' | 'mode'>
  asset: Asset
  amount: bigint
  note: string
  /** The bank's reference: a second credit with it is refused. */
  once?: string | undefined
}

export type Credited = {
  reference: string
  /** Balance after. */
  available: bigint
}

/** Credits money that arrived outside of the rails. */
export async function creditBalance(
  tx: Tx,
  now: Date,
  { environment, asset, amount, note, once }: Credit,
  operator: Operator,
): Promise<Credited> {
  const { id: environmentId, merchantId, mode } = environment
  const id = once === undefined ? newId(now) : toCauseId(once)
  const reference = toReference(prefixes.credit, id)
  await refuseDuplicate(tx, environmentId, id)
  const funding = { id, environmentId, asset, amount, purpose: 'operator_credit' } as const
  const [outcome] = await fundAll(tx, now, [funding])
  if (outcome instanceof Refusal) throw outcome
  const shownAmount = formatMoney(amount, asset)
  auditOperator(tx, now, operator, {
    action: 'balance.credit',
    merchantId,
    environmentId,
    details: { mode, asset, note, amount: shownAmount, reference },
    shown: { mode, asset, amount: shownAmount, credit: reference },
  })
  return { reference, available: outcome!.entries[0]!.availableAfter! }
}

/** The same reference gives the same cause, and the primary key lets a cause move money once. */
function toCauseId(reference: string): string {
  return toUuid(createHash('sha256').update(`credit/${reference}`).digest('hex').slice(0, 32))
}

async function refuseDuplicate(tx: Tx, environmentId: EnvironmentId, id: string): Promise<void> {
  const [earlier] = await tx.rows(sql`
    select from ledger_transfers where environment_id = ${environmentId} and cause_id = ${id}`)
  if (earlier)
    throw new Refusal('validation_failed', {
      message: 'A credit with this reference already exists. Nothing was changed.',
    })
}
