import { expect } from 'vitest'
import { eventProofs } from '../../src/events/proofs.js'
import { idempotencyProofs } from '../../src/idempotency/proofs.js'
import { ledgerProofs } from '../../src/ledger/proofs.js'
import { type ProofResult, verifyLedger } from '../../src/operations/verify-ledger.js'
import type { Database } from '../../src/postgres/database.js'

/** Every claim about the whole database holds; what disproves one is shown. */
export async function expectSoundBooks(db: Database): Promise<void> {
  expectProven(await verifyLedger(db))
}

/** What the rooms below claim: a hold or an event of their tests has no payout behind it. */
export const proofsBelow = [...ledgerProofs, ...idempotencyProofs, ...eventProofs]

export async function expectSoundLedger(db: Database): Promise<void> {
  expectProven(await verifyLedger(db, proofsBelow))
}

function expectProven(findings: ProofResult[]): void {
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
  expect(findings.length).toBeGreaterThan(0)
}
