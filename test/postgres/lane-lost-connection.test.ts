import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { Answer, KeyedAnswer } from '../../src/idempotency/answer.js'
import { atMostOnce, type KeyedCall, whileInProgress } from '../../src/idempotency/at-most-once.js'
import { toIdempotencyKey } from '../../src/idempotency/key.js'
import { listBalances } from '../../src/ledger/balances.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { sql } from '../../src/postgres/sql.js'
import { Flush } from '../../src/postgres/transactions/flush.js'
import { Lane } from '../../src/postgres/transactions/lane.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { seededRandom } from '../support/seed.js'
import { backendOf, openSession, until, untilBlocked } from '../support/sessions.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const seal = createSeal(new Secret('a secret of the tests'))

type Call = KeyedCall<Movement>

/** What happens to the connection right after a batch and its commit were sent in one flush. */
type Trouble = (client: pg.Client, pid: number) => Promise<void> | void

/** Cuts real connections, at the moment the test chooses. */
function openLane(nextTrouble: () => Trouble | undefined): Lane<Call, KeyedAnswer> {
  const lane = new Lane<Call, KeyedAnswer>({
    connect: async () => {
      const client = await connect(db.url, 'lane test')
      await client.query(`set lock_timeout = '30s'`)
      const pid = await backendOf(client)
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        const sent = query(...args)
        if (endsInCommit(args[0])) void nextTrouble()?.(client, pid)
        return sent
      }) as typeof client.query
      return client
    },
    work: (tx, calls) =>
      atMostOnce({ tx, now, seal }, calls, async (movements) => {
        const outcomes = await moveAll(tx, now, movements)
        return outcomes.map(({ isMoved }, index) => toAnswer(movements[index]!, isMoved))
      }),
  })
  onTestFinished(() => lane.close())
  return lane
}

function toAnswer({ causeId }: Movement, isMoved: boolean): Answer {
  return { status: isMoved ? 201 : 402, body: JSON.stringify({ causeId, isMoved }) }
}

function toCall(movement: Movement, text: string): Call {
  const body = { causeId: movement.causeId }
  const request = { method: 'POST', path: '/v1/test', body, callerId: 'a key' }
  return {
    environmentId: movement.environmentId,
    key: toIdempotencyKey(text, request),
    input: movement,
    expected: toAnswer(movement, true),
    expiresAt: null,
  }
}

/** The server ends the connection, as an operator or a failover would. */
const terminate: Trouble = async (_client, pid) => {
  await db.rows(sql`select pg_terminate_backend(${pid}::int)`)
}

/** We end the connection as soon as the bytes are sent: the server may be anywhere in the batch. */
const destroyAfterFlush: Trouble = (client) => {
  setImmediate(() => cut(client))
}

function endsInCommit(query: unknown): boolean {
  return query instanceof Flush && query.statements.at(-1)?.text === 'commit'
}

/** The server commits, unless an earlier failure ends it, and its answer is lost. */
const loseTheAnswer: Trouble = async (client, pid) => {
  streamOf(client).pause()
  await until(async () => {
    const [row] = await db.rows(sql<{ isDone: boolean }>`
      select state = 'idle' and query = 'commit' as is_done
      from pg_stat_activity where pid = ${pid}`)
    return row?.isDone ?? true
  })
  cut(client)
}

function cut(client: pg.Client): void {
  streamOf(client).destroy()
}

function streamOf(client: pg.Client) {
  return (client as unknown as { connection: pg.Connection }).connection.stream
}

async function fund(environmentId: EnvironmentId, amount: bigint): Promise<void> {
  await db.transaction((tx) =>
    moveAll(tx, now, [fundingOf({ environmentId, asset: 'USDC' }, amount)]),
  )
}

async function countHolds(environmentId: EnvironmentId): Promise<number> {
  const [row] = await db.rows(sql<{ holds: number }>`
    select count(distinct cause_id)::int as holds from ledger_transfers
    where environment_id = ${environmentId} and is_hold`)
  return row!.holds
}

// The money is held and committed, but the answer never arrives. The lane may not guess: every
// caller gets "unknown", nothing is retried for them, and a retry with the same key finds the
// answer.
test('a commit whose answer is lost is unknown, and a retry replays it', async () => {
  const environmentId = await insertEnvironment(db)
  await fund(environmentId, 1_000n)
  const troubles: Trouble[] = [loseTheAnswer]
  const lane = openLane(() => troubles.shift())
  const calls = Array.from({ length: 20 }, (_, index) =>
    toCall(holdOf({ environmentId, asset: 'USDC' }, 9n, 1n), `lost-${index}`),
  )
  const lost = await Promise.allSettled(calls.map((call) => lane.run(call)))
  for (const outcome of lost) expect(outcome).toMatchObject({ reason: { name: 'OutcomeUnknown' } })
  expect(lane.stats).toMatchObject({ batches: 1, unknown: 20, retried: 0, halved: 0 })
  expect(await countHolds(environmentId)).toBe(20)

  const retried = await Promise.all(calls.map((call) => whileInProgress(() => lane.run(call))))
  expect(retried.map(({ body }) => body)).toEqual(calls.map(({ expected }) => expected!.body))
  expect(retried.every(({ isReplayed }) => isReplayed)).toBe(true)
  expect(await countHolds(environmentId)).toBe(20)
  await expectLowerProofs(db)
})

// Another session's lock stops the batch after its commit was sent, and then the connection is cut.
// This commit never ran, but the lane cannot know: unknown, and done on retry.
test('a commit that never ran is unknown too, and a retry does the work', async () => {
  const environmentId = await insertEnvironment(db)
  await fund(environmentId, 1_000n)
  const troubles: Trouble[] = [
    async (client, pid) => {
      await untilBlocked(db)
      await terminate(client, pid)
    },
  ]
  const lane = openLane(() => troubles.shift())
  const calls = Array.from({ length: 20 }, (_, index) =>
    toCall(holdOf({ environmentId, asset: 'USDC' }, 9n, 1n), `stopped-${index}`),
  )
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query({
    text: `insert into ledger_transfers values
      ($1, $2, 'crypto_payout', 'USDC', 'treasury', 'deposits', 1, false, null, null, now())`,
    values: [environmentId, calls[7]!.input.causeId],
  })
  const lost = await Promise.allSettled(calls.map((call) => lane.run(call)))
  for (const outcome of lost) expect(outcome).toMatchObject({ reason: { name: 'OutcomeUnknown' } })
  await blocker.query('rollback')
  expect(await countHolds(environmentId)).toBe(0)

  const retried = await Promise.all(calls.map((call) => whileInProgress(() => lane.run(call))))
  expect(retried.some(({ isReplayed }) => isReplayed)).toBe(false)
  expect(await countHolds(environmentId)).toBe(20)
  await expectLowerProofs(db)
})

// The connection is cut while the batch waits for its accounts, before the commit was sent. Nothing
// was written for certain, so the lane runs it again and callers do not notice.
test('a connection lost before commit is replaced without the callers noticing', async () => {
  const environmentId = await insertEnvironment(db)
  await fund(environmentId, 1_000n)
  const lane = openLane(() => undefined)
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query('select from ledger_accounts for update')
  const calls = Array.from({ length: 20 }, (_, index) =>
    toCall(holdOf({ environmentId, asset: 'USDC' }, 9n, 1n), `before-${index}`),
  )
  // The server reports the end of a session before it releases what the session held.
  const answers = calls.map((call) => whileInProgress(() => lane.run(call)))
  await untilBlocked(db)
  await db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  await until(() => lane.stats.retried === 1)
  await blocker.query('commit')

  const answered = await Promise.all(answers)
  expect(answered.every(({ status, isReplayed }) => status === 201 && !isReplayed)).toBe(true)
  expect(lane.stats).toMatchObject({ retried: 1, unknown: 0, halved: 0 })
  expect(await countHolds(environmentId)).toBe(20)
  await expectLowerProofs(db)
})

// Four hundred payouts on a connection that is cut again and again, by the server and by us, early
// and late. Callers retry with their own key until they have an answer. In the end every key has
// run exactly once, and the held money matches the payouts.
test('however often the connection is cut, every key runs exactly once', async () => {
  const random = seededRandom('cut line')
  const environmentId = await insertEnvironment(db)
  await fund(environmentId, 1_000_000n)
  const lane = openLane(() =>
    random.pick([undefined, terminate, destroyAfterFlush, destroyAfterFlush, loseTheAnswer]),
  )
  const calls = Array.from({ length: 400 }, (_, index) =>
    toCall(holdOf({ environmentId, asset: 'USDC' }, 10n, 1n), `storm-${index}`),
  )
  const bodies = new Map<Call, KeyedAnswer>()
  let retries = 0
  const insist = async (call: Call): Promise<void> => {
    for (;;) {
      try {
        bodies.set(call, await whileInProgress(() => lane.run(call)))
        return
      } catch (error) {
        expect(['OutcomeUnknown', 'ConnectionLost']).toContain((error as Error).name)
        retries += 1
      }
    }
  }
  // In waves, so that there are many commits to cut and not one large one.
  for (let start = 0; start < calls.length; start += 10)
    await Promise.all(calls.slice(start, start + 10).map(insist))

  expect(calls.map((call) => bodies.get(call)!.body)).toEqual(
    calls.map(({ expected }) => expected!.body),
  )
  const answered = [...bodies.values()]
  const [keys] = await db.rows(sql<{ kept: number }>`
    select count(*)::int as kept from idempotency_keys where environment_id = ${environmentId}`)
  expect(keys!.kept).toBe(400)
  expect(await countHolds(environmentId)).toBe(400)
  const balances = await listBalances(db, environmentId)
  expect(balances.find(({ asset }) => asset === 'USDC')).toMatchObject({
    held: 4_400n,
    available: 1_000_000n - 4_400n,
  })
  // Connections were cut, and both kinds of "unknown" occurred: committed and not committed.
  expect(retries).toBeGreaterThan(100)
  expect(answered.some(({ isReplayed }) => isReplayed)).toBe(true)
  expect(answered.some(({ isReplayed }) => !isReplayed)).toBe(true)
  await expectLowerProofs(db)
})
