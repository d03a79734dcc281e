import type { Command } from 'commander'
import type { Clock } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'

/** What the operator's commands need from the program that runs them. */
export type OperateContext = {
  withDatabase<Result>(work: (db: Database, seal: Seal) => Promise<Result>): Promise<Result>
  clock: Clock
  /** Name of the operator, recorded with every change. */
  actor: string
  print(text: string): void
  /** Shows the progress of long work on a terminal. */
  startProgress(label: string, steps?: number): Progress
}

export type Progress = { step(label: string): void; end(): void }

/** Output of a command: `data` for `--json`, `text` for people. */
export type CommandOutput = { data: unknown; text: string }

export type Run<Options> = {
  db: Database
  seal: Seal
  now: Date
  actor: string
  args: string[]
  options: Options
}

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
    const { json: isJson, ...options } = command.opts()
    const run = { now: context.clock.now(), actor: context.actor, args: command.args }
    try {
      const output = await context.withDatabase((db, seal) =>
        work({ ...run, db, seal, options: options as Options }),
      )
      context.print(isJson ? JSON.stringify(output.data) : output.text)
    } catch (error) {
      if (error instanceof Refusal) command.error(`error: ${error.message}`, { exitCode: 1 })
      throw error
    }
  })
}
