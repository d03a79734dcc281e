import { beforeAll, describe, expect, test } from 'vitest'
import { day, hour, minute } from '../../../src/base/clock.js'
import { Refusal } from '../../../src/base/refusal.js'
import { Secret } from '../../../src/base/secret.js'
import type { NoticeReading } from '../../../src/collections/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import { freshDatabase } from '../../support/database.js'
import { dedicated, newAccountReference, openFlutterwave, temporary } from './open-rail.js'

let db: Database
beforeAll(async () => {
  db = await freshDatabase()
})

const open = () => openFlutterwave(db)

function keyOf(reading: NoticeReading): string {
  if (reading.kind !== 'hint' || reading.hint.about.subject !== 'payment')
    throw new Error(`not a payment: ${JSON.stringify(reading)}`)
  return reading.hint.about.key
}

describe('temporary accounts', () => {
  test('are named by our reference and say when they close', async () => {
    const { clock, openGood } = await open()
    const opening = temporary()
    expect(await openGood(opening)).toEqual({
      railAccount: opening.reference,
      number: expect.stringMatching(/^\d{10}$/),
      accountName: 'Ada Stores',
      bankCode: '035',
      bankName: 'WEMA BANK',
      expiresAt: new Date(clock.now().getTime() + 30 * minute),
    })
  })

  test('are the same when asked for again, also by requests that race', async () => {
    const { openGood } = await open()
    const opening = temporary()
    const opened = await Promise.all(Array.from({ length: 8 }, () => openGood(opening)))
    opened.push(await openGood(opening))
    expect(new Set(opened.map(({ number }) => number)).size).toBe(1)
  })

  test('a lost answer is no failure: a payment into either account finds its way', async () => {
    const { emulator, rail, openOne, openGood } = await open()
    emulator.faults.lostOpenings = 1
    const opening = temporary()
    const first = await openOne(opening)
    expect(first).toBeInstanceOf(Refusal)
    expect((first as Refusal).reason).toBe('rail_unavailable')
    const { number } = await openGood(opening)
    const forgotten = toNuban({ bankCode: '035', serial: '880000001' })
    for (const accountNumber of [forgotten, number])
      expect((await emulator.pay({ accountNumber, amount: 100n }))?.result).toBe('received')
    const payments = await rail.findPayments(opening.reference)
    expect(payments).toHaveLength(2)
    expect(payments.every(({ railAccount }) => railAccount === opening.reference)).toBe(true)
  })

  test('the bound of an hour is refused with its name', async () => {
    const { openOne } = await open()
    const expected = { amount: 100n, expiresAt: new Date(), lifetimeMs: hour + 1 }
    const refusal = (await openOne(temporary({ expected }))) as Refusal
    expect(refusal.message).toMatch(/^expiresAt must be at most 1 hours? ahead/)
  })

  test('a setting that lets payers bear the fee is refused in words', async () => {
    const { emulator, openOne } = await open()
    emulator.setFeesPaidBy('payer')
    const refusal = (await openOne(temporary())) as Refusal
    expect(refusal.reason).toBe('account_refused')
    expect(refusal.message).toContain('let the merchant bear the fees')
  })

  test('without an answer, new requests are soon refused without waiting', async () => {
    const { emulator, lines, openOne } = await open()
    emulator.faults.down = 'unavailable'
    for (let index = 0; index < 8; index += 1)
      expect(((await openOne(temporary())) as Refusal).reason).toBe('rail_unavailable')
    const written = lines.join('')
    expect(written).toContain('not called, the provider is down')
    for (const secret of Object.values(emulator.variables).filter((one) => !one.includes('://')))
      expect(written).not.toContain(secret)
  })
})

describe('dedicated accounts', () => {
  test('need a BVN or NIN, which is never logged', async () => {
    const { openOne, openGood, lines } = await open()
    const refusal = (await openOne(dedicated({ bvn: null }))) as Refusal
    expect(refusal.message).toContain('customer.bvn is required by the bank, or customer.nin;')
    const byNin = await openGood(dedicated({ bvn: null, nin: new Secret('33333333333') }))
    expect(byNin).toMatchObject({ accountName: 'Ada Stores', expiresAt: null })
    const wrong = (await openOne(dedicated({ bvn: new Secret('22') }))) as Refusal
    expect(wrong.message).toBe(
      'The bank does not accept this BVN or NIN. Check it with the customer.',
    )
    expect(lines.join('')).not.toMatch(/33333333333|22222222222/)
  })

  test('payments into one share a reference and are told apart by their ids', async () => {
    const { emulator, rail, openGood } = await open()
    const { railAccount, number } = await openGood(dedicated())
    for (let index = 1; index <= 25; index += 1)
      await emulator.pay({ accountNumber: number, amount: BigInt(index) })
    const payments = await rail.findPayments(railAccount)
    expect(new Set(payments.map(({ id }) => id)).size).toBe(25)
    expect(payments.reduce((sum, { amount }) => sum + amount, 0n)).toBe(325n)
  })

  test('can be closed, once and again', async () => {
    const { emulator, rail, openGood } = await open()
    const { railAccount, number } = await openGood(dedicated())
    await rail.closeAccounts([railAccount])
    await rail.closeAccounts([railAccount])
    expect((await emulator.pay({ accountNumber: number, amount: 1n }))?.result).toBe('rejected')
  })
})

describe('notices', () => {
  async function openPaid() {
    const opened = await open()
    const account = await opened.openGood(temporary())
    const paid = await opened.emulator.pay({
      accountNumber: account.number,
      amount: 150_050n,
      senderName: 'JOHN DOE',
      senderAccountNumber: '1234567890',
    })
    return { ...opened, account, paid: paid! }
  }

  test('lead to a payment that the API confirms', async () => {
    const { clock, rail, account, paid, lastNotice } = await openPaid()
    const reading = rail.readNotice(await lastNotice())
    expect(reading).toEqual({
      kind: 'hint',
      hint: {
        id: `charge/${paid.id}/successful`,
        about: { subject: 'payment', key: paid.id },
      },
    })
    expect(await rail.confirmPayment(keyOf(reading))).toEqual({
      found: 'payment',
      payment: {
        id: paid.id,
        railAccount: account.railAccount,
        amount: 150_050n,
        currency: 'NGN',
        sender: {
          name: 'JOHN DOE',
          accountNumber: '123*******90',
          bankCode: '044',
          bankName: 'Access Bank',
        },
        bankSessionId: null,
        narration: 'Transfer to Ada Stores',
        receivedAt: clock.now(),
        // 1.4 %, rounded up.
        providerFee: 2_101n,
      },
    })
  })

  test('without the secret, or with another one, are not verified', async () => {
    const { rail, lastNotice } = await openPaid()
    const { body } = await lastNotice()
    for (const headers of [{}, { 'verif-hash': '' }, { 'verif-hash': 'emulated' }])
      expect(rail.readNotice({ headers, body })).toEqual({ kind: 'unverified' })
  })

  test('a body that was changed changes nothing', async () => {
    const { rail, paid, lastNotice } = await openPaid()
    const { headers, body } = await lastNotice()
    const changed = JSON.parse(body)
    changed.data.amount = 9_999_999
    changed.data.tx_ref = 'va-somebody-else'
    const reading = rail.readNotice({ headers, body: JSON.stringify(changed) })
    expect(await rail.confirmPayment(keyOf(reading))).toMatchObject({
      found: 'payment',
      payment: { id: paid.id, amount: 150_050n },
    })
  })

  test('the older shape leads to the same hint', async () => {
    const { emulator, rail, openGood, lastNotice } = await open()
    const { number } = await openGood(dedicated())
    emulator.setNoticeShape('older')
    const paid = await emulator.pay({ accountNumber: number, amount: 7n })
    expect(rail.readNotice(await lastNotice())).toMatchObject({
      kind: 'hint',
      hint: { id: `charge/${paid!.id}/successful` },
    })
  })

  test('an unknown id is not decided, and an outage neither', async () => {
    const { emulator, rail } = await open()
    expect(await rail.confirmPayment('17')).toEqual({ found: 'unknown' })
    emulator.faults.down = 'refused'
    expect(await rail.confirmPayment('17')).toEqual({ found: 'unknown' })
  })

  test.each([
    'not json',
    '[]',
    '{}',
    '{"event":"charge.completed"}',
    '{"event":"charge.completed","data":{"id":"1/../2"}}',
    '{"id":1,"AmountRefunded":5,"status":"failed","FlwRef":"x","TransactionId":2}',
    '{"event":"transfer.completed","data":{"id":5}}',
  ])('%s is acknowledged and leads nowhere', async (body) => {
    const { emulator, rail } = await open()
    const headers = { 'verif-hash': emulator.variables.FLUTTERWAVE_WEBHOOK_SECRET }
    expect(rail.readNotice({ headers, body })).toEqual({ kind: 'other' })
  })
})

describe('payments', () => {
  test('without a notice are listed, page by page, with days to spare', async () => {
    const { clock, emulator, rail, openGood } = await open()
    const { number, railAccount } = await openGood(dedicated())
    const from = clock.now()
    for (let index = 0; index < 23; index += 1) {
      await emulator.pay({ accountNumber: number, amount: 100n, isSilent: true })
      clock.advance(hour)
    }
    const found = []
    let after: string | undefined
    do {
      const page = await rail.listPayments({ from, to: clock.now(), after })
      found.push(...page.payments)
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(new Set(found.map(({ id }) => id))).toEqual(
      new Set(emulator.books().payments.map(({ id }) => id)),
    )
    expect(found.every((payment) => payment.railAccount === railAccount)).toBe(true)
    const later = { from: new Date(from.getTime() + 3 * day), to: clock.now(), after: undefined }
    expect((await rail.listPayments(later)).payments).toEqual([])
  })

  test('are found at once although the list shows them late', async () => {
    const { emulator, rail, openGood } = await open()
    const { number, railAccount } = await openGood(temporary())
    emulator.faults.listDelayMs = hour
    await emulator.pay({ accountNumber: number, amount: 150_050n, isSilent: true })
    expect(await rail.findPayments(railAccount)).toMatchObject([
      { amount: 150_050n, sender: { accountNumber: expect.stringContaining('*') } },
    ])
  })

  test('of a reference that no account has are reported as they are', async () => {
    const { emulator, rail } = await open()
    const txRef = newAccountReference()
    const response = await fetch(`${emulator.url}/charges?type=bank_transfer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.variables.FLUTTERWAVE_SECRET_KEY}` },
      body: JSON.stringify({ tx_ref: txRef, amount: '1', email: 'a@example.com' }),
    })
    const { meta } = (await response.json()) as {
      meta: { authorization: { transfer_account: string } }
    }
    const accountNumber = meta.authorization.transfer_account
    const paid = await emulator.pay({ accountNumber, amount: 100n })
    expect(await rail.confirmPayment(paid!.id)).toMatchObject({
      found: 'payment',
      payment: { railAccount: txRef },
    })
    expect(await rail.findPayments(txRef)).toEqual([])
  })
})
