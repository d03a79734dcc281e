import type { Command } from 'commander'
import type { Clock } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'

/** What the operator's commands need from the program that runs them. */
export type OperateContext = {
  withDatabase<Result>(work: (db: Database, seal: Seal) => Promise<Result>): Promise<Result>
  clock: Clock
  /** Who is at the keyboard; every change is written down with this name. */
  actor: string
  print(text: string): void
  /** Shows that long work moves, to somebody who waits at a terminal. */
  startProgress(label: string, steps?: number): Progress
}

export type Progress = { step(said: string): void; end(): void }

/** What a command has to say: `data` for machines, `text` for people. */
export type CommandOutput = { data: unknown; text: string }

/** One run of a command. */
export type Run<Options> = {
  db: Database
  seal: Seal
  now: Date
  actor: string
  args: string[]
  options: Options
}

/**
 * Gives a command its work. Every command takes `--json`; a refusal is one line on stderr and exit
 * code 1; anything else that is thrown is a bug and left to the program.
 */
export function setOperation<Options = object>(
  command: Command,
  context: OperateContext,
  work: (run: Run<Options>) => Promise<CommandOutput>,
): void {
  command.option('--json', 'print one line of JSON, for machines')
  command.action(async () => {
    const { json: isJson, ...options } = command.opts()
    const run = { now: context.clock.now(), actor: context.actor, args: command.args }
    try {
      const answer = await context.withDatabase((db, seal) =>
        work({ ...run, db, seal, options: options as Options }),
      )
      context.print(isJson ? JSON.stringify(answer.data) : answer.text)
    } catch (error) {
      if (error instanceof Refusal) command.error(`error: ${error.message}`, { exitCode: 1 })
      throw error
    }
  })
}
