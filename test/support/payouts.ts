import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { createLogger } from '../../src/base/log.js'
import { moveAll } from '../../src/ledger/move.js'
import { concludePayouts } from '../../src/payouts/attempts/conclude-payouts.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { newPayout, type Payout, type PayoutKind, referenceOf } from '../../src/payouts/payout.js'
import type { LiveAttempt, PreparedAttempt } from '../../src/payouts/ports.js'
import { createPayouts, toNewPayout } from '../../src/payouts/requests/create-payouts.js'
import type { Database } from '../../src/postgres/database.js'
import { fundingOf, now } from './movements.js'
import { PaperRail } from './paper-rail.js'

/** Payouts in the ledger, without a rail. */

const assetOf = {
  crypto_transfer: 'USDC',
  bank_transfer: 'NGN',
  bank_return: 'NGN',
  crypto_return: 'USDC',
} as const

export function payoutOf(environmentId: EnvironmentId, kind: PayoutKind): Payout {
  return newPayout(now, {
    environmentId,
    kind,
    id: newId(now),
    rail: `paper-${kind}`,
    asset: assetOf[kind],
    amount: 25n,
    fee: 2n,
    levy: 0n,
    purpose: null,
    requestedAmount: '25',
    recipientId: null,
    merchantReference: null,
    metadata: toJson({}),
    createdByKey: null,
    createdByUser: null,
    destination: { kind: 'wallet', address: 'somewhere' },
    takesFrom: 'available',
    eventSequence: 1,
  })
}

/** The first attempt's row before any poll. */
function attemptOf(payout: Payout, prepared: PreparedAttempt): LiveAttempt {
  const { environmentId, id, asset } = payout
  const names = { environmentId, payoutId: id, reference: referenceOf(payout), asset }
  return { ...prepared, ...names, number: 1, polls: 0, createdAt: now }
}

export type Paid = Record<'open' | 'completed' | 'levied' | 'failed' | 'again' | 'reversed', Payout>

/** One payout in every state, with fees, two with levies; one with an expired first attempt. */
export async function payInEveryWay(db: Database, environmentId: EnvironmentId): Promise<Paid> {
  const crypto = () => payoutOf(environmentId, 'crypto_transfer')
  const paid: Paid = {
    open: crypto(),
    completed: crypto(),
    failed: crypto(),
    again: crypto(),
    levied: { ...payoutOf(environmentId, 'bank_transfer'), levy: 3n },
    reversed: { ...payoutOf(environmentId, 'bank_transfer'), levy: 3n },
  }
  const preparedOf = ({ id }: Payout, number = 1): PreparedAttempt => {
    const token = `${id}-${number}`
    return { token, wire: Buffer.from(token), validUntil: 150n }
  }
  const conclude = <Verdict extends object>(payout: Payout, verdict: Verdict) => {
    return { attempt: attemptOf(payout, preparedOf(payout)), ...verdict }
  }
  const fundings = (['USDC', 'NGN'] as const).map((asset) =>
    fundingOf({ environmentId, asset }, 1_000n),
  )
  const orders = Object.values(paid).map((payout) =>
    toNewPayout(payout, preparedOf(payout), payout.createdAt),
  )
  await db.transaction((tx) => moveAll(tx, now, fundings))
  await db.transaction((tx) => createPayouts(tx, now, orders))
  await db.transaction((tx) =>
    concludePayouts(tx, now, [
      conclude(paid.completed, { verdict: 'landed' } as const),
      conclude(paid.failed, { verdict: 'failed', reason: 'chain_error' } as const),
      conclude(paid.again, { verdict: 'again', replacement: preparedOf(paid.again, 2) } as const),
      conclude(paid.levied, { verdict: 'landed' } as const),
      conclude(paid.reversed, { verdict: 'landed' } as const),
    ]),
  )
  const references = [referenceOf(paid.reversed)]
  const rail = Object.assign(new PaperRail(paid.reversed.rail), {
    reversalIntervalMs: 1_000,
    findReversed: async () => ({ cursor: BigInt(environmentId), references }),
  })
  await followReversals({ db, rail, logger: createLogger('silent') }, now)
  return paid
}
