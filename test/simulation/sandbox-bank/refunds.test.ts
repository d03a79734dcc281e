import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { limits } from '../../../src/base/limits.js'
import { Refusal } from '../../../src/base/refusal.js'
import type { BankSender } from '../../../src/collections/ports.js'
import type { LiveAttempt, PayoutInstruction } from '../../../src/payouts/ports.js'
import type { SandboxBank } from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { freshDatabase } from '../../support/database.js'
import {
  carriageTo,
  checkOne,
  magicNumber,
  openBank,
  ordinaryNumber,
  prepareAttempts,
} from './open-bank.js'
import { payIn } from './pay-in.js'

const db = await freshDatabase()
const { processingMs, reversesAfterMs } = limits.sandboxBank
const [landed, pending] = ['landed', 'pending'].map((state) => ({ state }))
const exceeding = { state: 'failed', reason: 'refund_exceeds_payment' }

/** An order that names the payment; the account is as a merchant sees it, masked. */
function refundOf(paymentId: string, amount: bigint): PayoutInstruction {
  const carriage = carriageTo('******6789', { amount })
  const destination = { ...carriage.destination, accountName: 'Anybody', refundOf: paymentId }
  return { ...carriage, destination } as PayoutInstruction
}

async function sendBack(bank: SandboxBank, id: string, amount: bigint): Promise<LiveAttempt> {
  const [attempt] = await prepareAttempts(bank, [refundOf(id, amount)])
  await bank.send([attempt!])
  return attempt!
}

async function payMasked(bank: SandboxBank, sender: Partial<BankSender> | null = {}) {
  return payIn(bank, { amount: 100n, isSenderMasked: true, sender, isSilent: true })
}

describe('a payment goes back', () => {
  test('by its id alone: nobody is looked up, and the destination stays as it is', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const carriage = refundOf(id, 100n)
    expect(await bank.inspect([carriage])).toEqual([
      { destination: carriage.destination, extraFees: [] },
    ])
    const [attempt] = await prepareAttempts(bank, [carriage])
    expect(JSON.parse(attempt!.wire.toString())).toMatchObject({ refundOf: id, amount: '100' })
    await bank.send([attempt!])
    expect(await checkOne(bank, attempt!)).toEqual(pending)
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt!)).toEqual(landed)
  })

  test('in parts, until all of it is back', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const attempts = [40n, 59n, 2n, 1n, 1n].map((amount) => refundOf(id, amount))
    const sent = await prepareAttempts(bank, attempts)
    for (const attempt of sent) await bank.send([attempt])
    clock.advance(processingMs)
    expect(await bank.check(sent)).toEqual([landed, landed, exceeding, landed, exceeding])
  })

  test('to a sender whom the bank does not tell, or does not know', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank, null)
    const attempt = await sendBack(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt)).toEqual(landed)
  })

  // What makes a payout misbehave makes a refund misbehave: the bank knows the hidden number.
  test('to an account that misbehaves, and misbehaves', async () => {
    const { bank, clock } = openBank(db)
    const sentTo = async (last: number) => {
      const { id } = await payMasked(bank, { accountNumber: magicNumber(last) })
      return sendBack(bank, id, 100n)
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

describe('it is refused before anything is sent', () => {
  async function reasonsFor(bank: SandboxBank, carriages: PayoutInstruction[]) {
    const outcomes = [...(await bank.inspect(carriages)), ...(await bank.prepare(carriages))]
    return outcomes.map((outcome) => (outcome instanceof Refusal ? outcome.reason : 'fine'))
  }

  test('alone, where the bank has no such payment, or not so much, or not in naira', async () => {
    const { bank } = openBank(db)
    const { id } = await payMasked(bank)
    const dollars = await payIn(bank, { currency: 'USD', amount: 100n })
    const nothing = await payIn(bank, { amount: 0n })
    const carriages = [
      refundOf(id, 100n),
      refundOf('sbp_nobody', 1n),
      refundOf(id, 101n),
      refundOf(dollars.id, 1n),
      refundOf(nothing.id, 1n),
      carriageTo(ordinaryNumber, { amount: 1n }),
    ]
    const no = 'account_not_found'
    const [first, last] = ['fine', 'name_mismatch']
    expect(await reasonsFor(bank, carriages)).toEqual([
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

  // The payment may be unknown to the bank that gets the order, whoever prepared it.
  test('and fails where it was sent all the same', async () => {
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

describe('never more goes back than came', () => {
  // Ten refunds of 30 race for a payment of 100, each of them sent by two processes: three fit.
  test('however many race', async () => {
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

  test('in one list, beside other payments and in any order', async () => {
    const { bank, clock } = openBank(db)
    const [one, other] = [await payMasked(bank), await payMasked(bank)]
    const carriages = [one, other, one, other, one].map(({ id }) => refundOf(id, 50n))
    const attempts = await prepareAttempts(bank, carriages)
    await Promise.all([bank.send(attempts), openBank(db).bank.send(attempts)])
    clock.advance(processingMs)
    expect(await bank.check(attempts)).toEqual([landed, landed, landed, landed, exceeding])
  })

  test('by sending one order again and again', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const attempt = await sendBack(bank, id, 60n)
    for (let round = 0; round < 3; round += 1) await bank.send([attempt])
    const rest = await sendBack(bank, id, 40n)
    clock.advance(processingMs)
    expect(await bank.check([attempt, rest])).toEqual([landed, landed])
  })

  test('by an order that was lost, which may still turn up', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank, { accountNumber: magicNumber(7) })
    const lost = await sendBack(bank, id, 60n)
    const second = await sendBack(bank, id, 60n)
    await bank.instruct(lost.reference, 'complete')
    clock.advance(processingMs)
    expect(await bank.check([lost, second])).toEqual([landed, exceeding])
  })

  test('by instruction: what exceeded has ended, for a clock that runs behind too', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    await sendBack(bank, id, 100n)
    clock.advance(1_000)
    const late = await sendBack(bank, id, 1n)
    const behind = openBank(db).bank
    expect(await behind.instruct(late.reference, 'complete')).toBe('too_late')
    expect(await checkOne(behind, late)).toEqual(exceeding)
  })

  test('and what came back to the bank, for certain, can be sent once more', async () => {
    const { bank, clock } = openBank(db)
    const { id } = await payMasked(bank)
    const failing = await sendBack(bank, id, 100n)
    await bank.instruct(failing.reference, 'fail')
    // Nobody was told yet, so that it might still be made to complete by another clock.
    expect(await checkOne(bank, await sendBack(bank, id, 100n))).toEqual(exceeding)
    expect(await checkOne(bank, failing)).toMatchObject({ state: 'failed' })

    const reversing = await sendBack(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, reversing)).toEqual(landed)
    await bank.instruct(reversing.reference, 'reverse')
    clock.advance(reversesAfterMs)
    expect((await bank.findReversed(0n)).references).toContain(reversing.reference)
    const last = await sendBack(bank, id, 100n)
    clock.advance(processingMs)
    expect(await checkOne(bank, last)).toEqual(landed)
  })
})
