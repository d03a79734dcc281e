import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { getKey, listKeys, type NewKey, revokeKey } from '../../src/merchants/keys/api-keys.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { rollKey } from '../../src/merchants/keys/roll-key.js'
import { keyLimits } from '../../src/merchants/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const seal = createSeal(new Secret('a secret of more than thirty-two characters'))
const now = new Date('2026-01-05T09:00:00.000Z')

function newMerchant() {
  return db.transaction((tx) => createMerchant(tx, now, 'Ada Stores'))
}

function issue(environment: NewKey['environment'], options: Partial<NewKey> = {}) {
  const defaults: NewKey = {
    seal,
    environment,
    kind: 'secret',
    name: 'Backend',
    expiresAt: null,
    allowedAddresses: [],
  }
  return db.transaction((tx) => issueKey(tx, now, { ...defaults, ...options }))
}

test('no column of the table holds a key, in any spelling', async () => {
  const { environments } = await newMerchant()
  const texts = await Promise.all(
    [environments.test, environments.live].map(async (environment) => {
      const issued = await issue(environment)
      const rolled = await db.transaction((tx) =>
        rollKey(tx, now, { seal, ...issued, graceMs: hour }),
      )
      return [issued.key.reveal(), rolled.issued.key.reveal()]
    }),
  )
  const rows = await db.rows(sql<{ row: string }>`select k::text as row from api_keys k`)
  const dump = rows.map(({ row }) => row).join('\n')
  expect(rows).toHaveLength(4)
  for (const text of texts.flat()) {
    const random = text.slice(8, 40)
    for (const spelling of [random, random.slice(0, 8), random.slice(-8)])
      expect(dump).not.toContain(spelling)
    for (const encoding of ['hex', 'base64'] as const)
      expect(dump).not.toContain(Buffer.from(random).toString(encoding).slice(0, 20))
    expect(dump).toContain(seal.hash(text).toString('hex'))
  }
})

test('an invalid key is refused and not stored', async () => {
  const { environments } = await newMerchant()
  const invalid: Partial<NewKey>[] = [
    { expiresAt: now },
    { expiresAt: after(now, -1) },
    { allowedAddresses: ['10.0.0.0/8', 'office'] },
    { allowedAddresses: Array.from({ length: 51 }, () => '10.0.0.1') },
  ]
  for (const options of invalid)
    await expect(issue(environments.test, options)).rejects.toMatchObject({
      code: 'validation_failed',
    })
  expect(await listKeys(db, environments.test.id)).toEqual([])
})

// Requests arrive together; counting without a lock would let several create the last key.
test('an environment never exceeds its number of working keys, but can always roll one', async () => {
  const { environments } = await newMerchant()
  for (let made = 1; made < keyLimits.perEnvironmentMax; made += 1) await issue(environments.test)
  // Eight open connections, so that the requests really arrive together.
  await Promise.all(Array.from({ length: 8 }, () => db.rows(sql`select pg_sleep(0.1)`)))
  const attempts = await Promise.allSettled(
    Array.from({ length: 8 }, () => issue(environments.test)),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)

  const [some] = await listKeys(db, environments.test.id)
  await db.transaction((tx) => rollKey(tx, now, { seal, ...some!, graceMs: hour }))
  await expect(issue(environments.test)).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(issue(environments.live)).resolves.toBeDefined()
})

test('of concurrent rolls of one key, one succeeds', async () => {
  const { environments } = await newMerchant()
  const old = await issue(environments.test)
  const attempts = await Promise.allSettled(
    Array.from({ length: 8 }, () =>
      db.transaction((tx) => rollKey(tx, now, { seal, ...old, graceMs: hour })),
    ),
  )
  const rolled = attempts.filter((attempt) => attempt.status === 'fulfilled')
  expect(rolled).toHaveLength(1)
  const keys = await listKeys(db, environments.test.id)
  expect(keys).toHaveLength(2)
  expect(keys.find(({ id }) => id === old.id)!.rolledInto).toBe(rolled[0]!.value.issued.id)
})

test('a grace period is at most seven days and never extends the old key', async () => {
  const { environments } = await newMerchant()
  const old = await issue(environments.test, { expiresAt: after(now, day) })
  const roll = (graceMs: number) =>
    db.transaction((tx) => rollKey(tx, now, { seal, ...old, graceMs }))
  await expect(roll(7 * day + 1)).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(roll(-1)).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await roll(7 * day)).oldExpiresAt).toEqual(after(now, day))
})

test('an invalid key cannot be rolled', async () => {
  const { environments } = await newMerchant()
  const revoked = await issue(environments.test)
  const expired = await issue(environments.test, { expiresAt: after(now, 1) })
  await db.transaction((tx) => revokeKey(tx, now, revoked))
  for (const key of [revoked, expired])
    await expect(
      db.transaction((tx) => rollKey(tx, after(now, 1), { seal, ...key, graceMs: hour })),
    ).rejects.toMatchObject({ code: 'validation_failed' })
})

test('revoking twice keeps the first time, and another environment cannot revoke', async () => {
  const [own, foreign] = [await newMerchant(), await newMerchant()]
  const key = await issue(own.environments.test)
  const environmentId = foreign.environments.test.id
  await expect(
    db.transaction((tx) => revokeKey(tx, now, { environmentId, id: key.id })),
  ).rejects.toMatchObject({ code: 'not_found' })

  const first = await db.transaction((tx) => revokeKey(tx, now, key))
  const again = await db.transaction((tx) => revokeKey(tx, after(now, hour), key))
  expect([first.isFresh, again.isFresh]).toEqual([true, false])
  const stored = await getKey(db, toReference(prefixes.apiKey, key.id))
  expect(stored.revokedAt).toEqual(now)
})

test('an unknown or malformed reference is not found', async () => {
  for (const reference of [toReference(prefixes.apiKey, newId(now)), 'key_1', "'; drop table", ''])
    await expect(getKey(db, reference)).rejects.toMatchObject({ code: 'not_found' })
})
