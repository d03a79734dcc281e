import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { Answer } from '../../src/idempotency/answer.js'
import { atMostOnce } from '../../src/idempotency/at-most-once.js'
import { toIdempotencyKey } from '../../src/idempotency/key.js'
import { createReplayFinder } from '../../src/idempotency/replays.js'
import { sql } from '../../src/postgres/sql.js'
import type { Queryable } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { plansOf } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

const db = await freshDatabase()
const seal = createSeal(new Secret('a secret of the tests'))
const environmentId = await insertEnvironment(db)
const callerId = randomUUID()
const request = { method: 'POST', path: '/v1/things', body: { amount: 1 }, callerId }

async function remember(text: string, answer: Answer): Promise<void> {
  const call = {
    environmentId,
    key: toIdempotencyKey(text, request),
    input: answer,
    expiresAt: null,
  }
  await db.transaction((tx) => atMostOnce({ tx, now, seal }, [call], async (inputs) => inputs))
}

// A retry gets its first answer, a new key gets nothing, and a key that was used for another
// request gets a refusal. Fifty of each arrive at once and share one query.
test('replays are found in one query and not mixed up', async () => {
  for (let index = 0; index < 50; index += 1)
    await remember(`known ${index}`, { status: 201, body: `answer ${index}` })
  let questions = 0
  const counting: Queryable = {
    rows(source) {
      questions += 1
      return db.rows(source)
    },
  }
  const find = createReplayFinder(counting, seal)
  const other = { ...request, body: { amount: 2 } }
  const indexes = Array.from({ length: 50 }, (_, index) => index)
  const ask = (text: string, asked = request) =>
    find({ environmentId, key: toIdempotencyKey(text, asked) })
  const [known, unknown, reused] = await Promise.all([
    Promise.all(indexes.map((index) => ask(`known ${index}`))),
    Promise.all(indexes.map((index) => ask(`unknown ${index}`))),
    Promise.all(indexes.map((index) => ask(`known ${index}`, other))),
  ])
  expect(known).toMatchObject(
    indexes.map((index) => ({ status: 201, body: `answer ${index}`, isReplayed: true })),
  )
  expect(unknown).toEqual(indexes.map(() => undefined))
  expect(reused).toMatchObject(indexes.map(() => ({ reason: 'idempotency_key_reused' })))
  expect(questions).toBe(1)
})

// Nothing crosses environments, and a claim that is not committed is no answer yet.
test('keys of other environments and uncommitted claims are not found', async () => {
  await remember('mine', { status: 201, body: 'mine' })
  const find = createReplayFinder(db, seal)
  const other = await insertEnvironment(db)
  const key = toIdempotencyKey('mine', request)
  expect(await find({ environmentId: other, key })).toBeUndefined()

  const session = await openSession(db)
  await session.query('begin')
  const pending = toIdempotencyKey('pending', request)
  await session.query({
    text: `insert into idempotency_keys values ($1, $2, $3, $4, 201, 'x', false, now(), null)`,
    values: [environmentId, pending.digest, pending.text, pending.fingerprint],
  })
  expect(await find({ environmentId, key: pending })).toBeUndefined()
  await session.query('rollback')
})

// A sealed answer is opened for the caller, and marked so that it is sealed and hidden again.
test('an answer that holds a secret is replayed unchanged', async () => {
  await remember('secret', { status: 201, body: 'whsec_shown_once', holdsSecret: true })
  const find = createReplayFinder(db, seal)
  expect(await find({ environmentId, key: toIdempotencyKey('secret', request) })).toEqual({
    status: 201,
    body: 'whsec_shown_once',
    holdsSecret: true,
    isReplayed: true,
  })
  const another = toIdempotencyKey('secret', { ...request, callerId: randomUUID() })
  expect(await find({ environmentId, key: another })).toMatchObject({
    reason: 'secret_of_another_caller',
  })
})

// Every request with a key runs this query: it must use the primary key, however many keys there
// are.
test('keys are found by their digest, never by a scan', async () => {
  await db.rows(sql`
    insert into idempotency_keys
    select 1, gen_random_uuid(), 'old', ${Buffer.alloc(32)}, 201, '{}', false, now(), null
    from generate_series(1, 20000)`)
  await db.rows(sql`analyze idempotency_keys`)
  const session = await openSession(db)
  const find = createReplayFinder(readerOf(session), seal)
  const key = toIdempotencyKey('mine', request)
  await find({ environmentId, key })
  const values = [`{${environmentId},1}`, `{${key.digest},${key.digest}}`]
  for (const { scans } of await plansOf(session, 'find_idempotency_keys', values))
    expect(scans).toEqual(['by idempotency_keys_pkey'])
})
