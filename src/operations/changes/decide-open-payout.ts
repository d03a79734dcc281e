import type { RealTime } from '../../base/clock.js'
import { followReturns } from '../../collections/returns/follow-returns.js'
import { getMerchantId } from '../../merchants/environments.js'
import { formatMoney } from '../../money/amounts.js'
import {
  type Decision,
  decidePayout,
  findBankAttempt,
  findChainAttempt,
} from '../../payouts/attempts/decide-payout.js'
import type { Payout } from '../../payouts/payout.js'
import type { Destination, Examined } from '../../payouts/ports.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { ReconcilableRails } from '../reconcile/reconcile.js'
import { auditOperator, type Operator } from './audit-operator.js'

export type PayoutOutcome = 'completed' | 'failed'

/** What the chain or the bank just reported about the attempt of a payout. */
export type Queried = Pick<Decision, 'examined' | 'atBank'>

/** Queries the chain or the bank: before the transaction, which makes no network call. */
export async function queryAttempt(
  db: Queryable,
  reference: string,
  withRails: <Result>(work: (rails: ReconcilableRails) => Promise<Result>) => Promise<Result>,
): Promise<Queried> {
  const onChain = await findChainAttempt(db, reference)
  const atBank = await findBankAttempt(db, reference)
  if (!onChain && !atBank) return {}
  return withRails(async ({ solana, rails }) => {
    if (onChain) {
      for (const rail of [solana.test, solana.live])
        if ((await rail?.isChainKnown()) && rail!.name === onChain.rail)
          return { examined: await rail!.examine(onChain) }
      throw new Error(`No RPC node of ${onChain.rail} is configured, or none responds.`)
    }
    const rail = rails.banksByName.get(atBank!.rail)
    if (!rail) return { atBank: 'not_configured' }
    const [finding] = await rail.check([atBank!])
    return { atBank: finding!.state }
  })
}

export type OperatorDecision = {
  reference: string
  outcome: PayoutOutcome
  evidence: string
  confirmsNotLanded?: boolean | undefined
  confirmsLanded?: boolean | undefined
  queried: Queried
}

/** Ends an open payout with the outcome that an operator found out. */
export async function decideOpenPayout(
  tx: Tx,
  now: RealTime,
  { reference, outcome, evidence, queried, ...confirmed }: OperatorDecision,
  operator: Operator,
): Promise<Payout> {
  const { examined, atBank } = queried
  const decided = await decidePayout(
    tx,
    now,
    {
      reference,
      hasLanded: outcome === 'completed',
      examined,
      atBank,
      isConfirmedNotLanded: confirmed.confirmsNotLanded,
      isConfirmedLanded: confirmed.confirmsLanded,
    },
    followReturns,
  )
  const { environmentId } = decided
  const merchantId = await getMerchantId(tx, environmentId)
  const details = {
    reference,
    amount: formatMoney(decided.amount, decided.asset),
    outcome,
    evidence,
    ...(examined && showExamined(examined)),
    ...(atBank && { atBank }),
  }
  auditOperator(tx, now, operator, {
    action: 'payout.decide',
    merchantId,
    environmentId,
    details,
    shown: { payout: reference, amount: details.amount, outcome },
  })
  return decided
}

function showExamined({ token, height, finding, knownBy }: Examined) {
  return { signature: token, height: String(height ?? ''), state: finding.state, knownBy }
}

export function describeRecipient(destination: Destination): string {
  if (destination.kind === 'wallet') return destination.address
  const { accountNumber, bankCode, bankName, accountName } = destination
  return `${accountNumber} at ${bankName || `bank ${bankCode}`}, ${accountName}`
}
