import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hour } from '../../../src/base/clock.js'
import { fromReference, prefixes } from '../../../src/base/ids.js'
import { runBatches } from '../../../src/payouts/batches/run-batches.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import { openBatchWorker } from '../../support/batch-worker.js'
import { openShop } from '../../support/open-shop.js'
import { openWithBankAndChain } from '../../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../../support/people.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { claimMoney, enter } from '../claims/recipient.js'

// The part `recipients` of the controls: it applies to members and API keys.

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle } = service
const worker = openBatchWorker(service)
const transfers = '/v1/disbursements/bank-transfer'
const batches = '/v1/disbursements/batches'
const lax = { onlySaved: false, approveFirst: false, coolingOff: null }
const anyone = { NGN: 500_000, USDC: null, USDT: null }
let serial = 500
const newAccount = () => {
  serial += 1
  const digits = String(serial).padStart(9, '0')
  return { bankCode: '058', accountNumber: toNuban({ bankCode: '058', serial: digits }) }
}

async function openRuledShop(recipients: object) {
  const shop = await openShop(service)
  const { ask, make } = shop
  const { reference } = shop.merchant
  const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi', merchant: reference })
  const bola = await addPerson(service, { role: 'admin', name: 'Bola Ade', merchant: reference })
  await addPerson(service, { role: 'admin', name: 'Chidi Eze', merchant: reference })
  await make('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
  const controls = { callback: null, recipients, velocity: null, duplicates: null }
  const rule = { appliesTo: 'all', NGN: null, USDC: null, USDT: null, controls }
  /** Cached keys do not know the rule for a second. */
  const setRule = async () => {
    const reply = await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
    expect([reply.status, reply.json?.data?.change], reply.text).toEqual([200, null])
    clock.advance(1_100)
  }
  const pay = (body: object) => ask('POST', transfers, { amount: 50_000, ...body })
  const reasonOf = async (body: object) => (await pay(body)).json.reason
  return { ...shop, ada, bola, setRule, pay, reasonOf }
}

type Pending = { reference: string; orderHash: string }
const approve = (person: Person, { reference, orderHash }: Pending) =>
  person.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })

test('only saved recipients are paid, by API keys and members alike', async () => {
  const { ada, make, setRule, pay, reasonOf } = await openRuledShop({ ...lax, onlySaved: true })
  await setRule()
  const account = newAccount()
  expect(await reasonOf(account)).toBe('recipient_not_saved')
  const asked = await ada.ask('POST', transfers, { body: { amount: 50_000, ...account } })
  expect(asked.json.reason).toBe('recipient_not_saved')
  const { reference: recipient } = await make('/v1/recipients', account)
  for (const body of [{ recipient }, account])
    expect((await pay(body)).json.data).toMatchObject({ status: 'SUBMITTED', recipient })
  const paid = await ada.ask('POST', transfers, { body: { amount: 50_000, recipient } })
  expect(paid.json.data).toMatchObject({ status: 'SUBMITTED', recipient })
  await make(`/v1/recipients/${recipient}/disable`)
  for (const body of [{ recipient }, account])
    expect(await reasonOf(body)).toBe('recipient_disabled')
  await settle()
  await expectAllProofs(db)
})

// A process caches for a second that there is no rule: the commit finds it.
test('a rule applies to keys from its commit on', async () => {
  const { ada, reasonOf, pay } = await openRuledShop(lax)
  expect((await pay(newAccount())).status).toBe(201)
  const recipients = { ...lax, onlySaved: true }
  const controls = { callback: null, recipients, velocity: null, duplicates: null }
  const body = { appliesTo: 'console', NGN: null, USDC: null, USDT: null, controls }
  expect((await ada.ask('PATCH', '/v1/settings/approvals', { body })).status).toBe(200)
  expect(await reasonOf(newAccount())).toBe('recipient_not_saved')
  await settle()
})

test('a new recipient gets no more than the amount during the cooling-off', async () => {
  const coolingOff = { hours: 24, above: anyone }
  const { make, setRule, pay, reasonOf } = await openRuledShop({ ...lax, coolingOff })
  const { reference: recipient } = await make('/v1/recipients', newAccount())
  await setRule()
  const refused = await pay({ recipient, amount: 500_001 })
  expect([refused.status, refused.json.reason]).toEqual([422, 'recipient_cooling_off'])
  expect(refused.json.message).toMatch(/from 20\d\d-\d\d-\d\dT/)
  expect((await pay({ recipient, amount: 500_000 })).status).toBe(201)
  expect(await reasonOf({ ...newAccount(), amount: 500_001 })).toBe('recipient_not_saved')
  expect((await pay({ ...newAccount(), amount: 500_000 })).status).toBe(201)
  clock.advance(24 * hour)
  expect((await pay({ recipient, amount: 500_001 })).status).toBe(201)
  // Enabling it again makes it new.
  await make(`/v1/recipients/${recipient}/disable`)
  await make(`/v1/recipients/${recipient}/enable`)
  expect(await reasonOf({ recipient, amount: 500_001 })).toBe('recipient_cooling_off')
  await settle()
  await expectAllProofs(db)
})

// A price that is followed by a refusal would mislead the caller.
test('a quote is refused for its recipient as the payout would be', async () => {
  const coolingOff = { hours: 24, above: anyone }
  const open = await openRuledShop({ ...lax, onlySaved: true, coolingOff })
  const { ada, ask, make, setRule, pay } = open
  const [account, saved] = [newAccount(), newAccount()]
  const { reference: recipient } = await make('/v1/recipients', saved)
  const amountOf = { amount: 500_000 }
  const quote = (body: object) => ask('POST', `${transfers}/quote`, { ...amountOf, ...body })
  const expectSame = async (body: object, reason: string) => {
    const [quoted, paid] = [await quote(body), await pay({ ...amountOf, ...body })]
    expect([quoted.status, quoted.json.reason], quoted.text).toEqual([422, reason])
    expect(quoted.json.message).toBe(paid.json.message)
    expect(paid.json.reason).toBe(reason)
  }
  expect((await quote(account)).status).toBe(200)
  await setRule()
  await expectSame(account, 'recipient_not_saved')
  await expectSame({ recipient, amount: 500_001 }, 'recipient_cooling_off')
  expect((await quote({ recipient })).status).toBe(200)
  const byMember = await ada.ask('POST', `${transfers}/quote`, {
    body: { ...amountOf, ...account },
  })
  expect(byMember.json.reason).toBe('recipient_not_saved')
  const wallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
  const coins = { asset: 'USDC', network: 'SOLANA', amount: '2', destinationAddress: wallet }
  const ofCoins = await ask('POST', '/v1/disbursements/crypto/quote', coins)
  expect([ofCoins.json.code, ofCoins.json.reason]).toEqual([
    'crypto_transfer_failed',
    'recipient_not_saved',
  ])
  // A frozen recipient is refused, too.
  const frozen = await ada.ask('POST', '/v1/freezes', {
    body: { kind: 'recipient', subject: `058/${saved.accountNumber}`, reason: 'Complaint 77' },
  })
  expect(frozen.status, frozen.text).toBe(201)
  await expectSame({ recipient }, 'payouts_frozen')
})

test('the first payout waits for a member, the next one does not', async () => {
  const { ada, bola, make, read, setRule, pay } = await openRuledShop({
    ...lax,
    approveFirst: true,
  })
  await setRule()
  const { reference: recipient } = await make('/v1/recipients', newAccount())
  const asked = await ada.ask('POST', transfers, { body: { amount: 50_000, recipient } })
  const first = asked.json.data
  expect(first, asked.text).toMatchObject({ status: 'PENDING', recipient })
  expect(first.approval.reasons).toEqual(['new_recipient'])
  expect((await pay(newAccount())).json.data).toMatchObject({ status: 'PENDING' })
  // Neither one that waits nor one that is on its way counts as paid.
  expect((await pay({ recipient })).json.data).toMatchObject({ status: 'PENDING' })
  expect((await approve(bola, first)).json.data).toMatchObject({ status: 'SUBMITTED' })
  expect((await pay({ recipient })).json.data).toMatchObject({ status: 'PENDING' })
  await settle()
  expect(await read(`${transfers}/${first.reference}`)).toMatchObject({ status: 'COMPLETED' })
  expect((await pay({ recipient })).json.data).toMatchObject({ status: 'SUBMITTED' })
  await settle()
  await expectAllProofs(db)
})

test('items of a batch follow the rule', async () => {
  const { make, read, setRule } = await openRuledShop({ ...lax, onlySaved: true })
  await setRule()
  const saved = await make('/v1/recipients', newAccount())
  const items = [
    { amount: 50_000, recipient: saved.reference },
    { amount: 50_000, ...newAccount() },
  ]
  const { reference } = await make(batches, { kind: 'bank_transfer', items })
  const work = async () => {
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
  }
  await work()
  expect((await read(`${batches}/${reference}/items`)).items).toMatchObject([
    { status: 'VALID' },
    { status: 'INVALID', problem: { reason: 'recipient_not_saved' } },
  ])
  await make(`${batches}/${reference}/submit`, { skipInvalid: true })
  await work()
  expect((await read(`${transfers}?recipient=${saved.reference}`)).items).toHaveLength(1)
  await settle()
  await expectAllProofs(db)
})

test('a claim waits for a member, and goes to no disabled recipient', async () => {
  const { make, read, setRule } = await openRuledShop({ ...lax, onlySaved: true })
  await setRule()
  const claim = () => make('/v1/claims', { amount: 50_000, description: 'Refund' })
  const disabled = newAccount()
  const saved = await make('/v1/recipients', disabled)
  await make(`/v1/recipients/${saved.reference}/disable`)
  const other = await claim()
  expect((await enter(other.url, disabled)).text).not.toContain('name="ticket"')
  expect(await read(`/v1/claims/${other.reference}`)).toMatchObject({ status: 'OPEN' })
  const one = await claim()
  await claimMoney(one.url, newAccount())
  const { payout } = await read(`/v1/claims/${one.reference}`)
  const waiting = await read(`${transfers}/${payout}`)
  expect(waiting).toMatchObject({ status: 'PENDING' })
  expect(waiting.approval.reasons).toEqual(['new_recipient'])
  await expectAllProofs(db)
})

test("settlements to the merchant's own account are exempt", async () => {
  const rule = { onlySaved: true, approveFirst: true, coolingOff: { hours: 24, above: anyone } }
  const { ada, bola, make, setRule } = await openRuledShop(rule)
  const body = { ...newAccount(), isPrimary: true }
  const added = await ada.ask('POST', '/v1/bank-accounts', { body })
  expect(added.status, added.text).toBe(201)
  await setRule()
  const { reference } = added.json.data
  const confirmed = await bola.ask('POST', `/v1/bank-accounts/${reference}/confirm`, { body: {} })
  expect(confirmed.status, confirmed.text).toBe(200)
  expect(await make('/v1/settlements', { amount: 1_000_000 })).toMatchObject({
    status: 'SUBMITTED',
  })
  await settle()
  await expectAllProofs(db)
})

test('refunds follow the rule, unless they go to the sender', async () => {
  const { make, ask, setRule } = await openRuledShop({ ...lax, onlySaved: true })
  const receive = async () => {
    const order = { amount: 50_000, merchantReference: randomUUID() }
    const { accountNumber } = await make('/v1/collections/virtual-accounts', order)
    return (await make('/v1/test/bank-transfers', { accountNumber, amount: 50_000 })).reference
  }
  const refund = (payment: string, body: object = {}) =>
    ask('POST', `/v1/collections/payments/${payment}/refund`, body)
  const [one, other] = [await receive(), await receive()]
  const destination = newAccount()
  const { reference: recipient } = await make('/v1/recipients', destination)
  await make(`/v1/recipients/${recipient}/disable`)
  clock.advance(1_100)
  // Without any rule.
  expect((await refund(one, { destination })).json).toMatchObject({
    code: 'payment_action_failed',
    reason: 'recipient_disabled',
  })
  await setRule()
  expect((await refund(one, { destination: newAccount() })).json).toMatchObject({
    code: 'payment_action_failed',
    reason: 'recipient_not_saved',
  })
  expect((await refund(other)).json.message).toBe('Refund submitted')
  await make(`/v1/recipients/${recipient}/enable`)
  expect((await refund(one, { destination })).json.message).toBe('Refund submitted')
  await settle()
  await expectAllProofs(db)
})

test('the database holds the rule, too', async () => {
  const cases: object[] = [
    { ...lax, onlySaved: true },
    { ...lax, approveFirst: true },
    { ...lax, coolingOff: { hours: 24, above: { ...anyone, NGN: 40_000 } } },
  ]
  for (const recipients of cases) {
    const { make, setRule, pay } = await openRuledShop(recipients)
    const { json } = await pay(newAccount())
    await settle()
    await setRule()
    const id = fromReference(prefixes.bankTransfer, json.data.reference)
    const copy = (values: string) => ({
      text: `
        insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
          destination, metadata, takes_from, status, event_sequence, submitted_at, created_at,
          merchant_reference)
        select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee,
          requested_amount, destination, metadata, takes_from, 'SUBMITTED', event_sequence,
          submitted_at, created_at, ${values}
        from payouts where id = '${id}'`,
      values: [],
    })
    const constraint = 'payout_keeps_to_the_recipient_rule'
    await expect(db.rows(copy('null'))).rejects.toMatchObject({ constraint })
    // Settlements have such references.
    await expect(db.rows(copy(`'set_1'`))).rejects.toMatchObject({ constraint })
    if (!('coolingOff' in recipients && recipients.coolingOff)) continue
    const { bankCode, accountNumber } = json.data
    await make('/v1/recipients', { bankCode, accountNumber })
    await expect(db.rows(copy('null'))).rejects.toMatchObject({ constraint })
  }
})
