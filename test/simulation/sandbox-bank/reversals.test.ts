import { describe, expect, test } from 'vitest'
import { second } from '../../../src/base/clock.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import { freshDatabase } from '../../support/database.js'
import { openSession } from '../../support/sessions.js'
import {
  instructionTo,
  magicNumber,
  openBank,
  ordinaryNumber,
  prepareAttempts,
  sendTo,
} from './open-bank.js'

const db = await freshDatabase()
const { processingMs, reversesAfterMs, reversalsPerBatchMax } = sandboxBankLimits

/** The cursor after the last reversal so far. */
async function lastCursor(bank: ReturnType<typeof openBank>['bank']): Promise<bigint> {
  let cursor = 0n
  for (;;) {
    const page = await bank.findReversed(cursor)
    if (page.cursor === cursor) return cursor
    cursor = page.cursor
  }
}

describe('reversals', () => {
  test('are listed in order, and not before they happen', async () => {
    const { bank, clock } = openBank(db)
    const start = await lastCursor(bank)
    const first = await sendTo(bank, magicNumber(3))
    clock.advance(second)
    const last = await sendTo(bank, magicNumber(3))
    const instructed = await sendTo(bank, ordinaryNumber)
    clock.advance(processingMs + reversesAfterMs - second - 1)
    expect(await bank.findReversed(start)).toEqual({ cursor: start, references: [] })

    await bank.instruct(instructed.reference, 'reverse')
    clock.advance(second + 1)
    const { references } = await bank.findReversed(start)
    expect(references).toEqual([instructed, first, last].map(({ reference }) => reference))
  })

  test('are listed again for the same cursor, and not after it', async () => {
    const { bank, clock } = openBank(db)
    const start = await lastCursor(bank)
    const attempt = await sendTo(bank, magicNumber(3))
    clock.advance(processingMs + reversesAfterMs)
    const page = await bank.findReversed(start)
    expect(page.references).toEqual([attempt.reference])
    expect(await bank.findReversed(start)).toEqual(page)
    expect(await bank.findReversed(page.cursor)).toEqual({ cursor: page.cursor, references: [] })
  })

  // In a list sorted by time, a row written late with an earlier time would precede the cursor.
  test('that are written late with an earlier time are not missed', async () => {
    const early = openBank(db)
    const late = openBank(db)
    const start = await lastCursor(early.bank)
    const [one, other] = [
      await sendTo(early.bank, ordinaryNumber),
      await sendTo(early.bank, ordinaryNumber),
    ]
    early.clock.advance(processingMs)
    late.clock.advance(processingMs + second)
    await late.bank.instruct(one.reference, 'reverse')
    const page = await late.bank.findReversed(start)
    expect(page.references).toEqual([one.reference])

    await early.bank.instruct(other.reference, 'reverse')
    const next = await late.bank.findReversed(page.cursor)
    expect(next.references).toEqual([other.reference])
  })

  test('that another session has locked are listed next time and do not delay others', async () => {
    const { bank, clock } = openBank(db)
    const start = await lastCursor(bank)
    const held = await sendTo(bank, magicNumber(3))
    const free = await sendTo(bank, magicNumber(3))
    clock.advance(processingMs + reversesAfterMs)
    const session = await openSession(db)
    await session.query('begin')
    await session.query('select from sandbox_transfers where reference = $1 for update', [
      held.token,
    ])
    const page = await bank.findReversed(start)
    expect(page.references).toEqual([free.reference])
    await session.query('rollback')
    expect((await bank.findReversed(page.cursor)).references).toEqual([held.reference])
  })

  // More than one page, read by several readers while the same transfers are being checked.
  test('reach every reader that follows its cursor exactly once', async () => {
    const { bank, clock } = openBank(db)
    const start = await lastCursor(bank)
    const attempts = await prepareAttempts(
      bank,
      Array.from({ length: reversalsPerBatchMax + 20 }, () => instructionTo(magicNumber(3))),
    )
    await bank.send(attempts)
    clock.advance(processingMs + reversesAfterMs)
    const readAll = async () => {
      const all: string[] = []
      for (let cursor = start; all.length < attempts.length; ) {
        const page = await bank.findReversed(cursor)
        all.push(...page.references)
        cursor = page.cursor
      }
      return all
    }
    const check = () => bank.check(attempts.toReversed())
    const [one, other] = await Promise.all([readAll(), readAll(), check(), check()])
    const expected = attempts.map(({ reference }) => reference).toSorted()
    expect(one!.toSorted()).toEqual(expected)
    expect(other).toEqual(one)
  })
})
