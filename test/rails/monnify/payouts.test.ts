import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/base/clock.js'
import type { LiveAttempt } from '../../../src/payouts/ports.js'
import { toBankInstruction } from '../../../src/rails/bank/instruction.js'
import { freshDatabase } from '../../support/database.js'
import {
  catchNotices,
  check,
  type OpenRail,
  openOne,
  openRail,
  prepare,
  readHint,
  temporary,
  transferOf,
} from './open-rail.js'

const db = await freshDatabase()

async function send({ rail }: OpenRail, amount = 100_50n): Promise<LiveAttempt> {
  const attempt = await prepare(rail, transferOf(amount))
  await rail.send([attempt])
  return attempt
}

function payoutsAt({ emulator }: OpenRail) {
  return emulator.books().payouts.map(({ reference, state }) => `${reference} ${state}`)
}

describe('destinations', () => {
  test('are resolved; bank codes may have letters', async () => {
    const { rail, emulator } = await openRail(db)
    expect(await rail.listBanks()).toContainEqual({ code: '035A', name: 'ALAT by WEMA' })
    const account = { bankCode: '035A', accountNumber: '0123456789' }
    expect(await rail.resolveName(account)).toMatchObject({ bankName: 'ALAT by WEMA' })
    const missing = { bankCode: '058', accountNumber: '0000000000' }
    expect(await rail.resolveName(missing)).toMatchObject({ reason: 'account_not_found' })
    expect(await rail.resolveName({ ...account, bankCode: 'zzz' })).toMatchObject({
      reason: 'unknown_bank',
    })
    emulator.faults.resolve = 'limited'
    expect(await rail.resolveName(account)).toMatchObject({ reason: 'rail_unavailable' })
    emulator.faults.down = 'unavailable'
    expect(await rail.resolveName(account)).toMatchObject({ reason: 'rail_unavailable' })
  })
})

describe('payouts', () => {
  test('a payout lands once it has succeeded', async () => {
    const opened = await openRail(db, { float: 1_000_00n })
    const attempt = await send(opened)
    expect(attempt.token).toBe(attempt.reference.replace('_', '-'))
    expect(await check(opened.rail, attempt)).toEqual({ state: 'pending' })
    await opened.rail.send([attempt])
    opened.emulator.settle(attempt.token, 'success')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'landed', providerFee: 10_00n })
    expect(opened.emulator.books().payouts).toMatchObject([
      { reference: attempt.token, amount: 100_50n, accountNumber: '0123456789' },
    ])
    expect(await opened.rail.readFloat()).toBe(889_50n)
  })

  test('notices about payouts name our reference', async () => {
    const opened = await openRail(db)
    const notices = await catchNotices(opened)
    const attempt = await send(opened)
    opened.emulator.settle(attempt.token, 'success')
    const [succeeded] = await notices()
    const about = { subject: 'payout', reference: attempt.reference }
    expect(readHint(opened.rail, succeeded!)).toMatchObject({ about })
    opened.emulator.reverse(attempt.token)
    const [reversed] = await notices()
    expect(readHint(opened.rail, reversed!)).toMatchObject({
      id: expect.stringContaining('REVERSED_DISBURSEMENT/'),
      about,
    })
  })

  test('a lost answer, an error after the payout and a hidden payout never pay twice', async () => {
    const opened = await openRail(db)
    opened.emulator.faults.lostAnswers = 1
    opened.emulator.faults.errorsAfterPayout = 3
    const attempts: LiveAttempt[] = []
    for (let count = 1n; count <= 4n; count += 1n)
      attempts.push(await send(opened, count * 100_00n))
    opened.emulator.faults.hiddenPayouts = 4
    for (const attempt of attempts)
      expect(await check(opened.rail, attempt)).toEqual({ state: 'unseen' })
    await opened.rail.send(attempts)
    for (const attempt of attempts)
      expect(await check(opened.rail, attempt)).toEqual({ state: 'pending' })
    expect(payoutsAt(opened).sort()).toEqual(attempts.map(({ token }) => `${token} pending`).sort())
  })

  test('an outage is unknown, never a failure', async () => {
    const opened = await openRail(db)
    const attempt = await send(opened)
    for (const down of ['unavailable', 'refused'] as const) {
      opened.emulator.faults.down = down
      expect(await check(opened.rail, attempt)).toEqual({ state: 'pending' })
      await opened.rail.send([attempt])
    }
    opened.emulator.faults.down = 'no'
    opened.emulator.settle(attempt.token, 'failed')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'failed', reason: 'bank_declined' })
  })

  test('too little money in the wallet fails what was never sent', async () => {
    const opened = await openRail(db, { float: 100_00n })
    const attempt = await send(opened)
    expect(await check(opened.rail, attempt)).toEqual({
      state: 'failed',
      reason: 'insufficient_float',
    })
    opened.emulator.setFloat(1_000_00n)
    await opened.rail.send([attempt])
    expect(payoutsAt(opened)).toEqual([])
  })

  test('OTP, a missing address and a missing permission leave it open, in words', async () => {
    const opened = await openRail(db)
    const { faults } = opened.emulator
    faults.refusesAddress = true
    const attempt = await send(opened)
    expect(await check(opened.rail, attempt)).toEqual({ state: 'unseen' })
    expect(opened.logged.join()).toContain("This server's address is not allowed to pay out")
    faults.refusesAddress = false
    faults.refusesBusiness = true
    await opened.rail.send([attempt])
    expect(await check(opened.rail, attempt)).toEqual({ state: 'unseen' })
    expect(opened.logged.join()).toContain('Merchant is not permitted')
    faults.refusesBusiness = false
    faults.asksForOtp = true
    await opened.rail.send([attempt])
    expect(opened.logged.join()).toContain('switch OTP off')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'pending' })
    opened.emulator.settle(attempt.token, 'success')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'landed', providerFee: 10_00n })
  })

  test('the same amount to the same account waits two minutes', async () => {
    const opened = await openRail(db, { speed: 1 })
    await send(opened)
    const second = await send(opened)
    expect(await check(opened.rail, second)).toEqual({ state: 'unseen' })
    opened.clock.advance(2 * minute)
    await opened.rail.send([second])
    expect(await check(opened.rail, second)).toEqual({ state: 'pending' })
    expect(payoutsAt(opened)).toHaveLength(2)
  })

  test('reversals are found days after, and only our own', async () => {
    const opened = await openRail(db)
    const attempts: LiveAttempt[] = []
    for (let count = 1n; count <= 3n; count += 1n)
      attempts.push(await send(opened, count * 100_00n))
    for (const { token } of attempts) opened.emulator.settle(token, 'success')
    opened.clock.advance(71 * hour)
    opened.emulator.reverse(attempts[1]!.token)
    expect(await opened.rail.findReversed(0n)).toEqual({
      cursor: 0n,
      references: [attempts[1]!.reference],
    })
    const { faults } = opened.emulator
    faults.down = 'unavailable'
    await expect(opened.rail.findReversed(0n)).rejects.toThrow()
  })

  test('the statement shows what the bank did', async () => {
    const opened = await openRail(db)
    const from = opened.clock.now()
    const attempts: LiveAttempt[] = []
    for (let count = 1n; count <= 4n; count += 1n)
      attempts.push(await send(opened, count * 100_00n))
    const [landed, failed, reversed] = attempts
    opened.emulator.settle(landed!.token, 'success')
    opened.emulator.settle(failed!.token, 'failed')
    opened.emulator.settle(reversed!.token, 'success')
    opened.emulator.reverse(reversed!.token)
    opened.clock.advance(hour)
    const period = { from, to: opened.clock.now() }
    const payouts = await opened.rail.statement({ ...period, after: undefined })
    const states = new Map(payouts.lines.map(({ reference, state }) => [reference, state]))
    expect(attempts.map(({ reference }) => states.get(reference))).toEqual([
      'completed',
      'failed',
      'reversed',
      'processing',
    ])
    const refunds = await opened.rail.statement({ ...period, after: payouts.next! })
    expect(refunds).toEqual({ lines: [], next: null, unreadable: 0 })
  })
})

describe('refunds', () => {
  async function paidAndReturned(opened: OpenRail, amount: bigint, sender = '0065432190') {
    const account = await openOne(opened.rail, temporary(opened))
    const paid = await opened.emulator.pay({
      accountNumber: account.number,
      amount: 5_000_00n,
      senderAccountNumber: sender,
    })
    const instruction = transferOf(amount, {
      refundOf: paid!.id,
      accountNumber: '******2190',
      bankCode: '',
    } as never)
    return { instruction, id: paid!.id }
  }

  test('go to the payer by our reference, once', async () => {
    const opened = await openRail(db)
    const notices = await catchNotices(opened)
    const { instruction, id } = await paidAndReturned(opened, 5_000_00n)
    const attempt = await prepare(opened.rail, instruction)
    opened.emulator.faults.lostAnswers = 1
    await opened.rail.send([attempt])
    await opened.rail.send([attempt])
    opened.clock.advance(hour)
    await opened.rail.send([attempt])
    expect(await check(opened.rail, attempt)).toEqual({ state: 'pending' })
    await notices()
    opened.emulator.settle(attempt.token, 'success')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'landed' })
    const [notice] = await notices()
    expect(readHint(opened.rail, notice!)).toMatchObject({
      about: { subject: 'payout', reference: attempt.reference },
    })
    expect(opened.emulator.books().refunds).toMatchObject([
      { note: attempt.token, paymentId: id, amount: 5_000_00n, state: 'success' },
    ])
    const period = { from: new Date(0), to: opened.clock.now() }
    const refunds = await opened.rail.statement({ ...period, after: 'refunds/' })
    expect(refunds.lines).toMatchObject([{ reference: attempt.reference, state: 'completed' }])
  })

  test.each([
    ['more than was paid', 5_000_01n, '0065432190', 'bank_declined'],
    ['an unknown payer', 5_000_00n, '', 'account_not_found'],
  ])('%s fails', async (_, amount, sender, reason) => {
    const opened = await openRail(db)
    const { instruction } = await paidAndReturned(opened, amount, sender)
    const attempt = await prepare(opened.rail, instruction)
    await opened.rail.send([attempt])
    expect(await check(opened.rail, attempt)).toEqual({ state: 'failed', reason })
  })

  // Once sent, it would stay open if one request to Monnify had no answer.
  test('too little to be refunded is refused before it is sent', async () => {
    const opened = await openRail(db)
    const { instruction } = await paidAndReturned(opened, 99_99n)
    const [refused] = await opened.rail.inspect([instruction])
    expect(refused).toMatchObject({ code: 'validation_failed', details: [{ field: 'amount' }] })
    const answer = await opened.driver.sendRefund(toBankInstruction(instruction))
    expect(answer).toEqual({ failure: 'bank_declined' })
    const { instruction: enough } = await paidAndReturned(opened, 100_00n)
    const [inspected] = await opened.rail.inspect([enough])
    expect(inspected).toMatchObject({ destination: { refundOf: expect.any(String) } })
    const [payout] = await opened.rail.inspect([transferOf(99_99n)])
    expect(payout).toMatchObject({ extraFees: [] })
  })

  test('an empty wallet and a failed refund fail', async () => {
    const opened = await openRail(db, { float: 0n })
    const { instruction } = await paidAndReturned(opened, 5_000_00n)
    const uncovered = await prepare(opened.rail, instruction)
    await opened.rail.send([uncovered])
    expect(await check(opened.rail, uncovered)).toMatchObject({ reason: 'insufficient_float' })
    opened.emulator.setFloat(10_000_00n)
    const other = await paidAndReturned(opened, 5_000_00n)
    const attempt = await prepare(opened.rail, other.instruction)
    await opened.rail.send([attempt])
    opened.emulator.settle(attempt.token, 'failed')
    expect(await check(opened.rail, attempt)).toEqual({ state: 'failed', reason: 'bank_declined' })
  })
})
