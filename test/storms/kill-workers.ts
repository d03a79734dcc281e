import type { EnvironmentId } from '../../src/base/environment.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { isRunning, type Program, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { hasten } from './kill-site.js'
import { untilNoneRemain } from './progress.js'

type Storm = {
  db: Database
  secret: string
  environmentId: EnvironmentId
  /** At least so many are emitted. */
  events: number
  endpoints: number
  kills: number
  random: Random
  receiver: {
    /** Requests received. */
    received: number
    /** Requests received and not answered yet. */
    underWay: number
    /** Requests whose connection was lost before the answer. */
    cut: number
  }
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/**
 * Two workers send. The older one, which has most deliveries, is killed and replaced after a random
 * number of deliveries, while others wait for their answers. Returns how many kills cut deliveries off.
 */
export async function killWorkers(storm: Storm): Promise<number> {
  const { receiver, say } = storm
  const workers = [start(storm), start(storm)]
  let duringDeliveries = 0
  for (let round = 1; round <= storm.kills; round += 1) {
    const before = { ...receiver }
    const victim = round % 2
    await workers[victim]!.untilPrinted('working')
    await untilDelivering(storm)
    const { underWay } = receiver
    workers[victim]!.signal('SIGKILL')
    await workers[victim]!.ended
    await untilNoneRemain('requests of the killed worker end', () => receiver.underWay)
    const cut = receiver.cut - before.cut
    if (cut > 0) duringDeliveries += 1
    workers[victim] = start(storm)
    const received = receiver.received - before.received
    say(`kill ${round}: ${received} received, ${underWay} under way, ${cut} cut off`)
  }
  say(`${duringDeliveries} of ${storm.kills} kills cut deliveries off`)
  // By then the database has released the locks of killed workers.
  for (const worker of workers) await worker.untilPrinted('working')
  await passLease(storm.db)
  await untilNoneRemain('every event is delivered', () => countOpen(storm.db))
  await Promise.all(workers.map(stop))
  return duringDeliveries
}

/** Events keep coming until a random number of them is received and some are being answered. */
async function untilDelivering(storm: Storm): Promise<void> {
  const { db, environmentId, receiver, random, endpoints } = storm
  const perRound = Math.ceil(storm.events / storm.kills)
  const before = receiver.received
  const wanted = random.integer(1, (perRound * endpoints) / 2)
  let emitted = 0
  await untilNoneRemain('deliveries are under way', async () => {
    const received = receiver.received - before
    if (received >= emitted * endpoints) {
      const newEvents = Array.from({ length: perRound }, () => newEventOf(environmentId))
      await emit(db, new Date(), newEvents)
      emitted += perRound
    }
    return (received < wanted || receiver.underWay === 0) && { received, emitted }
  })
}

function start({ db, secret, onStart }: Storm): Program {
  const program = spawnWork(db.url, secret)
  onStart(program)
  return program
}

async function stop(worker: Program): Promise<void> {
  if (isRunning(worker.pid)) worker.signal('SIGTERM')
  await worker.ended
}

/** At most the lease, so that scheduled retries keep their time. */
async function passLease(db: Database): Promise<void> {
  const sooner = `due_at - interval '${webhookLimits.leaseMs} ms'`
  await hasten(db, "deliveries where state = 'PENDING'", sooner)
}

async function countOpen(db: Database): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from deliveries where state = 'PENDING'`)
  return row!.count
}
