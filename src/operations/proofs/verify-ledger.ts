import type { Proof } from '../../base/proof.js'
import { collectionProofs } from '../../collections/proofs.js'
import { conversionProofs } from '../../conversions/proofs.js'
import { customerProofs } from '../../customers/proofs.js'
import { eventProofs } from '../../events/proofs.js'
import { idempotencyProofs } from '../../idempotency/proofs.js'
import { ledgerProofs } from '../../ledger/proofs.js'
import { batchProofs } from '../../payouts/batches/proofs.js'
import { claimProofs } from '../../payouts/claims/proofs.js'
import { payoutProofs } from '../../payouts/proofs.js'
import { settlementProofs } from '../../payouts/settlements/proofs.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { bankProofs } from '../../rails/bank/proofs.js'
import { subaccountProofs } from '../../subaccounts/proofs.js'
import { walletProofs } from '../../wallets/wallet-proofs.js'
import { proofLimits } from '../limits.js'

export type ProofResult = { claim: string; counterexamples: unknown[] }

export const allProofs = [
  ...ledgerProofs,
  ...idempotencyProofs,
  ...eventProofs,
  ...payoutProofs,
  ...settlementProofs,
  ...batchProofs,
  ...claimProofs,
  ...conversionProofs,
  ...subaccountProofs,
  ...customerProofs,
  ...collectionProofs,
  ...walletProofs,
  ...bankProofs,
]

type VerificationSettings = {
  /** Called after each claim, because millions of rows take a while. */
  onChecked?: (claim: string) => void
  /** Longest time for one claim; by default a day. */
  claimMs?: number
}

/** Checks every claim against one snapshot, so that concurrent work cannot disprove it. */
export async function verifyLedger(
  db: Database,
  proofs: Proof[] = allProofs,
  { onChecked = () => {}, claimMs }: VerificationSettings = {},
): Promise<ProofResult[]> {
  return db.transaction(async (tx) => {
    tx.write(sql`set transaction isolation level repeatable read, read only`)
    tx.liftTimeouts()
    if (claimMs !== undefined) tx.write(sql.raw(`set local statement_timeout = ${claimMs}`))
    const results: ProofResult[] = []
    for (const { claim, counterexamples } of proofs) {
      const text = `select * from (${counterexamples}) c limit ${proofLimits.counterexamplesShownMax}`
      results.push({ claim, counterexamples: await tx.rows({ text, values: [] }) })
      onChecked(claim)
    }
    return results
  })
}
