import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import type { Outcome } from '../../src/base/refusal.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { Answer, KeyedAnswer } from '../../src/idempotency/answer.js'
import { atMostOnce, type KeyedCall, whileInProgress } from '../../src/idempotency/at-most-once.js'
import { deleteOldKeys } from '../../src/idempotency/delete-old-keys.js'
import { type IdempotencyKey, toIdempotencyKey } from '../../src/idempotency/key.js'
import { sql } from '../../src/postgres/sql.js'
import { Lane } from '../../src/postgres/transactions/lane.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { openSession, untilInTheWay } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
await db.rows(sql`create table work_done (id bigint generated always as identity, input text)`)
const seal = createSeal(new Secret('a secret of the tests'))
const environmentId = await insertEnvironment(db)
const callerId = randomUUID()

/** The input of a call is the answer it gets; its work is a row, so that it can be counted. */
type Call = KeyedCall<Answer>

function openLane() {
  const lane = new Lane<Call, KeyedAnswer>({
    connect: async () => {
      const client = await connect(db.url, 'lane test')
      await client.query(`set lock_timeout = '30s'`)
      return client
    },
    work: (tx, calls) =>
      atMostOnce({ tx, now, seal }, calls, async (inputs) => {
        for (const { body } of inputs) tx.write(sql`insert into work_done (input) values (${body})`)
        return inputs
      }),
  })
  onTestFinished(() => lane.close())
  return {
    stats: lane.stats,
    runOnce: (call: Call) => lane.run(call),
    run: (call: Call) => whileInProgress(() => lane.run(call)),
  }
}

/** One batch, without a lane. */
function runTogether(calls: Call[]): Promise<Outcome<KeyedAnswer>[]> {
  return db.transaction((tx) =>
    atMostOnce({ tx, now, seal }, calls, async (inputs) => {
      for (const { body } of inputs) tx.write(sql`insert into work_done (input) values (${body})`)
      return inputs
    }),
  )
}

let keyCount = 0
function newKey(): string {
  keyCount += 1
  return `key ${keyCount}`
}

type Keyed = Call & { key: IdempotencyKey }

function toCall(text: string, answer: Partial<Answer> = {}, more: Partial<Call> = {}): Keyed {
  const request = { method: 'POST', path: '/v1/things', body: { amount: 1 }, callerId }
  return {
    environmentId,
    input: { status: 201, body: `{"for":"${text}"}`, ...answer },
    expiresAt: null,
    ...more,
    key: toIdempotencyKey(text, request),
  }
}

/** The same key with another request. */
function otherRequest(call: Keyed): Keyed {
  const request = { method: 'POST', path: '/v1/things', body: { amount: 2 }, callerId }
  return { ...call, key: toIdempotencyKey(call.key.text, request) }
}

/** The same key and request, sent by another API key or user. */
function byAnother(call: Keyed): Keyed {
  return { ...call, key: { ...call.key, callerId: randomUUID() } }
}

/** Another process has claimed the key and not committed yet. */
async function claimElsewhere(call: Keyed, answer: string): Promise<pg.Client> {
  const session = await insertElsewhere(call, answer)
  await session.query({
    text: `select pg_advisory_xact_lock($1::int, uuid_hash($2::uuid))`,
    values: [environmentId, call.key.digest],
  })
  return session
}

async function insertElsewhere({ key }: Keyed, answer: string): Promise<pg.Client> {
  const session = await openSession(db)
  await session.query('begin')
  await session.query({
    text: `insert into idempotency_keys values ($1, $2, $3, $4, 201, $5, false, now(), null)`,
    values: [environmentId, key.digest, key.text, key.fingerprint, answer],
  })
  return session
}

async function countWork(body: string): Promise<number> {
  const rows = await db.rows(sql`select from work_done where input = ${body}`)
  return rows.length
}

async function storedKey(text: string, environment: EnvironmentId = environmentId) {
  const [row] = await db.rows(sql<{ status: number; answer: string; isSealed: boolean }>`
    select status, answer, is_sealed from idempotency_keys
    where environment_id = ${environment} and key = ${text}`)
  return row
}

// An impatient client behind a load balancer sends twenty copies of one request over four
// connections. One runs; all get its answer, nineteen of them marked as replayed.
test('twenty concurrent copies over four lanes run once', async () => {
  const lanes = Array.from({ length: 4 }, () => openLane())
  for (let round = 0; round < 25; round += 1) {
    const call = toCall(newKey())
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => lanes[index % 4]!.run(call)),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(answers[0]!.body).toBe(call.input.body)
    expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(19)
    expect(await countWork(call.input.body)).toBe(1)
  }
  expect(lanes.every(({ stats }) => stats.halved === 0 && stats.retried === 0)).toBe(true)
  await expectAllProofs(db)
})

// The first copy is blocked in the middle. The others must wait for it instead of running, and then
// get its answer.
test('a copy waits for the first one to finish', async () => {
  const [first, second] = [openLane(), openLane()]
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query('lock table work_done in share mode')
  const call = toCall(newKey())
  const leader = first.run(call)
  await untilInTheWay(db, blocker)
  await expect(second.runOnce(call)).rejects.toMatchObject({ reason: 'idempotency_in_progress' })
  const copy = second.run(call)
  await blocker.query('commit')

  expect(await leader).toEqual({ ...call.input, isReplayed: false })
  expect(await copy).toMatchObject({ ...call.input, isReplayed: true })
  expect(await countWork(call.input.body)).toBe(1)
})

// The first copy fails and its key is released: the waiting copy runs instead.
test('a copy runs itself when the first one failed', async () => {
  const call = toCall(newKey())
  const session = await claimElsewhere(call, 'never')
  const lane = openLane()
  await expect(lane.runOnce(call)).rejects.toMatchObject({ reason: 'idempotency_in_progress' })
  const copy = lane.run(call)
  await session.query('rollback')
  expect(await copy).toEqual({ ...call.input, isReplayed: false })
})

// A key stands for one request. With another request it is refused, in the same batch and later,
// and the refusal neither runs nor changes the stored answer.
test('the same key with another request is refused, in the same batch and later', async () => {
  const call = toCall(newKey())
  const reused = { reason: 'idempotency_key_reused', status: 422 }
  const [first, other, copy] = await runTogether([call, otherRequest(call), call])
  expect(first).toEqual({ ...call.input, isReplayed: false })
  expect(other).toMatchObject(reused)
  expect(copy).toEqual({ ...call.input, isReplayed: true })

  const [later, again] = await runTogether([otherRequest(call), call])
  expect(later).toMatchObject(reused)
  expect(again).toMatchObject({ ...call.input, isReplayed: true })
  expect(await countWork(call.input.body)).toBe(1)
})

// A business refusal is an answer too: a retry gets the same bytes, even if the request would
// succeed by now. Nothing runs a second time.
test.each([200, 201, 204, 402, 409, 422])('an answer of %i is remembered', async (status) => {
  const call = toCall(newKey(), { status, body: `{"status":${status},"n":"${keyCount}"}` })
  expect(await runTogether([call])).toEqual([{ ...call.input, isReplayed: false }])
  const changed = { ...call, input: { status: 201, body: 'the world has moved on' } }
  expect(await runTogether([changed])).toMatchObject([{ ...call.input, isReplayed: true }])
  expect(await countWork(call.input.body)).toBe(1)
  expect(await countWork(changed.input.body)).toBe(0)
})

// Errors that the caller can fix, that pass, or that are ours leave no trace: the key is free for
// the next attempt, also with a corrected request, and also when an answer was expected.
test.each([400, 401, 403, 404, 413, 429, 500, 503])(
  'an answer of %i leaves no claim behind',
  async (status) => {
    const text = newKey()
    const expected = { status: 201, body: 'all went well' }
    const call = toCall(text, { status, body: `{"status":${status}}` }, { expected })
    const copies = await runTogether([call, call])
    expect(copies).toEqual([
      { ...call.input, isReplayed: false },
      { ...call.input, isReplayed: false },
    ])
    expect(await storedKey(text)).toBeUndefined()

    const corrected = otherRequest(toCall(text))
    expect(await runTogether([corrected])).toEqual([{ ...corrected.input, isReplayed: false }])
  },
)

// A key belongs to an environment. The same text in another one, also in the other mode of the same
// merchant, is another key.
test('two environments never share a key', async () => {
  const other = await insertEnvironment(db, 'live')
  const text = newKey()
  const here = toCall(text, { body: 'here' })
  const there = toCall(text, { body: 'there' }, { environmentId: other })
  expect(await runTogether([here, otherRequest(there)])).toEqual([
    { ...here.input, isReplayed: false },
    { ...there.input, isReplayed: false },
  ])
  expect(await runTogether([otherRequest(there), here])).toMatchObject([
    { body: 'there', isReplayed: true },
    { body: 'here', isReplayed: true },
  ])
})

// Keys are compared by a digest; texts that differ in any way are different keys.
test('keys that only look alike are different keys', async () => {
  const base = newKey()
  const texts = [base, base.toUpperCase(), ` ${base}`, `${base} `, `${base}\t`]
  const calls = texts.map((text) => toCall(text, { body: JSON.stringify(text) }))
  const answers = await runTogether(calls)
  expect(answers).toEqual(calls.map(({ input }) => ({ ...input, isReplayed: false })))
})

// Without a key nothing is stored and every call runs, also several in one batch.
test('a call without a key runs every time', async () => {
  const call: Call = { ...toCall('', { body: 'no key at all' }), key: undefined }
  const keyed = toCall(newKey())
  expect(await runTogether([call, keyed, call])).toEqual([
    { ...call.input, isReplayed: false },
    { ...keyed.input, isReplayed: false },
    { ...call.input, isReplayed: false },
  ])
  expect(await countWork('no key at all')).toBe(2)
})

// The expected answer is written with the claim, before the work, to save a write. If the work has
// another result, that result must be stored.
test('an expected answer that turns out different is rewritten', async () => {
  const expected = { status: 201, body: '{"went":"well"}' }
  const well = toCall(newKey(), expected, { expected })
  const badly = toCall(newKey(), { status: 402, body: '{"went":"badly"}' }, { expected })
  await runTogether([well, badly])

  expect(await storedKey(well.key.text)).toEqual({
    status: 201,
    answer: expected.body,
    isSealed: false,
  })
  expect(await runTogether([well, badly])).toMatchObject([
    { ...expected, isReplayed: true },
    { status: 402, body: '{"went":"badly"}', isReplayed: true },
  ])
})

// Some answers show a secret once. Readers of the table or a backup must not see it, but a caller
// who retries must get it. It makes no difference whether the answer was expected.
test.each([
  ['found by the work', undefined],
  ['expected as a secret', { status: 201, body: 'whsec_very_secret', holdsSecret: true }],
  ['expected without knowing that it is a secret', { status: 201, body: 'whsec_very_secret' }],
  ['expected to be another', { status: 201, body: 'whsec_another', holdsSecret: true }],
])('an answer that holds a secret, %s, is not readable in the table', async (_, expected) => {
  const text = newKey()
  const call = toCall(
    text,
    { status: 201, body: 'whsec_very_secret', holdsSecret: true },
    { expected },
  )
  await runTogether([call])
  const stored = await storedKey(text)
  expect(stored!.isSealed).toBe(true)
  const [row] = await db.rows(sql<{ row: string }>`
    select k::text as row from idempotency_keys k where key = ${text}`)
  expect(row!.row).not.toContain('whsec')
  expect(row!.row).not.toContain(Buffer.from('whsec_very_secret').toString('base64').slice(0, 20))
  expect(await runTogether([call])).toMatchObject([
    { body: 'whsec_very_secret', holdsSecret: true, isReplayed: true },
  ])
  expect(await runTogether([byAnother(call)])).toMatchObject([
    { reason: 'secret_of_another_caller' },
  ])
})

test('of two callers in one list with one key, the first gets the secret', async () => {
  const secret = { status: 201, body: 'whsec_very_secret', holdsSecret: true }
  const call = toCall(newKey(), secret)
  expect(await runTogether([call, byAnother(call), call])).toMatchObject([
    secret,
    { reason: 'secret_of_another_caller' },
    secret,
  ])
  const plain = toCall(newKey())
  const [first, second] = await runTogether([plain, byAnother(plain)])
  expect([first, second]).toMatchObject([plain.input, { ...plain.input, isReplayed: true }])
})

test('the table refuses a secret without a caller, and a caller without a secret', async () => {
  const insert = (isSealed: boolean, caller: string | null) =>
    db.rows(sql`
      insert into idempotency_keys (environment_id, digest, key, fingerprint, status, answer,
        is_sealed, caller_id, created_at)
      values (${environmentId}, gen_random_uuid(), 'k', ${Buffer.alloc(32)}, 201, '{}', ${isSealed},
        ${caller}, now())`)
  await expect(insert(true, null)).rejects.toThrow('secret_is_for_one_caller')
  await expect(insert(false, callerId)).rejects.toThrow('secret_is_for_one_caller')
})

// A copy of the request hangs in another process, uncommitted. The caller is refused; the seven
// others in the batch must run without waiting.
test('a key held elsewhere is in progress, and the other calls run', async () => {
  const stuck = toCall(newKey())
  const session = await claimElsewhere(stuck, 'late')
  const lane = openLane()
  const calls = Array.from({ length: 8 }, (_, index) => (index === 5 ? stuck : toCall(newKey())))
  const outcomes = await Promise.allSettled(calls.map((call) => lane.runOnce(call)))

  for (const [index, outcome] of outcomes.entries())
    if (index === 5)
      expect(outcome).toMatchObject({ reason: { reason: 'idempotency_in_progress', status: 409 } })
    else expect(outcome).toMatchObject({ status: 'fulfilled', value: { isReplayed: false } })

  // The first copy finishes after all: from now on its answer is replayed.
  await session.query('commit')
  expect(await lane.run(stuck)).toMatchObject({ body: 'late', isReplayed: true })
  expect(await countWork(stuck.input.body)).toBe(0)
})

// An expired key is deleted between the claim that found it and the query for its answer. The call
// must not run without a key: a retry would run it again.
test('a key that is being deleted is replayed or claimed, never lost', async () => {
  const old = toCall(newKey(), {}, { expiresAt: now })
  await runTogether([old])
  // The claim conflicts with the expired key first and then waits for this one, which was inserted
  // without an advisory lock: keys are claimed in the order of their digests.
  let wait = toCall(newKey())
  while (wait.key.digest < old.key.digest) wait = toCall(newKey())
  const session = await insertElsewhere(wait, 'x')
  const lane = openLane()
  const answers = Promise.all([lane.run(old), lane.run(wait)])
  await untilInTheWay(db, session)
  await deleteOldKeys(db, after(now, day))
  await session.query('rollback')

  const [first] = await answers
  const again = await lane.run(old)
  expect(again.isReplayed).toBe(true)
  expect(await countWork(old.input.body)).toBe(first.isReplayed ? 1 : 2)
  expect(await storedKey(old.key.text)).toBeDefined()
})
