import { describe, expect, test } from 'vitest'
import { second } from '../../../src/base/clock.js'
import { sql } from '../../../src/postgres/sql.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import { freshDatabase } from '../../support/database.js'
import {
  checkOne,
  instructionTo,
  magicNumber,
  openBank,
  ordinaryNumber,
  prepareAttempts,
  sendTo,
} from './open-bank.js'

const db = await freshDatabase()
const { processingMs, unknownForMs, reversesAfterMs } = sandboxBankLimits
const year = 365 * 24 * 3_600 * second
const [pending, unseen] = ['pending', 'unseen'].map((state) => ({ state }))
const landed = { state: 'landed', sessionId: expect.stringMatching(/^000999\d{24}$/) }

async function countRecorded(token: string): Promise<bigint> {
  const [row] = await db.rows(sql<{ count: bigint }>`
    select count(*) from sandbox_transfers where reference = ${token}`)
  return row!.count
}

describe('prepare', () => {
  test('fixes the bytes to send and sends nothing', async () => {
    const { bank } = openBank(db)
    const instruction = instructionTo(ordinaryNumber, { amount: 9_007_199_254_740_991n })
    const [attempt] = await prepareAttempts(bank, [instruction])
    expect(attempt).toMatchObject({
      token: instruction.reference.replace('_', '-'),
      validUntil: null,
    })
    expect(JSON.parse(attempt!.wire.toString())).toEqual({
      reference: attempt!.token,
      amount: '9007199254740991',
      currency: 'NGN',
      bankCode: '999',
      accountNumber: ordinaryNumber,
      accountName: 'EZE NGOZI ADAEZE',
      narration: 'Invoice 7',
    })
    expect(await bank.prepare([instruction, instruction])).toHaveLength(2)
    expect(await checkOne(bank, attempt!)).toEqual(unseen)
    expect(await countRecorded(attempt!.token)).toBe(0n)
  })
})

describe('a transfer', () => {
  const failed = (reason: string) => ({ state: 'failed', reason })

  // Each row: the account, when its transfer ends, and the final status.
  test.each([
    ['an ordinary account', ordinaryNumber, processingMs, landed],
    ['no liquidity', magicNumber(1), processingMs, failed('insufficient_liquidity')],
    ['account closed', magicNumber(2), processingMs, failed('account_closed')],
    ['reversed later', magicNumber(3), processingMs, landed],
    ['unknown, then completed', magicNumber(4), unknownForMs, landed],
    ['unknown, then failed', magicNumber(5), unknownForMs, failed('bank_declined')],
  ])('%s', async (_name, accountNumber, endsAfterMs, ending) => {
    const { bank, clock } = openBank(db)
    const attempt = await sendTo(bank, accountNumber)
    expect(await checkOne(bank, attempt)).toEqual(pending)
    clock.advance(endsAfterMs - 1)
    expect(await checkOne(bank, attempt)).toEqual(pending)
    clock.advance(1)
    expect(await checkOne(bank, attempt)).toEqual(ending)
    clock.advance(year)
    expect(await checkOne(bank, attempt)).toEqual(ending)
  })

  test('that stays unknown is never reported as failed', async () => {
    const { bank, clock } = openBank(db)
    const attempt = await sendTo(bank, magicNumber(6))
    clock.advance(year)
    await bank.send([attempt])
    expect(await checkOne(bank, attempt)).toEqual(pending)
  })

  test('that is lost is unseen until it is sent again, then lands once', async () => {
    const { bank, clock } = openBank(db)
    const attempt = await sendTo(bank, magicNumber(7))
    expect(await checkOne(bank, attempt)).toEqual(unseen)
    clock.advance(year)
    expect(await checkOne(bank, attempt)).toEqual(unseen)

    await Promise.all(Array.from({ length: 20 }, () => bank.send([attempt])))
    expect(await checkOne(bank, attempt)).toEqual(pending)
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt)).toEqual(landed)
    await bank.send([attempt])
    expect(await checkOne(bank, attempt)).toEqual(landed)
    expect(await countRecorded(attempt.token)).toBe(1n)
  })

  // An account may close between inspection and sending.
  test('to an account that does not resolve fails', async () => {
    const { bank, clock } = openBank(db)
    const [attempt] = await prepareAttempts(bank, [instructionTo(ordinaryNumber)])
    const wire = Buffer.from(attempt!.wire.toString().replace(ordinaryNumber, magicNumber(8)))
    await bank.send([{ ...attempt!, wire }])
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt!)).toEqual(failed('account_not_found'))
  })

  test('is reported in request order, also if its reference is unknown', async () => {
    const { bank, clock } = openBank(db)
    const instructions = [1, 4, 6, 7].map((last) => instructionTo(magicNumber(last)))
    const attempts = await prepareAttempts(bank, [instructionTo(ordinaryNumber), ...instructions])
    await bank.send(attempts.slice(1))
    clock.advance(processingMs)
    const checked = [...attempts, attempts[1]!]
    const states = (await bank.check(checked)).map(({ state }) => state)
    expect(states).toEqual(['unseen', 'failed', 'pending', 'pending', 'unseen', 'failed'])
    expect(await bank.check([])).toEqual([])
    await bank.send([])
  })
})

describe('one reference, one transfer', () => {
  test('twenty concurrent sends of the same twenty orders record each once', async () => {
    const { bank, clock, logged } = openBank(db)
    const attempts = await prepareAttempts(
      bank,
      Array.from({ length: 20 }, () => instructionTo(ordinaryNumber)),
    )
    const shuffled = (start: number) => [...attempts.slice(start), ...attempts.slice(0, start)]
    await Promise.all(attempts.map((_, start) => bank.send([...shuffled(start), attempts[0]!])))
    for (const { token } of attempts) expect(await countRecorded(token)).toBe(1n)
    clock.advance(processingMs)
    expect(await bank.check(attempts)).toEqual(attempts.map(() => landed))
    expect(logged).toEqual([])
  })

  test('long batches in opposite orders do not deadlock', async () => {
    const { bank } = openBank(await freshDatabase())
    for (let round = 0; round < 5; round++) {
      const many = Array.from({ length: 1_000 }, () => instructionTo(magicNumber(7)))
      const attempts = await prepareAttempts(bank, many)
      await Promise.all([bank.send(attempts), bank.send(attempts.toReversed())])
      expect(await bank.check(attempts)).toEqual(attempts.map(() => pending))
    }
  })

  // The first order counts. Accepting the second would pay an amount that was never committed.
  test('another order with the same reference is refused alone and logged', async () => {
    const { bank, clock, logged } = openBank(db)
    const from = clock.now()
    const first = await sendTo(bank, magicNumber(1))
    const [changed, neighbour] = await prepareAttempts(bank, [
      instructionTo(ordinaryNumber, { reference: first.reference, amount: 1n }),
      instructionTo(ordinaryNumber),
    ])
    await bank.send([changed!, neighbour!])
    clock.advance(processingMs)
    expect((await bank.check([first, neighbour!])).map(({ state }) => state)).toEqual([
      'failed',
      'landed',
    ])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(first.token)
    const { lines } = await bank.statement({ from, to: clock.now(), after: undefined })
    expect(lines.find(({ reference }) => reference === first.reference)!.amount).toBe(250_000n)
  })

  test('of two different orders in one batch, the first is recorded and the second refused', async () => {
    const { bank, logged } = openBank(db)
    const instruction = instructionTo(ordinaryNumber)
    const attempts = await prepareAttempts(bank, [instruction, { ...instruction, amount: 1n }])
    await bank.send(attempts)
    expect(await countRecorded(attempts[0]!.token)).toBe(1n)
    expect(logged).toHaveLength(1)
    await bank.send([attempts[0]!])
    expect(logged).toHaveLength(1)
  })

  test('a lost order is not revived by a different one', async () => {
    const { bank, logged } = openBank(db)
    const lost = await sendTo(bank, magicNumber(7))
    const [changed] = await prepareAttempts(bank, [
      instructionTo(ordinaryNumber, { reference: lost.reference }),
    ])
    await bank.send([changed!])
    expect(await checkOne(bank, lost)).toEqual(unseen)
    expect(logged).toHaveLength(1)
  })

  test('bytes that are not an order are refused alone and logged', async () => {
    const { bank, logged } = openBank(db)
    const attempts = await prepareAttempts(
      bank,
      Array.from({ length: 4 }, () => instructionTo(ordinaryNumber)),
    )
    const broken = ['{', 'null', '{"amount":"1"}'].map((text, index) => ({
      ...attempts[index]!,
      wire: Buffer.from(text),
    }))
    await bank.send([...broken, attempts[3]!])
    const states = (await bank.check(attempts)).map(({ state }) => state)
    expect(states).toEqual(['unseen', 'unseen', 'unseen', 'pending'])
    expect(logged).toHaveLength(3)
  })
})

describe('a reported ending is final', () => {
  // Two processes, one with a slow clock: it cannot change an ending that the other has reported.
  test('for a process whose clock runs behind', async () => {
    const ahead = openBank(db)
    const behind = openBank(db)
    const attempt = await sendTo(behind.bank, ordinaryNumber)
    ahead.clock.advance(processingMs)
    expect(await checkOne(ahead.bank, attempt)).toEqual(landed)
    expect(await checkOne(behind.bank, attempt)).toEqual(landed)
    for (const instruction of ['fail', 'stay_unknown', 'lose'] as const)
      expect(await behind.bank.instruct(attempt.reference, instruction)).toBe('too_late')
    expect(await behind.bank.instruct(attempt.reference, 'reverse')).toBe('obeyed')
    expect(await checkOne(behind.bank, attempt)).toEqual(landed)
  })

  test('against code that would change it', async () => {
    const { bank, clock } = openBank(db)
    const attempt = await sendTo(bank, magicNumber(3))
    clock.advance(processingMs)
    await checkOne(bank, attempt)
    const change = (set: string) =>
      db.rows({
        text: `update sandbox_transfers set ${set} where reference = $1`,
        values: [attempt.token],
      })
    const refusal = 'never edited or removed'
    await expect(change(`is_reported = false`)).rejects.toThrow(refusal)
    await expect(change(`ends_at = ends_at + interval '1 hour'`)).rejects.toThrow(refusal)
    await expect(change(`amount = 1`)).rejects.toThrow(refusal)
    await expect(change(`instruction = ''`)).rejects.toThrow(refusal)
    clock.advance(reversesAfterMs)
    await bank.findReversed(0n)
    await expect(change(`reverses_at = null, reversal_number = null`)).rejects.toThrow(refusal)
    await expect(db.rows(sql`delete from sandbox_transfers`)).rejects.toThrow(refusal)
  })
})
