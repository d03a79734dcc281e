import { Failure, misused } from './failure.js'
import { paint, withoutControls } from './style.js'
import type { Terminal } from './terminal.js'

/** What is about to happen, line by line: a label and its value. */
export type Facts = [label: string, value: string][]

export const yesFlag = ['--yes', 'do not ask before real money moves'] as const

const realMoney = 'moves real money'

/**
 * Asks before what cannot be undone: real money moves, or `consequence`, which completes "This …".
 * Without a terminal it refuses: a script says `--yes`.
 */
export async function confirmLive(
  terminal: Pick<Terminal, 'canAsk' | 'ask' | 'hasColors'>,
  findFacts: () => Promise<Facts>,
  consequence?: string,
): Promise<void> {
  if (!terminal.canAsk)
    throw misused(
      `This ${consequence ?? realMoney}, and no terminal is there to confirm it. Nothing was done.`,
      'Add --yes to run it without a question.',
    )
  const facts = await findFacts()
  const width = Math.max(...facts.map(([label]) => label.length))
  const lines = facts.map(([label, value]) => `  ${label.padEnd(width)}  ${withoutControls(value)}`)
  const question = consequence ? `This ${consequence}.` : `Live mode: this ${realMoney}.`
  const head = paint(terminal, 'yellow', question)
  const answer = await terminal.ask([head, ...lines, 'Continue? Type yes: '].join('\n'))
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new Failure(
      'Not confirmed. Nothing was done.',
      'Run it again and type yes, or add --yes.',
    )
}
