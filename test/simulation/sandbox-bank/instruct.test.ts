import { describe, expect, test } from 'vitest'
import type { LiveAttempt } from '../../../src/payouts/ports.js'
import type { TestInstruction } from '../../../src/simulation/sandbox-bank/judge-instruction.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import type { TransferState } from '../../../src/simulation/sandbox-bank/transfer.js'
import { freshDatabase } from '../../support/database.js'
import {
  checkOne,
  instructionTo,
  magicNumber,
  openBank,
  ordinaryNumber,
  sendTo,
} from './open-bank.js'

const db = await freshDatabase()
const { processingMs, reversesAfterMs } = sandboxBankLimits
type Opened = ReturnType<typeof openBank>

/** Brings a transfer into each state. */
const createIn: Record<TransferState, (opened: Opened) => Promise<LiveAttempt>> = {
  processing: ({ bank }) => sendTo(bank, ordinaryNumber),
  lost: ({ bank }) => sendTo(bank, magicNumber(7)),
  completed: (opened) => sendAndWait(opened, ordinaryNumber, processingMs),
  failed: (opened) => sendAndWait(opened, magicNumber(1), processingMs),
  reversed: (opened) => sendAndWait(opened, magicNumber(3), processingMs + reversesAfterMs),
}

async function sendAndWait({ bank, clock }: Opened, accountNumber: string, durationMs: number) {
  const attempt = await sendTo(bank, accountNumber)
  clock.advance(durationMs)
  return attempt
}

/** The status of a transfer now and after all planned changes, and whether it was reversed. */
async function observe({ bank, clock }: Opened, attempt: LiveAttempt): Promise<string> {
  const now = await checkOne(bank, attempt)
  clock.advance(processingMs + reversesAfterMs)
  const later = await checkOne(bank, attempt)
  const isReversed = (await allReversed(bank)).includes(attempt.reference)
  const states = now.state === later.state ? now.state : `${now.state}, ${later.state}`
  return isReversed ? `${states}, reversed` : states
}

async function allReversed(bank: Opened['bank']): Promise<string[]> {
  const all: string[] = []
  for (let cursor = 0n; ; ) {
    const page = await bank.findReversed(cursor)
    if (page.references.length === 0) return all
    all.push(...page.references)
    cursor = page.cursor
  }
}

// Once a transfer has ended, only the reversal of a completed one is obeyed. An instruction that
// matches the current state counts as obeyed.
const table: [TransferState, TestInstruction, 'obeyed' | 'too_late', string][] = [
  ['processing', 'complete', 'obeyed', 'landed'],
  ['processing', 'fail', 'obeyed', 'failed'],
  ['processing', 'reverse', 'obeyed', 'landed, reversed'],
  ['processing', 'stay_unknown', 'obeyed', 'pending'],
  ['processing', 'lose', 'obeyed', 'unseen'],
  ['lost', 'complete', 'obeyed', 'landed'],
  ['lost', 'fail', 'obeyed', 'failed'],
  ['lost', 'reverse', 'obeyed', 'landed, reversed'],
  ['lost', 'stay_unknown', 'obeyed', 'pending'],
  ['lost', 'lose', 'obeyed', 'unseen'],
  ['completed', 'complete', 'obeyed', 'landed'],
  ['completed', 'fail', 'too_late', 'landed'],
  ['completed', 'reverse', 'obeyed', 'landed, reversed'],
  ['completed', 'stay_unknown', 'too_late', 'landed'],
  ['completed', 'lose', 'too_late', 'landed'],
  ['failed', 'complete', 'too_late', 'failed'],
  ['failed', 'fail', 'obeyed', 'failed'],
  ['failed', 'reverse', 'too_late', 'failed'],
  ['failed', 'stay_unknown', 'too_late', 'failed'],
  ['failed', 'lose', 'too_late', 'failed'],
  ['reversed', 'complete', 'too_late', 'landed, reversed'],
  ['reversed', 'fail', 'too_late', 'landed, reversed'],
  ['reversed', 'reverse', 'obeyed', 'landed, reversed'],
  ['reversed', 'stay_unknown', 'too_late', 'landed, reversed'],
  ['reversed', 'lose', 'too_late', 'landed, reversed'],
]

describe('an instruction', () => {
  test.each(table)('%s, %s: %s, then %s', async (state, instruction, answer, expected) => {
    const opened = openBank(db)
    const attempt = await createIn[state](opened)
    expect(await opened.bank.instruct(attempt.reference, instruction)).toBe(answer)
    expect(await observe(opened, attempt)).toBe(expected)
  })

  test('has the same result when the state was polled before', async () => {
    const opened = openBank(db)
    const attempt = await createIn.completed(opened)
    expect(await checkOne(opened.bank, attempt)).toMatchObject({ state: 'landed' })
    expect(await opened.bank.instruct(attempt.reference, 'lose')).toBe('too_late')
    expect(await opened.bank.instruct(attempt.reference, 'reverse')).toBe('obeyed')
    expect(await allReversed(opened.bank)).toContain(attempt.reference)
  })

  test('does nothing for an order that the bank never received', async () => {
    const { bank } = openBank(db)
    const { reference } = instructionTo(ordinaryNumber)
    expect(await bank.instruct(reference, 'complete')).toBe('not_received')
  })

  test('to lose a transfer is undone by sending it again, which lands once', async () => {
    const { bank, clock } = openBank(db)
    const attempt = await sendTo(bank, ordinaryNumber)
    await bank.instruct(attempt.reference, 'lose')
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt)).toEqual({ state: 'unseen' })
    await bank.send([attempt, attempt])
    clock.advance(processingMs)
    expect(await checkOne(bank, attempt)).toMatchObject({ state: 'landed' })
  })

  test('ends a transfer that would stay unknown', async () => {
    const { bank } = openBank(db)
    const attempt = await sendTo(bank, magicNumber(6))
    await bank.instruct(attempt.reference, 'fail')
    expect(await checkOne(bank, attempt)).toEqual({ state: 'failed', reason: 'bank_declined' })
  })

  // Opposing instructions and checks run at once: the first reported ending must stay the ending.
  test('never contradicts an ending that was reported to a concurrent check', async () => {
    const { bank } = openBank(db)
    for (let round = 0; round < 10; round++) {
      const attempt = await sendTo(bank, magicNumber(6))
      const racing: TestInstruction[] = ['complete', 'fail', 'lose', 'complete', 'fail']
      const answers = await Promise.all(
        racing.flatMap((instruction) => [
          checkOne(bank, attempt),
          bank.instruct(attempt.reference, instruction).then(() => checkOne(bank, attempt)),
        ]),
      )
      const conclusions = answers.filter(({ state }) => state === 'landed' || state === 'failed')
      const final = await checkOne(bank, attempt)
      expect(new Set([...conclusions, final].map(({ state }) => state)).size).toBe(1)
    }
  })
})
