import { afterAll, expect, test } from 'vitest'
import { after, day, hour, second } from '../../src/base/clock.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { listKeys, type NewKey, revokeKey } from '../../src/merchants/keys/api-keys.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { makeKey } from '../../src/merchants/keys/key-format.js'
import { createKeyRing } from '../../src/merchants/keys/key-ring.js'
import { rollKey } from '../../src/merchants/keys/roll-key.js'
import { keyLimits } from '../../src/merchants/limits.js'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Statement } from '../../src/postgres/statement.js'
import type { Source } from '../../src/postgres/transactions/tx.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { plansOf } from '../support/plans.js'

/** The real database with counted queries, which can be made unreachable. */
class WatchedDatabase extends Database {
  queries = 0
  last: Source<unknown> | undefined
  isDown = false

  override rows<Row>(source: Source<Row>): Promise<Row[]> {
    this.queries += 1
    this.last = source
    return this.isDown ? Promise.reject(new Error('no database')) : super.rows(source)
  }
}

const { url } = await freshDatabase()
const db = new WatchedDatabase(url, () => {})
afterAll(() => db.close())
const seal = createSeal(new Secret('a secret of more than thirty-two characters'))
const start = new Date('2026-01-05T09:00:00.000Z')
const address = '203.0.113.7'
const secretTest = { kind: 'secret', mode: 'test' } as const
const merchant = await db.transaction((tx) => createMerchant(tx, start, 'Ada Stores'))

function issue(options: Partial<NewKey> = {}) {
  const defaults: NewKey = {
    seal,
    environment: merchant.environments.test,
    kind: 'secret',
    name: 'Backend',
    expiresAt: null,
    allowedAddresses: [],
  }
  return db.transaction((tx) => issueKey(tx, start, { ...defaults, ...options }))
}

test('a key authenticates its own environment and no other', async () => {
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  for (const environment of Object.values(merchant.environments)) {
    for (const kind of ['secret', 'public'] as const) {
      const issued = await issue({ environment, kind })
      const found = await ring.find(issued.key.reveal(), address)
      expect(found).toEqual({
        id: issued.id,
        name: 'Backend',
        kind,
        environment: { ...environment, keysMayWait: false },
        permissions: null,
        subaccountId: null,
        payoutsWait: false,
        expiresAt: null,
      })
    }
  }
})

// The second ring gets no notification, and has just cached the key.
test('a revocation takes effect in every process within a second', async () => {
  const clock = manualClock(start)
  const [here, there] = [createKeyRing({ db, seal, clock }), createKeyRing({ db, seal, clock })]
  const issued = await issue()
  const text = issued.key.reveal()
  expect(await here.find(text, address)).toBeDefined()
  clock.advance(400)
  expect(await there.find(text, address)).toBeDefined()

  await db.transaction((tx) => revokeKey(tx, clock.now(), issued))
  clock.advance(second)
  expect(await there.find(text, address)).toBeUndefined()
  expect(await here.find(text, address)).toBeUndefined()
})

// While the secret is rotated, a process looks for the new hash and then for the old one. Another
// process replaces the hash between the two queries.
test('a key whose hash is replaced during its lookup is found', async () => {
  const issued = await issue()
  const text = issued.key.reveal()
  const rotating = createSeal(new Secret('another secret of over thirty-two characters'), {
    old: new Secret('a secret of more than thirty-two characters'),
  })
  const clock = manualClock(start)
  const here = createKeyRing({ db, seal: rotating, clock })
  const late = new WatchedDatabase(url, () => {})
  const there = createKeyRing({ db: late, seal: rotating, clock })
  const queries: number[] = []
  const rows = late.rows.bind(late)
  late.rows = async (source) => {
    queries.push(1)
    if (queries.length === 2) {
      expect(await here.find(text, address)).toMatchObject({ id: issued.id })
      await here.writeUses()
    }
    return rows(source)
  }
  expect(await there.find(text, address)).toMatchObject({ id: issued.id })
  expect(queries).toHaveLength(3)
  clock.advance(second)
  expect(await there.find(text, address)).toMatchObject({ id: issued.id })
  expect(queries).toHaveLength(4)
  await late.close()
})

// A cached result expires a second after its lookup started, not after it arrived: it may be as old
// as the lookup.
test('a slow lookup is not cached for longer than a quick one', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const issued = await issue()
  const lookup = ring.find(issued.key.reveal(), address)
  clock.advance(900)
  expect(await lookup).toBeDefined()
  await db.transaction((tx) => revokeKey(tx, clock.now(), issued))
  clock.advance(100)
  expect(await ring.find(issued.key.reveal(), address)).toBeUndefined()
})

test('a typing mistake is refused without a query', async () => {
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  const text = (await issue()).key.reveal()
  const before = db.queries
  for (let at = 0; at < text.length; at += 1) {
    const wrong = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)
    expect(await ring.find(wrong, address)).toBeUndefined()
  }
  expect(db.queries).toBe(before)
})

test('a thousand requests with three keys, one unknown, are one query per second', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const unknown = makeKey(secretTest).reveal()
  const texts = [(await issue()).key.reveal(), (await issue()).key.reveal(), unknown]
  const before = db.queries
  for (const expected of [1, 2]) {
    for (let round = 0; round < 2; round += 1) {
      const requests = Array.from({ length: 500 }, (_, index) => texts[index % 3]!)
      const found = await Promise.all(requests.map((text) => ring.find(text, address)))
      expect(found.filter(Boolean)).toHaveLength(334)
    }
    expect(db.queries - before).toBe(expected)
    clock.advance(keyLimits.cacheMs)
  }
})

// Invented keys can have a valid checksum: the algorithm is public.
test('a flood of invented keys does not evict real ones', async () => {
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  const text = (await issue()).key.reveal()
  await ring.find(text, address)
  for (let batch = 0; batch < 12; batch += 1) {
    const invented = Array.from({ length: 1_000 }, () => makeKey(secretTest))
    await Promise.all(invented.map((key) => ring.find(key.reveal(), address)))
  }
  const before = db.queries
  expect(await ring.find(text, address)).toBeDefined()
  expect(db.queries).toBe(before)
})

test('a database failure is reported and not cached', async () => {
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  const text = (await issue()).key.reveal()
  db.isDown = true
  await expect(ring.find(text, address)).rejects.toThrow('no database')
  db.isDown = false
  expect(await ring.find(text, address)).toBeDefined()
})

test('a key expires to the millisecond, even when it is cached', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const issued = await issue({ expiresAt: after(start, 500) })
  clock.advance(499)
  expect(await ring.find(issued.key.reveal(), address)).toBeDefined()
  clock.advance(1)
  expect(await ring.find(issued.key.reveal(), address)).toBeUndefined()
})

// The stored offset is first behind the noted one, then ahead of it; then the note comes late.
test('the clock offset of an environment is the largest that was read or noted', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const { environments } = await db.transaction((tx) => createMerchant(tx, start, 'Bola Foods'))
  const { id } = environments.test
  const text = (await issue({ environment: environments.test })).key.reveal()
  const offset = async () => (await ring.find(text, address))!.environment.clockOffsetMs
  expect(await offset()).toBe(0)
  ring.noteClock(id, 5_000)
  expect(await offset()).toBe(5_000)
  await db.rows(sql`update environments set clock_offset_ms = 9000 where id = ${id}`)
  clock.advance(keyLimits.cacheMs)
  expect(await offset()).toBe(9_000)
  ring.noteClock(id, 7_000)
  ring.noteClock(id, 6_000)
  expect(await offset()).toBe(9_000)
  await db.rows(sql`update environments set clock_offset_ms = 0 where id = ${id}`)
  clock.advance(keyLimits.cacheMs)
  expect(await offset()).toBe(7_000)
})

test('a key with an allowlist works from no other address', async () => {
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  const allowedAddresses = ['203.0.113.0/24', '2001:db8::7']
  const text = (await issue({ allowedAddresses })).key.reveal()
  const inside = ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::7', '2001:db8:0:0:0:0:0:7']
  for (const caller of inside) expect(await ring.find(text, caller), caller).toBeDefined()
  for (const caller of ['203.0.114.7', '2001:db8::8', '::1', '', 'unknown'])
    expect(await ring.find(text, caller), caller).toBeUndefined()
})

test('a row that was moved to another mode or kind does not match its key', async () => {
  const issued = await issue()
  const live = merchant.environments.live.id
  await db.rows(sql`update api_keys set environment_id = ${live} where id = ${issued.id}`)
  const ring = createKeyRing({ db, seal, clock: manualClock(start) })
  expect(await ring.find(issued.key.reveal(), address)).toBeUndefined()
})

test('a rolled key and its successor both work until the grace period ends', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const old = await issue({ allowedAddresses: [address], expiresAt: after(start, 30 * day) })
  const roll = { seal, ...old, graceMs: 24 * hour }
  const { issued, oldExpiresAt } = await db.transaction((tx) => rollKey(tx, start, roll))
  expect(oldExpiresAt).toEqual(after(start, 24 * hour))
  expect(issued.expiresAt).toEqual(after(start, 30 * day))

  clock.advance(24 * hour - 1)
  expect(await ring.find(old.key.reveal(), address)).toMatchObject({ id: old.id })
  expect(await ring.find(issued.key.reveal(), address)).toMatchObject({ id: issued.id })
  expect(await ring.find(issued.key.reveal(), '198.51.100.1')).toBeUndefined()
  clock.advance(1)
  expect(await ring.find(old.key.reveal(), address)).toBeUndefined()
  expect(await ring.find(issued.key.reveal(), address)).toBeDefined()
})

test('last use is written in batches, never goes back, and survives a failed write', async () => {
  const clock = manualClock(start)
  const [ring, other] = [createKeyRing({ db, seal, clock }), createKeyRing({ db, seal, clock })]
  const issued = await issue({ environment: merchant.environments.live })
  const lastUsed = async () => {
    const keys = await listKeys(db, merchant.environments.live.id)
    return keys.find(({ id }) => id === issued.id)!.lastUsedAt
  }
  await other.find(issued.key.reveal(), address)
  clock.advance(10)
  for (let use = 0; use < 5; use += 1) await ring.find(issued.key.reveal(), address)
  expect(ring.unwrittenUses).toBe(1)
  expect(await lastUsed()).toBeNull()

  db.isDown = true
  await expect(ring.writeUses()).rejects.toThrow('no database')
  db.isDown = false
  expect(await ring.writeUses()).toBe(1)
  expect(await other.writeUses()).toBe(1)
  expect(await lastUsed()).toEqual(after(start, 10))
  expect(await ring.writeUses()).toBe(0)
})

test('a key is found by its index among many', async () => {
  const environmentId = merchant.environments.live.id
  await db.rows(sql`
    insert into api_keys (id, environment_id, kind, name, hash, hint, created_at)
    select gen_random_uuid(), ${environmentId}::int, 'secret', 'Many',
      sha256(n::text::bytea), 'sk_live_…', ${start}::timestamptz
    from generate_series(1, 20000) n`)
  await db.rows(sql`analyze api_keys`)
  await createKeyRing({ db, seal, clock: manualClock(start) }).find(
    makeKey(secretTest).reveal(),
    '',
  )
  const session = await connect(url, 'plans')
  await session.query(db.last as Statement<unknown>)
  for (const { scans } of await plansOf(session, 'find_keys', ['{"\\\\x00"}'])) {
    expect(scans.join()).toContain('by one_key_per_hash')
    expect(scans.join()).not.toContain('Scan of api_keys')
  }
  await session.end()
})

// Recalling needs no promise, so it must refuse by itself whatever `find` would refuse.
test('a recalled key is checked like a found one', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const issued = await issue({ allowedAddresses: [address], expiresAt: after(start, 500) })
  const text = issued.key.reveal()
  expect(ring.recall(text, address)).toBeUndefined()
  const found = await ring.find(text, address)
  expect(ring.recall(text, address)).toEqual(found)
  expect(ring.recall(text, '198.51.100.1')).toBeUndefined()
  expect(ring.recall(`${text} `, address)).toBeUndefined()
  ring.noteClock(merchant.environments.test.id, 5_000)
  expect(ring.recall(text, address)!.environment.clockOffsetMs).toBe(5_000)
  clock.advance(500)
  expect(ring.recall(text, address)).toBeUndefined()
})

// The second is counted from the start of the lookup, also when a later request recalls its result.
test('a key is recalled for less than a second after its lookup started', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const issued = await issue()
  const text = issued.key.reveal()
  const lookup = ring.find(text, address)
  clock.advance(600)
  await lookup
  await db.transaction((tx) => revokeKey(tx, clock.now(), issued))
  clock.advance(399)
  await ring.find(text, address)
  expect(ring.recall(text, address)).toBeDefined()
  clock.advance(1)
  expect(ring.recall(text, address)).toBeUndefined()
  expect(await ring.find(text, address)).toBeUndefined()
  expect(ring.recall(text, address)).toBeUndefined()
})

test('unknown keys are never recalled, and using a recalled key is recorded', async () => {
  const clock = manualClock(start)
  const ring = createKeyRing({ db, seal, clock })
  const unknown = makeKey(secretTest).reveal()
  await ring.find(unknown, address)
  expect(ring.recall(unknown, address)).toBeUndefined()
  const text = (await issue()).key.reveal()
  await ring.find(text, address)
  expect(await ring.writeUses()).toBe(1)
  expect(ring.recall(text, address)).toBeDefined()
  expect(ring.unwrittenUses).toBe(1)
})
