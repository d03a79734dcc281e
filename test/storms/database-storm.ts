import { setTimeout as sleep } from 'node:timers/promises'
import { createSeal } from '../../src/base/sealed.js'
import type { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { isRunning, type Program, spawnServe, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { freePort } from './crew.js'
import { untilNoneRemain } from './progress.js'
import { apiOf } from './storm-site.js'

type Storm = {
  url: string
  secret: Secret
  /** Number of server restarts, and of times when all connections are closed. */
  rounds: number
  random: Random
  restart(): Promise<void>
  say(line: string): void
  onStart(program: Program): void
}

export type Aftermath = {
  died: string[]
  /** Losses of the database while requests were under way. */
  lossesDuringWork: number
  /** Idempotency keys of acknowledged fundings, with their count in the ledger. */
  acknowledged: string[]
  booked: bigint
  refused: number
  unknown: number
}

const connections = 24

/**
 * A service under load loses its database repeatedly: the server restarts or closes every connection.
 * No process may die, and every acknowledged write must exist once.
 */
export async function databaseStorm(storm: Storm): Promise<Aftermath> {
  const { url, secret, onStart } = storm
  const port = await freePort()
  const programs = [
    spawnServe(url, secret.reveal(), port, { API_PROCESSES: '2' }),
    spawnWork(url, secret.reveal()),
    spawnWork(url, secret.reveal()),
  ]
  for (const program of programs) onStart(program)
  const api = apiOf(`http://127.0.0.1:${port}`, await addMerchant(url, secret))
  await untilReady(port)

  const result = { acknowledged: [] as string[], refused: 0, unknown: 0 }
  let isOver = false
  let underWay = 0
  let duringWork = 0
  const fund = async (key: string): Promise<void> => {
    for (;;) {
      underWay += 1
      const answer = await api.post('/v1/test/balances/fund', key, { asset: 'NGN', amount: 1 })
      underWay -= 1
      if (answer?.status === 201) {
        result.acknowledged.push(key)
        return
      }
      if (answer?.text.includes('outcome_unknown') || !answer) result.unknown += 1
      else result.refused += 1
      await sleep(20)
    }
  }
  const caller = async (name: number) => {
    for (let sent = 0; !isOver; sent += 1) await fund(`caller ${name} ${sent}`)
  }
  const callers = Array.from({ length: connections }, (_, name) => caller(name))

  for (let round = 1; round <= storm.rounds; round += 1) {
    for (const trouble of [storm.restart, () => endConnections(url)]) {
      const before = result.acknowledged.length
      if (underWay > 0) duringWork += 1
      await trouble()
      await untilNoneRemain('fundings are acknowledged again', () =>
        programs.every(isAlive) ? Math.max(0, before + 50 - result.acknowledged.length) : 0,
      )
      await sleep(storm.random.integer(0, 200))
    }
    storm.say(`round ${round}: ${result.acknowledged.length} acknowledged`)
  }
  storm.say(`${duringWork} of ${2 * storm.rounds} losses fell while requests were under way`)
  isOver = true
  await Promise.all(callers)
  const died = programs.filter((program) => !isAlive(program)).map((program) => program.text())
  const db = new Database(url, () => {})
  const [row] = await db.rows(sql<{ booked: bigint }>`
    select count(*) as booked from ledger_transfers where purpose = 'test_funding'`)
  await db.close()
  return { ...result, died, lossesDuringWork: duringWork, booked: row!.booked }
}

function isAlive({ pid }: Program): boolean {
  return isRunning(pid)
}

async function endConnections(url: string): Promise<void> {
  const db = new Database(url, () => {})
  await db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and backend_type = 'client backend'`)
  await db.close()
}

async function untilReady(port: number): Promise<void> {
  const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok)
  await untilNoneRemain('the API is ready', async () => !(await isReady().catch(() => false)))
}

async function addMerchant(url: string, secret: Secret): Promise<string> {
  const db = new Database(url, () => {})
  const key = await db.transaction(async (tx) => {
    const now = new Date()
    const { environments } = await createMerchant(tx, now, 'Ada')
    const issued = await issueKey(tx, now, {
      seal: createSeal(secret),
      kind: 'secret',
      name: 'storm',
      expiresAt: null,
      environment: environments.test,
      allowedAddresses: [],
    })
    return issued.key.reveal()
  })
  await db.close()
  return key
}
