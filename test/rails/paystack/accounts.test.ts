import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/base/clock.js'
import { Refusal } from '../../../src/base/refusal.js'
import type { OpenedAccount } from '../../../src/collections/ports.js'
import { freshDatabase } from '../../support/database.js'
import { dedicated, opening, openRail } from './open-rail.js'

const db = await freshDatabase()

describe('temporary accounts', () => {
  test('is opened under our reference, with the bank of the answer', async () => {
    const { rail } = await openRail(db)
    const request = opening()
    const [opened] = await rail.openAccounts([request])
    expect(opened).toEqual({
      railAccount: request.reference,
      number: expect.stringMatching(/^\d{10}$/),
      accountName: 'TEST-MANAGED-ACCOUNT',
      bankCode: '001',
      bankName: 'Test Bank',
      expiresAt: new Date('2026-01-05T10:00:00.000Z'),
    })
  })

  test('lives as long as Paystack says, and no longer than it allows', async () => {
    const { clock, rail } = await openRail(db)
    const lives = (lifetimeMs: number) => {
      const expiresAt = new Date(clock.now().getTime() + lifetimeMs)
      return opening({ expected: { amount: 5_000n, expiresAt, lifetimeMs } })
    }
    const [short, long, tooLong] = await rail.openAccounts([
      lives(minute),
      lives(8 * hour),
      lives(8 * hour + 1),
    ])
    const now = clock.now().getTime()
    expect((short as OpenedAccount).expiresAt).toEqual(new Date(now + 15 * minute))
    expect((long as OpenedAccount).expiresAt).toEqual(new Date(now + 8 * hour))
    expect(tooLong).toBeInstanceOf(Refusal)
    expect((tooLong as Refusal).message).toContain('at most 8 hours')
  })

  test('repeated and racing requests get one number', async () => {
    const { rail, open } = await openRail(db)
    const request = opening()
    const raced = await Promise.all(
      Array.from({ length: 8 }, () => open(db).openAccounts([request])),
    )
    const repeated = await rail.openAccounts([request])
    const numbers = [...raced.flat(), ...repeated].map((one) => (one as OpenedAccount).number)
    expect(new Set(numbers).size).toBe(1)
  })

  test.each([false, true])(
    'a lost answer is recovered, if the pending account is hidden: %s',
    async (hidesPendingAccounts) => {
      const { emulator, rail, readings } = await openRail(db, { hidesPendingAccounts })
      const request = opening()
      emulator.faults.lostOpenings = 1
      const [lost] = await rail.openAccounts([request])
      expect(lost).toMatchObject({ reason: 'rail_unavailable' })
      const [opened] = await rail.openAccounts([request])
      const { number, railAccount } = opened as OpenedAccount
      await emulator.pay({ accountNumber: number, amount: 500_000n })
      const [reading] = await readings()
      expect(reading).toMatchObject({ kind: 'hint' })
      const [payment] = await rail.findPayments(railAccount)
      expect(payment).toMatchObject({ railAccount: request.reference, amount: 500_000n })
    },
  )

  test('an account that another database opened is found again', async () => {
    const { rail, open } = await openRail(db)
    const request = opening()
    const [first] = await rail.openAccounts([request])
    const [again] = await open(await freshDatabase()).openAccounts([request])
    expect(again).toEqual(first)
  })

  test('refuses less than 50 naira, and passes on why Paystack refused', async () => {
    const { rail, open } = await openRail(db)
    const expected = { amount: 4_999n, expiresAt: new Date(0), lifetimeMs: hour }
    const [little] = await rail.openAccounts([opening({ expected })])
    expect((little as Refusal).message).toContain('at least ₦50.00 (5000 kobo)')
    const [odd] = await open(await freshDatabase()).openAccounts([
      opening({ reference: 'va_with_underscores' }),
    ])
    expect(odd).toMatchObject({ reason: 'account_refused' })
    expect((odd as Refusal).message).toContain('Paystack refused: Invalid reference')
  })

  test('closing does nothing', async () => {
    const { rail, emulator } = await openRail(db)
    const [opened] = (await rail.openAccounts([opening()])) as [OpenedAccount]
    await rail.closeAccounts([opened.railAccount])
    const paid = await emulator.pay({ accountNumber: opened.number, amount: 500_000n })
    expect(paid!.result).toBe('received')
  })
})

describe('dedicated accounts', () => {
  test('each reference has its own account, even for one customer', async () => {
    const { rail } = await openRail(db)
    const [one, other] = [dedicated(), dedicated()]
    const opened = (await rail.openAccounts([one, other])) as [OpenedAccount, OpenedAccount]
    expect(opened[0]).toEqual({
      railAccount: one.reference,
      number: expect.stringMatching(/^993\d{7}$/),
      accountName: 'EMULATED BUSINESS / ADA OBI',
      bankCode: '100039',
      bankName: 'Paystack-Titan',
      expiresAt: null,
    })
    expect(opened[1].number).not.toBe(opened[0].number)
    expect(await rail.openAccounts([one, other])).toEqual(opened)
  })

  test('needs a name and a phone number', async () => {
    const { rail } = await openRail(db)
    const { customer } = dedicated()
    const [none] = await rail.openAccounts([dedicated({ customer: null })])
    expect((none as Refusal).message).toContain('customer.name is required')
    const [silent] = await rail.openAccounts([
      dedicated({ customer: { ...customer!, phone: null } }),
    ])
    expect((silent as Refusal).message).toContain('customer.phone is required')
  })

  test('a lost answer is recovered', async () => {
    const { emulator, rail, get } = await openRail(db)
    const request = dedicated()
    emulator.faults.lostOpenings = 1
    const [lost] = await rail.openAccounts([request])
    expect(lost).toMatchObject({ reason: 'rail_unavailable' })
    const [opened] = (await rail.openAccounts([request])) as [OpenedAccount]
    const { data } = (await get('/dedicated_account')).json
    expect(data.map((row: { account_number: string }) => row.account_number)).toEqual([
      opened.number,
    ])
  })

  test('can be closed, also twice', async () => {
    const { emulator, rail } = await openRail(db)
    const [opened] = (await rail.openAccounts([dedicated()])) as [OpenedAccount]
    await rail.closeAccounts([opened.railAccount])
    await rail.closeAccounts([opened.railAccount])
    const paid = await emulator.pay({ accountNumber: opened.number, amount: 1_000n })
    expect(paid!.result).toBe('rejected')
  })
})

test('a dead provider is refused fast, and used again when it answers', async () => {
  const { clock, emulator, rail } = await openRail(db)
  await rail.openAccounts([opening()])
  emulator.faults.down = 'unavailable'
  for (let call = 0; call < 5; call += 1) await rail.openAccounts([opening()])
  emulator.faults.down = 'no'
  const [refused] = await rail.openAccounts([opening()])
  expect(refused).toMatchObject({ reason: 'rail_unavailable' })
  clock.advance(minute)
  const [opened] = await rail.openAccounts([opening()])
  expect(opened).not.toBeInstanceOf(Refusal)
})
