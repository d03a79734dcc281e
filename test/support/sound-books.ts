import { expect } from 'vitest'
import type { Database } from '../../src/postgres/database.js'
import { verifyLedger } from '../../src/verify-ledger.js'

/** Every claim about the whole database holds; what disproves one is shown. */
export async function expectSoundBooks(db: Database): Promise<void> {
  const findings = await verifyLedger(db)
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
  expect(findings.length).toBeGreaterThan(0)
}
