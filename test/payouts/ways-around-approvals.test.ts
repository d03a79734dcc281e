import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { createSeal } from '../../src/base/sealed.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { openSession } from '../support/sessions.js'
import { goodPassword, openJar } from '../support/sign-in.js'
import { expectAllProofs } from '../support/sound-books.js'

// Continues the list of ways in approvals.test.ts, with a rule that API keys follow, too.
const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask, merchant } = service
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
const chidi = await addPerson(service, { role: 'admin', name: 'Chidi Eze' })
const dayo = await addPerson(service, { role: 'admin', name: 'Dayo Alli' })
/** Made without a user, as on the command line. */
const key = merchant.test.secret
const environmentId = merchant.environments.test.id

const each = 1_000_000
const rule = { appliesTo: 'all', NGN: { each, perDay: null }, USDC: null, USDT: null }
const toBank = { bankCode: '058', accountNumber: '0123456789' }
const over = { amount: 2 * each, ...toBank }

await fund(500_000_000)
await changeRule(rule)

async function fund(amount: number) {
  const headers = { 'idempotency-key': randomUUID() }
  await ask('POST', '/v1/test/balances/fund', { key, body: { asset: 'NGN', amount }, headers })
}

/** Cached keys do not know the rule for a second. */
async function changeRule(body: object) {
  const reply = await ada.ask('PATCH', '/v1/settings/approvals', { body })
  expect(reply.json?.data?.change, reply.text).toBeNull()
  clock.advance(1_100)
}

const worker = openBatchWorker(service)

type Pending = { reference: string; orderHash: string }

async function payWith(secret: string, body: object = over): Promise<Pending> {
  const headers = { 'idempotency-key': randomUUID() }
  const path = '/v1/disbursements/bank-transfer'
  const reply = await ask('POST', path, { key: secret, body, headers })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}

const approve = (person: Pick<Person, 'ask'>, { reference, orderHash }: Pending) =>
  person.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })

const verify = async ({ reference }: Pending) =>
  (await ask('GET', `/v1/disbursements/bank-transfer/${reference}`, { key })).json.data

const idOf = ({ reference }: Pending) => fromReference(prefixes.bankTransfer, reference)!

async function makeKey(person: Person): Promise<{ id: string; key: string }> {
  const body = { name: 'payroll', kind: 'secret' }
  const reply = await person.ask('POST', '/v1/api-keys', { body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}

/** As on the command line. */
async function issueWithoutUser(name: string, environment = merchant.environments.test) {
  const issued = await db.transaction((tx) =>
    issueKey(tx, clock.now(), {
      seal: createSeal(service.secret),
      environment,
      kind: 'secret',
      name,
      expiresAt: null,
      allowedAddresses: [],
    }),
  )
  return { id: toReference(prefixes.apiKey, issued.id), key: issued.key.reveal() }
}

const reveal = (person: Person, { id }: { id: string }) =>
  person.ask('POST', `/v1/api-keys/${id}/reveal`)

const roll = async (person: Person, { id }: { id: string }) =>
  (await person.ask('POST', `/v1/api-keys/${id}/roll`)).json.data as { id: string; key: string }

async function expectWaiting(payout: Pending) {
  expect(await verify(payout)).toMatchObject({ status: 'PENDING', submittedAt: null })
  const attempts = await db.rows({
    text: 'select from payout_attempts where payout_id = $1',
    values: [idOf(payout)],
  })
  expect(attempts).toEqual([])
}

async function expectRefused(person: Person, payout: Pending, reason: string) {
  expect((await approve(person, payout)).json).toMatchObject({ reason })
  await expectWaiting(payout)
}

async function expectApproved(person: Person, payout: Pending) {
  const reply = await approve(person, payout)
  expect(reply.json.data, reply.text).toMatchObject({ status: 'SUBMITTED' })
}

describe('no payout leaves without a second member:', () => {
  test('12. the key that created it belongs to no member', async () => {
    const payout = await payWith(key)
    expect(await verify(payout)).toMatchObject({ approval: { needed: 2, givenBy: [] } })
    const first = await approve(chidi, payout)
    expect(first.json.data, first.text).toMatchObject({
      status: 'PENDING',
      approval: { needed: 2, givenBy: [{ name: 'Chidi Eze' }] },
    })
    await expectRefused(chidi, payout, 'invalid_state')
    const listed = (await chidi.ask('GET', '/v1/disbursements/waiting')).json.data.items
    expect(listed).toMatchObject([{ mayApprove: false }])
    clock.advance(1)
    await expectApproved(bola, payout)
    await settle()
    expect(await verify(payout)).toMatchObject({
      status: 'COMPLETED',
      approval: { givenBy: [{ name: 'Chidi Eze' }, { name: 'Bola Ade' }] },
    })
    await expectAllProofs(db)
  })

  test('13. the approver revealed the key of another member, before or after', async () => {
    const made = await makeKey(ada)
    await reveal(chidi, made)
    const payout = await payWith(made.key)
    await expectRefused(chidi, payout, 'own_payout')
    await expectRefused(ada, payout, 'own_payout')
    const attention = (await chidi.ask('GET', '/v1/attention')).json.data.items
    expect(attention.filter(({ kind }: { kind: string }) => kind === 'approval')).toEqual([])
    expect((await reveal(dayo, made)).status).toBe(200)
    await expectRefused(dayo, payout, 'own_payout')
    await expectApproved(bola, payout)
    // The migration finds reveals of the past in the audit log.
    const inLog = await db.rows<{ userId: string }>({
      text: `select l.user_id from audit_lines l join api_keys k
          on k.environment_id = l.environment_id and k.hint = l.details ->> 'hint'
        where l.action = 'api_key.reveal' and k.id = $1`,
      values: [fromReference(prefixes.apiKey, made.id)],
    })
    const users = inLog.map(({ userId }) => userId)
    expect(users.toSorted()).toEqual([chidi.userId, dayo.userId].toSorted())
  })

  test('14. the approver made a key that this one replaced, or that replaced it', async () => {
    const first = await makeKey(chidi)
    const second = await roll(ada, first)
    const third = await roll(dayo, second)
    for (const { key: secret } of [first, second, third]) {
      const payout = await payWith(secret)
      expect(payout).toMatchObject({ approval: { needed: 1 } })
      for (const person of [ada, chidi, dayo]) await expectRefused(person, payout, 'own_payout')
      await expectApproved(bola, payout)
    }
  })

  // A user who knew the key before the roll can still use it during the grace period.
  test('15. a member rolls, or reveals, the key of no member', async () => {
    const issued = await issueWithoutUser('old')
    const payout = await payWith(issued.key)
    await roll(ada, issued)
    await expectRefused(ada, payout, 'own_payout')
    expect((await approve(chidi, payout)).json.data).toMatchObject({ status: 'PENDING' })
    await expectApproved(bola, payout)
  })

  test('16. the first of two approvers sees the key afterwards, or loses the role', async () => {
    const issued = await issueWithoutUser('shared')
    const payout = await payWith(issued.key)
    expect((await approve(chidi, payout)).json.data).toMatchObject({ status: 'PENDING' })
    await roll(chidi, issued)
    const second = await approve(bola, payout)
    expect(second.json.data).toMatchObject({
      status: 'PENDING',
      approval: { givenBy: [{ name: 'Bola Ade' }] },
    })
    const leaving = await addPerson(service, { role: 'finance', name: 'Femi Cole' })
    const other = await payWith(key)
    await approve(leaving, other)
    const set = (value: string) =>
      db.rows({
        text: `update memberships set disabled_at = ${value} where user_id = $1`,
        values: [leaving.userId],
      })
    await set('now()')
    expect((await approve(bola, other)).json.data).toMatchObject({
      status: 'PENDING',
      approval: { givenBy: [{ name: 'Bola Ade' }] },
    })
    await expectApproved(dayo, other)
    await expectApproved(ada, payout)
    await settle()
    await expectAllProofs(db)
  })

  test('17. an attacker has the database connection and one approval of two', async () => {
    const payout = await payWith(key)
    await approve(chidi, payout)
    const session = await openSession(db)
    const attempt = (text: string) => session.query(text).catch((error: Error) => error.message)
    const id = idOf(payout)
    const [row] = await db.rows<{ session: string }>({
      text: 'select id as session from user_sessions where user_id = $1',
      values: [chidi.userId],
    })
    const again = `
      insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
        order_hash, decided_at)
      values (${environmentId}, '${id}', 'APPROVED', '${chidi.userId}', '${row!.session}',
        '\\x${payout.orderHash}', now())`
    const hide = `delete from api_key_holders`
    const unheld = `
      insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, created_by_key, status, event_sequence, submitted_at, created_at)
      select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, created_by_key, 'SUBMITTED', 1, now(), now()
      from payouts where id = '${id}'`
    expect({
      submit: await attempt(
        `update payouts set status = 'SUBMITTED', submitted_at = now() where id = '${id}'`,
      ),
      again: await attempt(again),
      hide: await attempt(hide),
      unheld: await attempt(unheld),
    }).toEqual({
      submit: 'pending_payout_leaves_with_approval',
      again: expect.stringContaining('member_decides_once'),
      hide: expect.stringContaining('api_key_holders'),
      unheld: 'payout_over_the_rule_waits',
    })
    await expectWaiting(payout)
    await expectApproved(bola, payout)
  })
})

describe('two approvers', () => {
  test('27. are one person who made a link for the second', async () => {
    const payout = await payWith(key)
    const body = { email: `${randomUUID()}@example.com`, role: 'admin', maySeeLive: true }
    const made = await chidi.ask('POST', '/v1/team/invitations', { body })
    const jar = openJar(service.url)
    const given = { name: 'Tunde Bello', password: goodPassword }
    await jar.submit(new URL(made.json.data.url).pathname, given)
    const headers = { cookie: `manilla=${jar.cookies.get('manilla')}` }
    const asInvited: Pick<Person, 'ask'> = {
      ask: (method, path, request = {}) => chidi.ask(method, path, { ...request, headers }),
    }
    expect((await approve(asInvited, payout)).json.data).toMatchObject({ status: 'PENDING' })
    await expectRefused(chidi, payout, 'shared_access')
    await expectApproved(bola, payout)
  })

  test('28. approve a batch of a key that no member made, and one does not', async () => {
    const path = '/v1/disbursements/batches'
    const post = async (url: string, body: object) => {
      const headers = { 'idempotency-key': randomUUID() }
      return (await ask('POST', url, { key, body, headers })).json.data
    }
    const accountNumber = toNuban({ bankCode: '058', serial: '000000001' })
    const items = [{ amount: 2 * each, bankCode: '058', accountNumber }]
    const { reference } = await post(path, { kind: 'bank_transfer', items })
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
    const { orderHash } = await post(`${path}/${reference}/submit`, {})
    const decide = (person: Person) =>
      person.ask('POST', `${path}/${reference}/approve`, { body: { orderHash } })
    const first = await decide(chidi)
    expect(first.json.data, first.text).toMatchObject({
      status: 'PENDING',
      approval: { needed: 2, givenBy: [{ name: 'Chidi Eze' }] },
    })
    expect((await decide(chidi)).json).toMatchObject({ reason: 'invalid_state' })
    const session = await openSession(db)
    const id = fromReference(prefixes.payoutBatch, reference)
    const pay = `update payout_batches set state = 'PROCESSING' where id = '${id}'`
    const forced = await session.query(pay).catch((error: Error) => error.message)
    expect(forced).toBe('pending_batch_leaves_with_approval')
    expect((await decide(bola)).json.data).toMatchObject({ status: 'PROCESSING' })
    await expectAllProofs(db)
  })

  test('29. are not an operator who views the merchant, nor a member who was disabled', async () => {
    const payout = await payWith((await makeKey(ada)).key)
    const operator = await addPerson(service, { isOperator: true, name: 'Ope Bala' })
    const view = await operator.ask('POST', `/operator/v1/merchants/${merchant.reference}/view`, {
      body: { reason: 'A question of the merchant' },
    })
    expect(view.status, view.text).toBe(200)
    expect((await approve(operator, payout)).status).toBe(403)
    const gone = await addPerson(service, { role: 'finance', name: 'Femi Ojo' })
    await db.rows({
      text: 'update memberships set disabled_at = now() where user_id = $1',
      values: [gone.userId],
    })
    clock.advance(1_100)
    expect((await approve(gone, payout)).status).toBe(403)
    await expectWaiting(payout)
    await expectApproved(bola, payout)
  })

  // A process knows a session, with its rights, for a second.
  test('31. are not a member who lost the right a moment ago', async () => {
    const payout = await payWith((await makeKey(ada)).key)
    const gone = await addPerson(service, { role: 'finance', name: 'Sade Bello' })
    expect((await gone.ask('GET', '/v1/balances')).status).toBe(200)
    await db.rows({
      text: 'update memberships set disabled_at = now() where user_id = $1',
      values: [gone.userId],
    })
    const approved = await approve(gone, payout)
    expect([approved.status, approved.json.reason]).toEqual([401, 'session_expired'])
    await expectWaiting(payout)
    await expectApproved(bola, payout)
  })

  // Its creator stays its creator, whatever happens to their access.
  test('30. are not those behind the key of a member who left', async () => {
    const leaving = await addPerson(service, { role: 'admin', name: 'Kemi Ade' })
    const made = await makeKey(leaving)
    const set = (disabledAt: string) =>
      db.rows({
        text: `update memberships set disabled_at = ${disabledAt} where user_id = $1`,
        values: [leaving.userId],
      })
    await set('now()')
    const payout = await payWith(made.key)
    await set('null')
    clock.advance(1_100)
    await expectRefused(leaving, payout, 'own_payout')
    await expectApproved(bola, payout)
  })
})

/** Another merchant, so that its sums and its rule are its own. */
async function openShop(name: string) {
  const shop = await service.addMerchant(name)
  const owner = await addPerson(service, { role: 'owner', merchant: shop.reference })
  const second = await addPerson(service, { role: 'admin', merchant: shop.reference })
  const secret = shop.test.secret
  const pay = (amount: number, given = secret) => payWith(given, { amount, ...toBank })
  const payAs = async (person: Person, amount: number) => {
    const body = { amount, ...toBank }
    const reply = await person.ask('POST', '/v1/disbursements/bank-transfer', { body })
    return reply.json.data as Pending & { status: string }
  }
  const setRule = async (body: object) => {
    const reply = await owner.ask('PATCH', '/v1/settings/approvals', { body })
    expect(reply.json?.data?.change, reply.text).toBeNull()
  }
  await ask('POST', '/v1/test/balances/fund', {
    key: secret,
    body: { asset: 'NGN', amount: 500_000_000 },
    headers: { 'idempotency-key': randomUUID() },
  })
  return { shop, owner, second, secret, pay, payAs, setRule }
}

describe('the limit of a day', () => {
  const perDay = 3_000_000
  const daily = { appliesTo: 'all', NGN: { each, perDay }, USDC: null, USDT: null }

  test('18. counts all keys that a user has seen, their rolls and the user', async () => {
    const { owner, second, pay, payAs, setRule } = await openShop('Daily Stores')
    await setRule(daily)
    clock.advance(1_100)
    const first = await makeKey(owner)
    const rolled = await roll(owner, first)
    const other = await makeKey(owner)
    const spent = [
      await pay(900_000, first.key),
      await pay(900_000, rolled.key),
      await payAs(owner, 900_000),
    ]
    expect(spent).toMatchObject(spent.map(() => ({ status: 'SUBMITTED' })))
    const beyond = [
      await pay(900_000, first.key),
      await pay(900_000, rolled.key),
      await pay(900_000, other.key),
      await payAs(owner, 900_000),
    ]
    expect(beyond).toMatchObject(beyond.map(() => ({ status: 'PENDING' })))
    // The day of another member is their own, until they see a key of the first.
    const own = await makeKey(second)
    expect(await pay(900_000, own.key)).toMatchObject({ status: 'SUBMITTED' })
    expect(await payAs(second, 900_000)).toMatchObject({ status: 'SUBMITTED' })
    await reveal(second, rolled)
    expect(await pay(900_000, own.key)).toMatchObject({ status: 'PENDING' })
    expect(await payAs(second, 900_000)).toMatchObject({ status: 'PENDING' })
  })

  test('19. counts keys that no user has seen as those of one user', async () => {
    const { shop, secret, pay, setRule } = await openShop('Command Stores')
    const others = [
      await issueWithoutUser('nightly', shop.environments.test),
      await issueWithoutUser('weekly', shop.environments.test),
    ]
    await setRule(daily)
    clock.advance(1_100)
    const keys = [secret, ...others.map((issued) => issued.key)]
    for (const one of keys) expect(await pay(900_000, one)).toMatchObject({ status: 'SUBMITTED' })
    for (const one of keys) expect(await pay(900_000, one)).toMatchObject({ status: 'PENDING' })
  })
})

describe('a new rule', () => {
  // The clock stands still, so the process still knows the key as one without a rule.
  test('20. holds at once for a key that a process knows without it', async () => {
    const { pay, setRule } = await openShop('Cached Stores')
    expect(await pay(2 * each)).toMatchObject({ status: 'SUBMITTED' })
    const perDay = 3_000_000
    await setRule({ ...rule, NGN: { each, perDay } })
    const question = [2 * each, 900_000, 900_000]
    const paid = []
    for (const amount of question) paid.push(await pay(amount))
    const statuses = paid.map((payout) => (payout as unknown as { status: string }).status)
    expect(statuses).toEqual(['PENDING', 'SUBMITTED', 'PENDING'])
  })

  // Every payout takes the lock of the balance, so the numbers of its entries are the order in
  // which payouts commit.
  test('21. holds for every payout that commits after it, with payouts in flight', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { shop, pay, setRule } = await openShop(`Busy Stores ${round}`)
      await pay(2 * each)
      const early = Array.from({ length: 12 }, () => pay(2 * each))
      const change = setRule(rule)
      const racing = Array.from({ length: 12 }, () => pay(2 * each))
      await change
      const late = Array.from({ length: 4 }, () => pay(2 * each))
      await Promise.all([...early, ...racing])
      for (const payout of await Promise.all(late))
        expect(payout).toMatchObject({ status: 'PENDING' })
      const rows = await db.rows<{ status: string }>({
        text: `select p.status from payouts p join ledger_transfers t
            on t.environment_id = p.environment_id and t.cause_id = p.id
          where p.environment_id = $1 and t.purpose = 'bank_payout' order by t.entry_number`,
        values: [shop.environments.test.id],
      })
      const statuses = rows.map(({ status }) => status)
      expect(statuses).toHaveLength(29)
      const cut = statuses.indexOf('PENDING')
      expect(statuses.slice(cut)).toEqual(statuses.slice(cut).map(() => 'PENDING'))
    }
    await settle()
    await expectAllProofs(db)
  })

  test('22. holds for a batch that a key submits', async () => {
    const { secret, setRule } = await openShop('Batch Stores')
    const path = '/v1/disbursements/batches'
    const headers = () => ({ 'idempotency-key': randomUUID() })
    const items = [0, 1, 2].map((index) => ({
      amount: 900_000,
      bankCode: '058',
      accountNumber: toNuban({ bankCode: '058', serial: `00000000${index}` }),
    }))
    const body = { kind: 'bank_transfer', items }
    const created = await ask('POST', path, { key: secret, body, headers: headers() })
    const { reference } = created.json.data
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
    await setRule(rule)
    const submitted = await ask('POST', `${path}/${reference}/submit`, {
      key: secret,
      body: {},
      headers: headers(),
    })
    expect(submitted.json.data, submitted.text).toMatchObject({
      status: 'PENDING',
      approval: { needed: 2 },
    })
  })
})

describe('held money to a destination of choice', () => {
  const perDay = 1_500_000

  async function hold(shop: Awaited<ReturnType<typeof openShop>>, amount: number) {
    const headers = { 'idempotency-key': randomUUID() }
    const path = '/v1/collections/dedicated-accounts'
    const body = { externalReference: randomUUID() }
    const key = shop.secret
    const account = (await ask('POST', path, { key, body, headers })).json.data
    const { accountReference, accountNumber } = account
    await ask('POST', `${path}/${accountReference}/deactivate`, { key })
    const paid = { accountNumber, amount, sender: { name: 'CHUKA OKAFOR' } }
    const sent = await ask('POST', '/v1/test/bank-transfers', { key, body: paid })
    await settle()
    return sent.json.data.reference as string
  }
  const resolveWith = (person: Person, payment: string, destination?: object) =>
    person.ask('POST', `/v1/collections/payments/${payment}/resolve`, {
      body: { action: 'return', ...(destination && { destination }) },
    })

  test('23. counts towards the limit of a day, and the day towards it', async () => {
    const shop = await openShop('Held Stores')
    await shop.setRule({ ...rule, NGN: { each, perDay } })
    const payments = []
    for (let index = 0; index < 3; index += 1) payments.push(await hold(shop, 900_000))
    const [first, second, third] = payments as [string, string, string]
    const message = async (payment: string, destination?: object) =>
      (await resolveWith(shop.second, payment, destination)).json.message
    expect(await message(first, toBank)).toBe('Payment resolved')
    expect(await message(second, toBank)).toBe('Return waits for approval')
    expect(await shop.payAs(shop.second, 900_000)).toMatchObject({ status: 'PENDING' })
    // Back to the sender is free of the rule.
    expect(await message(third)).toBe('Payment resolved')
    for (let round = 0; round < 2; round += 1) await settle()
    const read = async (payment: string) =>
      (await ask('GET', `/v1/collections/payments/${payment}`, { key: shop.secret })).json.data
    expect(await read(first)).toMatchObject({ status: 'RETURNED' })
    expect(await read(second)).toMatchObject({ status: 'RETURNING' })
    expect(await read(third)).toMatchObject({ status: 'RETURNED' })
    await expectAllProofs(db)
  })

  test('24. races with a transfer for the last of the day', async () => {
    const shop = await openShop('Racing Stores')
    await shop.setRule({ ...rule, NGN: { each, perDay } })
    const payment = await hold(shop, 900_000)
    const [returned, paid] = await Promise.all([
      resolveWith(shop.owner, payment, toBank),
      shop.payAs(shop.owner, 900_000),
    ])
    const waits = [returned.json.message === 'Return waits for approval', paid.status === 'PENDING']
    expect(waits.toSorted()).toEqual([false, true])
  })

  test('25. follows a rule that the process does not know of yet', async () => {
    const shop = await openShop('Unaware Stores')
    const payment = await hold(shop, 2 * each)
    // The clock stands still from here: the process knows the key as one without a rule.
    await ask('GET', '/v1/balances', { key: shop.secret })
    await shop.setRule(rule)
    const headers = { 'idempotency-key': randomUUID() }
    const reply = await ask('POST', `/v1/collections/payments/${payment}/resolve`, {
      key: shop.secret,
      body: { action: 'return', destination: toBank },
      headers,
    })
    expect(reply.json.message).toBe('Return waits for approval')
  })

  test('26. needs a factor that was proven lately, in live mode', async () => {
    const stale = await addPerson(service, { role: 'finance', hasStepUp: false })
    for (const action of ['resolve', 'refund']) {
      const path = `/v1/collections/payments/pay_00000000000000000000000000/${action}`
      const body = action === 'resolve' ? { action: 'return' } : {}
      const reply = await stale.ask('POST', path, { mode: 'live', body })
      expect(reply.json).toMatchObject({ reason: 'step_up_required' })
    }
  })
})
