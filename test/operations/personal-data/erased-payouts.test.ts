import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { day } from '../../../src/base/clock.js'
import { createLogger } from '../../../src/base/log.js'
import { followReturns } from '../../../src/collections/returns/follow-returns.js'
import { applyRetention } from '../../../src/operations/personal-data/apply-retention.js'
import { erasePerson } from '../../../src/operations/personal-data/erase-person.js'
import {
  findPerson,
  readScope,
  readSelector,
} from '../../../src/operations/personal-data/person.js'
import { startErasing } from '../../../src/operations/personal-data/units.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { followReversals } from '../../../src/payouts/attempts/follow-reversals.js'
import { runBatches } from '../../../src/payouts/batches/run-batches.js'
import { sql } from '../../../src/postgres/sql.js'
import { claimMoney } from '../../payouts/claims/recipient.js'
import { openBatchWorker } from '../../support/batch-worker.js'
import type { Merchant } from '../../support/open-manilla.js'
import { standardRetention } from '../../support/open-manilla.js'
import { openWithBankAndChain } from '../../support/open-with-bank-and-chain.js'
import { behaves } from '../../support/payment-desk.js'
import { expectAllProofs } from '../../support/sound-books.js'

// The proofs over the books hold whatever became of the people who were paid: their rows are
// replaced on request, and all rows are when their period is over.

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, seal, bank } = service
const logger = createLogger('silent')
const worker = openBatchWorker(service)
await service.chain.advance(40)

const account = { bankCode: '058', accountNumber: '0123456789' }
const reversing = { bankCode: '999', accountNumber: behaves.reversing }
const failing = { bankCode: '999', accountNumber: behaves.failing }
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
const sender = { name: 'Zubaidah Quartermain', ...account }

const followBank = () =>
  followReversals({ db, rail: bank, logger, follow: followReturns }, clock.now())

async function payBatches(): Promise<void> {
  clock.advance(1_000)
  while ((await runBatches(worker, 'test')) > 0);
}

function askerOf(merchant: Merchant) {
  return async (method: string, path: string, body?: object) => {
    clock.advance(1)
    const headers = { 'idempotency-key': randomUUID() }
    const options = { key: merchant.test.secret, headers, ...(body && { body }) }
    const { status, text, json } = await service.ask(method, path, options)
    expect(status, `${path} ${text}`).toBeLessThan(300)
    return json.data
  }
}

/** Money leaves to one person in every way; returns the references of what must be erased. */
async function payInEveryWay(merchant: Merchant) {
  const ask = askerOf(merchant)
  const post = (path: string, body: object = {}) => ask('POST', path, body)
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '50' })
  await service.settle()

  // Saved first, so that payouts name the recipient.
  const saved = await post('/v1/recipients', account)
  const savedWallet = await post('/v1/recipients', { address: wallet })
  const savedReversing = await post('/v1/recipients', reversing)
  clock.advance(1_100)
  const transfers = '/v1/disbursements/bank-transfer'
  const byReference = await post(transfers, { recipient: saved.reference, amount: 20_000 })
  expect(byReference.recipient).toBe(saved.reference)
  await post(transfers, { ...account, amount: 30_000 })
  await post(transfers, { ...reversing, amount: 40_000 })
  await post(transfers, { ...failing, amount: 40_000 })
  await post('/v1/disbursements/crypto', {
    recipient: savedWallet.reference,
    asset: 'USDC',
    network: 'SOLANA',
    amount: '2',
  })

  const batch = await post('/v1/disbursements/batches', {
    kind: 'bank_transfer',
    items: [
      { recipient: saved.reference, amount: 10_000 },
      { ...account, amount: 11_000 },
      { ...failing, amount: 12_000 },
      { bankCode: '058', accountNumber: '0123456780', amount: 13_000 },
    ],
  })
  await payBatches()
  await post(`/v1/disbursements/batches/${batch.reference}/submit`)
  await payBatches()

  const claim = await post('/v1/claims', {
    amount: 30_000,
    description: 'Prize',
    recipientName: sender.name,
    email: 'zubaidah.q@example.ng',
  })
  await claimMoney(claim.url, account)

  const pay = async (amount = 500_000) => {
    const opened = await post('/v1/collections/virtual-accounts', {
      merchantReference: randomUUID(),
      amount: 500_000,
    })
    const { accountNumber } = opened
    return post('/v1/test/bank-transfers', { accountNumber, amount, sender })
  }
  const paymentPath = ({ reference }: { reference: string }, verb: string) =>
    `/v1/collections/payments/${reference}/${verb}`
  await post(paymentPath(await pay(), 'refund'), { amount: 100_000 })
  await post(paymentPath(await pay(), 'refund'), { amount: 100_000, destination: account })
  await post(paymentPath(await pay(), 'refund'), { amount: 100_000, destination: reversing })
  const refund = await post(paymentPath(await pay(), 'refund'), { amount: 100_000, by: 'claim' })
  await claimMoney(refund.claim.url, account)
  await ask('PATCH', '/v1/settings', { policies: { bank: { underpayment: 'hold' } } })
  await post(paymentPath(await pay(200_000), 'resolve'), { action: 'return' })
  const held = await post(paymentPath(await pay(200_000), 'resolve'), {
    action: 'return',
    by: 'claim',
  })
  await claimMoney(held.claim.url, account)

  const settled = await post('/v1/collections/crypto-wallets', {
    merchantReference: randomUUID(),
    asset: 'USDC',
    network: 'SOLANA',
    amount: '3',
  })
  await post('/v1/test/crypto-deposits', { address: settled.address, asset: 'USDC', amount: '3' })
  for (let step = 0; step < 4; step += 1) await service.settle()
  await payBatches()
  return { ask, saved, savedReversing, savedWallet }
}

const destinations = () =>
  db.rows(sql<{ account: string; kind: string; status: string }>`
    select coalesce(destination ->> 'accountNumber', destination ->> 'address') as account, kind,
      status from payouts order by id`)

test('the proofs hold when those who were paid are erased', async () => {
  const { ask, ...saved } = await payInEveryWay(service.merchant)
  await expectAllProofs(db)
  const before = await destinations()
  expect(new Set(before.map(({ kind }) => kind))).toEqual(
    new Set(['bank_transfer', 'crypto_transfer', 'bank_return']),
  )
  expect(before.filter(({ account: paid }) => paid === account.accountNumber).length).toBe(10)
  expect(before.map(({ status }) => status)).not.toContain('SUBMITTED')

  for (const { reference } of Object.values(saved))
    await ask('POST', `/v1/recipients/${reference}/disable`)
  const scope = await readScope(db, undefined)
  const texts = ['058:0123456789', `999:${behaves.reversing}`, `999:${behaves.failing}`, wallet]
  const selectors = texts.map((text) => readSelector(text, 'payer'))
  await erasePerson({
    db,
    seal,
    now: clock.now(),
    scope,
    person: await findPerson(db, scope, selectors),
    periods: standardRetention,
    actor: 'ada',
    erases: true,
  })
  const after = await destinations()
  expect(new Set(after.map(({ account: paid }) => paid))).toEqual(
    new Set(['[erased]', '0123456780']),
  )
  await expectAllProofs(db)

  // A bank may reverse a transfer after its recipient was erased.
  clock.advance(20_000)
  await followBank()
  const reversed = (await destinations()).filter(({ status }) => status === 'REVERSED')
  expect(reversed.map(({ account: paid }) => paid)).toEqual(['[erased]', '[erased]'])
  await expectAllProofs(db)
})

test('the proofs hold when the period of payouts is over', async () => {
  await payInEveryWay(await service.addMerchant('Other Stores'))
  clock.advance(20_000)
  await followBank()
  await expectAllProofs(db)
  const later = new Date(clock.now().getTime() + (standardRetention.PERSONAL_DATA_DAYS + 40) * day)
  while ((await applyRetention(db, later, standardRetention)) > 0);
  expect(new Set((await destinations()).map(({ account: paid }) => paid))).toEqual(
    new Set(['[erased]']),
  )
  await expectAllProofs(db)
})

// An erased payout says no longer where it went, but still to which recipient and at which bank.
test('a payout that names a recipient of another place is still found', async () => {
  const erasing = (work: ReturnType<typeof sql>) =>
    db.transaction(async (tx) => {
      await startErasing(tx)
      await tx.rows(work)
    })
  const forged = sql`
    update payouts set destination = jsonb_set(destination::jsonb, '{bankCode}', '"044"')::json
    where destination ->> 'bankCode' = '058'`
  await expect(erasing(forged)).rejects.toThrow(/never edited/)
  await db.rows(sql`alter table payouts disable trigger user`)
  await db.rows(forged)
  const violated = (await verifyLedger(db)).filter(
    ({ counterexamples }) => counterexamples.length > 0,
  )
  expect(violated.map(({ claim }) => claim)).toContain(
    'Every payout to a saved recipient went to its bank account or wallet',
  )
})
