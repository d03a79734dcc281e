import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { day, hour, minute } from '../../../src/base/clock.js'
import { Secret } from '../../../src/base/secret.js'
import type { OpenedAccount } from '../../../src/collections/ports.js'
import { readNotice } from '../../../src/rails/paystack/notices.js'
import { freshDatabase } from '../../support/database.js'
import { dedicated, newReference, opening, openRail, refundOf } from './open-rail.js'

const db = await freshDatabase()

type Open = Awaited<ReturnType<typeof openRail>>

async function openTemporary({ rail }: Open): Promise<OpenedAccount> {
  return (await rail.openAccounts([opening()]))[0] as OpenedAccount
}

async function openDedicated({ rail }: Open): Promise<OpenedAccount> {
  return (await rail.openAccounts([dedicated()]))[0] as OpenedAccount
}

/** Confirms every notice that names a payment. */
async function confirmAll({ rail, readings }: Open) {
  const confirmed = []
  for (const reading of await readings())
    if (reading.kind === 'hint' && reading.hint.about.subject === 'payment')
      confirmed.push(await rail.confirmPayment(reading.hint.about.key))
  return confirmed
}

async function listAll({ rail, clock }: Open, from = new Date(0)) {
  const payments = []
  let after: string | undefined
  do {
    const page = await rail.listPayments({ from, to: new Date(clock.now().getTime() + 1), after })
    payments.push(...page.payments)
    after = page.next ?? undefined
  } while (after !== undefined)
  return payments
}

describe('notices', () => {
  test('a payment into a temporary account is confirmed through the API', async () => {
    const opened = await openRail(db)
    const { number, railAccount } = await openTemporary(opened)
    const senderName = 'JADESOLA OLUWASHINA'
    await opened.emulator.pay({ accountNumber: number, amount: 500_000n, senderName })
    expect(await confirmAll(opened)).toEqual([
      {
        found: 'payment',
        payment: {
          id: '3104021987',
          railAccount,
          amount: 500_000n,
          currency: 'NGN',
          sender: {
            name: senderName,
            accountNumber: expect.stringMatching(/^X{7}\d{3}$/),
            bankCode: '',
            bankName: '',
          },
          bankSessionId: null,
          narration: null,
          receivedAt: new Date('2026-01-05T09:00:00.000Z'),
          providerFee: 17_500n,
        },
      },
    ])
  })

  test('payments into a dedicated account have their own ids', async () => {
    const opened = await openRail(db)
    const { number, railAccount } = await openDedicated(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 1n, narration: 'one' })
    await opened.emulator.pay({ accountNumber: number, amount: 2n, narration: 'two' })
    const confirmed = await confirmAll(opened)
    expect(confirmed).toMatchObject([
      { found: 'payment', payment: { railAccount, amount: 1n, narration: 'one' } },
      { found: 'payment', payment: { railAccount, amount: 2n, narration: 'two' } },
    ])
  })

  test('the number of a closed account means nothing for the next payment', async () => {
    const opened = await openRail(db)
    const first = await openTemporary(opened)
    opened.clock.advance(hour)
    const second = await openTemporary(opened)
    expect(second.number).toBe(first.number)
    await opened.emulator.pay({ accountNumber: second.number, amount: 500_000n })
    expect(await confirmAll(opened)).toMatchObject([
      { payment: { railAccount: second.railAccount } },
    ])
  })

  test('a rejected transfer is named by its account, though the notice has no reference', async () => {
    const opened = await openRail(db)
    const { number, railAccount } = await openTemporary(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 300_000n })
    expect(await confirmAll(opened)).toEqual([
      { found: 'rejected', railAccount, amount: 300_000n, reason: 'INCORRECT_AMOUNT' },
    ])
    expect(await opened.rail.findPayments(railAccount)).toEqual([])
  })

  test('copies have one id', async () => {
    const opened = await openRail(db)
    const { number } = await openTemporary(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 500_000n, copies: 3 })
    const readings = await opened.readings()
    expect(readings).toHaveLength(3)
    expect(new Set(readings.map((one) => one.kind === 'hint' && one.hint.id)).size).toBe(1)
  })

  test('a forged, changed, unsigned or foreign notice is not read', async () => {
    const opened = await openRail(db)
    const other = await openRail(db)
    const { number } = await openTemporary(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 500_000n })
    const [kept] = await opened.readings()
    expect(kept!.kind).toBe('hint')
    const [{ headers, body }] = opened.receiver.received as [(typeof opened.receiver.received)[0]]
    const read = (given: { headers: Record<string, string | string[]>; body: string }) =>
      opened.rail.readNotice(given).kind
    const signature = headers['x-paystack-signature']!
    expect(read({ headers, body: body.replace('500000', '600000') })).toBe('unverified')
    expect(read({ headers: {}, body })).toBe('unverified')
    expect(read({ headers: { 'x-paystack-signature': '' }, body })).toBe('unverified')
    expect(read({ headers: { 'x-paystack-signature': signature.slice(1) }, body })).toBe(
      'unverified',
    )
    expect(other.rail.readNotice({ headers, body }).kind).toBe('unverified')
    opened.emulator.faults.forgesSignature = true
    await opened.emulator.pay({ accountNumber: number, amount: 500_000n })
    expect((await opened.readings()).at(-1)!.kind).toBe('unverified')
  })

  test.each([
    ['not JSON', '{"event":'],
    ['an unknown event', '{"event":"invoice.create","data":{"id":1}}'],
    ['a card', '{"event":"charge.success","data":{"id":1,"channel":"card"}}'],
    ['no id', '{"event":"charge.success","data":{"channel":"bank_transfer"}}'],
    ['an odd id', '{"event":"bank.transfer.rejected","data":{"bank_transfer":{}}}'],
    [
      'a path',
      '{"event":"bank.transfer.rejected","data":{"bank_transfer":{"transaction_id":"../x"}}}',
    ],
    ['a list', '[]'],
    ['a refund without a note', '{"event":"refund.processed","data":{"status":"processed"}}'],
  ])('a signed notice with %s concerns nothing of ours', (_, body) => {
    const key = new Secret('sk_test_1')
    const signature = createHmac('sha512', key.reveal()).update(body).digest('hex')
    const headers = { 'x-paystack-signature': signature }
    expect(readNotice(key, { headers, body })).toEqual({ kind: 'other' })
  })

  test('ids beyond 2^53 stay exact', () => {
    const key = new Secret('sk_test_1')
    const body =
      '{"event":"charge.success","data":{"id":90071992547409931,"channel":"bank_transfer"}}'
    const signature = createHmac('sha512', key.reveal()).update(body).digest('hex')
    const read = readNotice(key, { headers: { 'x-paystack-signature': signature }, body })
    expect(read).toMatchObject({ hint: { about: { key: 'transaction/90071992547409931' } } })
  })

  test('what Paystack does not know, or does not answer, stays unknown', async () => {
    const { emulator, rail } = await openRail(db)
    expect(await rail.confirmPayment('transaction/12345')).toEqual({ found: 'unknown' })
    emulator.faults.down = 'unavailable'
    expect(await rail.confirmPayment('transaction/3104021987')).toEqual({ found: 'unknown' })
  })

  test('an open charge is not a payment', async () => {
    const opened = await openRail(db)
    await openTemporary(opened)
    expect(await opened.rail.confirmPayment('transaction/3104021987')).toEqual({
      found: 'unknown',
    })
  })
})

describe('queries', () => {
  test('payments without a notice are found by account and by period', async () => {
    const opened = await openRail(db)
    const temporary = await openTemporary(opened)
    const permanent = await openDedicated(opened)
    const other = await openDedicated(opened)
    opened.clock.advance(30 * minute)
    const from = opened.clock.now()
    const pay = (accountNumber: string, amount: bigint) =>
      opened.emulator.pay({ accountNumber, amount, isSilent: true })
    await pay(temporary.number, 500_000n)
    for (const amount of [1n, 2n, 3n]) await pay(permanent.number, amount)
    await pay(other.number, 4n)
    expect(await opened.readings()).toEqual([])
    const amounts = async (railAccount: string) =>
      (await opened.rail.findPayments(railAccount)).map(({ amount }) => amount)
    expect(await amounts(temporary.railAccount)).toEqual([500_000n])
    expect(await amounts(permanent.railAccount)).toEqual([3n, 2n, 1n])
    expect(await amounts('unknown')).toEqual([])
    const listed = await listAll(opened, from)
    expect(listed.map(({ railAccount, amount }) => [railAccount, amount])).toEqual([
      [other.railAccount, 4n],
      [permanent.railAccount, 3n],
      [permanent.railAccount, 2n],
      [permanent.railAccount, 1n],
      [temporary.railAccount, 500_000n],
    ])
  })

  test('finding payments of a dedicated account has Paystack ask its bank', async () => {
    const opened = await openRail(db)
    const { number, railAccount } = await openDedicated(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 5n, isSilent: true })
    expect(await opened.rail.findPayments(railAccount)).toHaveLength(1)
    expect(await opened.readings()).toMatchObject([{ kind: 'hint' }])
    // Refused within ten minutes, which changes nothing.
    expect(await opened.rail.findPayments(railAccount)).toHaveLength(1)
    expect(await opened.readings()).toHaveLength(1)
  })

  test('a list of several pages has every payment once', async () => {
    const opened = await openRail(db)
    const { number, railAccount } = await openDedicated(opened)
    for (let amount = 1n; amount <= 250n; amount += 1n)
      await opened.emulator.pay({ accountNumber: number, amount, isSilent: true })
    expect(new Set((await listAll(opened)).map(({ id }) => id)).size).toBe(250)
    expect(await opened.rail.findPayments(railAccount)).toHaveLength(250)
  })

  // A payment that we refunded is in our books, and must not be missing at the bank. One that a
  // person refunded at Paystack must not be credited: its money is gone.
  test('a refunded payment counts only if we refunded it', async () => {
    const opened = await openRail(db)
    const ours = await openTemporary(opened)
    const theirs = await openTemporary(opened)
    const pay = async (accountNumber: string) =>
      (await opened.emulator.pay({ accountNumber, amount: 500_000n, isSilent: true }))!.id
    const ourPayment = await pay(ours.number)
    const theirPayment = await pay(theirs.number)
    const reference = newReference('rf')
    opened.emulator.faults.arePayoutsHeld = true
    await opened.pay({ amount: 500_000n, reference, destination: refundOf(ourPayment) })
    await opened.post('/refund', { transaction: theirPayment, merchant_note: 'Asked by phone' })
    expect(opened.emulator.settle(reference.replace('_', '-'), 'success')).toBe(true)
    expect(opened.emulator.settle('Asked by phone', 'success')).toBe(true)
    expect((await listAll(opened)).map(({ id }) => id)).toEqual([ourPayment])
    expect(await opened.rail.findPayments(ours.railAccount)).toHaveLength(1)
    expect(await opened.rail.findPayments(theirs.railAccount)).toEqual([])
    const confirmed = await opened.rail.confirmPayment(`transaction/${theirPayment}`)
    expect(confirmed).toEqual({ found: 'nothing' })
  })

  test('an outage is never an empty list', async () => {
    const opened = await openRail(db)
    const { railAccount } = await openTemporary(opened)
    opened.emulator.faults.down = 'unavailable'
    await expect(opened.rail.findPayments(railAccount)).rejects.toThrow()
    await expect(listAll(opened)).rejects.toThrow()
  })

  test('a period long ago is listed, too', async () => {
    const opened = await openRail(db)
    const { number } = await openDedicated(opened)
    await opened.emulator.pay({ accountNumber: number, amount: 9n, isSilent: true })
    opened.clock.advance(30 * day)
    expect(await listAll(opened)).toHaveLength(1)
    expect(await listAll(opened, opened.clock.now())).toHaveLength(0)
  })
})
