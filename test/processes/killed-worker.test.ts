import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { second } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { sql } from '../../src/postgres/sql.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openManilla } from '../support/open-manilla.js'
import { spawnWork } from '../support/program.js'
import { openSession, until, untilInTheWay } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { trackPrograms } from '../support/track-programs.js'

const db = await freshDatabase()
const programs = trackPrograms()
const secret = new Secret(randomBytes(32).toString('hex'))
const logger = createLogger('silent')
const clock = manualClock(new Date())
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
// The API commits the transfer and never sends it, so workers send and end it.
const mute = { ...bank, checkAfterMs: undefined, send: async () => {} }
const service = await openManilla({
  beside: { db, clock, secret },
  rails: new Rails({ test: { payoutBank: mute } }),
})
const key = service.merchant.test.secret
const path = '/v1/disbursements/bank-transfer'

function startWorker() {
  const program = spawnWork(db.url, secret.reveal())
  programs.push(program)
  return program
}

async function databaseTime(): Promise<number> {
  const [row] = await db.rows(sql<{ now: Date }>`select clock_timestamp() as now`)
  return row!.now.getTime()
}

// The bank has made the transfer. A transaction of the test holds the payout, so the worker that
// polled it cannot record the result; there it is killed.
test('a payout claimed by a killed worker is concluded by another within 15 seconds', async () => {
  const body = { asset: 'NGN', amount: 900_000 }
  await service.ask('POST', '/v1/test/balances/fund', { key, body })
  const { reference } = (
    await service.ask('POST', path, {
      key,
      headers: { 'idempotency-key': 'killed' },
      body: { amount: 100_000, bankCode: '058', accountNumber: '0123456789' },
    })
  ).json.data
  const holder = await openSession(db)
  await holder.query('begin')
  await holder.query('select from payouts for update')
  const victim = startWorker()
  await untilInTheWay(db, holder)
  victim.signal('SIGKILL')
  await victim.ended
  const killedAt = await databaseTime()
  await holder.query('rollback')
  const [claimed] = await db.rows(sql<{ state: string; isClaimed: boolean }>`
    select state, leased_until > clock_timestamp() as is_claimed from payout_attempts`)
  expect(claimed).toEqual({ state: 'LIVE', isClaimed: true })

  startWorker()
  const statusOf = async () =>
    (await service.ask('GET', `${path}/${reference}`, { key })).json.data.status
  await until(async () => (await statusOf()) === 'COMPLETED')
  expect((await databaseTime()) - killedAt).toBeLessThan(15 * second)
  const transfers = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from sandbox_transfers`)
  expect(transfers).toEqual([{ count: 1 }])
  const attempts = await db.rows(sql<{ state: string }>`select state from payout_attempts`)
  expect(attempts).toEqual([{ state: 'LANDED' }])
  await expectAllProofs(db)
})
