import { randomBytes, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSeal, type OtherSecrets, type Seal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { queueMails } from '../../src/mail/queue-mails.js'
import { listAllMails, openContent } from '../../src/mail/store-mails.js'
import { rotateServiceSecret } from '../../src/operations/changes/rotate-secret.js'
import { examineDatabase } from '../../src/operations/doctor/examine-database.js'
import { sql } from '../../src/postgres/sql.js'
import { prepareDatabase } from '../../src/processes/prepare-database.js'
import { findTotpSecret, newTotpSecret, saveTotpSecret } from '../../src/team/totp.js'
import { startDeliverer } from '../support/deliverer.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { onlySandbox, openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'

const newSecret = () => new Secret(randomBytes(32).toString('hex'))

/**
 * One merchant over the whole rotation: its keys, its webhook signatures and its replays must work
 * before, during and after it, on processes that are still at the first step and on finished ones.
 */
test('the secret is replaced while merchants keep calling', async () => {
  const [old, fresh] = [newSecret(), newSecret()]
  const before = await openManilla()
  const { db, clock, merchant } = before
  const first = before.secret
  const start = (secret: Secret, otherSecrets: OtherSecrets = {}) =>
    prepareDatabase(db.url, { secret, otherSecrets, bank: onlySandbox.bank })
  const open = async (secret: Secret, otherSecrets: OtherSecrets = {}) => {
    await start(secret, otherSecrets)
    return openManilla({ beside: { db, secret, clock }, otherSecrets })
  }
  type Service = Awaited<ReturnType<typeof open>>
  const balance = async ({ ask }: Pick<Service, 'ask'>, key: string) =>
    (await ask('GET', '/v1/balances', { key })).status
  const receiver = await openReceiver()
  const create = ({ ask }: Pick<Service, 'ask'>) =>
    ask('POST', '/v1/webhook-endpoints', {
      key: merchant.test.secret,
      headers: { 'idempotency-key': 'one endpoint' },
      body: { url: receiver.url },
    })
  const rotate = (revokeUnusedSince?: Date) =>
    rotateServiceSecret(db, {
      seal: createSeal(fresh, { old: first }),
      now: clock.now(),
      actor: 'ada',
      revokeUnusedSince,
    })
  const doctor = async (secret: Secret, others: OtherSecrets = {}, secretFile?: string) => {
    const seal = createSeal(secret, others)
    const results = await examineDatabase({ db, clock, seal, simulation: true, secretFile })
    return results.find(({ check }) => check === 'Secret')
  }

  await start(first)
  const created = await create(before)
  expect(created.status).toBe(201)
  const secret = created.json.data.secret as string
  const environmentId = merchant.environments.test.id
  const deliver = async (given: Secret, others: OtherSecrets = {}) => {
    const seal = createSeal(given, others)
    const { stop } = startDeliverer(db, { seal })
    const count = receiver.received.length
    await emit(db, clock.now(), [newEventOf(environmentId)])
    await until(async () => receiver.received.length > count)
    await stop()
    const { body, headers } = receiver.received.at(-1)!
    return new Webhook(secret).verify(body, headers)
  }
  await deliver(first)
  const person = await addPerson(before, { role: 'owner' })
  const totpSecret = newTotpSecret()
  await db.transaction(async (tx) => {
    const sealed = before.seal.seal(totpSecret)
    saveTotpSecret(tx, clock.now(), { userId: person.userId, sealed, step: 1 })
  })
  const sendTest = await db.transaction(async (tx) => {
    const mail = {
      environmentId: null,
      mode: 'live',
      kind: 'test',
      recipient: 'a@b.example',
    } as const
    const texts = { subject: 'Test', sender: null, heading: 'Test', blocks: [], reason: 'Test' }
    return queueMails(tx, clock.now(), [{ ...mail, causeId: randomUUID(), content: texts }])
  })
  expect(sendTest).toHaveLength(1)
  const readSubject = async (seal: Seal) =>
    openContent(seal, (await listAllMails(db, { limit: 1 }))[0]!).subject
  const readTotp = (seal: Seal) => findTotpSecret(db, seal, person.userId)

  // Step 1: processes learn the next secret. Only with the old one may it become the current one.
  const patient = await open(first, { next: fresh })
  await expect(start(fresh)).rejects.toThrow('belongs to another secret')
  await expect(start(old)).rejects.toThrow('belongs to another secret')
  await expect(start(fresh, { old })).rejects.toThrow('belongs to another secret')
  await expect(
    rotateServiceSecret(db, { seal: before.seal, now: clock.now(), actor: 'ada' }),
  ).rejects.toThrow('MANILLA_SECRET_OLD')
  await before.close()

  // Step 2: a process uses the new one. A key changes over at its first use there.
  const during = await open(fresh, { old: first })
  const ids = Object.values(merchant.environments).map(({ id }) => id)
  const countChanged = async () =>
    (
      await db.rows(sql<{ count: number }>`
      select count(*)::int as count from api_keys
      where secret_fingerprint = ${createSeal(fresh).fingerprint} and environment_id = any(${ids})`)
    )[0]!.count
  expect(await balance(during, merchant.test.secret)).toBe(200)
  expect((await create(during)).text).toBe(created.text)
  await during.close()
  expect(await countChanged()).toBe(1)
  clock.advance(2_000)
  for (const service of [patient, await open(fresh, { old: first })]) {
    expect(await balance(service, merchant.test.secret)).toBe(200)
    expect(await balance(service, merchant.live.secret)).toBe(200)
    const replay = await create(service)
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([created.text, 'true'])
    expect(await balance(service, 'sk_test_invented')).toBe(401)
    await service.close()
  }
  expect(await countChanged()).toBe(2)
  await deliver(first, { next: fresh })
  await deliver(fresh, { old: first })

  // No process may start without a secret that something depends on.
  await expect(start(first)).rejects.toThrow('the new one is missing')
  await expect(start(fresh)).rejects.toThrow('Set MANILLA_SECRET_OLD')
  await expect(start(old, { old: fresh })).rejects.toThrow('Set MANILLA_SECRET_OLD')
  await start(first, { next: fresh })

  // Step 3: sealed values change over now, keys when they are used: two public ones, and four
  // that the process of step 1 created.
  expect(await rotate()).toMatchObject({
    endpoints: 1,
    answers: 1,
    waitingCount: 6,
    isFinished: false,
    waiting: Array(6).fill({ lastUsedAt: null }),
  })
  expect(await rotate()).toMatchObject({ endpoints: 0, answers: 0 })
  expect(await readTotp(createSeal(fresh))).toBe(totpSecret)
  await expect(readTotp(createSeal(first))).rejects.toThrow()
  expect(await readSubject(createSeal(fresh))).toBe('Test')
  await expect(readSubject(createSeal(first))).rejects.toThrow()
  expect((await doctor(fresh, { old: first }))?.message).toContain('6 API keys still depend')
  expect((await doctor(fresh, { old: first }))?.fix).toContain('Keep MANILLA_SECRET_OLD until')
  const embedded = await doctor(fresh, { old: first }, 'home/secret')
  expect(embedded?.fix).toContain('Keep home/secret.old until')
  expect((await doctor(first, { next: fresh }))?.state).toBe('warning')
  expect((await doctor(old))?.state).toBe('error')
  const last = await open(fresh, { old: first })
  expect(await balance(last, merchant.test.public)).toBe(401)
  await last.close()
  const inUse = await rotate(new Date(0))
  expect(inUse).toMatchObject({ revoked: [], waitingCount: 5 })
  const unused = await rotate(new Date(clock.now().getTime() + 1))
  expect(unused).toMatchObject({ waitingCount: 0, isFinished: true })
  expect(unused.revoked).toHaveLength(5)

  // After: the old secret opens nothing and is not needed.
  const after = await open(fresh)
  expect(await doctor(fresh)).toBeUndefined()
  for (const key of [merchant.test.secret, merchant.live.secret])
    expect(await balance(after, key)).toBe(200)
  expect((await create(after)).text).toBe(created.text)
  await deliver(fresh)
  await expect(start(first, { next: fresh })).rejects.toThrow('belongs to another secret')
})

test('a rotation can be turned back', async () => {
  const { db, secret: first, clock, merchant, close } = await openManilla()
  await close()
  const fresh = newSecret()
  const start = (secret: Secret, otherSecrets: OtherSecrets = {}) =>
    prepareDatabase(db.url, { secret, otherSecrets, bank: onlySandbox.bank })
  await start(first)
  await start(fresh, { old: first })
  const moved = await openManilla({
    beside: { db, secret: fresh, clock },
    otherSecrets: { old: first },
  })
  expect((await moved.ask('GET', '/v1/balances', { key: merchant.test.secret })).status).toBe(200)
  await moved.close()
  await start(first, { old: fresh })
  const back = await openManilla({
    beside: { db, secret: first, clock },
    otherSecrets: { old: fresh },
  })
  expect((await back.ask('GET', '/v1/balances', { key: merchant.test.secret })).status).toBe(200)
  await back.close()
  const seal = createSeal(first, { old: fresh })
  const now = clock.now()
  const since = new Date(now.getTime() + 1)
  const recent = { seal, now, actor: 'ada', revokeUnusedSince: new Date(0) }
  expect(await rotateServiceSecret(db, recent)).toMatchObject({ revoked: [], isFinished: false })
  const all = { ...recent, revokeUnusedSince: since }
  const progress = await rotateServiceSecret(db, all)
  expect(progress).toMatchObject({ isFinished: true })
  await start(first)
})
