import { describe, expect, test } from 'vitest'
import { after } from '../../../src/base/clock.js'
import type { StatementLine } from '../../../src/collections/ports.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import { freshDatabase } from '../../support/database.js'
import {
  checkOne,
  instructionTo,
  magicNumber,
  openBank,
  prepareAttempts,
  sendTo,
} from './open-bank.js'

const { processingMs, unknownForMs, reversesAfterMs, statementLinesMax } = sandboxBankLimits

async function readAll(
  bank: ReturnType<typeof openBank>['bank'],
  period: { from: Date; to: Date },
): Promise<StatementLine[]> {
  const lines: StatementLine[] = []
  let next: string | null = null
  do {
    const page = await bank.statement({ ...period, after: next ?? undefined })
    lines.push(...page.lines)
    next = page.next
  } while (next)
  return lines
}

describe('the statement', () => {
  test('lists every transfer with its state and times', async () => {
    const { bank, clock } = openBank(await freshDatabase())
    const from = clock.now()
    const instructions = [1, 2, 3, 4, 5, 6, 7].map((last) =>
      instructionTo(magicNumber(last), { amount: BigInt(last) }),
    )
    const attempts = await prepareAttempts(bank, instructions)
    await bank.send(attempts)
    const at = (durationMs: number) => after(from, durationMs)
    clock.advance(unknownForMs)

    const expected = [
      { state: 'failed', failedAt: at(processingMs) },
      { state: 'failed', failedAt: at(processingMs) },
      {
        state: 'reversed',
        completedAt: at(processingMs),
        reversedAt: at(processingMs + reversesAfterMs),
      },
      { state: 'completed', completedAt: at(unknownForMs) },
      { state: 'failed', failedAt: at(unknownForMs) },
      { state: 'processing' },
    ].map((line, index) => ({
      reference: instructions[index]!.reference,
      id: instructions[index]!.reference.replaceAll('_', '-'),
      token: instructions[index]!.reference.replaceAll('_', '-'),
      amount: BigInt(index + 1),
      levy: null,
      receivedAt: from,
      completedAt: null,
      failedAt: null,
      reversedAt: null,
      ...line,
    }))
    const lines = await readAll(bank, { from, to: clock.now() })
    const byAmount = lines.toSorted((one, other) => Number(one.amount - other.amount))
    expect(byAmount).toEqual(expected)
  })

  test('lists a lost transfer once it was sent again, with the later time', async () => {
    const { bank, clock } = openBank(await freshDatabase())
    const from = clock.now()
    const attempt = await sendTo(bank, magicNumber(7))
    clock.advance(processingMs)
    expect(await readAll(bank, { from, to: clock.now() })).toEqual([])
    await bank.send([attempt])
    const receivedAt = clock.now()
    clock.advance(processingMs)
    const [line] = await readAll(bank, { from, to: clock.now() })
    expect(line).toMatchObject({ state: 'completed', receivedAt, completedAt: clock.now() })
  })

  test('lists each transfer in exactly one of two adjacent periods, on all pages', async () => {
    const { bank, clock } = openBank(await freshDatabase())
    const from = clock.now()
    const sendSome = async (count: number) => {
      const many = Array.from({ length: count }, () => instructionTo('0123456789'))
      const attempts = await prepareAttempts(bank, many)
      await bank.send(attempts)
      return attempts.map(({ reference }) => reference).toSorted()
    }
    const first = await sendSome(statementLinesMax + 10)
    clock.advance(1_000)
    const middle = clock.now()
    const rest = await sendSome(statementLinesMax)
    clock.advance(1_000)
    const references = (lines: StatementLine[]) => lines.map(({ reference }) => reference)
    expect(references(await readAll(bank, { from, to: middle }))).toEqual(first)
    expect(references(await readAll(bank, { from: middle, to: clock.now() }))).toEqual(rest)
  })

  test('makes the endings that it lists final', async () => {
    const db = await freshDatabase()
    const ahead = openBank(db)
    const behind = openBank(db)
    const from = ahead.clock.now()
    const attempt = await sendTo(behind.bank, '0123456789')
    ahead.clock.advance(processingMs)
    const [line] = await readAll(ahead.bank, { from, to: ahead.clock.now() })
    expect(line!.state).toBe('completed')
    expect(await behind.bank.instruct(attempt.reference, 'fail')).toBe('too_late')
    expect(await checkOne(behind.bank, attempt)).toMatchObject({ state: 'landed' })
  })
})
