import { Command, CommanderError } from 'commander'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import { registerAudit } from '../../../src/operations/commands/audit.js'
import { registerBalances } from '../../../src/operations/commands/balances.js'
import { registerBankAccounts } from '../../../src/operations/commands/bank-accounts.js'
import { registerFees } from '../../../src/operations/commands/fees.js'
import { registerKeys } from '../../../src/operations/commands/keys.js'
import { registerKyc } from '../../../src/operations/commands/kyc.js'
import { registerMerchants } from '../../../src/operations/commands/merchants.js'
import type { Database } from '../../../src/postgres/database.js'
import { manualClock } from '../../support/clock.js'

export const seal = createSeal(new Secret('a secret of more than thirty-two characters'))
export const clock = manualClock()

export type Said = { exitCode: number; out: string; err: string; openings: number }

/** Runs commands as the program does, on a database of the test. */
export function createConsole(db: Database) {
  async function run(...words: string[]): Promise<Said> {
    // No two commands run in the same millisecond, so that the audit has one order.
    clock.advance(1)
    const said: Said = { exitCode: 0, out: '', err: '', openings: 0 }
    const program = new Command('manilla').exitOverride().configureOutput({
      writeOut: (text) => {
        said.out += text
      },
      writeErr: (text) => {
        said.err += text
      },
    })
    const context = {
      clock,
      actor: 'ada',
      print: (text: string) => {
        said.out += `${text}\n`
      },
      startProgress: () => ({ step() {}, end() {} }),
      withDatabase<Result>(work: (db: Database, given: typeof seal) => Promise<Result>) {
        said.openings += 1
        return work(db, seal)
      },
    }
    const rooms = [registerMerchants, registerKeys, registerKyc, registerBankAccounts]
    for (const register of [...rooms, registerFees, registerBalances, registerAudit])
      register(program, context)
    try {
      await program.parseAsync(words, { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      said.exitCode = error.exitCode
    }
    return said
  }

  /** What a machine reads, from a command that must succeed. */
  async function ask(...words: string[]) {
    const said = await run(...words, '--json')
    if (said.exitCode !== 0) throw new Error(said.err)
    return JSON.parse(said.out)
  }

  return { run, ask }
}
