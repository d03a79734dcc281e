import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { day, minute } from '../../../src/base/clock.js'
import { limits } from '../../../src/base/limits.js'
import type { Refusal } from '../../../src/base/refusal.js'
import type { Target } from '../../../src/payouts/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import type { BankDriver } from '../../../src/rails/bank/driver.js'
import { createBankRail } from '../../../src/rails/bank/rail.js'
import { freshDatabase } from '../../support/database.js'
import { dedicated, openFlutterwave, payout, refund } from './open-rail.js'

let db: Database
beforeAll(async () => {
  db = await freshDatabase()
})

const open = (given?: Parameters<typeof openFlutterwave>[1]) => openFlutterwave(db, given)

describe('destinations', () => {
  async function inspect(
    rail: Awaited<ReturnType<typeof open>>['rail'],
    fields: object,
    amount = 10_000n,
  ) {
    const { destination } = payout()
    const target = { asset: 'NGN', amount, destination: { ...destination, ...fields } } as Target
    const [outcome] = await rail.inspect([target])
    return outcome!
  }

  test('get the name of the account holder', async () => {
    const { rail } = await open()
    expect(await inspect(rail, { accountName: '' })).toMatchObject({
      destination: { bankName: 'Access Bank', accountName: expect.stringMatching(/^[A-Z ]+$/) },
    })
  })

  test('are refused where they cannot work', async () => {
    const { rail } = await open()
    const reasonOf = async (fields: object) => ((await inspect(rail, fields)) as Refusal).reason
    expect(await reasonOf({ bankCode: '004' })).toBe('unknown_bank')
    expect(await reasonOf({ accountNumber: '0000000000' })).toBe('account_not_found')
    expect(await reasonOf({ accountName: 'SOMEBODY ELSE' })).toBe('name_mismatch')
    const kobo = (await inspect(rail, { accountName: '' }, 10_050n)) as Refusal
    expect(kobo.message).toBe('amount must be whole naira: this bank pays no kobo.')
  })

  test('a limit or an outage is unavailable, never "not found"', async () => {
    const { emulator, rail } = await open()
    await rail.listBanks()
    emulator.faults.resolve = 'limited'
    expect(((await inspect(rail, {})) as Refusal).reason).toBe('rail_unavailable')
    emulator.faults.down = 'unavailable'
    expect(((await inspect(rail, {})) as Refusal).reason).toBe('rail_unavailable')
  })

  test('banks are sorted, with codes as text', async () => {
    const { rail } = await open()
    const banks = await rail.listBanks()
    expect(banks).toContainEqual({ code: '035A', name: 'ALAT by WEMA' })
    const names = banks.map(({ name }) => name)
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')))
  })
})

describe('payouts', () => {
  // The fee is ₦26.875.
  const landed = { state: 'landed', providerFee: 2_688n }

  test('land, with our reference in the spelling of the provider', async () => {
    const { emulator, rail, prepare, ended, lastNotice } = await open()
    const instruction = payout()
    const attempt = await prepare(instruction)
    await rail.send([attempt])
    expect(await ended(attempt)).toEqual(landed)
    expect(emulator.books().payouts).toEqual([
      {
        reference: instruction.reference.replace('_', '-'),
        accountNumber: '0690000040',
        amount: 550_000n,
        state: 'success',
      },
    ])
    expect(rail.readNotice(await lastNotice())).toMatchObject({
      kind: 'hint',
      hint: { about: { subject: 'payout', reference: instruction.reference } },
    })
  })

  test('are made once, however often they are sent and whatever is answered', async () => {
    const { emulator, rail, prepare, ended } = await open()
    emulator.faults.lostAnswers = 1
    const attempt = await prepare(payout())
    await rail.send([attempt])
    emulator.faults.hiddenPayouts = 1
    emulator.faults.errorsAfterPayout = 1
    await rail.send([attempt])
    await rail.send([attempt])
    expect(await ended(attempt)).toEqual(landed)
    expect(emulator.books().payouts).toHaveLength(1)
  })

  test('an error of the server after the transfer is no failure', async () => {
    const { emulator, rail, prepare, ended } = await open()
    emulator.faults.errorsAfterPayout = 1
    const attempt = await prepare(payout())
    await rail.send([attempt])
    expect(await ended(attempt)).toEqual(landed)
  })

  test('what cannot be found is unseen; what cannot be asked is pending', async () => {
    const { emulator, rail, prepare, check } = await open()
    emulator.faults.arePayoutsHeld = true
    const attempt = await prepare(payout())
    expect(await check(attempt)).toEqual({ state: 'unseen' })
    await rail.send([attempt])
    emulator.faults.hiddenPayouts = 1
    expect(await check(attempt)).toEqual({ state: 'unseen' })
    expect(await check(attempt)).toEqual({ state: 'pending' })
    emulator.faults.down = 'refused'
    expect(await check(attempt)).toEqual({ state: 'pending' })
  })

  test('another transfer whose reference differs in case is not ours', async () => {
    const { emulator, rail, prepare, check } = await open()
    const instruction = payout()
    const other = payout({ reference: instruction.reference.toUpperCase() })
    const attempt = await prepare(instruction)
    await rail.send([await prepare(other)])
    expect(emulator.books().payouts).toHaveLength(1)
    expect(await check(attempt)).toEqual({ state: 'unseen' })
  })

  test('fail when the money is missing, which shows only later', async () => {
    const { rail, prepare, ended } = await open({ float: 100_000n })
    const attempt = await prepare(payout())
    await rail.send([attempt])
    expect(await ended(attempt)).toEqual({ state: 'failed', reason: 'insufficient_float' })
  })

  test.each([
    ['success', landed],
    ['failed', { state: 'failed', reason: 'bank_declined' }],
  ] as const)('end days later in %s', async (state, expected) => {
    const { clock, emulator, rail, prepare, check } = await open()
    emulator.faults.arePayoutsHeld = true
    const attempt = await prepare(payout())
    await rail.send([attempt])
    clock.advance(5 * day)
    expect(await check(attempt)).toEqual({ state: 'pending' })
    emulator.settle(attempt.token, state)
    expect(await check(attempt)).toEqual(expected)
  })

  test.each(['refusesAddress', 'refusesBusiness'] as const)(
    'with %s nothing fails, and a later sending works',
    async (fault) => {
      const { emulator, rail, prepare, check, ended } = await open()
      emulator.faults[fault] = true
      const attempt = await prepare(payout())
      await rail.send([attempt])
      expect(await check(attempt)).toEqual({ state: 'unseen' })
      emulator.faults[fault] = false
      await rail.send([attempt])
      expect(await ended(attempt)).toEqual(landed)
    },
  )

  test('a refused account fails, and is never sent again', async () => {
    const { emulator, rail, prepare, check } = await open()
    const { destination } = payout()
    const attempt = await prepare(
      payout({ destination: { ...destination, accountNumber: '12' } as typeof destination }),
    )
    await rail.send([attempt])
    expect(await check(attempt)).toEqual({ state: 'failed', reason: 'account_not_found' })
    await rail.send([attempt])
    expect(emulator.books().payouts).toEqual([])
  })

  test('a transfer that a person must approve stays pending', async () => {
    const { emulator, rail, prepare, check, lines } = await open()
    emulator.faults.asksForOtp = true
    const attempt = await prepare(payout())
    await rail.send([attempt])
    expect(await check(attempt)).toEqual({ state: 'pending' })
    expect(lines.join('')).toContain('waits for a person')
  })

  test('reversals are found days later, and only ours', async () => {
    const { clock, emulator, rail, prepare, ended } = await open()
    const attempts = []
    for (let index = 0; index < 13; index += 1) {
      const attempt = await prepare(payout())
      await rail.send([attempt])
      await ended(attempt)
      attempts.push(attempt)
    }
    await callDirectly(emulator, 'made-by-a-person')
    await new Promise((resolve) => setTimeout(resolve, 20))
    clock.advance(2 * day)
    expect((await rail.findReversed(0n)).references).toEqual([])
    for (const { token } of attempts.slice(0, 12)) expect(emulator.reverse(token)).toBe(true)
    expect(emulator.reverse('made-by-a-person')).toBe(true)
    const { references } = await rail.findReversed(0n)
    expect(references.toSorted()).toEqual(
      attempts
        .slice(0, 12)
        .map(({ reference }) => reference)
        .toSorted(),
    )
  })
})

async function callDirectly(
  emulator: Awaited<ReturnType<typeof open>>['emulator'],
  reference: string,
) {
  await fetch(`${emulator.url}/transfers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.variables.FLUTTERWAVE_SECRET_KEY}` },
    body: JSON.stringify({
      account_bank: '044',
      account_number: '0690000040',
      amount: 100,
      currency: 'NGN',
      reference,
    }),
  })
}

describe('refunds', () => {
  async function openPaid() {
    const opened = await open()
    opened.emulator.faults.arePayoutsHeld = true
    const { number } = await opened.openGood(dedicated())
    const paid = await opened.emulator.pay({ accountNumber: number, amount: 10_000n })
    const attempt = await opened.prepare(refund(paid!.id, 2_550n))
    return { ...opened, paid: paid!, attempt }
  }

  test('have only begun when Flutterwave says "completed"', async () => {
    const { emulator, rail, attempt, check } = await openPaid()
    expect(await check(attempt)).toEqual({ state: 'unseen' })
    await rail.send([attempt])
    expect(await check(attempt)).toEqual({ state: 'pending' })
    emulator.settle(attempt.token, 'success')
    expect(await check(attempt)).toEqual({ state: 'landed' })
    expect(emulator.books().refunds).toMatchObject([{ note: attempt.token, amount: 2_550n }])
  })

  test('are made once although the answer is lost, also by another process', async () => {
    const { clock, emulator, rail, attempt, check, openAnother } = await openPaid()
    emulator.faults.lostAnswers = 1
    await rail.send([attempt])
    const another = openAnother().rail
    for (let index = 0; index < 4; index += 1) {
      await Promise.all([rail.send([attempt]), another.send([attempt])])
      clock.advance(20 * minute)
    }
    expect(emulator.books().refunds).toHaveLength(1)
    emulator.settle(attempt.token, 'success')
    expect(await check(attempt)).toEqual({ state: 'landed' })
  })

  // A process that was slow to search must not send: another one may be doing so by now.
  test('are not sent after a search that took too long', async () => {
    const { clock, emulator, driver, attempt } = await openPaid()
    const logger = pino({ level: 'silent' })
    const slow: BankDriver = {
      ...driver,
      async findRefund(order) {
        const found = await driver.findRefund(order)
        clock.advance(limits.banks.refundSearchMs)
        return found
      },
    }
    const rail = createBankRail({ driver: slow, mode: 'live', db, clock, logger })
    await rail.send([attempt])
    expect(emulator.books().refunds).toEqual([])
  })

  test('are found among many others', async () => {
    const { emulator, rail, paid, attempt, prepare, openAnother } = await openPaid()
    await rail.send([attempt])
    for (let index = 0; index < 25; index += 1)
      await rail.send([await prepare(refund(paid.id, 100n))])
    emulator.settle(attempt.token, 'failed')
    expect(await openAnother().rail.check([attempt])).toEqual([
      { state: 'failed', reason: 'bank_declined' },
    ])
  })

  test('of more than the payment are refused', async () => {
    const { rail, paid, prepare, check } = await openPaid()
    const attempt = await prepare(refund(paid.id, 10_001n))
    await rail.send([attempt])
    expect(await check(attempt)).toEqual({ state: 'failed', reason: 'bank_declined' })
  })

  test('that fail after they were paid are reversals', async () => {
    const { clock, emulator, rail, attempt } = await openPaid()
    await rail.send([attempt])
    emulator.settle(attempt.token, 'success')
    clock.advance(10 * day)
    emulator.reverse(attempt.token)
    expect((await rail.findReversed(0n)).references).toEqual([attempt.reference])
  })
})

test('the statement has payouts and refunds', async () => {
  const { clock, emulator, rail, prepare, ended, openGood } = await open()
  const from = clock.now()
  const { number } = await openGood(dedicated())
  const paid = await emulator.pay({ accountNumber: number, amount: 10_000n })
  const returned = await prepare(refund(paid!.id, 10_000n))
  const attempts = [returned]
  for (let index = 0; index < 11; index += 1) attempts.push(await prepare(payout()))
  await rail.send(attempts)
  for (const attempt of attempts) await ended(attempt)
  const lines = []
  let after: string | undefined
  do {
    const page = await rail.statement({ from, to: new Date(from.getTime() + day), after })
    lines.push(...page.lines)
    after = page.next ?? undefined
  } while (after !== undefined)
  expect(lines.map(({ token }) => token).toSorted()).toEqual(
    attempts.map(({ token }) => token).toSorted(),
  )
  expect(lines.find(({ token }) => token === returned.token)).toMatchObject({
    reference: returned.reference,
    amount: 10_000n,
    state: 'completed',
  })
})

// New rows push others to the next page, where they must not look like a second transfer.
test('the statement has each payout once, also while others are made', async () => {
  const { clock, rail, prepare } = await open()
  const from = clock.now()
  const pay = async () => {
    const attempt = await prepare(payout())
    await rail.send([attempt])
    return attempt.token
  }
  const tokens: string[] = []
  for (let index = 0; index < 25; index += 1) tokens.push(await pay())
  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await rail.statement({ from, to: new Date(from.getTime() + day), after })
    seen.push(...page.lines.map(({ token }) => token))
    after = page.next ?? undefined
    for (let index = 0; index < 3; index += 1) await pay()
  } while (after !== undefined)
  expect(seen.toSorted()).toEqual(tokens.toSorted())
})

describe('the setup', () => {
  test('the float is rounded down to whole kobo', async () => {
    const { rail, prepare, ended } = await open({ float: 1_000_000n })
    const attempt = await prepare(payout())
    await rail.send([attempt])
    await ended(attempt)
    expect(await rail.readFloat()).toBe(447_312n)
  })

  test('a good account is fine', async () => {
    const { emulator, rail } = await open()
    const findings = await rail.examine()
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(findings.map(({ message }) => message).join(' ')).toContain('latePayment')
    expect(emulator.books().payouts).toEqual([])
  })

  test('what is wrong is said in words', async () => {
    const { emulator, rail, prepare } = await open({ float: 0n })
    emulator.faults.asksForOtp = true
    await rail.send([await prepare(payout())])
    emulator.faults.refusesAddress = true
    const wrong = (await rail.examine()).filter(({ level }) => level !== 'ok')
    expect(wrong.map(({ fix }) => fix)).toEqual([
      'Fund the NGN balance in the dashboard of Flutterwave.',
      'Add the address under Settings, Whitelisted IP addresses, in the dashboard of Flutterwave.',
      'Approve them, and switch off the approval of transfers by API in the dashboard.',
    ])
  })

  test('a provider that does not answer is a finding', async () => {
    const { emulator, rail } = await open()
    emulator.faults.down = 'unavailable'
    const [finding] = await rail.examine()
    expect(finding!.level).toBe('failure')
    expect(finding!.message).toContain('status 503')
  })
})
