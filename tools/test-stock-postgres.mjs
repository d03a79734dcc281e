/**
 * npm run test:stock-postgres [-- test files]
 *
 * Runs the database tests against Debian's PostgreSQL with the settings of a fresh installation,
 * as most operators run it. As root on Debian, installs the package if it is missing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { withSite } from '../drills/site.mjs'
import { startStockServer } from './stock-postgres.mjs'

/** Everything that reads and writes tables; pages and the chain behave the same on any server. */
const databaseTests = [
  'test/postgres',
  'test/ledger',
  'test/idempotency',
  'test/payouts',
  'test/collections',
  'test/wallets',
  'test/conversions',
  'test/webhooks',
  'test/events',
  'test/reports',
  'test/merchants',
  'test/audit',
  'test/request-log',
  'test/operations',
  'test/simulation/sandbox-bank',
  'test/api/',
  'test/prepare-database',
  'test/work',
]

const selected = process.argv.slice(2)
process.exitCode = await withSite({ keepsFolder: false }, async (site) => {
  const { url, version, jit } = await startStockServer(site)
  console.log(`PostgreSQL ${version}, default settings (jit ${jit})`)
  // Half of the usual workers: the default of 100 connections is enough for them.
  const words = ['run', '--maxWorkers=2', ...(selected.length > 0 ? selected : databaseTests)]
  const tests = spawn('vitest', words, {
    stdio: 'inherit',
    env: { ...process.env, MANILLA_TEST_POSTGRES: url },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => tests.kill(signal))
  const [code] = await once(tests, 'exit')
  return code ?? 1
})
