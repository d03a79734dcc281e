import type { Secret } from '../../src/base/secret.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import type { Database } from '../../src/postgres/database.js'
import { runCommandOn } from '../support/program.js'
import { show } from '../support/show.js'

type Proven = {
  db: Database
  secret: Secret
  /** Environment variables of the processes. */
  variables?: Record<string, string>
}

/** All claims of `verify-ledger`, and `reconcile`. Returns what is wrong. */
export async function runProofs({ db, secret, variables }: Proven): Promise<string[]> {
  const findings = await verifyLedger(db)
  const wrong = findings.filter(({ counterexamples }) => counterexamples.length > 0)
  const given = { databaseUrl: db.url, secret: secret.reveal(), variables }
  const { code, out, err } = await runCommandOn(given, 'reconcile')
  return [
    ...wrong.map((finding) => `proof failed: ${show(finding)}`),
    ...(code === 0 ? [] : [`reconcile ended with ${code}: ${out}${err}`]),
  ]
}
