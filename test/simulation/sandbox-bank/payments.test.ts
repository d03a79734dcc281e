import { describe, expect, test } from 'vitest'
import { after } from '../../../src/base/clock.js'
import { limits } from '../../../src/base/limits.js'
import type { BankSender, ReportedPayment } from '../../../src/collections/ports.js'
import { sql } from '../../../src/postgres/sql.js'
import { nigerianBanks } from '../../../src/rails/banks.js'
import { accountNameOf } from '../../../src/simulation/sandbox-bank/account-names.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { openSession, untilInTheWay } from '../../support/sessions.js'
import { magicNumber, openBank } from './open-bank.js'
import { newPaymentId, openAccount, payIn, paymentInto } from './pay-in.js'

const db = await freshDatabase()

/** Relative to the start time of every clock in these tests. */
function later(durationMs: number): Date {
  return after(manualClock().now(), durationMs)
}

async function listAll(
  bank: ReturnType<typeof openBank>['bank'],
  period: { from: Date; to: Date },
): Promise<ReportedPayment[]> {
  const all: ReportedPayment[] = []
  let next: string | null = null
  do {
    const page = await bank.listPayments({ ...period, after: next ?? undefined })
    all.push(...page.payments)
    next = page.next
  } while (next)
  return all
}

describe('a payment', () => {
  test('is found as it was paid', async () => {
    const { bank } = openBank(db)
    const accountNumber = await openAccount(bank)
    const paidAt = later(-60_000)
    const sender = {
      name: 'OBI ADA',
      accountNumber: '0123456789',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
    }
    const notice = await payIn(bank, {
      accountNumber,
      amount: 9_007_199_254_740_991n,
      narration: 'Invoice 7',
      sender,
      paidAt,
    })
    expect(notice).toEqual({
      id: notice.id,
      railAccount: accountNumber,
      amount: 9_007_199_254_740_991n,
      currency: 'NGN',
      sender,
      bankSessionId: expect.stringMatching(/^000058260105085900\d{12}$/),
      narration: 'Invoice 7',
      receivedAt: paidAt,
    })
    expect(await bank.findPayments(accountNumber)).toEqual([notice])
  })

  test('is recorded once, also under concurrent repeats', async () => {
    const { bank } = openBank(db)
    const accountNumber = await openAccount(bank)
    const payment = paymentInto(accountNumber)
    const banks = Array.from({ length: 4 }, () => openBank(db).bank)
    const notices = await Promise.all(
      banks.flatMap((one) => Array.from({ length: 10 }, () => one.receivePayment(payment))),
    )
    const changed = { ...payment, amount: 1n, copies: 5, narration: 'other' }
    notices.push(await bank.receivePayment(changed))
    for (const notice of notices) expect(notice).toEqual(notices[0])
    expect(notices[0]!.amount).toBe(500_000n)
    expect(await bank.findPayments(accountNumber)).toEqual([notices[0]])
    const due = await db.rows(sql`
      select copies from sandbox_notices where payment_id = ${payment.id}`)
    expect(due).toEqual([{ copies: 1 }])
  })

  test('into an unknown account is refused alone', async () => {
    const { bank } = openBank(db)
    const accountNumber = await openAccount(bank)
    const unknown = paymentInto('0123456789')
    const [refused, accepted] = await Promise.all([
      bank.receivePayment(unknown),
      bank.receivePayment(paymentInto(accountNumber)),
    ])
    expect(refused).toBeUndefined()
    expect(await bank.findPayments(accountNumber)).toEqual([accepted])
    expect(await bank.findPayments('0123456789')).toEqual([])
    expect(await bank.receivePayment({ ...unknown, accountNumber })).toMatchObject({
      id: unknown.id,
    })
  })

  test('into a closed account still arrives', async () => {
    const { bank } = openBank(db)
    const accountNumber = await openAccount(bank)
    await bank.closeAccounts([accountNumber])
    expect(await payIn(bank, { accountNumber })).toMatchObject({ railAccount: accountNumber })
  })

  test.each([
    [{ copies: 0 }],
    [{ copies: limits.testMode.noticeCopiesMax + 1 }],
    [{ copies: 1.5 }],
    [{ delayMs: -1 }],
    [{ id: 'pay_1' }],
  ])('%j is rejected as a bug of the caller', async (more) => {
    const { bank } = openBank(db)
    const accountNumber = await openAccount(bank)
    await expect(bank.receivePayment(paymentInto(accountNumber, more))).rejects.toThrow()
    expect(await bank.findPayments(accountNumber)).toEqual([])
  })

  test('can have a zero or negative amount or another currency', async () => {
    const { bank } = openBank(db)
    expect(await payIn(bank, { amount: 0n })).toMatchObject({ amount: 0n })
    expect(await payIn(bank, { amount: -5n })).toMatchObject({ amount: -5n })
    expect(await payIn(bank, { currency: 'USD' })).toMatchObject({ currency: 'USD' })
  })

  test('is never edited', async () => {
    await payIn(openBank(db).bank)
    const refusal = 'never edited or removed'
    await expect(db.rows(sql`update sandbox_payments set amount = 1`)).rejects.toThrow(refusal)
    await expect(db.rows(sql`delete from sandbox_payments`)).rejects.toThrow(refusal)
  })
})

describe('a sender', () => {
  test('without details has an account at a real bank, always the same for a payment', async () => {
    const [one, other] = [openBank(await freshDatabase()), openBank(await freshDatabase())]
    const ids = Array.from({ length: 100 }, newPaymentId)
    const sendersAt = async ({ bank }: typeof one) => {
      const accountNumber = await openAccount(bank)
      const payments = await Promise.all(ids.map((id) => payIn(bank, { id, accountNumber })))
      return payments.map(({ sender }) => sender as BankSender)
    }
    const senders = await sendersAt(one)
    expect(await sendersAt(other)).toEqual(senders)
    expect(new Set(senders.map(({ accountNumber }) => accountNumber)).size).toBe(ids.length)
    for (const { name, accountNumber, bankCode, bankName } of senders) {
      expect(nigerianBanks).toContainEqual({ code: bankCode, name: bankName })
      expect(toNuban({ bankCode, serial: accountNumber.slice(0, 9) })).toBe(accountNumber)
      expect(name).toBe(accountNameOf(accountNumber))
    }
  })

  test.each<[Partial<BankSender>, Partial<BankSender>]>([
    [{ accountNumber: magicNumber(1) }, { bankCode: '999', name: accountNameOf(magicNumber(1)) }],
    [{ bankCode: '044' }, { bankCode: '044', bankName: 'Access Bank' }],
    [{ name: 'ADA' }, { name: 'ADA' }],
    [{ bankCode: '77777' }, { bankName: 'Bank 77777' }],
  ])('with %j becomes %j', async (sender, expected) => {
    expect(await payIn(openBank(db).bank, { sender })).toMatchObject({ sender: expected })
  })

  test('can be masked to the last four digits wherever the payment is shown', async () => {
    const own = await freshDatabase()
    const { bank, clock } = openBank(own)
    const sender = { accountNumber: '0123456789' }
    const notice = await payIn(bank, { sender, isSenderMasked: true })
    expect(notice.sender).toMatchObject({
      accountNumber: '******6789',
      name: accountNameOf('0123456789'),
    })
    expect(await bank.findPayments(notice.railAccount)).toEqual([notice])
    const period = { from: clock.now(), to: later(1) }
    expect(await listAll(bank, period)).toEqual([notice])
  })

  test('can be unknown', async () => {
    const { bank } = openBank(db)
    const notice = await payIn(bank, { sender: null, isSenderMasked: true })
    expect(notice.sender).toBeNull()
    expect(await bank.findPayments(notice.railAccount)).toEqual([notice])
  })
})

describe('the list of payments', () => {
  test('has each payment in one of two adjacent periods, by the time the bank recorded it', async () => {
    const { bank, clock } = openBank(await freshDatabase())
    const accountNumber = await openAccount(bank)
    const from = clock.now()
    const paySome = (paidAt: Date, count: number) =>
      Promise.all(Array.from({ length: count }, () => payIn(bank, { accountNumber, paidAt })))
    const first = await paySome(later(9_999_999), sandboxBankLimits.statementLinesMax + 10)
    clock.advance(1_000)
    const middle = clock.now()
    const rest = await paySome(later(-9_999_999), 10)
    clock.advance(1_000)
    const ids = (payments: ReportedPayment[]) => payments.map(({ id }) => id).toSorted()
    expect(ids(await listAll(bank, { from, to: middle }))).toEqual(ids(first))
    expect(ids(await listAll(bank, { from: middle, to: clock.now() }))).toEqual(ids(rest))
  })

  // In a list sorted by time, a row written between two pages by a slow clock would precede the
  // cursor.
  test('includes payments recorded between two pages with an earlier time', async () => {
    const own = await freshDatabase()
    const { bank, clock } = openBank(own)
    const behind = openBank(own)
    const accountNumber = await openAccount(bank)
    const period = { from: clock.now(), to: later(60_000) }
    clock.advance(1_000)
    const many = Array.from({ length: sandboxBankLimits.statementLinesMax }, () =>
      payIn(bank, { accountNumber }),
    )
    await Promise.all(many)
    const page = await bank.listPayments({ ...period, after: undefined })
    const late = await payIn(behind.bank, { accountNumber })
    const next = await bank.listPayments({ ...period, after: page.next! })
    expect(next).toEqual({ payments: [late], next: null, unreadable: 0 })
  })

  // A sequence number drawn first may be committed last, after a reader has passed it. Here a
  // payment is blocked before its commit while another one is recorded.
  test('never shows a line before an earlier line is committed', async () => {
    const own = await freshDatabase()
    const { bank } = openBank(own)
    const accountNumber = await openAccount(bank)
    const session = await openSession(own)
    // The notice is written after the payment has its line.
    await session.query(`
      create function wait_for_test() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(42); return new; end';
      create trigger wait_for_test before insert on sandbox_notices
        for each row execute function wait_for_test()`)
    await session.query('begin')
    await session.query('select pg_advisory_xact_lock(42)')
    const held = payIn(bank, { accountNumber })
    await untilInTheWay(own, session)
    const silent = payIn(openBank(own).bank, { accountNumber, isSilent: true })
    const hasOvertaken = await Promise.race([
      silent.then(() => true),
      new Promise((resolve) => setTimeout(resolve, 300, false)),
    ])
    await session.query('rollback')
    const notices = [await held, await silent]
    expect(hasOvertaken).toBe(false)
    expect(await bank.findPayments(accountNumber)).toEqual(notices)
  })

  test('read during many payments gives every reader each payment once', async () => {
    const own = await freshDatabase()
    const { bank, clock } = openBank(own)
    const accountNumber = await openAccount(bank)
    const period = { from: clock.now(), to: later(1) }
    const perBank = Math.ceil(sandboxBankLimits.statementLinesMax * 0.7)
    let isPaying = true
    // A few at a time: payments wait for each other's commit, for two seconds at most.
    const payAll = async (from: ReturnType<typeof openBank>['bank']) => {
      const ids: string[] = []
      while (ids.length < perBank) {
        const paid = await Promise.all(
          Array.from({ length: 20 }, () => payIn(from, { accountNumber })),
        )
        ids.push(...paid.map(({ id }) => id))
      }
      return ids
    }
    const paying = Promise.all([bank, openBank(own).bank, openBank(own).bank].map(payAll)).finally(
      () => {
        isPaying = false
      },
    )
    const read = async () => {
      const ids: string[] = []
      let after: string | undefined
      for (let isLast = false; ; ) {
        const page = await bank.listPayments({ ...period, after })
        ids.push(...page.payments.map(({ id }) => id))
        after = page.next ?? after
        if (page.next) continue
        if (isLast) return ids
        // The last page so far: read it again from its start.
        ids.length -= page.payments.length
        isLast = !isPaying
      }
    }
    const [paid, ...readers] = await Promise.all([paying, read(), read()])
    const ids = paid.flat().toSorted()
    for (const reader of readers) expect(reader.toSorted()).toEqual(ids)
  })
})
