import { pino } from 'pino'
import { createFlutterwaveEmulator } from '../../../emulators/flutterwave/emulator.js'
import type { Clock } from '../../../src/base/clock.js'
import type { EnvironmentId } from '../../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../../src/base/ids.js'
import { Refusal } from '../../../src/base/refusal.js'
import { Secret } from '../../../src/base/secret.js'
import type { AccountOpening } from '../../../src/collections/ports.js'
import type { LiveAttempt, PayoutInstruction } from '../../../src/payouts/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import { createBankRail } from '../../../src/rails/bank/rail.js'
import { createFlutterwaveDriver } from '../../../src/rails/flutterwave/driver.js'
import { manualClock } from '../../support/clock.js'
import { whenDone } from '../../support/open-manilla.js'
import { openReceiver } from '../../support/receiver.js'

type Given = { float?: bigint; clock?: Clock }

/** A rail to an emulator of its own, with everything that it logs. */
export async function openFlutterwave(db: Database, given: Given = {}) {
  const clock = manualClock(new Date('2026-03-02T10:00:00.000Z'))
  const receiver = await openReceiver((response) => response.end())
  const emulator = await createFlutterwaveEmulator({
    clock,
    speed: 10_000,
    noticeUrl: receiver.url,
    ...given,
  })
  whenDone(() => emulator.close())
  const { FLUTTERWAVE_SECRET_KEY: key, FLUTTERWAVE_WEBHOOK_SECRET: secret } = emulator.variables
  const config = {
    secretKey: new Secret(key!),
    webhookSecret: new Secret(secret!),
    url: emulator.url,
  }
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const open = () => {
    const tools = { payerEmail: 'payer@example.com', mode: 'live', clock, logger } as const
    const driver = createFlutterwaveDriver(config, tools)
    return { driver, rail: createBankRail({ driver, mode: 'live', db, clock, logger }) }
  }
  const { driver, rail } = open()

  /** The last notice that the emulator sent. */
  async function lastNotice() {
    await emulator.drainNotices()
    const { headers, body } = receiver.received.at(-1)!
    return { headers, body }
  }

  async function openOne(opening: AccountOpening) {
    const [outcome] = await rail.openAccounts([opening])
    return outcome!
  }

  async function openGood(opening: AccountOpening) {
    const outcome = await openOne(opening)
    if (outcome instanceof Refusal) throw outcome
    return outcome
  }

  async function prepare(instruction: PayoutInstruction): Promise<LiveAttempt> {
    const [prepared] = await rail.prepare([instruction])
    if (!prepared || prepared instanceof Refusal) throw prepared ?? new Error('nothing prepared')
    return {
      ...prepared,
      environmentId: 1 as EnvironmentId,
      payoutId: newId(clock.now()),
      number: 1,
      reference: instruction.reference,
      asset: 'NGN',
      polls: 1,
      createdAt: clock.now(),
    }
  }

  async function check(attempt: LiveAttempt) {
    const [finding] = await rail.check([attempt])
    return finding!
  }

  /** Polls until the emulator has ended it. */
  async function ended(attempt: LiveAttempt) {
    for (;;) {
      const finding = await check(attempt)
      if (finding.state !== 'pending' && finding.state !== 'unseen') return finding
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  return {
    clock,
    emulator,
    receiver,
    driver,
    rail,
    lines,
    /** The rail of another process, without its memory. */
    openAnother: open,
    lastNotice,
    openOne,
    openGood,
    prepare,
    check,
    ended,
  }
}

/** As the collections make them: without `_`. */
export function newAccountReference(): string {
  return toReference(prefixes.virtualAccount, newId(new Date(0))).replace('_', '-')
}

export function temporary(fields: Partial<AccountOpening> = {}): AccountOpening {
  const expiresAt = new Date('2026-03-02T10:30:00.000Z')
  return {
    reference: newAccountReference(),
    name: 'Ada Stores',
    purpose: 'order-1',
    expected: { amount: 150_050n, expiresAt, lifetimeMs: 30 * 60_000 },
    customer: null,
    ...fields,
  }
}

export function dedicated(customer: Partial<AccountOpening['customer']> = {}): AccountOpening {
  return {
    reference: newAccountReference(),
    name: 'Ada Stores',
    purpose: 'customer-1',
    expected: null,
    customer: {
      name: 'Ngozi Okafor',
      email: 'ngozi@example.com',
      phone: null,
      bvn: new Secret('22222222222'),
      nin: null,
      ...customer,
    },
  }
}

export function payout(fields: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    reference: toReference(prefixes.bankTransfer, newId(new Date(0))),
    asset: 'NGN',
    amount: 550_000n,
    destination: {
      kind: 'bank_account',
      bankCode: '044',
      accountNumber: '0690000040',
      bankName: 'Access Bank',
      accountName: 'ADA OKAFOR',
      narration: 'Salary',
    },
    ...fields,
  }
}

export function refund(paymentId: string, amount: bigint): PayoutInstruction {
  return {
    reference: toReference(prefixes.paymentReturn, newId(new Date(0))),
    asset: 'NGN',
    amount,
    destination: {
      kind: 'bank_account',
      bankCode: '044',
      accountNumber: '123*******90',
      bankName: 'Access Bank',
      accountName: 'JOHN DOE',
      narration: null,
      refundOf: paymentId,
    },
  }
}
