/** One run: opens a PostgreSQL of its own, measures the selected paths and verifies the ledger. */
import { allProofs } from '../dist/operations/proofs/verify-ledger.js'
import { payoutProofs } from '../dist/payouts/proofs.js'
import { sql } from '../dist/postgres/sql.js'
import { benchDeliveries } from './deliveries.mjs'
import { benchHttp } from './http.mjs'
import { benchLedger } from './ledger.mjs'
import { benchLives } from './lives.mjs'
import { describeMachine, Report } from './report.mjs'
import { assertLedgerIsClean, openBooks, withWorkbench } from './workbench.mjs'

export async function measure(options) {
  const startedAt = performance.now()
  return withWorkbench({}, async (bench) => {
    const books = await openBooks({ folder: bench.folder, databaseUrl: bench.serverUrl })
    const { db } = books
    const tools = { ...bench, ...books }
    const report = new Report()
    await benchLives(tools, options, report)
    await benchDeliveries(tools, options, report.record)
    await benchHttp(tools, options, report.record)
    await benchLedger(tools, options, report.record)
    const [{ postgres }] = await db.rows(sql`select current_setting('server_version') as postgres`)
    await assertLedgerIsClean(db, proofsOf(report.rows()))
    await db.close()
    return {
      measuredAt: new Date(),
      preset: options.preset,
      isComplete: options.isComplete,
      machine: { ...describeMachine(), postgres },
      connections: options.connections,
      rounds: options.rounds,
      seconds: options.seconds,
      warmRequests: options.warmRequests,
      tookSeconds: Math.round((performance.now() - startedAt) / 1000),
      rows: report.rows(),
    }
  })
}

/** The holds of the ledger benchmark and the events of the webhook backlog have no payouts. */
function proofsOf(rows) {
  const isSynthetic = rows.some(({ key }) => ['ledger', 'webhooks'].includes(key))
  return isSynthetic ? allProofs.filter((proof) => !payoutProofs.includes(proof)) : allProofs
}
