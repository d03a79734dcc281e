import { Command, CommanderError } from 'commander'
import { createConsole as createTerminalConsole } from '../../../sdk/cli/console.js'
import { Failure } from '../../../sdk/cli/failure.js'
import type { Terminal } from '../../../sdk/cli/terminal.js'
import { noRateSources } from '../../../src/base/rate-sources.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import { registerAudit } from '../../../src/operations/commands/audit.js'
import { registerBalances } from '../../../src/operations/commands/balances.js'
import {
  type ResolveHolder,
  registerBankAccounts,
} from '../../../src/operations/commands/bank-accounts.js'
import { registerExchange } from '../../../src/operations/commands/exchange.js'
import { registerFees } from '../../../src/operations/commands/fees.js'
import { registerKeys } from '../../../src/operations/commands/keys.js'
import { registerKyc } from '../../../src/operations/commands/kyc.js'
import { registerMerchants } from '../../../src/operations/commands/merchants.js'
import type { OperateContext } from '../../../src/operations/commands/operation.js'
import { registerRates } from '../../../src/operations/commands/rates.js'
import { registerSettlements } from '../../../src/operations/commands/settlements.js'
import { registerUsers } from '../../../src/operations/commands/users.js'
import { registerVerifyAudit } from '../../../src/operations/commands/verify-audit.js'
import type { ReconcilableRails } from '../../../src/operations/reconcile/reconcile.js'
import type { Database } from '../../../src/postgres/database.js'
import { simulatedRates } from '../../../src/simulation/simulated-rates.js'
import { manualClock } from '../../support/clock.js'
import { noRails } from '../../support/open-manilla.js'

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

type Outside = { rails?: ReconcilableRails; rates?: typeof noRateSources }

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
    const context = {
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
    for (const register of [
      registerMerchants,
      (to: Command, given: OperateContext) =>
        registerUsers(to, given, () => 'https://console.example'),
      registerKeys,
      registerKyc,
      registerSettlements,
      (to: Command, given: OperateContext) => registerBankAccounts(to, given, resolveHolder),
      registerFees,
      registerBalances,
      (to: Command, given: OperateContext) =>
        registerRates(to, given, () => outside.rates ?? noRateSources),
      (to: Command, given: OperateContext) =>
        registerExchange(to, given, {
          withRails: (_, work) => work(outside.rails ?? nothingToReconcile),
          simulated: simulatedRates,
        }),
      registerAudit,
      registerVerifyAudit,
    ])
      register(program, context)
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
