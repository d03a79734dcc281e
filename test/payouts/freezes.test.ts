import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { second } from '../../src/base/clock.js'
import { prefixes, toReference } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { examineFreezes } from '../../src/operations/doctor/examine-freezes.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { freezePayouts } from '../../src/payouts/freezes/freeze-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { createConsole } from '../operations/commands/commands.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'
import { confirm, enter, ticketIn } from './claims/recipient.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, bank, clock, settle, ask, merchant } = service
const key = merchant.test.secret
const environmentId = merchant.environments.test.id
const toBank = { bankCode: '058', accountNumber: '0123456789' }
const elsewhere = { bankCode: '058', accountNumber: '0123456796' }
const wallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
let [ada, bola, chidi]: [Person, Person, Person] = await signIn()

async function signIn(): Promise<[Person, Person, Person]> {
  return [
    await addPerson(service, { role: 'owner', name: 'Ada Obi' }),
    await addPerson(service, { role: 'finance', name: 'Bola Ade' }),
    await addPerson(service, { role: 'admin', name: 'Chidi Eze' }),
  ]
}

const headers = () => ({ 'idempotency-key': randomUUID() })
const post = (path: string, body: object = {}) =>
  ask('POST', path, { key, body, headers: headers() })
const read = async (path: string) => (await ask('GET', path, { key })).json.data
const pay = (to: object = toBank) =>
  post('/v1/disbursements/bank-transfer', { amount: 1_000_000, ...to })
const payAs = (person: Person, to: object = toBank) =>
  person.ask('POST', '/v1/disbursements/bank-transfer', { body: { amount: 1_000_000, ...to } })

await service.chain.advance(40)
await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
await post('/v1/test/balances/fund', { asset: 'USDC', amount: '1000' })
await service.chain.advance(40)
await ada.ask('POST', '/v1/bank-accounts', { body: { ...toBank, isPrimary: true } })
const { items: keys } = (await ada.ask('GET', '/v1/api-keys')).json.data
const keyReference = keys.find(({ kind }: { kind: string }) => kind === 'secret').id

async function freeze(kind: string, subject?: string): Promise<string> {
  const body = { kind, reason: 'Complaint 77', ...(subject && { subject }) }
  const reply = await ada.ask('POST', '/v1/freezes', { body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data.id
}

const thawBy = (person: Person, id: string) => person.ask('POST', `/v1/freezes/${id}/thaw`)

async function thaw(id: string): Promise<void> {
  expect((await thawBy(ada, id)).json.data).toMatchObject({ thawedAt: null })
  const thawed = await thawBy(chidi, id)
  expect(thawed.status, thawed.text).toBe(200)
  expect(thawed.json.data.thawedAt).not.toBeNull()
  clock.advance(2 * second)
}

const frozen = { status: 422, json: { reason: 'payouts_frozen' } }

beforeEach(async () => {
  ;[ada, bola, chidi] = await signIn()
  // What the test before has left.
  await db.rows(sql`
    update payout_freezes set thawed_by = 'shell:test', thawed_at = now() where thawed_at is null`)
  clock.advance(2 * second)
})

describe('a freeze', () => {
  test('of all payouts refuses them at once, although keys are cached', async () => {
    expect((await pay()).status).toBe(201)
    // The clock stands still: the process has the key in its cache.
    const id = await freeze('merchant')
    const refused = await pay()
    expect(refused).toMatchObject({ ...frozen, json: { code: 'bank_transfer_failed' } })
    expect(refused.json.message).toBe('All your payouts are frozen: Complaint 77')
    expect(await payAs(bola)).toMatchObject(frozen)
    clock.advance(2 * second)
    expect(await pay()).toMatchObject(frozen)
    const coins = { amount: '5', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
    expect(await post('/v1/disbursements/crypto', coins)).toMatchObject({
      ...frozen,
      json: { code: 'crypto_transfer_failed' },
    })
    await thaw(id)
    expect((await pay()).status).toBe(201)
  })

  test('of an API key leaves people alone', async () => {
    const id = await freeze('key', keyReference)
    expect(await pay()).toMatchObject(frozen)
    expect((await payAs(bola)).status).toBe(201)
    await thaw(id)
    expect((await pay()).status).toBe(201)
  })

  test('of an API key is of the key that it was rolled into, too', async () => {
    const made = await ada.ask('POST', '/v1/api-keys', { body: { name: 'Till', kind: 'secret' } })
    expect(made.status, made.text).toBe(201)
    const { id: old } = made.json.data
    const frozenKey = await freeze('key', old)
    const rolled = await ada.ask('POST', `/v1/api-keys/${old}/roll`, { body: {} })
    expect(rolled.status, rolled.text).toBe(201)
    const body = { amount: 1_000_000, ...toBank }
    const paid = await ask('POST', '/v1/disbursements/bank-transfer', {
      key: rolled.json.data.key,
      body,
      headers: headers(),
    })
    expect(paid).toMatchObject(frozen)
    expect((await pay()).status).toBe(201)
    await thaw(frozenKey)
  })

  test('of a rail for all merchants refuses those of every merchant', async () => {
    const other = await service.addMerchant('Other')
    const payOther = () =>
      ask('POST', '/v1/disbursements/bank-transfer', {
        key: other.test.secret,
        body: { amount: 1_000_000, ...toBank },
        headers: headers(),
      })
    await ask('POST', '/v1/test/balances/fund', {
      key: other.test.secret,
      body: { asset: 'NGN', amount: 50_000_000 },
      headers: headers(),
    })
    expect((await payOther()).status).toBe(201)
    await db.transaction((tx) =>
      freezePayouts(tx, clock.now(), {
        environmentId: null,
        kind: 'rail',
        subject: bank.name,
        reason: 'Pays twice',
        frozenBy: 'shell:ope',
        isOfOperators: true,
      }),
    )
    expect(await payOther()).toMatchObject(frozen)
    expect(await pay()).toMatchObject(frozen)
    const { items } = (await ada.ask('GET', '/v1/freezes?status=FROZEN')).json.data
    expect(items).toMatchObject([{ kind: 'rail', subject: bank.name, isOfOperator: true }])
  })

  test('of a member leaves keys and others alone, and that member does not thaw', async () => {
    const id = await freeze('member', toReference(prefixes.user, chidi.userId))
    expect(await payAs(chidi)).toMatchObject(frozen)
    expect((await payAs(bola)).status).toBe(201)
    expect((await pay()).status).toBe(201)
    expect(await thawBy(chidi, id)).toMatchObject({
      status: 403,
      json: { reason: 'second_member_required' },
    })
    const second = await addPerson(service, { role: 'admin', name: 'Dayo Ojo' })
    await thawBy(ada, id)
    expect((await thawBy(second, id)).json.data.thawedAt).not.toBeNull()
  })

  test.each([
    ['bank account', '058/0123456789'],
    ['wallet', wallet],
  ])('of a %s refuses payouts to it only', async (_what, subject) => {
    const id = await freeze('recipient', subject)
    const coins = { amount: '5', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
    const isWallet = subject === wallet
    const replies = [await pay(), await post('/v1/disbursements/crypto', coins)]
    expect(replies.map(({ status }) => status)).toEqual(isWallet ? [201, 422] : [422, 201])
    expect((await pay(elsewhere)).status).toBe(201)
    await thaw(id)
  })

  test('of a rail refuses payouts through it only', async () => {
    const { rails } = (await ada.ask('GET', '/v1/freezes')).json.data
    expect(rails).toEqual([
      { name: bank.name, kind: 'bank' },
      { name: expect.stringMatching(/^solana:/), kind: 'chain' },
    ])
    const id = await freeze('rail', bank.name)
    expect(await pay()).toMatchObject(frozen)
    const coins = { amount: '5', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
    expect((await post('/v1/disbursements/crypto', coins)).status).toBe(201)
    await thaw(id)
  })

  test.each([
    ['merchant', 'mer_1'],
    ['key', 'key_00000000000000000000000000'],
    ['member', 'usr_00000000000000000000000000'],
    ['recipient', '0123456789'],
    ['rail', 'swift'],
  ])('of a %s that does not exist is refused', async (kind, subject) => {
    const reply = await ada.ask('POST', '/v1/freezes', { body: { kind, subject, reason: 'x' } })
    expect(reply).toMatchObject({ status: 400, json: { code: 'validation_failed' } })
  })

  test('of an account at a bank whose code has letters refuses payouts to it', async () => {
    const { inspect, prepare } = bank
    const toGreen = { bankCode: 'GREENm', accountNumber: '0123456789' }
    const id = await freeze('recipient', 'GreenM/0123456789')
    bank.inspect = async (targets) =>
      targets.map(({ destination }) => ({
        destination: { ...destination, bankName: 'Green', accountName: 'ADA OBI' } as never,
        extraFees: [],
      }))
    // The sandbox bank knows no such bank: it is paid at another one.
    bank.prepare = (instructions) =>
      prepare(
        instructions.map((one) => ({ ...one, destination: { ...one.destination, ...toBank } })),
      )
    try {
      expect(await pay(toGreen)).toMatchObject(frozen)
      clock.advance(2 * second)
      expect(await pay(toGreen)).toMatchObject(frozen)
      expect((await pay({ ...toGreen, bankCode: 'GREENn' })).status).toBe(201)
      const isFrozen = (destination: object) =>
        db.rows(sql`
          select is_frozen(${environmentId}, 'x', null, null, ${JSON.stringify(destination)}::json)
            as yes`)
      expect(await isFrozen(toGreen)).toEqual([{ yes: true }])
      expect(await isFrozen({ ...toGreen, bankCode: 'GREENn' })).toEqual([{ yes: false }])
      await thaw(id)
      expect((await pay(toGreen)).status).toBe(201)
    } finally {
      Object.assign(bank, { inspect, prepare })
    }
  })

  test('of a wallet is of its address as it is written', async () => {
    const other = wallet.replace('HA', 'Ha')
    const id = await freeze('recipient', wallet)
    const isFrozen = (address: string) =>
      db.rows(sql`
        select is_frozen(${environmentId}, 'x', null, null, ${JSON.stringify({ address })}::json)
          as yes`)
    expect([await isFrozen(wallet), await isFrozen(other)]).toEqual([
      [{ yes: true }],
      [{ yes: false }],
    ])
    await thaw(id)
  })

  test('needs a reason that can be read', async () => {
    const body = { kind: 'merchant', reason: '  ' }
    const reply = await ada.ask('POST', '/v1/freezes', { body })
    expect([reply.status, reply.json.details?.[0]?.field], reply.text).toEqual([400, 'reason'])
  })

  test('is not made twice, by members without the permission, or by API keys', async () => {
    const id = await freeze('merchant')
    const body = { kind: 'merchant', reason: 'Again' }
    expect((await ada.ask('POST', '/v1/freezes', { body })).json.reason).toBe('invalid_state')
    expect((await bola.ask('POST', '/v1/freezes', { body })).status).toBe(403)
    expect((await post('/v1/freezes', body)).status).toBe(401)
    await thaw(id)
  })

  // Payouts that begin while a freeze is about to commit wait for its locks, and then see it.
  test('that commits while payouts are made lets none of them commit after it', async () => {
    let open!: () => void
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let locked!: () => void
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve
    })
    const before = await countPayouts()
    const freezing = db.transaction(async (tx) => {
      const made = await freezePayouts(tx, clock.now(), {
        environmentId,
        kind: 'merchant',
        subject: '',
        reason: 'Race',
        frozenBy: ada.userId,
        isOfOperators: false,
      })
      locked()
      await gate
      return made
    })
    await isLocked
    const calls = Array.from({ length: 12 }, (_, index) => (index % 3 ? pay() : payAs(bola)))
    await untilWaiting()
    open()
    const made = await freezing
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject(frozen)
    expect(await countPayouts()).toBe(before)
    const { items } = (await ada.ask('GET', '/v1/freezes?status=FROZEN')).json.data
    expect(items).toHaveLength(1)
    expect(made.thawedAt).toBeNull()
    await thaw(items[0].id)
  })

  test('and payouts that race with it are either committed before or refused', async () => {
    const before = await countPayouts()
    const calls: Promise<{ status: number }>[] = []
    for (let index = 0; index < 10; index += 1) calls.push(pay())
    const made = freeze('merchant')
    for (let index = 0; index < 10; index += 1) calls.push(pay())
    const id = await made
    const after = await Promise.all([pay(), pay(), payAs(bola)])
    for (const reply of after) expect(reply).toMatchObject(frozen)
    const made201 = (await Promise.all(calls)).filter(({ status }) => status === 201)
    expect(await countPayouts()).toBe(before + made201.length)
    await thaw(id)
  })
})

const countPayouts = async () =>
  (await db.rows(sql<{ n: number }>`select count(*)::int as n from payouts`))[0]!.n

/** Until payouts of a member and of the lane wait for the freeze. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const [row] = await db.rows(sql<{ n: number }>`
      select count(*)::int as n from pg_locks where not granted`)
    if (row!.n > 0) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('thawing', () => {
  test('needs two people, of whom one did not freeze it', async () => {
    const id = await freeze('merchant')
    expect((await thawBy(bola, id)).status).toBe(403)
    // The one who froze it asks, and asks again.
    expect((await thawBy(ada, id)).json.message).toBe('Another member must thaw it')
    expect((await thawBy(ada, id)).json.reason).toBe('second_member_required')
    expect(await pay()).toMatchObject(frozen)
    expect((await thawBy(chidi, id)).json.message).toBe('Payouts thawed')
    expect((await thawBy(chidi, id)).json.reason).toBe('invalid_state')
    clock.advance(2 * second)
    expect((await pay()).status).toBe(201)
    // Another asks first: the one who froze it agrees, and the first one thaws.
    const next = await freeze('merchant')
    await thawBy(chidi, next)
    expect((await thawBy(ada, next)).json.data).toMatchObject({ thawedAt: null })
    expect((await thawBy(chidi, next)).json.data.thawedBy).toMatchObject({ name: 'Chidi Eze' })
  })

  test('counts the request of a member only while that member may freeze', async () => {
    const [dayo, efe] = [
      await addPerson(service, { role: 'admin', name: 'Dayo Ojo' }),
      await addPerson(service, { role: 'admin', name: 'Efe Oni' }),
    ]
    const id = await freeze('merchant')
    expect((await thawBy(dayo, id)).json.message).toBe('Another member must thaw it')
    const demoted = await ada.ask(
      'PATCH',
      `/v1/team/users/${toReference(prefixes.user, dayo.userId)}`,
      {
        body: { role: 'viewer' },
      },
    )
    expect(demoted.status, demoted.text).toBe(200)
    // The one who confirms becomes the one who asks.
    const confirmed = await thawBy(chidi, id)
    expect(confirmed.json.message, confirmed.text).toBe('Another member must thaw it')
    expect(confirmed.json.data).toMatchObject({
      thawedAt: null,
      thawAskedBy: { name: 'Chidi Eze' },
    })
    expect(await pay()).toMatchObject(frozen)
    const thawed = await thawBy(efe, id)
    expect(thawed.json.data, thawed.text).toMatchObject({ thawedBy: { name: 'Efe Oni' } })
  })

  test('does not count the agreement of a member who froze it and was demoted', async () => {
    const id = await freeze('merchant')
    await thawBy(chidi, id)
    await thawBy(ada, id)
    // As the last owner cannot be demoted, the database does it.
    await db.rows(sql`update memberships set role = 'viewer' where user_id = ${ada.userId}`)
    expect((await thawBy(chidi, id)).json.data).toMatchObject({
      thawedAt: null,
      thawAskedBy: { name: 'Chidi Eze' },
    })
  })

  test('is kept by constraints', async () => {
    const id = await freeze('merchant')
    const set = (text: string) =>
      db.rows({ text: `update payout_freezes set ${text} where thawed_at is null`, values: [] })
    await expect(
      set(`thaw_asked_by = 'x', thaw_asked_at = now(), thawed_by = frozen_by, thawed_at = now()`),
    ).rejects.toMatchObject({ constraint: 'thaw_needs_a_second_person' })
    await expect(
      set(`thaw_asked_by = 'x', thaw_asked_at = now(), thawed_by = 'x', thawed_at = now()`),
    ).rejects.toMatchObject({ constraint: 'thaw_needs_a_second_person' })
    await expect(set(`thawed_by = 'x', thawed_at = now()`)).rejects.toMatchObject({
      constraint: 'thaw_was_asked_for',
    })
    await expect(set(`subject = 'x'`)).rejects.toThrow('never edited')
    await expect(db.rows(sql`delete from payout_freezes`)).rejects.toThrow('never edited')
    await expect(copyPayout()).rejects.toMatchObject({ constraint: 'frozen_payout_is_not_made' })
    await thaw(id)
    await expect(
      db.rows(sql`update payout_freezes set thawed_by = 'y' where thawed_at is not null`),
    ).rejects.toThrow('never edited')
  })

  test('by operators needs two of them, and members do not thaw what they froze', async () => {
    const one = await addPerson(service, { isOperator: true, name: 'Ope Rator' })
    const two = await addPerson(service, { isOperator: true, name: 'Ola Rator' })
    const body = {
      kind: 'merchant',
      merchant: merchant.reference,
      mode: 'test',
      reason: 'Court order',
    }
    const made = await one.ask('POST', '/operator/v1/freezes', { body })
    expect(made.status, made.text).toBe(200)
    const { id } = made.json.data
    const refused = await pay()
    expect(refused).toMatchObject(frozen)
    expect(refused.json.nextStep).toContain('ask the operator to thaw it')
    const { items: listed } = (await one.ask('GET', '/operator/v1/freezes')).json.data
    expect(listed[0]).toMatchObject({
      id,
      subject: null,
      merchant: merchant.reference,
      mode: 'test',
    })
    expect((await thawBy(ada, id)).status).toBe(403)
    const { items } = (await ada.ask('GET', '/v1/freezes?status=FROZEN')).json.data
    expect(items[0]).toMatchObject({ isOfOperator: true, frozenBy: { name: 'The operator' } })
    const proposed = await one.ask('POST', `/operator/v1/freezes/${id}/thaw`, {
      body: { reason: 'Lifted' },
    })
    expect(proposed.status, proposed.text).toBe(200)
    const confirmPath = `/operator/v1/actions/${proposed.json.data.action}/confirm`
    expect((await one.ask('POST', confirmPath)).status).toBe(403)
    // The operator who proposed it must be one when it is confirmed.
    const setOperator = (is: boolean) =>
      db.rows(sql`update users set is_operator = ${is} where id = ${one.userId}`)
    await setOperator(false)
    const early = await two.ask('POST', confirmPath)
    expect([early.status, early.json.message]).toEqual([
      403,
      'Ope Rator, who proposed this action, is no longer an operator.',
    ])
    await setOperator(true)
    const confirmed = await two.ask('POST', confirmPath)
    expect(confirmed.status, confirmed.text).toBe(200)
    clock.advance(2 * second)
    expect((await pay()).status).toBe(201)
  })

  test('by operators of what a member froze does not tell who they are', async () => {
    const one = await addPerson(service, { isOperator: true, name: 'Ope Rator' })
    const two = await addPerson(service, { isOperator: true, name: 'Ola Rator' })
    const id = await freeze('recipient', '058/0123456789')
    const listed = (await one.ask('GET', '/operator/v1/freezes')).json.data.items
    expect(listed).toMatchObject([
      { id, merchant: merchant.reference, mode: 'test', frozenBy: 'Ada Obi' },
    ])
    const proposed = await one.ask('POST', `/operator/v1/freezes/${id}/thaw`, {
      body: { reason: 'Lifted' },
    })
    const [action] = (await two.ask('GET', '/operator/v1/actions')).json.data.items
    expect(action).toMatchObject({
      merchant: merchant.reference,
      payload: { freeze: id, frozen: 'recipient 058/0123456789' },
    })
    await two.ask('POST', `/operator/v1/actions/${proposed.json.data.action}/confirm`)
    const [thawed] = (await ada.ask('GET', '/v1/freezes?status=THAWED')).json.data.items
    const operator = { id: null, name: 'The operator' }
    expect(thawed).toMatchObject({
      id,
      frozenBy: { name: 'Ada Obi' },
      thawAskedBy: operator,
      thawedBy: operator,
    })
  })
})

test('on the server, one operator freezes, and thaws what another one froze', async () => {
  const { run } = createConsole(db)
  const named = ['--merchant', merchant.reference, '--mode', 'test', '--reason', 'Court order']
  const added = await run('freeze', 'add', 'merchant', ...named)
  expect(added.exitCode, added.err).toBe(0)
  const [own] = JSON.parse((await run('freeze', 'list', '--json')).out)
  expect(own).toMatchObject({
    kind: 'merchant',
    subject: null,
    merchant: merchant.reference,
    mode: 'test',
    reason: 'Court order',
    isOfOperators: true,
  })
  expect(own).not.toHaveProperty('environment')
  expect((await run('freeze', 'list')).out).toContain(merchant.reference)
  expect(added.out).toContain('another account runs')
  expect(await pay()).toMatchObject(frozen)
  expect(await examineFreezes(db)).toMatchObject([
    {
      state: 'warning',
      message: expect.stringMatching(
        new RegExp(
          `all payouts of ${merchant.reference} \\(test\\) are frozen since .*: Court order`,
        ),
      ),
    },
  ])
  const refused = await run('freeze', 'thaw', own.id, '--reason', 'Lifted')
  expect(refused.err).toContain('Another operator must thaw it')
  const id = await freeze('merchant')
  const thawed = await run('freeze', 'thaw', id, '--reason', 'Lifted')
  expect(thawed.out, thawed.err).toContain(`${id} is thawed.`)
  expect((await run('freeze', 'add', 'merchant', '--reason', 'x')).err).toContain(
    'Name the merchant',
  )
})

test('on the server, an account may be named as in `manilla data`', async () => {
  const { run } = createConsole(db)
  const subject = ['--subject', '058:0000000987', '--reason', 'Court order']
  const added = await run(
    'freeze',
    'add',
    'recipient',
    ...subject,
    '--merchant',
    merchant.reference,
  )
  expect(added.exitCode, added.err).toBe(0)
  expect((await run('freeze', 'list')).out).toContain('058/0000000987')
})

/** Inserts a payout like the newest one, without our code. */
const copyPayout = () =>
  db.rows({
    text: `insert into payouts select (jsonb_populate_record(p, jsonb_build_object(
        'id', gen_random_uuid(), 'merchant_reference', null))).*
      from payouts p where environment_id = $1 and batch_id is null
      order by id desc limit 1`,
    values: [environmentId],
  })

/** Inserts a claim of a payment's money like the newest one, without our code. */
const copyClaim = () =>
  db.rows({
    text: `insert into claims select (jsonb_populate_record(c, jsonb_build_object(
        'id', gen_random_uuid(), 'token_hash', sha256(gen_random_uuid()::text::bytea)))).*
      from claims c where environment_id = $1 and payment_id is not null
      order by id desc limit 1`,
    values: [environmentId],
  })

describe('while payouts are frozen', () => {
  test('a pending payout is not approved; it waits', async () => {
    const rule = { appliesTo: 'all', NGN: { each: 100_000, perDay: null }, USDC: null, USDT: null }
    await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
    clock.advance(2 * second)
    const { json } = await payAs(ada)
    const { reference, orderHash, status } = json.data
    expect(status).toBe('PENDING')
    const id = await freeze('recipient', '058/0123456789')
    const approve = () =>
      bola.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })
    expect(await approve()).toMatchObject({
      status: 422,
      json: { code: 'approval_failed', reason: 'payouts_frozen' },
    })
    expect(await read(`/v1/disbursements/bank-transfer/${reference}`)).toMatchObject({
      status: 'PENDING',
    })
    await thaw(id)
    const approved = await approve()
    expect(approved.status, approved.text).toBe(200)
    const looser = await ada.ask('PATCH', '/v1/settings/approvals', {
      body: { ...rule, NGN: null },
    })
    await chidi.ask('POST', `/v1/settings/changes/${looser.json.data.change.id}/confirm`)
    clock.advance(2 * second)
  })

  test('a batch waits; a frozen recipient stops its own item only', async () => {
    const worker = openBatchWorker(service)
    const work = async () => {
      clock.advance(61 * second)
      while ((await runBatches(worker, 'test')) > 0);
    }
    const items = [toBank, elsewhere].map((to) => ({ amount: 200_000, ...to }))
    const made = await post('/v1/disbursements/batches', { kind: 'bank_transfer', items })
    const path = `/v1/disbursements/batches/${made.json.data.reference}`
    await work()
    await post(`${path}/submit`, {})
    const id = await freeze('merchant')
    await work()
    const statuses = async () =>
      (await read(`${path}/items`)).items.map(({ status }: { status: string }) => status).toSorted()
    expect(await statuses()).toEqual(['VALID', 'VALID'])
    const recipient = await freeze('recipient', '058/0123456789')
    await thaw(id)
    await work()
    expect(await statuses()).toEqual(['SUBMITTED', 'VALID'])
    const waiting = (await read(`${path}/items`)).items.find(
      ({ status }: { status: string }) => status === 'VALID',
    )
    expect(JSON.stringify(waiting)).toContain('payouts_frozen')
    await thaw(recipient)
    await work()
    expect(await statuses()).toEqual(['SUBMITTED', 'SUBMITTED'])
  })

  test('a settlement is refused', async () => {
    const id = await freeze('recipient', '058/0123456789')
    expect(await post('/v1/settlements', { amount: 5_000_000 })).toMatchObject(frozen)
    await thaw(id)
    const made = await post('/v1/settlements', { amount: 5_000_000 })
    expect(made.status, made.text).toBe(201)
  })

  test('a claim is not paid, and its recipient does not learn why', async () => {
    const made = await post('/v1/claims', { amount: 1_000_000, description: 'Order 1001' })
    const { url, reference } = made.json.data
    const entered = await enter(url, toBank)
    const id = await freeze('merchant')
    const answer = await confirm(url, ticketIn(entered))
    expect(answer.text).not.toContain('Complaint 77')
    expect(await read(`/v1/claims/${reference}`)).toMatchObject({ status: 'OPEN' })
    await thaw(id)
    await confirm(url, ticketIn(await enter(url, toBank)))
    expect(await read(`/v1/claims/${reference}`)).toMatchObject({ status: 'CLAIMED' })
  })

  test('a refund is refused, and an automatic return waits without using up tries', async () => {
    const opened = async () =>
      (
        await post('/v1/collections/virtual-accounts', {
          merchantReference: randomUUID(),
          amount: 500_000,
        })
      ).json.data.accountNumber
    const payIn = async (amount: number) =>
      (await post('/v1/test/bank-transfers', { accountNumber: await opened(), amount })).json.data
    const accepted = await payIn(500_000)
    const id = await freeze('merchant')
    const refund = () => post(`/v1/collections/payments/${accepted.reference}/refund`, {})
    expect(await refund()).toMatchObject({
      ...frozen,
      json: { code: 'payment_action_failed' },
    })
    const tooLittle = await payIn(300_000)
    const work = () =>
      sendReturns({ db, rail: bank, clock, logger: createLogger('silent') }, clock.now())
    for (let round = 0; round < 3; round += 1) {
      await work()
      clock.advance(600 * second)
    }
    const states = () =>
      db.rows(sql<{ state: string; tries: number }>`
        select state, tries from payment_returns where environment_id = ${environmentId}`)
    expect(await states()).toEqual([{ state: 'WAITING', tries: 0 }])
    ;[ada, bola, chidi] = await signIn()
    await thawBy(chidi, id)
    const dayo = await addPerson(service, { role: 'admin' })
    expect((await thawBy(dayo, id)).status).toBe(200)
    clock.advance(2 * second)
    await work()
    expect(await states()).toEqual([{ state: 'SENT', tries: 1 }])
    expect((await refund()).status).toBe(201)
    await settle()
    expect(await read(`/v1/collections/payments/${tooLittle.reference}`)).toMatchObject({
      status: 'RETURNED',
    })
  })

  test('refunds of a frozen key or member, and by claim, are refused in every way', async () => {
    const { accountNumber } = (
      await post('/v1/collections/virtual-accounts', {
        merchantReference: randomUUID(),
        amount: 500_000,
      })
    ).json.data
    const paid = await post('/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
    const path = `/v1/collections/payments/${paid.json.data.reference}/refund`
    const ways = [{ amount: 1_000 }, { amount: 1_000, destination: elsewhere }]
    const byClaim = { amount: 1_000, by: 'claim' }
    const refused = { ...frozen, json: { code: 'payment_action_failed', reason: 'payouts_frozen' } }
    const askAs = (person: Person, body: object) =>
      person.ask('POST', path, { body, headers: headers() })
    for (const [kind, subject] of [
      ['key', keyReference],
      ['member', toReference(prefixes.user, bola.userId)],
    ] as const) {
      const id = await freeze(kind, subject)
      for (const body of [...ways, byClaim]) {
        const isKey = kind === 'key'
        expect(await (isKey ? post(path, body) : askAs(bola, body))).toMatchObject(refused)
        const other = await (isKey ? askAs(bola, body) : post(path, body))
        expect(other.status, other.text).toBe(201)
      }
      await thaw(id)
    }
    const id = await freeze('merchant')
    for (const body of [...ways, byClaim]) expect(await post(path, body)).toMatchObject(refused)
    await expect(copyClaim()).rejects.toMatchObject({ constraint: 'frozen_return_is_not_claimed' })
    await thaw(id)
    expect((await post(path, byClaim)).status).toBe(201)
    await settle()
  })

  test('and all books are right afterwards', async () => {
    await settle()
    await expectAllProofs(db)
  })
})
