/**
 * npm run drill:restore -- [--seconds 8] [--seed 123] [--keep]
 *
 * Takes a base backup under load, writes on, loses the server, restores from the archive to a point
 * in between, and proves that every write acknowledged before it is there and none that was sent
 * after it. Follows docs/operating/backup-and-restore.md; needs Debian's postgresql-15; everything
 * runs on loopback in a temporary folder.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  archiveEverything,
  query,
  restoreTo,
  startArchivedServer,
  takeBaseBackup,
} from './archived-postgres.mjs'
import { Load } from './load.mjs'
import { ManillaProcesses } from './manilla-processes.mjs'
import { createMerchant } from './merchant.mjs'
import { createRandom } from './random.mjs'
import { printProofs } from './report.mjs'
import { proveRestored } from './restore-proofs.mjs'
import { runDrill } from './run-drill.mjs'
import { waitUntil } from './wait-until.mjs'

const say = (line) => console.log(line)
const kinds = ['crypto', 'bank', 'payment', 'wallet']
/** Longer than the bank takes to repeat a notice. */
const noticesMs = 90_000
/** Step 3 of the documentation: skips every wallet number that may have been used since. */
const moveWalletNumbers = `select setval('wallet_numbers', nextval('wallet_numbers') + 100000)`

async function drill({ site, options: { seed, seconds } }) {
  const { startChain } = await import('./chain.mjs')
  say('Starting PostgreSQL with an archive, the service and a worker …')
  const server = await startArchivedServer(site)
  const chain = await startChain(site)
  const service = new ManillaProcesses(site, { databaseUrl: server.url, chain })
  await service.start({ apis: 1, workers: 1 })
  const merchant = await createMerchant(service, chain)
  const load = new Load(merchant, createRandom(seed), kinds)
  load.start()
  await sleep(seconds * 1000)
  const backup = await takeBaseBackup(site, server)
  say(`Base backup taken after ${load.writes.length} writes`)
  await sleep(seconds * 1000)
  const halfTime = Date.now()
  await sleep(seconds * 1000)
  await load.stop()
  const point = choosePoint(load, halfTime)
  say(`The point in time: ${point.toISOString()}, while a payment was under way`)
  await archiveEverything(server)
  await service.stop()
  await server.lose()
  say(`The server is lost after ${load.writes.length} writes`)

  const restored = await restoreTo(site, { backup, archive: server.archive, time: point })
  say('Restored')
  const [before] = await query(restored.url, 'select last_value::int as number from wallet_numbers')
  await query(restored.url, moveWalletNumbers)
  const [after] = await query(restored.url, 'select last_value::int as number from wallet_numbers')
  say(`Wallet numbers moved from ${before.number} to ${after.number}`)

  const { secret } = service
  const again = new ManillaProcesses(site, { databaseUrl: restored.url, chain, secret })
  // No worker: it would send payouts again.
  await again.start({ apis: 1, workers: 0 })
  await waitForBank(restored)
  await chain.waitUntilFinal()
  const proofs = await proveRestored({ service: again, restored, chain, load, merchant, point })
  const isRight = printProofs(proofs)
  await again.stop()
  await chain.stop()
  return isRight
}

/**
 * The hardest moment: the bank has a payment, and the transaction that books it has begun and not
 * committed. Its `createdAt` was read in between.
 */
function choosePoint(load, near) {
  const distance = ({ firstSent }) => Math.abs(firstSent - near)
  const [payment] = load.writesOf('payment').sort((a, b) => distance(a) - distance(b))
  return new Date(payment.data.createdAt)
}

/** The sandbox bank was restored too, and repeats notices that were not acknowledged by then. */
async function waitForBank({ url }) {
  await waitUntil('the bank has sent its notices', noticesMs, async () => {
    const [{ count }] = await query(url, 'select count(*)::int as count from sandbox_notices')
    return count === 0
  })
}

await runDrill({ name: 'Restore drill', defaults: { seconds: 8 }, programs: ['postgres'] }, drill)
