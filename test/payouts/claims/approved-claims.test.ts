import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { setFeeSchedule } from '../../../src/merchants/settings/fee-schedules.js'
import { openWithBankAndChain } from '../../support/open-with-bank-and-chain.js'
import { addPerson } from '../../support/people.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { claimMoney, enter, openPage } from './recipient.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, ask, merchant, settle } = service
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
const key = merchant.test.secret
const account = { bankCode: '058', accountNumber: '0123456789' }
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

async function post(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  return ask('POST', path, { key, body, headers })
}

const read = async (reference: string) =>
  (await ask('GET', `/v1/claims/${reference}`, { key })).json.data

const balanceOf = async (asset: string) => {
  const { items } = (await ask('GET', '/v1/balances', { key })).json.data
  const { available, held } = items.find((item: { asset: string }) => item.asset === asset)
  return { available, held }
}

await service.chain.advance(40)
await post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
await post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
await ada.ask('PATCH', '/v1/settings/approvals', {
  body: { appliesTo: 'console', NGN: { each: 100_000, perDay: null }, USDC: null, USDT: null },
})

async function claimByAda() {
  const body = { amount: 500_000, description: 'Prize' }
  const { json, text } = await ada.ask('POST', '/v1/claims', { body })
  expect(json.data, text).toMatchObject({ status: 'OPEN' })
  await claimMoney(json.data.url, account)
  const { payout } = await read(json.data.reference)
  const waiting = await ask('GET', `/v1/disbursements/bank-transfer/${payout}`, { key })
  expect(waiting.json.data).toMatchObject({ status: 'PENDING' })
  return { ...json.data, payout: waiting.json.data }
}

test('the payout of a claim waits for approval, as one that its creator makes', async () => {
  const { reference, url, payout } = await claimByAda()
  expect((await openPage(url)).text).toContain('Waiting for approval')
  await expectAllProofs(db)
  const approve = `/v1/disbursements/${payout.reference}/approve`
  const body = { orderHash: payout.orderHash }
  const own = await ada.ask('POST', approve, { body })
  expect(own.json.reason).toBe('own_payout')
  const approved = await bola.ask('POST', approve, { body })
  expect(approved.status, approved.text).toBe(200)
  for (let round = 0; round < 4; round += 1) await settle()
  expect((await openPage(url)).text).toContain('The money has arrived')
  expect(await read(reference)).toMatchObject({ status: 'CLAIMED' })
  await expectAllProofs(db)
})

test('a claim whose payout is rejected is cancelled, and its money is available again', async () => {
  const before = await balanceOf('NGN')
  const { reference, url, payout } = await claimByAda()
  const reject = `/v1/disbursements/${payout.reference}/reject`
  const rejected = await bola.ask('POST', reject, { body: { reason: 'Wrong person' } })
  expect(rejected.status, rejected.text).toBe(200)
  expect(await read(reference)).toMatchObject({ status: 'CANCELLED', payout: null })
  expect((await openPage(url)).text).toContain('This link was cancelled')
  expect(await balanceOf('NGN')).toEqual(before)
  await expectAllProofs(db)
})

test('coins are claimed to a wallet, and what the fee did not cost is available again', async () => {
  const body = { amount: '20', asset: 'USDC', description: 'Prize' }
  const { json, text } = await post('/v1/claims', body)
  expect(json.data, text).toMatchObject({ amount: '20', feeMax: '1' })
  expect(await balanceOf('USDC')).toEqual({ available: '79', held: '21' })
  const { url, reference } = json.data
  expect((await enter(url, { address: 'not a wallet' })).status).toBe(422)
  expect((await enter(url, account)).status).toBe(422)
  await claimMoney(url, { address: wallet })
  const { payout } = await read(reference)
  const paid = await ask('GET', `/v1/disbursements/crypto/${payout}`, { key })
  expect(paid.json.data).toMatchObject({ amount: '20', destinationAddress: wallet })
  for (let round = 0; round < 3; round += 1) await settle()
  expect((await openPage(url)).text).toContain('The money has arrived')

  // The wallet has an account for the coin now, so the second claim costs less than was set aside.
  const second = (await post('/v1/claims', body)).json.data
  const { available } = await balanceOf('USDC')
  await claimMoney(second.url, { address: wallet })
  expect(Number((await balanceOf('USDC')).available)).toBe(Number(available) + 0.5)
  await settle()
  await expectAllProofs(db)
})

test('a fee that rose since is taken from the balance, or the claim stays open', async () => {
  const created = (await post('/v1/claims', { amount: 400_000, description: 'Prize' })).json.data
  expect(created.feeMax).toBe(1_000)
  const environmentId = merchant.environments.test.id
  const raised = { flat: 90_000n, basisPoints: 0, floor: 0n, cap: null, tiers: [] }
  await db.transaction((tx) =>
    setFeeSchedule(tx, service.clock.now(), {
      environmentId,
      operation: 'bank_payout',
      schedule: raised,
    }),
  )
  // Fees are cached for a second.
  service.clock.advance(2_000)
  const { available } = await balanceOf('NGN')
  const others = { amount: available - 90_000 - 80_000, ...account }
  expect((await post('/v1/disbursements/bank-transfer', others)).status).toBe(201)
  const late = await claimMoney(created.url, account)
  expect(late.status).toBe(422)
  expect(late.text).toContain('Nothing was sent')
  expect(await read(created.reference)).toMatchObject({ status: 'OPEN' })
  await expectAllProofs(db)

  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 9_000 })
  expect((await claimMoney(created.url, account)).status).toBe(303)
  expect((await balanceOf('NGN')).available).toBe(0)
  await expectAllProofs(db)
})
