import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import type { BankSender } from '../../../src/collections/ports.js'
import type { LiveAttempt, PayoutInstruction } from '../../../src/payouts/ports.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import type { SandboxBank } from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { freshDatabase } from '../../support/database.js'
import {
  checkOne,
  instructionTo,
  magicNumber,
  openBank,
  ordinaryNumber,
  prepareAttempts,
} from './open-bank.js'
import { payIn } from './pay-in.js'

const db = await freshDatabase()
const { processingMs, reversesAfterMs } = sandboxBankLimits
const pending = { state: 'pending' }
const landed = { state: 'landed', sessionId: expect.stringMatching(/^000999\d{24}$/) }
const exceeding = { state: 'failed', reason: 'refund_exceeds_payment' }

/** A refund of this payment; the account number is masked, as a merchant sees it. */
function refundOf(paymentId: string, amount: bigint): PayoutInstruction {
  const instruction = instructionTo('******6789', { amount })
  const destination = { ...instruction.destination, accountName: 'Anybody', refundOf: paymentId }
  return { ...instruction, destination } as PayoutInstruction
}

async function sendRefund(bank: SandboxBank, id: string, amount: bigint): Promise<LiveAttempt> {
  const [attempt] = await prepareAttempts(bank, [refundOf(id, amount)])
  await bank.send([attempt!])
  return attempt!
}

async function payMasked(bank: SandboxBank, sender: Partial<BankSender> | null = {}) {
  return payIn(bank, { amount: 100n, isSenderMasked: true, sender, isSilent: true })
}

describe('a payment is refunded', () => {
  test('by its id alone, without resolving an account', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const instruction = refundOf(id, 100n)
    expect(await bank.inspect([instruction])).toEqual([
      { destination: instruction.destination, extraFees: [] },
    ])
    const [attempt] = await prepareAttempts(bank, [instruction])
    expect(JSON.parse(attempt!.wire.toString())).toMatchObject({ refundOf: id, amount: '100' })
    await bank.send([attempt!])
    expect(await checkOne(bank, attempt!)).toEqual(pending)
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt!)).toEqual(landed)
  })

  test('in parts, up to its amount', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const attempts = [40n, 59n, 2n, 1n, 1n].map((amount) => refundOf(id, amount))
    const sent = await prepareAttempts(bank, attempts)
    for (const attempt of sent) await bank.send([attempt])
    clock.advance(processingMs)
    expect(await bank.check(sent)).toEqual([landed, landed, exceeding, landed, exceeding])
  })

  test('to an unknown sender', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank, null)
    const attempt = await sendRefund(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt)).toEqual(landed)
  })

  // The bank knows the full number behind the mask, so magic accounts work for refunds too.
  test('to a magic account, with its outcome', async () => {
    const { bank, clock } = openBank(db)
    const sentTo = async (last: number) => {
      const { id } = await payMasked(bank, { accountNumber: magicNumber(last) })
      return sendRefund(bank, id, 100n)
    }
    const attempts = [await sentTo(1), await sentTo(6), await sentTo(7), await sentTo(8)]
    clock.advance(processingMs)
    expect(await bank.check(attempts)).toEqual([
      { state: 'failed', reason: 'insufficient_liquidity' },
      pending,
      { state: 'unseen' },
      { state: 'failed', reason: 'account_not_found' },
    ])
    await bank.send([attempts[2]!])
    clock.advance(processingMs)
    expect(await checkOne(bank, attempts[2]!)).toEqual(landed)
  })
})

describe('a refund is refused before anything is sent', () => {
  async function reasonsFor(bank: SandboxBank, instructions: PayoutInstruction[]) {
    const outcomes = [...(await bank.inspect(instructions)), ...(await bank.prepare(instructions))]
    return outcomes.map((outcome) => (outcome instanceof Refusal ? outcome.reason : 'fine'))
  }

  test('alone, if the payment is unknown, too small or not in naira', async () => {
    const { bank } = openBank(db)
    const { id } = await payMasked(bank)
    const dollars = await payIn(bank, { currency: 'USD', amount: 100n })
    const nothing = await payIn(bank, { amount: 0n })
    const instructions = [
      refundOf(id, 100n),
      refundOf('sbp_unknown', 1n),
      refundOf(id, 101n),
      refundOf(dollars.id, 1n),
      refundOf(nothing.id, 1n),
      instructionTo(ordinaryNumber, { amount: 1n }),
    ]
    const no = 'account_not_found'
    const [first, last] = ['fine', 'name_mismatch']
    expect(await reasonsFor(bank, instructions)).toEqual([
      first,
      no,
      no,
      no,
      no,
      last,
      first,
      no,
      no,
      no,
      no,
      'fine',
    ])
  })

  // The bank judges what it receives, whatever was prepared.
  test('and fails if it is sent anyway', async () => {
    const { bank } = openBank(db)
    const { id } = await payMasked(bank)
    const dollars = await payIn(bank, { currency: 'USD', amount: 100n })
    const attempts = await prepareAttempts(bank, [refundOf(id, 1n), refundOf(id, 1n)])
    const changed = [dollars.id, `sbp_${randomBytes(5).toString('hex')}`].map((other, index) => {
      const wire = Buffer.from(attempts[index]!.wire.toString().replaceAll(id, other))
      return { ...attempts[index]!, wire }
    })
    await bank.send(changed)
    const failed = { state: 'failed', reason: 'account_not_found' }
    expect(await bank.check(changed)).toEqual([failed, failed])
  })
})

describe('refunds never exceed the payment', () => {
  // Ten refunds of 30 race for a payment of 100, each sent by two processes: three fit.
  test('when many race', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const attempts = await prepareAttempts(
      bank,
      Array.from({ length: 10 }, () => refundOf(id, 30n)),
    )
    const banks = [openBank(db).bank, openBank(db).bank]
    await Promise.all(attempts.flatMap((attempt) => banks.map((one) => one.send([attempt]))))
    clock.advance(processingMs)
    const findings = await bank.check(attempts)
    expect(findings.filter(({ state }) => state === 'landed')).toHaveLength(3)
    expect(findings.filter(({ state }) => state === 'failed')).toHaveLength(7)
  })

  test('in one batch with refunds of other payments', async () => {
    const { bank, clock } = openBank(db)
    const [one, other] = [await payMasked(bank), await payMasked(bank)]
    const instructions = [one, other, one, other, one].map(({ id }) => refundOf(id, 50n))
    const attempts = await prepareAttempts(bank, instructions)
    await Promise.all([bank.send(attempts), openBank(db).bank.send(attempts)])
    clock.advance(processingMs)
    expect(await bank.check(attempts)).toEqual([landed, landed, landed, landed, exceeding])
  })

  test('when one order is sent repeatedly', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const attempt = await sendRefund(bank, id, 60n)
    for (let round = 0; round < 3; round += 1) await bank.send([attempt])
    const rest = await sendRefund(bank, id, 40n)
    clock.advance(processingMs)
    expect(await bank.check([attempt, rest])).toEqual([landed, landed])
  })

  test('counting a lost order, which may still arrive', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank, { accountNumber: magicNumber(7) })
    const lost = await sendRefund(bank, id, 60n)
    const second = await sendRefund(bank, id, 60n)
    await bank.instruct(lost.reference, 'complete')
    clock.advance(processingMs)
    expect(await bank.check([lost, second])).toEqual([landed, exceeding])
  })

  test('by instruction: a refund that exceeded has ended, also for a slow clock', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    await sendRefund(bank, id, 100n)
    clock.advance(1_000)
    const late = await sendRefund(bank, id, 1n)
    const behind = openBank(db).bank
    expect(await behind.instruct(late.reference, 'complete')).toBe('too_late')
    expect(await checkOne(behind, late)).toEqual(exceeding)
  })

  test('not counting refunds that were reported as failed or reversed', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const failing = await sendRefund(bank, id, 100n)
    await bank.instruct(failing.reference, 'fail')
    // The failure was not reported yet, so another process could still complete it.
    expect(await checkOne(bank, await sendRefund(bank, id, 100n))).toEqual(exceeding)
    expect(await checkOne(bank, failing)).toMatchObject({ state: 'failed' })

    const reversing = await sendRefund(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, reversing)).toEqual(landed)
    await bank.instruct(reversing.reference, 'reverse')
    clock.advance(reversesAfterMs)
    expect((await bank.findReversed(0n)).references).toContain(reversing.reference)
    const last = await sendRefund(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, last)).toEqual(landed)
  })
})
