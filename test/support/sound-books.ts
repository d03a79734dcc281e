import { expect } from 'vitest'
import { eventProofs } from '../../src/events/proofs.js'
import { idempotencyProofs } from '../../src/idempotency/proofs.js'
import { ledgerProofs } from '../../src/ledger/proofs.js'
import { type ProofResult, verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import type { Database } from '../../src/postgres/database.js'

/** Runs every proof on the whole database; prints counterexamples. */
export async function expectAllProofs(db: Database): Promise<void> {
  expectProven(await verifyLedger(db))
}

/** Proofs of lower modules only: their tests have holds and events without payouts. */
export const proofsBelow = [...ledgerProofs, ...idempotencyProofs, ...eventProofs]

export async function expectLowerProofs(db: Database): Promise<void> {
  expectProven(await verifyLedger(db, proofsBelow))
}

function expectProven(findings: ProofResult[]): void {
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
  expect(findings.length).toBeGreaterThan(0)
}
