import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { batchLimits } from '../../src/payouts/limits.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import type { Console } from '../console/open-console.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { addPerson, type Person } from '../support/people.js'
import { dayOf, Facts, midnight } from './facts.js'

const account = (serial: number) =>
  toNuban({ bankCode: '058', serial: String(serial).padStart(9, '0') })
const behaves = {
  failing: account(990_000_002),
  reversing: account(990_000_003),
  silent: account(990_000_006),
}
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
const logger = createLogger('silent')

type Payment = {
  reference: string
  createdAt: string
  currency: 'NGN' | 'USDC'
  amount: number | string
  amountAccepted: number
  amountHeld: number
  amountReturning: number | string
  fee: number
}

/**
 * A month of a shop with every way in which money moves, on many days of the test clock, and what is
 * known of it from the answers alone.
 */
export async function liveThroughMonth(site: Console) {
  const { ask, clock, db, bank, merchant } = site
  const key = merchant.test.secret
  const facts = new Facts()
  const payments: string[] = []
  const ada = await addPerson(site, { role: 'owner', name: 'Ada Obi' })
  const bola = await addPerson(site, { role: 'finance', name: 'Bola Ade' })
  let offsetMs = 0
  const now = () => new Date(clock.now().getTime() + offsetMs)

  async function send(method: string, path: string, body?: object) {
    const headers = { 'idempotency-key': randomUUID() }
    const reply = await ask(method, path, { key, ...(body && { body }), headers })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  const post = (path: string, body: object = {}) => send('POST', path, body)
  const get = (path: string) => send('GET', path)
  const policy = (bank: object) => send('PATCH', '/v1/settings', { policies: { bank } })

  /** Moves the test clock to a time of a day in Lagos. */
  async function at(day: string, time: string): Promise<void> {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    const wanted = midnight(day).getTime() + (hours * 60 + minutes) * 60_000
    const seconds = Math.ceil((wanted - now().getTime()) / 1_000)
    await post('/v1/test/clock/advance', { seconds })
    offsetMs += seconds * 1_000
  }

  const seen = new Map<string, string>()
  /** Payments of which money goes back. */
  const returning = new Set<string>()
  /** Notes what became of returns and refunds since the last time. */
  async function noteReturns(): Promise<void> {
    for (const reference of returning) {
      const { items } = await get(`/v1/collections/payments/${reference}/returns`)
      for (const { reference: own, kind, status, endedAt, amount, currency } of items) {
        if (seen.get(own) === status) continue
        seen.set(own, status)
        const isRefund = kind === 'refund'
        const word = isRefund ? 'refunded' : 'returned'
        if (status === 'RETURNED') facts.note(word, endedAt, amount, currency)
        if (status === 'REVERSED') facts.takeBack(word, endedAt, amount, currency)
        const hasEnded = status === 'RETURNED' || status === 'FAILED'
        if (isRefund && hasEnded) facts.takeBack('setAside', endedAt, amount, currency)
      }
    }
  }

  /** Lets the bank finish what it was sent. It sends money back five seconds after it arrived. */
  async function pass(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      clock.advance(2_000)
      await site.work()
      await followReversals({ db, rail: bank, logger, follow: followReturns }, clock.now())
    }
    await noteReturns()
  }

  function arrived(payment: Payment) {
    const { reference, createdAt, currency, amount, amountAccepted, fee } = payment
    payments.push(reference)
    if (Number(payment.amountReturning) > 0) returning.add(reference)
    facts.note('arrived', createdAt, amount, currency)
    facts.note('count', createdAt, 1n, currency)
    facts.note('received', createdAt, amountAccepted, currency)
    facts.note('fees', createdAt, fee, currency)
  }

  const open = (amount: number) =>
    post('/v1/collections/virtual-accounts', { merchantReference: randomUUID(), amount })

  async function payInto(accountNumber: string, amount: number, from?: string): Promise<Payment> {
    const sender = from && {
      sender: { name: 'TUNDE BAKARE', accountNumber: from, bankCode: '058' },
    }
    const payment = await post('/v1/test/bank-transfers', { accountNumber, amount, ...sender })
    arrived(payment)
    return payment
  }

  async function pay(asked: number, paid = asked, from?: string): Promise<Payment> {
    return payInto((await open(asked)).accountNumber, paid, from)
  }

  async function keep({ reference, amountHeld, fee }: Payment): Promise<void> {
    const path = `/v1/collections/payments/${reference}/resolve`
    const kept: Payment = await post(path, { action: 'accept' })
    facts.note('received', now(), amountHeld)
    facts.note('fees', now(), kept.fee - fee)
  }

  async function sendBack({ reference }: Payment): Promise<void> {
    returning.add(reference)
    await post(`/v1/collections/payments/${reference}/resolve`, { action: 'return' })
  }

  async function refund({ reference }: Payment, amount: number): Promise<void> {
    returning.add(reference)
    await post(`/v1/collections/payments/${reference}/refund`, { amount })
    facts.note('setAside', now(), amount)
  }

  const payOut = (amount: number, accountNumber: string) =>
    post('/v1/disbursements/bank-transfer', { amount, bankCode: '058', accountNumber })

  async function askToPay(person: Person, amount: number) {
    const body = { amount, bankCode: '058', accountNumber: account(7) }
    const reply = await person.ask('POST', '/v1/disbursements/bank-transfer', { body })
    expect(reply.json.data, reply.text).toMatchObject({ status: 'PENDING' })
    return reply.json.data as { reference: string }
  }

  async function fund(asset: 'NGN' | 'USDC', amount: number | string): Promise<void> {
    await post('/v1/test/balances/fund', { asset, amount })
    facts.note('added', now(), amount, asset)
  }

  // The month is the next one, so that all of it is ahead of the real clock.
  const [year = 0, month = 0] = dayOf(clock.now()).split('-').map(Number)
  const dayAt = (monthsOn: number, day: number) =>
    new Date(Date.UTC(year, month - 1 + monthsOn, day)).toISOString().slice(0, 10)
  const day = (number: number) => dayAt(1, number)
  const [lastBefore, first, last, firstAfter] = [dayAt(1, 0), day(1), dayAt(2, 0), dayAt(2, 1)]

  await site.chain.advance(40)
  const rule = { NGN: { each: 5_000_000, perDay: null }, USDC: null, USDT: null }
  await ada.ask('PATCH', '/v1/settings/approvals', { body: { appliesTo: 'console', ...rule } })
  await db.transaction(async (tx) => {
    const environmentId = merchant.environments.test.id
    const own = { bankCode: '058', accountNumber: account(5), accountName: 'Ada' }
    await makePrimary(tx, await addBankAccount(tx, clock.now(), { environmentId, ...own }), null)
  })

  await at(lastBefore, '10:00')
  await fund('NGN', 90_000_000)
  await fund('USDC', '500')
  await site.chain.advance(2)
  await policy({ underpayment: 'hold', overpayment: 'hold' })
  const heldBefore = await pay(1_000_000, 700_000)
  const paidBefore = await pay(1_250_050)
  await at(lastBefore, '23:50')
  const acrossStart = await payOut(111_101, behaves.silent)
  const expires = await askToPay(ada, 6_000_000)
  await pay(333_333)
  await at(first, '00:05')
  const early = await pay(444_444)
  await post(`/v1/test/disbursements/${acrossStart.reference}/settle`, { outcome: 'complete' })
  await pass()

  await at(day(2), '09:00')
  await keep(heldBefore)
  const tooMuch = await pay(500_000, 620_007)
  const tooLittle = await pay(400_000, 250_009)
  await at(day(3), '12:00')
  await keep(tooMuch)
  await sendBack(tooLittle)
  await pass()

  await at(day(5), '15:00')
  await policy({ underpayment: 'return', overpayment: 'return' })
  await pay(800_000, 100_011)
  const twice = await open(70_000)
  await payInto(twice.accountNumber, 70_000)
  await payInto(twice.accountNumber, 70_000)
  await pay(900_000, 55_555, behaves.failing)
  await pay(900_000, 66_666, behaves.reversing)
  const late = await open(123_456)
  await pass()
  // What the bank sends back comes back on another day.
  await at(day(6), '08:00')
  await pass()
  await payInto(late.accountNumber, 123_456)
  await refund(paidBefore, 250_050)
  await refund(early, 444_444)
  const refusedBack = await pay(81_818, 81_818, behaves.failing)
  await refund(refusedBack, 81_818)
  const reversedBack = await pay(92_929, 92_929, behaves.reversing)
  await refund(reversedBack, 12_929)
  await pass()
  await at(day(7), '08:00')
  await pass()

  await at(day(9), '11:00')
  await payOut(2_000_001, account(1))
  await payOut(1_500_002, behaves.failing)
  await payOut(1_700_003, behaves.reversing)
  const rejected = await askToPay(ada, 7_000_000)
  const reason = { reason: 'Paid already' }
  const path = `/v1/disbursements/${rejected.reference}/reject`
  expect((await bola.ask('POST', path, { body: reason })).status).toBe(200)
  await pass()
  await at(day(10), '11:00')
  await pass()

  await at(day(12), '10:00')
  const quoted = { from: 'NGN', to: 'USDC', amount: 10_000_000 }
  const { reference: quote } = await post('/v1/conversions/quotes', quoted)
  const converted = await post('/v1/conversions', { quote })
  facts.takeBack('converted', converted.createdAt, converted.sourceAmount - converted.fee)
  facts.note('fees', converted.createdAt, converted.fee)
  facts.note('converted', converted.createdAt, converted.targetAmount, 'USDC')
  const coins = { asset: 'USDC', network: 'SOLANA' }
  await post('/v1/disbursements/crypto', { ...coins, amount: '20.5', destinationAddress: wallet })
  const accepts = { ...coins, merchantReference: 'coins', amount: '12.25' }
  const { address } = await post('/v1/collections/crypto-wallets', accepts)
  await post('/v1/test/crypto-deposits', { address, asset: 'USDC', amount: '12.25' })
  await site.settle()
  await site.settle()
  for (const payment of (await get('/v1/collections/payments?currency=USDC')).items)
    arrived(payment)

  await at(day(15), '10:00')
  const worker = openBatchWorker(site)
  const work = async () => {
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
  }
  const items = [account(11), behaves.failing, account(13)].map((accountNumber, index) => ({
    amount: 50_000 + index,
    bankCode: '058',
    accountNumber,
  }))
  const batches = '/v1/disbursements/batches'
  const batch = await post(batches, { kind: 'bank_transfer', items })
  await work()
  await post(`${batches}/${batch.reference}/submit`)
  await work()
  await pass()
  clock.advance(batchLimits.resultsIntervalMaxMs)
  await work()

  await at(day(20), '18:00')
  await send('PATCH', '/v1/settings', { settlement: { reserve: 40_000_000 } })
  await post('/v1/settlements')
  await pass()

  await at(last, '23:30')
  await pay(555_000)
  await payOut(60_606, behaves.silent)
  const acrossEnd = await payOut(70_707, behaves.silent)
  await at(firstAfter, '00:10')
  await pay(777_000)
  await refund(paidBefore, 1_000_000)
  await post(`/v1/test/disbursements/${acrossEnd.reference}/settle`, { outcome: 'complete' })
  await pass()

  for (const reference of payments) {
    const { createdAt, amountHeld, currency } = await get(`/v1/collections/payments/${reference}`)
    facts.note('held', createdAt, amountHeld, currency)
  }
  const { items: payouts, nextCursor } = await get('/v1/disbursements?limit=100')
  expect(nextCursor).toBe(null)
  for (const payout of payouts) {
    const { currency, asset: coin, amount, fee, createdAt, failedAt, reversedAt } = payout
    const asset = coin ?? currency
    const leftAt = payout.completedAt ?? payout.confirmedAt
    facts.note('setAside', createdAt, amount, asset)
    facts.note('fees', createdAt, fee, asset)
    const endedAt = leftAt ?? failedAt
    if (endedAt) facts.takeBack('setAside', endedAt, amount, asset)
    if (leftAt) facts.note('paidOut', leftAt, amount, asset)
    if (failedAt) facts.takeBack('fees', failedAt, fee, asset)
    if (reversedAt) facts.takeBack('paidOut', reversedAt, amount, asset)
    if (reversedAt) facts.takeBack('fees', reversedAt, fee, asset)
  }
  const statusOf = (reference: string) =>
    payouts.find((one: { reference: string }) => one.reference === reference).failureReason
  expect([statusOf(expires.reference), statusOf(rejected.reference)]).toEqual([
    'approval_expired',
    'approval_rejected',
  ])
  return { facts, get, first, last, lastBefore, today: firstAfter }
}
