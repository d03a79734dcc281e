import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '../../src/base/environment.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { isRunning, type Program, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { until } from '../support/sessions.js'
import { hasten } from './kill-site.js'

type Storm = {
  db: Database
  secret: string
  environmentId: EnvironmentId
  events: number
  kills: number
  random: Random
  countReceived(): number
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/** Two workers send and are killed one after the other, each replaced at once; events keep coming. */
export async function killWorkers(storm: Storm): Promise<void> {
  const { db, environmentId, random } = storm
  const workers = [start(storm), start(storm)]
  const perRound = Math.ceil(storm.events / storm.kills)
  for (let round = 1; round <= storm.kills; round += 1) {
    const received = storm.countReceived()
    const newEvents = Array.from({ length: perRound }, () => newEventOf(environmentId))
    await emit(db, new Date(), newEvents)
    const victim = random.integer(0, 1)
    await workers[victim]!.untilPrinted('working')
    while (storm.countReceived() === received) await sleep(1)
    await sleep(random.integer(0, 150))
    workers[victim]!.signal('SIGKILL')
    await workers[victim]!.ended
    workers[victim] = start(storm)
    storm.say(`kill ${round}: ${storm.countReceived() - received} received`)
  }
  // By then the database has released the locks of killed workers.
  for (const worker of workers) await worker.untilPrinted('working')
  await passLease(db)
  await until(async () => (await countOpen(db)) === 0)
  await Promise.all(workers.map(stop))
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
