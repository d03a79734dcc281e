/** One run: opens a PostgreSQL of its own, measures the selected paths and verifies the ledger. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createSeal } from '../dist/base/sealed.js'
import { Secret } from '../dist/base/secret.js'
import { allProofs, verifyLedger } from '../dist/operations/verify-ledger.js'
import { payoutProofs } from '../dist/payouts/proofs.js'
import { Database } from '../dist/postgres/database.js'
import { startEmbeddedServer } from '../dist/postgres/embedded/server.js'
import { migrate } from '../dist/postgres/migrate.js'
import { sql } from '../dist/postgres/sql.js'
import { openDemo } from '../dist/simulation/demo.js'
import { readPostmasterPid } from './cpu.mjs'
import { benchDeliveries } from './deliveries.mjs'
import { benchHttp } from './http.mjs'
import { benchLedger } from './ledger.mjs'
import { startProcess } from './processes.mjs'
import { describeMachine, Report } from './report.mjs'

const secret = 'b'.repeat(64)

export async function measure(options) {
  const startedAt = performance.now()
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-bench-'))
  chmodSync(folder, 0o755)
  const dataDirectory = path.join(folder, 'data')
  const server = await startEmbeddedServer({ dataDirectory })
  try {
    await migrate(server.url)
    const db = new Database(server.url, () => {})
    const seal = createSeal(new Secret(secret))
    const demo = await openDemo(
      { db, seal, home: folder, now: new Date() },
      { baseUrl: 'http://localhost' },
    )
    const [environment] = await db.rows(
      sql`select id from environments where mode = 'test' limit 1`,
    )
    const loadProcess = await startProcess('./load.mjs')
    const tools = {
      db,
      seal,
      folder,
      secret: new Secret(secret),
      databaseUrl: server.url,
      env: { DATABASE_URL: server.url, MANILLA_SECRET: secret, MANILLA_HOME: folder },
      postmasterPid: readPostmasterPid(dataDirectory),
      environmentId: environment.id,
      key: demo.test.secretKey,
      load: { pid: loadProcess.pid, run: (plan) => runLoad(loadProcess, plan) },
    }
    const report = new Report()
    await benchDeliveries(tools, options, report.record)
    await benchHttp(tools, options, report.record)
    await benchLedger(tools, options, report.record)
    await loadProcess.stop()
    const [{ postgres }] = await db.rows(sql`select current_setting('server_version') as postgres`)
    await assertLedgerIsClean(db, report.rows())
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
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runLoad(loadProcess, plan) {
  const result = await loadProcess.ask(plan)
  const isRefused = Object.keys(result.statuses).some((status) => !status.startsWith('2'))
  if (isRefused)
    throw new Error(
      `${plan.path} was refused: ${JSON.stringify(result.statuses)} ${result.sample.body}`,
    )
  return result
}

/** The holds of the ledger benchmark and the events of the webhook backlog have no payouts. */
async function assertLedgerIsClean(db, rows) {
  const isSynthetic = rows.some(({ key }) => ['ledger', 'webhooks'].includes(key))
  const proofs = isSynthetic
    ? allProofs.filter((proof) => !payoutProofs.includes(proof))
    : allProofs
  const findings = await verifyLedger(db, proofs)
  const broken = findings.filter(({ counterexamples }) => counterexamples.length > 0)
  if (broken.length > 0) throw new Error(`verify-ledger: ${JSON.stringify(broken)}`)
  console.log('verify-ledger: clean')
}
