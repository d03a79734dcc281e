import { randomBytes } from 'node:crypto'
import { toEnvironmentId } from '../../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../../src/base/ids.js'
import { createLogger } from '../../../src/base/log.js'
import { Refusal } from '../../../src/base/refusal.js'
import type { AttemptFinding, LiveAttempt, PayoutInstruction } from '../../../src/payouts/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import { magicAccounts } from '../../../src/simulation/sandbox-bank/magic-accounts.js'
import {
  createSandboxBank,
  type SandboxBank,
} from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../../support/clock.js'
import { whenDone } from '../../support/open-manilla.js'

export const ordinaryNumber = '0123456789'

/** The magic account whose nine-digit serial ends with this digit. */
export function magicNumber(last: number): string {
  return magicAccounts.find(({ serial }) => serial === `99000000${last}`)!.number
}

/** The key that the banks of these tests sign with by default. */
export const noticeKey = randomBytes(32)

/** A bank with its own clock, and the errors it logged. */
export function openBank(db: Database, key = noticeKey, otherNoticeKeys: Buffer[] = []) {
  const clock = manualClock()
  const logged: string[] = []
  const logger = createLogger('error', { write: (line) => logged.push(line) })
  const bank = createSandboxBank({ db, clock, logger, noticeKey: key, otherNoticeKeys })
  whenDone(() => bank.stop())
  return { bank, clock, logged }
}

export function instructionTo(
  accountNumber: string,
  more: { amount?: bigint; reference?: string } = {},
): PayoutInstruction {
  return {
    reference: toReference(prefixes.bankTransfer, newId(manualClock().now())),
    asset: 'NGN',
    amount: 250_000n,
    ...more,
    destination: {
      kind: 'bank_account',
      bankCode: '999',
      accountNumber,
      bankName: 'Sandbox Bank',
      accountName: 'EZE NGOZI ADAEZE',
      narration: 'Invoice 7',
    },
  }
}

/** Attempts as a worker reads them from committed rows. */
export async function prepareAttempts(
  bank: SandboxBank,
  instructions: PayoutInstruction[],
): Promise<LiveAttempt[]> {
  const prepared = await bank.prepare(instructions)
  return prepared.map((outcome, index) => {
    if (outcome instanceof Refusal) throw outcome
    const { reference, asset } = instructions[index]!
    const createdAt = manualClock().now()
    return {
      ...outcome,
      environmentId: toEnvironmentId(1),
      payoutId: newId(createdAt),
      number: 1,
      reference,
      asset,
      polls: 1,
      createdAt,
    }
  })
}

export async function sendTo(bank: SandboxBank, accountNumber: string): Promise<LiveAttempt> {
  const [attempt] = await prepareAttempts(bank, [instructionTo(accountNumber)])
  await bank.send([attempt!])
  return attempt!
}

export async function checkOne(bank: SandboxBank, attempt: LiveAttempt): Promise<AttemptFinding> {
  const [finding] = await bank.check([attempt])
  return finding!
}
