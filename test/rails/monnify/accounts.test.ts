import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/base/clock.js'
import { Refusal } from '../../../src/base/refusal.js'
import { freshDatabase } from '../../support/database.js'
import { dedicated, openOne, openRail, temporary } from './open-rail.js'

const db = await freshDatabase()

describe('temporary accounts', () => {
  test('an invoice gives a number with the expiry that was asked for', async () => {
    const opened = await openRail(db)
    const opening = temporary(opened)
    const account = await openOne(opened.rail, opening)
    expect(account).toMatchObject({
      railAccount: opening.reference,
      accountName: 'Ada Stores',
      bankCode: '035',
      bankName: 'Wema bank',
      expiresAt: opening.expected!.expiresAt,
    })
    expect(account.number).toMatch(/^\d{10}$/)
  })

  test('an expiry within a second is not cut short', async () => {
    const opened = await openRail(db)
    opened.clock.advance(1)
    const opening = temporary(opened)
    const { expiresAt } = await openOne(opened.rail, opening)
    expect(expiresAt!.getTime()).toBe(opening.expected!.expiresAt.getTime() + 999)
  })

  test('a repeated, a racing and an unanswered opening give one account', async () => {
    const opened = await openRail(db)
    const opening = temporary(opened)
    const racing = await Promise.all([1, 2, 3].map(() => openOne(opened.rail, opening)))
    expect(new Set(racing.map(({ number }) => number)).size).toBe(1)

    opened.emulator.faults.lostOpenings = 1
    const lost = temporary(opened)
    const [refused] = await opened.rail.openAccounts([lost])
    expect(refused).toMatchObject({ reason: 'rail_unavailable' })
    const found = await openOne(opened.rail, lost)
    expect(found.number).toMatch(/^\d{10}$/)
    expect(await openOne(opened.rail, lost)).toEqual(found)
  })

  test('too long, too small and too short openings', async () => {
    const opened = await openRail(db)
    const opening = temporary(opened)
    const expected = opening.expected!
    const long = { ...expected, lifetimeMs: 25 * hour }
    expect(await opened.rail.openAccounts([{ ...opening, expected: long }])).toMatchObject([
      { code: 'validation_failed', details: [{ field: 'expiresAt' }] },
    ])
    const small = { ...expected, amount: 19_99n }
    expect(await opened.rail.openAccounts([{ ...opening, expected: small }])).toMatchObject([
      { code: 'validation_failed' },
    ])
    const short = { ...expected, lifetimeMs: 1 }
    const account = await openOne(opened.rail, { ...opening, expected: short })
    expect(account.expiresAt!.getTime()).toBe(opened.clock.now().getTime() + minute)
  })

  test('a closed account takes no more money, and closing repeats', async () => {
    const opened = await openRail(db)
    const account = await openOne(opened.rail, temporary(opened))
    await opened.rail.closeAccounts([account.railAccount])
    await opened.rail.closeAccounts([account.railAccount])
    const paid = await opened.emulator.pay({ accountNumber: account.number, amount: 5_000_00n })
    expect(paid?.result).toBe('rejected')
  })
})

describe('dedicated accounts', () => {
  test('are reserved with the BVN, once per reference', async () => {
    const opened = await openRail(db)
    const opening = dedicated(opened)
    opened.emulator.faults.lostOpenings = 1
    const [lost] = await opened.rail.openAccounts([opening])
    expect(lost).toBeInstanceOf(Refusal)
    const account = await openOne(opened.rail, opening)
    expect(account).toMatchObject({ bankCode: '035', accountName: 'Ada Stores', expiresAt: null })
    await opened.rail.closeAccounts([account.railAccount])
    const paid = await opened.emulator.pay({ accountNumber: account.number, amount: 1_00n })
    expect(paid?.result).toBe('rejected')
    expect(opened.logged.join()).not.toContain('22222222226')
  })

  test('need a BVN or NIN in live mode only', async () => {
    const live = await openRail(db)
    const opening = dedicated(live)
    const anonymous = { ...opening, customer: null }
    expect(await live.rail.openAccounts([anonymous])).toMatchObject([
      { code: 'validation_failed', details: [{ field: 'customer.bvn' }] },
    ])
    const sandbox = await openRail(db, { mode: 'test', isSandbox: true })
    expect((await openOne(sandbox.rail, anonymous)).number).toMatch(/^\d{10}$/)
  })

  test('a refused BVN is named', async () => {
    const opened = await openRail(db, { mode: 'test', needsIdentity: true })
    const anonymous = { ...dedicated(opened), customer: null }
    expect(await opened.rail.openAccounts([anonymous])).toMatchObject([
      { reason: 'account_refused', message: expect.stringContaining('BVN') },
    ])
  })
})
