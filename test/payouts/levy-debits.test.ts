import { describe, expect, test } from 'vitest'
import { hour } from '../../src/base/clock.js'
import { providers } from '../../src/base/config.js'
import type { LevyDebitKind } from '../../src/payouts/levies/levy.js'
import { reportLevies } from '../../src/payouts/levies/report-levies.js'
import { addLevy, addLevyDebit } from '../../src/payouts/levies/store-levies.js'
import { openEmulatedBank } from '../rails/contract/emulated-bank.js'
import { openWorld } from '../rails/contract/open-world.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Providers that debit the duty, and that do not: what is set must be what they do. */
describe.each(providers)('%s', async (provider) => {
  const world = await openWorld((tools) => openEmulatedBank(provider, tools))
  const { db, clock, bank, compare, open } = world
  const rail = bank.rail.name
  const start = clock.now()
  await db.transaction((tx) =>
    addLevy(tx, start, {
      kind: 'stamp_duty',
      mode: bank.mode,
      rail,
      threshold: 1_000_000n,
      amount: 5_000n,
      exempts: ['salary'],
      holdsFrom: start,
      holdsUntil: null,
      createdBy: 'ada',
    }),
  )
  clock.advance(1_000)
  const shop = await open()
  await shop.earn()

  const set = (debits: LevyDebitKind, since = clock.now()) =>
    db.transaction((tx) => addLevyDebit(tx, clock.now(), { rail, debits, since, createdBy: 'ada' }))

  /** A transfer made while the provider behaves like this. */
  async function pay(debitsStampDuty: LevyDebitKind, more: object = {}): Promise<string> {
    clock.advance(1_000)
    bank.faults.debitsStampDuty = debitsStampDuty
    const reference = await shop.payOut('ordinary', more)
    await shop.untilPayout(reference, 'COMPLETED')
    return reference
  }

  test('that debits nothing agrees with the books', async () => {
    const reference = await pay('no')
    expect(await shop.readPayout(reference)).toMatchObject({ levy: 5_000 })
    expect(await compare()).toEqual([])
  })

  test('that debits the duty, although it is set otherwise, is named until it is set', async () => {
    const before = clock.now()
    const { float } = await bank.books()
    const reference = await pay('with_transfer')
    const { amount } = await shop.readPayout(reference)
    expect(float - (await bank.books()).float).toBeGreaterThanOrEqual(BigInt(amount) + 5_000n)
    const [difference, ...others] = await compare()
    expect(others).toEqual([])
    expect(difference).toEqual({
      kind: 'levy_differs',
      name: reference,
      inBooks: '₦50.00 levied, set as debited: no',
      atRail: '₦50.00 debited; set `manilla levies debits` to with_transfer, from when it began',
    })
    await set('with_transfer', new Date(before.getTime() + 1))
    expect(await compare()).toEqual([])
  })

  test('that debits the duty of an exempt transfer is named', async () => {
    const reference = await pay('with_transfer', { purpose: 'salary' })
    const [difference] = await compare()
    expect(difference).toMatchObject({ kind: 'levy_differs', name: reference })
    expect(difference!.atRail).toContain('the transfer was exempt')
    // Corrected for this transfer alone: the provider returned what it took.
    await set('apart', clock.now())
  })

  test('that is set to debit, and shows no duty, is named until it is set', async () => {
    clock.advance(hour)
    const since = clock.now()
    await set('with_transfer')
    const reference = await pay('apart')
    const differences = (await compare()).filter(({ name }) => name === reference)
    expect(differences).toMatchObject([{ kind: 'levy_differs' }])
    expect(differences[0]!.atRail).toBe(
      '₦0.00 debited; set `manilla levies debits` to no or, if its balance shows the levy apart, to apart',
    )
    await set('apart', since)
    expect((await compare()).filter(({ name }) => name === reference)).toEqual([])
  })

  test('has a report of what it took and of what is owed', async () => {
    const [month, ...others] = await reportLevies(db, bank.mode)
    expect(others).toEqual([])
    expect(month).toEqual({
      mode: bank.mode,
      rail,
      month: '2026-03',
      transfers: 3,
      levied: 15_000n,
      reversed: 0n,
      taken: 10_000n,
      owed: 5_000n,
    })
    await expectAllProofs(db)
  })
})
