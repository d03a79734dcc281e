import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/base/clock.js'
import type { NoticeRequest } from '../../../src/collections/ports.js'
import { freshDatabase } from '../../support/database.js'
import {
  catchNotices,
  confirm,
  dedicated,
  type OpenRail,
  openOne,
  openRail,
  readHint,
  temporary,
} from './open-rail.js'

const db = await freshDatabase()

/** An account into which something was paid, and the notice about it. */
async function payInto(opened: OpenRail, amount: bigint, senderAccountNumber = '0065432190') {
  const notices = await catchNotices(opened)
  const account = await openOne(opened.rail, temporary(opened))
  const paid = await opened.emulator.pay({
    accountNumber: account.number,
    amount,
    senderName: 'NGOZI OBI',
    senderAccountNumber,
  })
  const [notice] = await notices()
  return { account, id: paid!.id, notice: notice! }
}

describe('notices', () => {
  test('a payment is confirmed through the API', async () => {
    const opened = await openRail(db)
    const { account, id, notice } = await payInto(opened, 5_000_00n)
    const hint = readHint(opened.rail, notice)
    expect(hint).toMatchObject({ id: `SUCCESSFUL_TRANSACTION/${id}/PAID/5000` })
    const confirmed = await confirm(opened.rail, notice)
    expect(confirmed).toEqual({
      found: 'payment',
      payment: {
        id,
        railAccount: account.railAccount,
        amount: 5_000_00n,
        currency: 'NGN',
        sender: {
          name: 'NGOZI OBI',
          accountNumber: '******2190',
          bankCode: expect.any(String),
          bankName: '',
        },
        bankSessionId: expect.stringMatching(/^\d{30}$/),
        narration: null,
        receivedAt: opened.clock.now(),
        providerFee: 10_00n,
      },
    })
  })

  test('the amount of a notice is not believed, even if it is signed', async () => {
    const opened = await openRail(db, { mode: 'test', isSandbox: true })
    const { notice } = await payInto(opened, 5_000_00n)
    const body = notice.body.replaceAll('5000', '9000')
    expect(await confirm(opened.rail, { headers: {}, body })).toMatchObject({
      payment: { amount: 5_000_00n },
    })
  })

  test('hostile notices are refused', async () => {
    const opened = await openRail(db)
    const { notice } = await payInto(opened, 5_000_00n)
    const changed = (request: Partial<NoticeRequest>) =>
      readHint(opened.rail, { ...notice, ...request })
    expect(changed({ body: notice.body.replace('5000', '5001') })).toBe('unverified')
    expect(changed({ headers: {} })).toBe('unverified')
    expect(changed({ headers: { 'monnify-signature': 'zz' } })).toBe('unverified')
    const signature = String(notice.headers['monnify-signature'])
    const upper = { 'monnify-signature': signature.toUpperCase() }
    expect(changed({ headers: upper })).toMatchObject({ about: { subject: 'payment' } })
    opened.emulator.faults.forgesSignature = true
    const forged = await payInto(opened, 5_000_00n)
    expect(readHint(opened.rail, forged.notice)).toBe('unverified')
  })

  test('test mode reads unsigned notices, and refuses those with a wrong signature', async () => {
    const sandbox = await openRail(db, { mode: 'test', isSandbox: true })
    const { notice } = await payInto(sandbox, 5_000_00n)
    expect(notice.headers).not.toHaveProperty('monnify-signature')
    expect(await confirm(sandbox.rail, notice)).toMatchObject({ found: 'payment' })
    const headers = { 'monnify-signature': '00' }
    expect(readHint(sandbox.rail, { ...notice, headers })).toBe('unverified')
    expect(readHint(sandbox.rail, { headers: {}, body: 'not JSON' })).toBe('unverified')
    expect(readHint(sandbox.rail, { headers: {}, body: '{"eventType":"SETTLEMENT"}' })).toBe(
      'other',
    )
    expect(readHint(sandbox.rail, { headers: {}, body: '[]' })).toBe('other')
  })

  test('the documented example has the documented signature', async () => {
    const secretKey = '91MUDL9N6U3BQRXBQ2PJ9M0PW4J22M1Y'
    const { rail } = await openRail(db, { secretKey })
    const body = [
      '{"eventData":{"product":{"reference":"111222333","type":"OFFLINE_PAYMENT_AGENT"},',
      '"transactionReference":"MNFY|76|20211117154810|000001",',
      '"paymentReference":"0.01462001097368737","paidOn":"17/11/2021 3:48:10 PM",',
      '"paymentDescription":"Mockaroo Jesse","metaData":{},"destinationAccountInformation":{},',
      '"paymentSourceInformation":{},"amountPaid":78000,"totalPayable":78000,',
      '"offlineProductInformation":{"code":"41470","type":"DYNAMIC"},"cardDetails":{},',
      '"paymentMethod":"CASH","currency":"NGN","settlementAmount":77600,"paymentStatus":"PAID",',
      '"customer":{"name":"Mockaroo Jesse","email":"111222333@ZZAMZ4WT4Y3E.monnify"}},',
      '"eventType":"SUCCESSFUL_TRANSACTION"}',
    ].join('')
    const signature =
      'f04fb635e04d71648bd3cc7999003da6861483342c856d05ddfa9b2dafacb873' +
      'b0de1d0f8f67405d0010b4348b721c49fa171d317972618debba6b638aedcd3c'
    const headers = { 'monnify-signature': signature }
    expect(readHint(rail, { headers, body })).toMatchObject({ about: { subject: 'payment' } })
  })

  test('too little is rejected, and the notice says so', async () => {
    const opened = await openRail(db)
    const { account, id, notice } = await payInto(opened, 4_999_99n)
    expect(readHint(opened.rail, notice)).toMatchObject({
      id: expect.stringMatching(`^REJECTED_PAYMENT/${id.replaceAll('|', '\\|')}/`),
    })
    expect(await confirm(opened.rail, notice)).toEqual({
      found: 'rejected',
      railAccount: account.railAccount,
      amount: 4_999_99n,
      reason: 'UNDER_PAYMENT',
    })
    expect(await opened.rail.findPayments(account.railAccount)).toEqual([])
  })

  test('a notice before the payment, and during an outage, is asked about again', async () => {
    const opened = await openRail(db)
    const key = JSON.stringify({ id: 'MNFY|04|1|000001', session: null, rejected: null })
    expect(await opened.rail.confirmPayment(key)).toEqual({ found: 'unknown' })
    const { notice } = await payInto(opened, 5_000_00n)
    opened.emulator.faults.down = 'unavailable'
    expect(await confirm(opened.rail, notice)).toEqual({ found: 'unknown' })
    opened.emulator.faults.down = 'no'
    expect(await confirm(opened.rail, notice)).toMatchObject({ found: 'payment' })
  })
})

describe('payments', () => {
  test('too much arrives whole', async () => {
    const opened = await openRail(db)
    const { account, id } = await payInto(opened, 6_000_50n)
    expect(await opened.rail.findPayments(account.railAccount)).toMatchObject([
      { id, railAccount: account.railAccount, amount: 6_000_50n },
    ])
  })

  test('kept underpayments are recorded with what arrived, and reported', async () => {
    const opened = await openRail(db, { rejectsUnderpayment: false })
    const { account, notice } = await payInto(opened, 1_00n)
    expect(await confirm(opened.rail, notice)).toMatchObject({ payment: { amount: 1_00n } })
    expect(opened.logged.join()).toContain('monnify keeps underpayments')
    const notices = await catchNotices(opened)
    await opened.emulator.pay({ accountNumber: account.number, amount: 4_999_00n })
    const [second] = await notices()
    expect(readHint(opened.rail, second!)).not.toMatchObject({
      id: (readHint(opened.rail, notice) as { id: string }).id,
    })
  })

  test('an unknown sender is null', async () => {
    const opened = await openRail(db)
    const { notice } = await payInto(opened, 5_000_00n, '')
    expect(await confirm(opened.rail, notice)).toMatchObject({
      payment: { sender: null, bankSessionId: null },
    })
  })

  test('a dedicated account lists all of its payments, each with its own id', async () => {
    const opened = await openRail(db)
    const account = await openOne(opened.rail, dedicated(opened))
    const ids: string[] = []
    for (let count = 0; count < 105; count += 1) {
      const payment = { accountNumber: account.number, amount: BigInt(count + 1), isSilent: true }
      ids.push((await opened.emulator.pay(payment))!.id)
      opened.clock.advance(500)
    }
    const found = await opened.rail.findPayments(account.railAccount)
    expect(found.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(found.reduce((sum, { amount }) => sum + amount, 0n)).toBe(5565n)
    expect(new Set(found.map(({ railAccount }) => railAccount))).toEqual(
      new Set([account.railAccount]),
    )
    expect(await opened.rail.findPayments('nobody')).toEqual([])
  })

  test('silent payments are listed by when they were paid, page by page', async () => {
    const opened = await openRail(db)
    const early = await openOne(opened.rail, temporary(opened))
    const other = await openOne(opened.rail, temporary(opened))
    await opened.emulator.pay({ accountNumber: other.number, amount: 5_000_00n, isSilent: true })
    opened.clock.advance(20 * minute)
    const from = opened.clock.now()
    const pay = { accountNumber: early.number, amount: 7_000_00n, isSilent: true }
    const late = await opened.emulator.pay(pay)
    const dedicatedAccount = await openOne(opened.rail, dedicated(opened))
    const ids = [late!.id]
    for (let count = 0; count < 101; count += 1) {
      const accountNumber = dedicatedAccount.number
      const paid = await opened.emulator.pay({ accountNumber, amount: 100_00n, isSilent: true })
      ids.push(paid!.id)
    }
    opened.clock.advance(hour)
    const found: string[] = []
    let pages = 0
    for (let after: string | undefined; ; pages += 1) {
      const page = await opened.rail.listPayments({ from, to: opened.clock.now(), after })
      found.push(...page.payments.map(({ id }) => id))
      if (page.next === null) break
      after = page.next
    }
    expect(found.sort()).toEqual(ids.sort())
    expect(pages).toBe(4)
  })

  test('a number that was given to another account finds the right one', async () => {
    const opened = await openRail(db)
    const first = await openOne(opened.rail, temporary(opened))
    await opened.emulator.pay({ accountNumber: first.number, amount: 5_000_00n })
    opened.clock.advance(hour)
    const second = await openOne(opened.rail, temporary(opened))
    expect(second.number).toBe(first.number)
    await opened.emulator.pay({ accountNumber: second.number, amount: 5_001_00n })
    expect(await opened.rail.findPayments(first.railAccount)).toMatchObject([
      { amount: 5_000_00n, railAccount: first.railAccount },
    ])
    expect(await opened.rail.findPayments(second.railAccount)).toMatchObject([
      { amount: 5_001_00n, railAccount: second.railAccount },
    ])
  })
})
