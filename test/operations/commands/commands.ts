import { Command, CommanderError } from 'commander'
import { createConsole as createTerminalConsole } from '../../../sdk/cli/console.js'
import { Failure } from '../../../sdk/cli/failure.js'
import type { Terminal } from '../../../sdk/cli/terminal.js'
import { noRateSources } from '../../../src/base/rate-sources.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import { allActions, commandGroups } from '../../../src/operations/actions/all-actions.js'
import type { ResolveHolder, Service } from '../../../src/operations/definitions/definition.js'
import { registerCommands } from '../../../src/operations/definitions/register-commands.js'
import type { ReconcilableRails } from '../../../src/operations/reconcile/reconcile.js'
import type { Database } from '../../../src/postgres/database.js'
import { createRateBook } from '../../../src/rates/rate-book.js'
import type { Screening } from '../../../src/screening/ports.js'
import { simulatedRates } from '../../../src/simulation/simulated-rates.js'
import { manualClock } from '../../support/clock.js'
import { noRails, standardRetention } from '../../support/open-manilla.js'

/** What the operator types next, question by question; without one, there is no terminal. */
export const answers: string[] = []

export const secret = new Secret('a secret of more than thirty-two characters')
export const seal = createSeal(secret)
export const clock = manualClock()

const nothingToReconcile: ReconcilableRails = {
  solana: { test: undefined, live: undefined },
  rails: noRails,
}

export type CommandResult = { exitCode: number; out: string; err: string; openings: number }

type Outside = {
  rails?: ReconcilableRails
  rates?: typeof noRateSources
  screening?: Screening
}

/** Runs commands as the program does, on the test's database. */
export function createConsole(
  db: Database,
  resolveHolder: ResolveHolder = async () => undefined,
  outside: Outside = {},
) {
  async function run(...words: string[]): Promise<CommandResult> {
    // Advances, so that audit lines have distinct times.
    clock.advance(1)
    const result: CommandResult = { exitCode: 0, out: '', err: '', openings: 0 }
    const program = new Command('manilla').exitOverride().configureOutput({
      writeOut: (text) => {
        result.out += text
      },
      writeErr: (text) => {
        result.err += text
      },
    })
    const terminal = {
      clock,
      actor: 'ada',
      print: (text: string) => {
        result.out += `${text}\n`
      },
      ...createTerminalConsole({
        hasColors: false,
        columns: 120,
        startProgress: () => ({ step() {}, end() {} }),
        canAsk: answers.length > 0,
        ask: async (question: string) => {
          result.err += question
          return answers.shift()
        },
      } as unknown as Terminal),
      withDatabase<Result>(work: (db: Database, given: typeof seal) => Promise<Result>) {
        result.openings += 1
        return work(db, seal)
      },
    }
    const service: Service = {
      withRails: (_, work) => work(outside.rails ?? nothingToReconcile),
      rateConfig: () => outside.rates ?? noRateSources,
      retention: () => standardRetention,
      rateBook: (db) => createRateBook({ db, clock, simulated: simulatedRates }),
      resolveHolder,
      openScreening: async () => outside.screening,
      findConsoleUrl: async () => 'https://console.example',
      openStart: async () => 'https://console.example/console/start/token',
      openBrowser: () => false,
    }
    registerCommands(program, { terminal, service }, allActions, commandGroups)
    try {
      await program.parseAsync(words, { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError || error instanceof Failure)) throw error
      if (error instanceof Failure) result.err += `${error.message}\n`
      result.exitCode = error.exitCode
    }
    return result
  }

  /** The parsed `--json` output of a command that must succeed. */
  async function runJson(...words: string[]) {
    const result = await run(...words, '--json')
    if (result.exitCode !== 0) throw new Error(result.err)
    return JSON.parse(result.out)
  }

  return { run, runJson }
}
