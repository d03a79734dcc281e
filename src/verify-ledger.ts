import { sql } from 'kysely'
import { collectionProofs } from './collections/proofs.js'
import { walletProofs } from './collections/wallet-proofs.js'
import { eventProofs } from './events/proofs.js'
import { idempotencyProofs } from './idempotency/proofs.js'
import { ledgerProofs } from './ledger/proofs.js'
import { limits } from './limits.js'
import { payoutProofs } from './payouts/proofs.js'
import type { Database } from './postgres/database.js'
import type { Proof } from './proof.js'

export type Finding = { claim: string; counterexamples: unknown[] }

export const allProofs = [
  ...ledgerProofs,
  ...idempotencyProofs,
  ...eventProofs,
  ...payoutProofs,
  ...collectionProofs,
  ...walletProofs,
]

/**
 * Checks every claim against one snapshot, so that work under way cannot make it look wrong. Tells
 * `checked` of each as it is done: millions of rows take their time.
 */
export async function verifyLedger(
  db: Database,
  proofs: Proof[] = allProofs,
  checked: (claim: string) => void = () => {},
): Promise<Finding[]> {
  return db.transaction(async (tx) => {
    tx.write(sql`set transaction isolation level repeatable read, read only`)
    tx.liftTimeouts()
    const findings: Finding[] = []
    for (const { claim, counterexamples } of proofs) {
      const some = `select * from (${counterexamples}) c limit ${limits.proof.shown}`
      findings.push({ claim, counterexamples: await tx.rows({ text: some, values: [] }) })
      checked(claim)
    }
    return findings
  })
}
