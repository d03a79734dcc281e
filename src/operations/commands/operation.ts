import type { Command } from 'commander'
import type { Clock } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import type { Table } from './table.js'

/** What the operator's commands need from the program that runs them. */
export type OperateContext = {
  withDatabase<Result>(work: (db: Database, seal: Seal) => Promise<Result>): Promise<Result>
  clock: Clock
  /** Name of the operator, recorded with every change. */
  actor: string
  print(text: string): void
  /** Shows the progress of long work on a terminal. */
  startProgress(label: string, steps?: number): Progress
  formatTable(table: Table): string
  /** Colours a text if the terminal shows colours. */
  paint(color: Color, text: string): string
  /** Asks before real money moves, and throws if the operator does not confirm. */
  confirmLive(facts: Facts): Promise<void>
}

export type Color = 'green' | 'red' | 'yellow' | 'dim'

/** What is about to happen, line by line: a label and its value. */
export type Facts = [label: string, value: string][]

export type Progress = { step(label: string): void; end(): void }

/** Output of a command: `data` for `--json`, `text` for people. */
export type CommandOutput = { data: unknown; text: Text | Text[] }

/** A line, several lines, or a table. */
type Text = string | Table

export type Run<Options> = {
  db: Database
  seal: Seal
  now: Date
  actor: string
  args: string[]
  options: Options
  /** For commands that move money: asks in live mode, unless `--yes`. Returns the time after. */
  confirm(question: { mode: Mode; facts: Facts }): Promise<Date>
}

/** For commands that move money. */
export const yesFlag = ['--yes', 'do not ask before real money moves'] as const

/**
 * Sets the action of a command and adds `--json`. A refusal is printed as one line on stderr and
 * exits with 1; anything else that is thrown is a bug and passed on.
 */
export function setOperation<Options = object>(
  command: Command,
  context: OperateContext,
  work: (run: Run<Options>) => Promise<CommandOutput>,
): void {
  command.option('--json', 'print one line of JSON')
  command.action(async () => {
    const { json: isJson, yes: isConfirmed, ...options } = command.opts()
    const run = {
      now: context.clock.now(),
      actor: context.actor,
      args: command.args,
      async confirm({ mode, facts }: { mode: Mode; facts: Facts }) {
        if (mode === 'live' && !isConfirmed) await context.confirmLive(facts)
        return context.clock.now()
      },
    }
    try {
      const output = await context.withDatabase((db, seal) =>
        work({ ...run, db, seal, options: options as Options }),
      )
      context.print(isJson ? JSON.stringify(output.data) : toText(context, output))
    } catch (error) {
      if (error instanceof Refusal) command.error(`error: ${error.message}`, { exitCode: 1 })
      throw error
    }
  })
}

function toText({ formatTable }: OperateContext, { text }: CommandOutput): string {
  return [text]
    .flat()
    .map((part) => (typeof part === 'string' ? part : formatTable(part)))
    .join('\n')
}
