/** What a run needs: a PostgreSQL of its own with a merchant, and the load generator. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { newId } from '../dist/base/ids.js'
import { createSeal } from '../dist/base/sealed.js'
import { Secret } from '../dist/base/secret.js'
import { fundAll } from '../dist/ledger/fund.js'
import { allProofs, verifyLedger } from '../dist/operations/proofs/verify-ledger.js'
import { Database } from '../dist/postgres/database.js'
import { startEmbeddedServer } from '../dist/postgres/embedded/server.js'
import { migrate } from '../dist/postgres/migrations/migrate.js'
import { sql } from '../dist/postgres/sql.js'
import { openDemo } from '../dist/simulation/demo.js'
import { readPostmasterPid } from './cpu.mjs'
import { startProcess } from './processes.mjs'

const secret = 'b'.repeat(64)
const funds = { USDC: 10n ** 14n, NGN: 10n ** 14n }

/** Opens everything, runs the work with it, and closes everything. */
export async function withWorkbench(settings, work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-bench-'))
  chmodSync(folder, 0o755)
  const dataDirectory = path.join(folder, 'data')
  const server = await startEmbeddedServer({ dataDirectory, settings })
  const close = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  // PostgreSQL would outlive this process.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => close().finally(() => process.exit(1)))
  try {
    const load = await startLoad()
    const result = await work({
      folder,
      serverUrl: server.url,
      postmasterPid: readPostmasterPid(dataDirectory),
      load,
    })
    await load.stop()
    return result
  } finally {
    await close()
  }
}

/** The load generator. A run fails if a request is refused. */
export async function startLoad() {
  const { pid, ask, stop } = await startProcess('./load.mjs')
  return {
    pid,
    stop,
    async run(plan) {
      const result = await ask(plan)
      if (result.refused)
        throw new Error(
          `${plan.path ?? 'a request'} was refused: ${JSON.stringify(result.statuses)} ${result.refused}`,
        )
      return result
    },
  }
}

/** A migrated database with a merchant. */
export async function openBooks({ folder, databaseUrl }) {
  await migrate(databaseUrl)
  const db = new Database(databaseUrl, () => {})
  const seal = createSeal(new Secret(secret))
  mkdirSync(folder, { recursive: true })
  const demo = await openDemo(
    { db, seal, home: folder, now: new Date() },
    { baseUrl: 'http://localhost' },
  )
  const [environment] = await db.rows(sql`select id from environments where mode = 'test' limit 1`)
  return {
    db,
    seal,
    secret: new Secret(secret),
    databaseUrl,
    env: { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, MANILLA_HOME: folder },
    environmentId: environment.id,
    key: demo.test.secretKey,
  }
}

export async function fundEnvironments(db, environmentIds) {
  const now = new Date()
  const fundings = environmentIds.flatMap((environmentId) =>
    Object.entries(funds).map(([asset, amount]) => ({
      id: newId(now),
      environmentId,
      asset,
      amount,
      purpose: 'operator_credit',
    })),
  )
  await db.transaction((tx) => fundAll(tx, now, fundings))
}

export async function assertLedgerIsClean(db, proofs = allProofs) {
  const findings = await verifyLedger(db, proofs)
  const broken = findings.filter(({ counterexamples }) => counterexamples.length > 0)
  if (broken.length > 0)
    throw new Error(
      `verify-ledger: ${JSON.stringify(broken, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
    )
  console.log('verify-ledger: clean')
}
