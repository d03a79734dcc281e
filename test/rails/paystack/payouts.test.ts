import { describe, expect, test } from 'vitest'
import { day, hour, minute } from '../../../src/base/clock.js'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import type { OpenedAccount, StatementLine } from '../../../src/collections/ports.js'
import { createPaystackDriver } from '../../../src/rails/paystack/driver.js'
import { freshDatabase } from '../../support/database.js'
import { until } from '../../support/sessions.js'
import { destination, newReference, opening, openRail, prepare, refundOf } from './open-rail.js'

const db = await freshDatabase()

type Open = Awaited<ReturnType<typeof openRail>>

async function readStatement({ rail, clock }: Open): Promise<StatementLine[]> {
  const lines: StatementLine[] = []
  const period = { from: new Date(0), to: new Date(clock.now().getTime() + 1) }
  let after: string | undefined
  do {
    const page = await rail.statement({ ...period, after })
    lines.push(...page.lines)
    after = page.next ?? undefined
  } while (after !== undefined)
  return lines
}

describe('transfers', () => {
  test('are sent under our reference, and land', async () => {
    const { emulator, rail, pay } = await openRail(db)
    const attempt = await pay()
    expect(attempt.token).toBe(attempt.reference.replace('_', '-'))
    await until(async () => (await rail.check([attempt]))[0]!.state === 'landed')
    expect(emulator.books().payouts).toEqual([
      { reference: attempt.token, accountNumber: '0123456789', amount: 100_000n, state: 'success' },
    ])
  })

  test.each(['lostAnswers', 'errorsAfterPayout'] as const)(
    'are made once after %s, however often they are sent',
    async (fault) => {
      const { emulator, rail, pay } = await openRail(db)
      emulator.faults[fault] = 1
      const attempt = await pay()
      await rail.send([attempt])
      await Promise.all([rail.send([attempt]), rail.send([attempt])])
      await until(async () => (await rail.check([attempt]))[0]!.state === 'landed')
      expect(emulator.books().payouts).toHaveLength(1)
    },
  )

  test('are unseen until sent, and while Paystack hides them', async () => {
    const { emulator, rail, pay } = await openRail(db)
    emulator.faults.arePayoutsHeld = true
    const unsent = await prepare(rail)
    expect(await rail.check([unsent])).toEqual([{ state: 'unseen' }])
    const attempt = await pay()
    emulator.faults.hiddenPayouts = 1
    expect(await rail.check([attempt])).toEqual([{ state: 'unseen' }])
    expect(await rail.check([attempt])).toEqual([{ state: 'pending' }])
    await rail.send([attempt])
    expect(emulator.books().payouts).toHaveLength(1)
  })

  test('fail when Paystack says so, and not when it is silent', async () => {
    const { emulator, rail, pay } = await openRail(db)
    emulator.faults.arePayoutsHeld = true
    const attempt = await pay()
    for (const down of ['refused', 'unavailable'] as const) {
      emulator.faults.down = down
      expect(await rail.check([attempt])).toEqual([{ state: 'pending' }])
    }
    emulator.faults.down = 'no'
    emulator.settle(attempt.token, 'failed')
    expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason: 'bank_declined' }])
  })

  test('fail if the float cannot cover them', async () => {
    const { emulator, rail, pay } = await openRail(db)
    emulator.setFloat(1n)
    const attempt = await pay()
    expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason: 'insufficient_float' }])
    emulator.setFloat(10_000_000n)
    await rail.send([attempt])
    expect(emulator.books().payouts).toEqual([])
  })

  test('stay open while the business or the address is refused', async () => {
    const { emulator, rail, pay, lines } = await openRail(db)
    emulator.faults.refusesBusiness = true
    const attempt = await pay()
    emulator.faults.refusesBusiness = false
    emulator.faults.refusesAddress = true
    await rail.send([attempt])
    expect(await rail.check([attempt])).toEqual([{ state: 'unseen' }])
    const log = lines.join('\n')
    expect(log).toContain('third party payouts')
    expect(log).toContain('IP address is not allowed')
    emulator.faults.refusesAddress = false
    await rail.send([attempt])
    await until(async () => (await rail.check([attempt]))[0]!.state === 'landed')
  })

  test('wait for a one-time password, and fail once abandoned', async () => {
    const { emulator, rail, pay, lines } = await openRail(db, { speed: 4_000 })
    emulator.faults.asksForOtp = true
    const attempt = await pay()
    expect(lines.join('\n')).toContain('switch OTP off')
    expect(await rail.check([attempt])).toEqual([{ state: 'pending' }])
    await until(async () => (await rail.check([attempt]))[0]!.state === 'failed')
  })

  test('are refused if Paystack keeps the number at another bank', async () => {
    const { rail, pay, emulator } = await openRail(db, { matchesRecipientsByNumber: true })
    await pay()
    const [refused] = await rail.prepare([
      {
        asset: 'NGN',
        amount: 100_000n,
        reference: newReference('bt'),
        destination: { ...destination, bankCode: '044' },
      },
    ])
    expect(refused).toMatchObject({ reason: 'account_not_found' })
    expect(emulator.books().payouts).toHaveLength(1)
  })

  test('are refused before anything is held while Paystack is down', async () => {
    const { rail, emulator } = await openRail(db)
    emulator.faults.down = 'refused'
    const instruction = {
      asset: 'NGN' as const,
      amount: 100_000n,
      reference: newReference('bt'),
      destination,
    }
    expect(await rail.prepare([instruction])).toMatchObject([{ reason: 'rail_unavailable' }])
    expect(await rail.inspect([instruction])).toMatchObject([{ reason: 'rail_unavailable' }])
  })

  test('reversals are found days later, those of others are not ours', async () => {
    const opened = await openRail(db)
    const { clock, emulator, rail, pay, transfer } = opened
    emulator.faults.arePayoutsHeld = true
    const attempt = await pay()
    await transfer({ reference: 'made-by-a-person-0001' })
    emulator.settle(attempt.token, 'success')
    emulator.settle('made-by-a-person-0001', 'success')
    clock.advance(2 * day)
    expect((await rail.findReversed(0n)).references).toEqual([])
    emulator.reverse(attempt.token)
    emulator.reverse('made-by-a-person-0001')
    expect((await rail.findReversed(0n)).references).toEqual([attempt.reference])
    const hints = (await opened.readings()).flatMap((one) =>
      one.kind === 'hint' ? [one.hint] : [],
    )
    expect(hints.at(-2)).toEqual({
      id: expect.stringMatching(/^transfer\.reversed\/\d+\/reversed$/),
      about: { subject: 'payout', reference: attempt.reference },
    })
  })

  test('the statement has every transfer and refund, in any state', async () => {
    const opened = await openRail(db)
    const { emulator, pay, rail } = opened
    emulator.faults.arePayoutsHeld = true
    const attempts = [await pay(), await pay(), await pay(), await pay()]
    const [, success, failed, reversed] = attempts.map(({ token }) => token)
    emulator.settle(success!, 'success')
    emulator.settle(failed!, 'failed')
    emulator.settle(reversed!, 'success')
    emulator.reverse(reversed!)
    const [account] = (await rail.openAccounts([opening()])) as [OpenedAccount]
    const paid = await emulator.pay({ accountNumber: account.number, amount: 500_000n })
    const refund = await pay({ reference: newReference('rf'), destination: refundOf(paid!.id) })
    const states = (await readStatement(opened)).map(({ reference, state }) => [reference, state])
    expect(states).toEqual([
      [attempts[0]!.reference, 'processing'],
      [attempts[1]!.reference, 'completed'],
      [attempts[2]!.reference, 'failed'],
      [attempts[3]!.reference, 'reversed'],
      [refund.reference, 'processing'],
    ])
  })
})

describe('refunds', () => {
  async function openPaid() {
    const opened = await openRail(db)
    const [account] = (await opened.rail.openAccounts([opening()])) as [OpenedAccount]
    const paid = await opened.emulator.pay({ accountNumber: account.number, amount: 500_000n })
    const target = { reference: newReference('rf'), destination: refundOf(paid!.id) }
    return { ...opened, refund: () => opened.pay({ ...target, amount: 200_000n }) }
  }

  test('land once processed', async () => {
    const { emulator, rail, refund } = await openPaid()
    const attempt = await refund()
    await until(async () => (await rail.check([attempt]))[0]!.state === 'landed')
    expect(emulator.books().refunds).toMatchObject([{ note: attempt.token, amount: 200_000n }])
  })

  // Paystack carries out every request. A lost answer and a list that shows rows late are the
  // way to two refunds.
  test('are requested once, though the answer is lost and the list is late', async () => {
    const { clock, emulator, rail, refund } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    emulator.faults.lostAnswers = 1
    emulator.faults.listDelayMs = 5 * minute
    const attempt = await refund()
    expect(await rail.check([attempt])).toEqual([{ state: 'unseen' }])
    for (let passed = 0; passed < 30; passed += 1) {
      await Promise.all([rail.send([attempt]), rail.send([attempt])])
      clock.advance(minute)
    }
    expect(emulator.books().refunds).toHaveLength(1)
    expect(await rail.check([attempt])).toEqual([{ state: 'pending' }])
  })

  test('are not requested again once Paystack took them, however late the list is', async () => {
    const { clock, emulator, rail, refund } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    emulator.faults.listDelayMs = 5 * hour
    const attempt = await refund()
    for (let passed = 0; passed < 4; passed += 1) {
      clock.advance(hour)
      expect(await rail.check([attempt])).toEqual([{ state: 'unseen' }])
      await rail.send([attempt])
    }
    expect(emulator.books().refunds).toHaveLength(1)
  })

  test('stay open while Paystack needs the account of the payer', async () => {
    const { emulator, rail, refund, readings } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    const attempt = await refund()
    emulator.askForRefundAccount(attempt.token)
    expect(await rail.check([attempt])).toEqual([{ state: 'pending' }])
    const hints = (await readings()).flatMap((one) => (one.kind === 'hint' ? [one.hint] : []))
    expect(hints.at(-1)!.about).toEqual({ subject: 'payout', reference: attempt.reference })
    emulator.settle(attempt.token, 'failed')
    expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason: 'bank_declined' }])
  })

  test('fail if the float cannot cover them', async () => {
    const { emulator, rail, refund } = await openPaid()
    emulator.setFloat(1n)
    const attempt = await refund()
    expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason: 'insufficient_float' }])
  })
})

describe('directory', () => {
  test('lists banks that can be paid, with codes as text', async () => {
    const { rail } = await openRail(db)
    const banks = await rail.listBanks()
    const codes = banks.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['035A', '044', '999992']))
    expect(codes).not.toContain('559')
    expect(codes).not.toContain('063')
  })

  test('resolves names, tells unknown accounts from outages', async () => {
    const { emulator, rail } = await openRail(db)
    const account = { bankCode: '058', accountNumber: '0123456789' }
    expect(await rail.resolveName(account)).toEqual({
      bankName: 'Guaranty Trust Bank',
      accountName: expect.any(String),
    })
    expect(await rail.resolveName({ ...account, bankCode: '000' })).toMatchObject({
      reason: 'unknown_bank',
    })
    emulator.faults.resolve = 'fails'
    expect(await rail.resolveName(account)).toMatchObject({ reason: 'account_not_found' })
    emulator.faults.resolve = 'limited'
    expect(await rail.resolveName(account)).toMatchObject({ reason: 'rail_unavailable' })
  })

  test('a name that is clearly another one is refused', async () => {
    const { rail } = await openRail(db)
    const target = { asset: 'NGN' as const, amount: 100_000n }
    const accountName = 'Zebulon Quist'
    const [refused] = await rail.inspect([
      { ...target, destination: { ...destination, accountName } },
    ])
    expect(refused).toMatchObject({ reason: 'name_mismatch' })
  })
})

describe('setup', () => {
  test('the float is read in kobo', async () => {
    const { emulator, rail } = await openRail(db)
    emulator.setFloat(123_456_789_012_345n)
    expect(await rail.readFloat()).toBe(123_456_789_012_345n)
  })

  test('everything in order', async () => {
    const { rail } = await openRail(db)
    const findings = await rail.examine()
    expect(findings.map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    expect(findings.at(-1)!.message).toContain('latePayment')
  })

  test('says what to fix', async () => {
    const { emulator, rail, pay, open, post } = await openRail(db)
    emulator.faults.asksForOtp = true
    await pay()
    emulator.faults.asksForOtp = false
    emulator.faults.arePayoutsHeld = true
    const [account] = (await rail.openAccounts([opening()])) as [OpenedAccount]
    await emulator.pay({ accountNumber: account.number, amount: 500_000n })
    await post('/refund', { transaction: account.railAccount, merchant_note: 'by hand' })
    emulator.askForRefundAccount('by hand')
    emulator.setFloat(0n)
    const found = (await open(db).examine()).filter(({ level }) => level !== 'ok')
    expect(found.map(({ level, fix }) => [level, fix])).toEqual([
      ['warning', expect.stringContaining('Top up')],
      ['failure', expect.stringContaining('Confirm transfers before sending')],
      ['warning', expect.stringContaining('needs attention')],
    ])
    emulator.faults.down = 'refused'
    expect(await rail.examine()).toMatchObject([{ level: 'failure' }])
  })

  test('a wrong key is a failure with its fix', async () => {
    const first = await openRail(db)
    const { emulator, rail } = first
    const driver = createPaystackDriver(
      { secretKey: new Secret('sk_live_wrong'), url: emulator.url },
      {
        payerEmail: 'a@b.co',
        mode: 'live',
        clock: first.clock,
        logger: createLogger('silent'),
      },
    )
    expect(await driver.examine()).toEqual([
      {
        level: 'failure',
        message: 'Paystack refuses our calls: 401 Invalid key',
        fix: expect.stringContaining('Copy the secret key'),
      },
    ])
    expect(rail.name).toBe('paystack-live')
  })

  test('the secret key is in no log line', async () => {
    const { emulator, rail, pay, key, lines, clock } = await openRail(db)
    emulator.faults.refusesBusiness = true
    await pay()
    for (const down of ['refused', 'unavailable'] as const) {
      emulator.faults.down = down
      for (let call = 0; call < 6; call += 1) await rail.openAccounts([opening()])
      clock.advance(hour)
    }
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.join('\n')).not.toContain(key)
    expect(lines.join('\n')).not.toContain(key.slice(-12))
  })
})
