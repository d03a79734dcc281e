import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isClosedToWaitingKeys } from '../../src/api/auth/waiting-keys.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { sql } from '../../src/postgres/sql.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'
import { openSession } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { claimMoney } from './claims/recipient.js'

// No approval rule: whatever waits here waits because of the key alone.
const service = await openWithBankAndChain({ hasPayouts: true })
const { db, ask, clock, merchant, settle } = service
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
const ordinary = merchant.test.secret
const worker = openBatchWorker(service)
const account = { bankCode: '058', accountNumber: '0123456789' }
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

const made = (await makeKey({ payoutsWaitForApproval: true })).json.data
const agent: string = made.key

await service.chain.advance(40)
await post('/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
await post('/v1/test/balances/fund', { asset: 'USDC', amount: '500' })

function makeKey(more: object) {
  return ada.ask('POST', '/v1/api-keys', { body: { name: 'Agent', kind: 'secret', ...more } })
}

async function post(path: string, body: object, key = ordinary) {
  return ask('POST', path, { key, body, headers: { 'idempotency-key': randomUUID() } })
}

const get = async (path: string, key = ordinary) => (await ask('GET', path, { key })).json.data

type Waiting = { reference: string; orderHash: string }

const approve = (by: typeof ada, { reference, orderHash }: Waiting, path = '/v1/disbursements') =>
  by.ask('POST', `${path}/${reference}/approve`, { body: { orderHash } })

const attemptsOf = async (reference: string) =>
  db.rows(sql`select number from payout_attempts where payout_id = ${idOf(reference)}`)

function idOf(reference: string): string {
  const found = [prefixes.bankTransfer, prefixes.cryptoTransfer].map((prefix) =>
    fromReference(prefix, reference),
  )
  return found.find(Boolean)!
}

/** A payment into an account that expects 500,000 kobo. */
async function receive(amount: number) {
  const body = { amount: 500_000, merchantReference: randomUUID() }
  const { accountNumber, reference } = (await post('/v1/collections/virtual-accounts', body)).json
    .data
  await post('/v1/test/bank-transfers', { accountNumber, amount })
  await settle()
  const path = `/v1/collections/payments?accountReference=${reference}`
  return (await get(path)).items[0]
}

describe('with a key whose payouts wait,', () => {
  test('a transfer of any amount waits until a member who has not seen the key approves it', async () => {
    const { json, text } = await post(
      '/v1/disbursements/bank-transfer',
      { amount: 10_000, ...account },
      agent,
    )
    expect(json.data, text).toMatchObject({
      status: 'PENDING',
      approval: { needed: 1, reasons: ['key'], givenBy: [] },
    })
    for (let round = 0; round < 3; round += 1) await settle()
    expect(await attemptsOf(json.data.reference)).toEqual([])
    expect((await approve(ada, json.data)).json.reason).toBe('own_payout')
    const approved = await approve(bola, json.data)
    expect(approved.json.data, approved.text).toMatchObject({ status: 'SUBMITTED' })
    for (let round = 0; round < 3; round += 1) await settle()
    expect(await get(`/v1/disbursements/bank-transfer/${json.data.reference}`)).toMatchObject({
      status: 'COMPLETED',
      approval: { reasons: ['key'], givenBy: [{ name: 'Bola Ade' }] },
    })
    // An ordinary key of the same merchant is not held back.
    const other = await post('/v1/disbursements/bank-transfer', { amount: 10_000, ...account })
    expect(other.json.data.status).toBe('SUBMITTED')
    await expectAllProofs(db)
  })

  test('a crypto transfer waits', async () => {
    const body = { amount: '5', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
    const { json, text } = await post('/v1/disbursements/crypto', body, agent)
    expect(json.data, text).toMatchObject({ status: 'PENDING', approval: { reasons: ['key'] } })
    await settle()
    expect(await attemptsOf(json.data.reference)).toEqual([])
  })

  test('a batch waits as a whole, and it submits its own batches only', async () => {
    const items = [
      { amount: 10_000, ...account },
      { amount: 20_000, ...account },
    ]
    const create = async (key: string) => {
      const created = await post('/v1/disbursements/batches', { kind: 'bank_transfer', items }, key)
      clock.advance(1_000)
      while ((await runBatches(worker, 'test')) > 0);
      return created.json.data.reference as string
    }
    const own = await create(agent)
    const { json, text } = await post(`/v1/disbursements/batches/${own}/submit`, {}, agent)
    expect(json.data, text).toMatchObject({ status: 'PENDING', approval: { reasons: ['key'] } })
    const read = await get(`/v1/disbursements/batches/${own}`)
    expect(read).toMatchObject({ status: 'PENDING', approval: { reasons: ['key'] } })
    const approved = await approve(bola, json.data, '/v1/disbursements/batches')
    expect(approved.json.data, approved.text).toMatchObject({ status: 'PROCESSING' })
    for (let round = 0; round < 4; round += 1) {
      clock.advance(2_000)
      while ((await runBatches(worker, 'test')) > 0);
      await settle()
    }
    expect(await get(`/v1/disbursements/batches/${own}`)).toMatchObject({ status: 'COMPLETED' })

    const others = await create(ordinary)
    const refused = await post(`/v1/disbursements/batches/${others}/submit`, {}, agent)
    expect([refused.status, refused.json.reason]).toEqual([403, 'payouts_wait'])
    await expectAllProofs(db)
  })

  test('a refund waits, also one to the sender', async () => {
    for (const more of [{}, { destination: account }]) {
      const payment = await receive(500_000)
      const path = `/v1/collections/payments/${payment.reference}`
      const refunded = await post(`${path}/refund`, { amount: 100_000, ...more }, agent)
      expect(refunded.json.message, refunded.text).toBe('Refund waits for approval')
      for (let round = 0; round < 3; round += 1) await settle()
      const [pending] = (await get(`${path}/returns`)).items
      expect(pending).toMatchObject({ status: 'PENDING' })
      expect((await approve(ada, pending)).json.reason).toBe('own_payout')
      const approved = await approve(bola, pending)
      expect(approved.status, approved.text).toBe(200)
      for (let round = 0; round < 3; round += 1) await settle()
      expect((await get(`${path}/returns`)).items).toMatchObject([{ status: 'RETURNED' }])
    }
    await expectAllProofs(db)
  })

  test('a return of held money waits, also one to the sender', async () => {
    await ask('PATCH', '/v1/settings', {
      key: ordinary,
      body: { policies: { bank: { underpayment: 'hold' } } },
    })
    for (const more of [{}, { destination: account }]) {
      const payment = await receive(300_000)
      expect(payment).toMatchObject({ amountHeld: 300_000 })
      const path = `/v1/collections/payments/${payment.reference}`
      const returned = await post(`${path}/resolve`, { action: 'return', ...more }, agent)
      expect(returned.json.message, returned.text).toBe('Return waits for approval')
      for (let round = 0; round < 3; round += 1) await settle()
      const [pending] = (await get(`${path}/returns`)).items
      expect(pending).toMatchObject({ status: 'PENDING' })
      const approved = await approve(bola, pending)
      expect(approved.status, approved.text).toBe(200)
      for (let round = 0; round < 3; round += 1) await settle()
      expect((await get(`${path}/returns`)).items).toMatchObject([{ status: 'RETURNED' }])
    }
    await expectAllProofs(db)
  })

  test('the payout of a claim waits when its recipient claims it', async () => {
    const body = { amount: 50_000, description: 'Prize' }
    const { json, text } = await post('/v1/claims', body, agent)
    expect(json.data, text).toMatchObject({ status: 'OPEN' })
    await claimMoney(json.data.url, account)
    const { payout } = await get(`/v1/claims/${json.data.reference}`)
    expect(await get(`/v1/disbursements/bank-transfer/${payout}`)).toMatchObject({
      status: 'PENDING',
      approval: { reasons: ['key'] },
    })
  })

  test('what would move money without a payout that waits is refused', async () => {
    const refusals = [
      await post('/v1/conversions', { source: 'NGN', target: 'USDC', amount: 100_000 }, agent),
      await post(
        '/v1/disbursements/crypto',
        {
          amount: '5',
          asset: 'USDC',
          network: 'SOLANA',
          destinationAddress: wallet,
          fundFrom: { asset: 'NGN', maxRate: '9999' },
        },
        agent,
      ),
      await post('/v1/settlements', {}, agent),
      await ask('PATCH', '/v1/settings', { key: agent, body: {} }),
      await post('/v1/recipients', { ...account, name: 'Landlord' }, agent),
    ]
    for (const { status, json, text } of refusals)
      expect([status, json.reason], text).toEqual([403, 'payouts_wait'])
    const waiting = await post(
      '/v1/disbursements/bank-transfer',
      { amount: 10_000, ...account },
      agent,
    )
    const { reference } = waiting.json.data
    const own = await post(
      `/v1/test/disbursements/${reference}/decide`,
      { decision: 'approve' },
      agent,
    )
    expect([own.status, own.json.reason]).toEqual([403, 'payouts_wait'])
    const other = await post(`/v1/test/disbursements/${reference}/decide`, { decision: 'approve' })
    expect(other.json.data.status, other.text).toBe('SUBMITTED')
  })
})

test("payers' money goes to no sub-account with `splits` of such a key", async () => {
  const subaccount = (await post('/v1/subaccounts', { name: 'Seller' })).json.data.reference
  const lines = [{ subaccount, percent: '50' }]
  const rule = (await post('/v1/split-rules', { name: 'Half', lines })).json.data.reference
  const coins = { asset: 'USDC', network: 'SOLANA' }
  const shopper = { description: 'Order', customer: { name: 'Ngozi', email: 'ngozi@example.com' } }
  const requests: [string, object][] = [
    ['collections/virtual-accounts', { amount: 500_000, merchantReference: randomUUID() }],
    ['collections/dedicated-accounts', { externalReference: randomUUID() }],
    ['collections/crypto-wallets', { amount: '5', merchantReference: randomUUID(), ...coins }],
    [
      'collections/dedicated-crypto-wallets',
      { externalReference: randomUUID(), network: 'SOLANA' },
    ],
    ['checkout/sessions', { amount: 500_000, merchantReference: randomUUID(), ...shopper }],
  ]
  for (const [kind, body] of requests) {
    const path = `/v1/${kind}`
    for (const splits of [{ rule }, { lines }]) {
      const { status, json, text } = await post(path, { ...body, splits }, agent)
      expect([kind, status, json.reason], text).toEqual([kind, 403, 'payouts_wait'])
    }
    expect((await post(path, body, agent)).status).toBe(201)
  }
  const body = { amount: 500_000, merchantReference: randomUUID(), splits: { rule } }
  expect((await post('/v1/collections/virtual-accounts', body)).status).toBe(201)
})

test('such a key resends events, and changes no webhook endpoint', async () => {
  const url = 'https://example.com/hooks'
  const { id } = (await post('/v1/webhook-endpoints', { url })).json.data
  const path = `/v1/webhook-endpoints/${id}`
  const refusals = [
    await post('/v1/webhook-endpoints', { url }, agent),
    await ask('PATCH', path, { key: agent, body: { url: 'https://example.org/hooks' } }),
    await ask('PATCH', path, { key: agent, body: { enabled: false } }),
    await post(`${path}/rotate-secret`, {}, agent),
    await ask('DELETE', path, { key: agent }),
  ]
  for (const { status, json, text } of refusals)
    expect([status, json.reason], text).toEqual([403, 'payouts_wait'])
  expect(await get(path, agent)).toMatchObject({ url, enabled: true })
  expect((await post(`${path}/test`, {}, agent)).status).toBe(200)
  expect((await ask('DELETE', path, { key: ordinary })).status).toBe(200)
})

test('every operation that moves money, or decides where money or events go, waits or is refused', () => {
  const refused = service.routes
    .filter((route) => route.access === 'secret' && isClosedToWaitingKeys(route))
    .map(({ operation }) => operation)
  expect(refused.toSorted()).toEqual([
    'changeRecipient',
    'changeSettings',
    'changeSubaccount',
    'changeWebhookEndpoint',
    'claimTestMoney',
    'closeSubaccount',
    'createConversion',
    'createRecipient',
    'createSettlement',
    'createSplitRule',
    'createSplitRuleVersion',
    'createSubaccount',
    'createWebhookEndpoint',
    'decideTestDisbursement',
    'deleteMailSuppression',
    'deleteWebhookEndpoint',
    'disableRecipient',
    'enableRecipient',
    'rotateWebhookSecret',
    'settleSubaccount',
    'settleTestDisbursement',
    'transferToSubaccount',
    'unlockClaim',
  ])
})

test('the property stays, also when the key is rolled, and every key may read it', async () => {
  expect(await get('/v1/api-key', agent)).toMatchObject({
    id: made.id,
    name: 'Agent',
    mode: 'test',
    permissions: null,
    payoutsWaitForApproval: true,
  })
  expect(await get('/v1/api-key')).toMatchObject({ payoutsWaitForApproval: false })
  const restricted = (await makeKey({ permissions: ['cases.see'] })).json.data.key
  expect(await get('/v1/api-key', restricted)).toMatchObject({
    permissions: ['cases.see'],
    payoutsWaitForApproval: false,
  })
  expect(await get('/v1/api-key', merchant.test.public)).toMatchObject({ kind: 'public' })
  expect((await ada.ask('GET', '/v1/api-key')).status).toBe(401)
  const asked = await ask('GET', '/v1/api-key', { key: agent })
  expect(asked.text).not.toContain(agent.slice(8))

  const other = (await makeKey({ payoutsWaitForApproval: true })).json.data
  const rolled = (await ada.ask('POST', `/v1/api-keys/${other.id}/roll`)).json.data
  expect(rolled).toMatchObject({ payoutsWaitForApproval: true })
  const { json } = await post(
    '/v1/disbursements/bank-transfer',
    { amount: 10_000, ...account },
    rolled.key,
  )
  expect(json.data.status).toBe('PENDING')
  const isPublic = await makeKey({ kind: 'public', payoutsWaitForApproval: true })
  expect(isPublic.json.details).toMatchObject([{ field: 'payoutsWaitForApproval' }])
})

test('an attacker with the database connection sends nothing without a member', async () => {
  const session = await openSession(db)
  const attempt = (text: string) => session.query(text).catch((error: Error) => error.message)
  const keyId = fromReference(prefixes.apiKey, made.id)
  expect(await attempt(`update api_keys set payouts_wait = false where id = '${keyId}'`)).toContain(
    'never',
  )
  const { json } = await post(
    '/v1/disbursements/bank-transfer',
    { amount: 10_000, ...account },
    agent,
  )
  const id = idOf(json.data.reference)
  expect(
    await attempt(
      `update payouts set status = 'SUBMITTED', submitted_at = now() where id = '${id}'`,
    ),
  ).toContain('pending_payout_leaves_with_approval')
  await attempt(`delete from payout_checks where payout_id = '${id}'`)
  expect(
    await attempt(`update payout_checks set reasons = '{}' where payout_id = '${id}'`),
  ).toContain('reasons_of_check_stay')
  const columns = `environment_id, kind, rail, asset, amount, fee, levy, requested_amount,
    destination, metadata, takes_from, created_by_key, created_at, event_sequence`
  expect(
    await attempt(`insert into payouts (id, status, submitted_at, ${columns})
      select gen_random_uuid(), 'SUBMITTED', now(), ${columns} from payouts where id = '${id}'`),
  ).toContain('payout_of_this_key_waits')
  const batch = await post(
    '/v1/disbursements/batches',
    { kind: 'bank_transfer', items: [{ amount: 10_000, ...account }] },
    agent,
  )
  clock.advance(1_000)
  while ((await runBatches(worker, 'test')) > 0);
  const batchId = fromReference(prefixes.payoutBatch, batch.json.data.reference)
  expect(
    await attempt(`update payout_batches set state = 'PROCESSING', submitted_at = now()
      where id = '${batchId}'`),
  ).toContain('batch_of_this_key_waits')
  const [row] = await db.rows(sql<{ id: string }>`
    select id from api_keys where not payouts_wait and kind = 'secret' limit 1`)
  expect(
    await attempt(`update api_keys set rolled_into = '${row!.id}' where id = '${keyId}'`),
  ).toContain('rolled_key_waits_like_the_old_one')
})
