import { Writable } from 'node:stream'
import type { PaystackOptions } from '../../../emulators/paystack/emulator.js'
import { toEnvironmentId } from '../../../src/base/environment.js'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import type { AccountOpening, BankRail } from '../../../src/collections/ports.js'
import type { LiveAttempt, PayoutInstruction, PreparedAttempt } from '../../../src/payouts/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import { createBankRail } from '../../../src/rails/bank/rail.js'
import { createPaystackDriver } from '../../../src/rails/paystack/driver.js'
import { openPaystack } from '../../emulators/paystack-client.js'

export const payerEmail = 'payments@shop.example'

/** A rail, an emulated Paystack of its own, and the lines that the rail logs. */
export async function openRail(db: Database, options: Partial<PaystackOptions> = {}) {
  const provider = await openPaystack(options)
  const { emulator, clock } = provider
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = createLogger('debug', sink)
  const config = {
    secretKey: new Secret(emulator.variables.PAYSTACK_SECRET_KEY!),
    url: emulator.url,
  }
  const open = (database: Database): BankRail => {
    const driver = createPaystackDriver(config, { payerEmail, mode: 'live', clock, logger })
    return createBankRail({ driver, mode: 'live', db: database, clock, logger })
  }
  const rail = open(db)

  /** What the rail makes of the notices that the emulator has sent so far. */
  async function readings() {
    await emulator.drainNotices()
    return provider.receiver.received.map(({ headers, body }) => rail.readNotice({ headers, body }))
  }

  /** Prepares, sends and returns an attempt as its row would hold it. */
  async function pay(change: Partial<PayoutInstruction> = {}): Promise<LiveAttempt> {
    const attempt = await prepare(rail, change)
    await rail.send([attempt])
    return attempt
  }

  return { ...provider, rail, open, lines, readings, pay }
}

let count = 0

/** A reference as ours are spelled. */
export function newReference(prefix: string): string {
  count += 1
  return `${prefix}_${String(count).padStart(26, '0')}`
}

export function opening(change: Partial<AccountOpening> = {}): AccountOpening {
  return {
    reference: newReference('va').replace('_', '-'),
    name: 'Shop',
    purpose: 'order-1',
    expected: {
      amount: 500_000n,
      expiresAt: new Date('2026-01-05T10:00:00.000Z'),
      lifetimeMs: 3_600_000,
    },
    customer: null,
    ...change,
  }
}

export function dedicated(change: Partial<AccountOpening> = {}): AccountOpening {
  const customer = {
    name: 'Ada Obi',
    email: 'ada@example.com',
    phone: '+2348000000000',
    bvn: null,
    nin: null,
  }
  const reference = newReference('da').replace('_', '-')
  return opening({ reference, expected: null, customer, ...change })
}

export const destination = {
  kind: 'bank_account' as const,
  bankCode: '058',
  accountNumber: '0123456789',
  bankName: 'Guaranty Trust Bank',
  accountName: '',
  narration: 'Rent',
}

/** A refund of a payment by its id. */
export function refundOf(paymentId: string) {
  return { ...destination, accountNumber: 'XXXXXXX553', bankCode: '', refundOf: paymentId }
}

export async function prepare(
  rail: BankRail,
  change: Partial<PayoutInstruction> = {},
): Promise<LiveAttempt> {
  const instruction = {
    asset: 'NGN' as const,
    amount: 100_000n,
    destination,
    reference: newReference('bt'),
    ...change,
  }
  const [prepared] = await rail.prepare([instruction])
  return toAttempt(instruction.reference, prepared as PreparedAttempt)
}

function toAttempt(reference: string, prepared: PreparedAttempt): LiveAttempt {
  return {
    ...prepared,
    environmentId: toEnvironmentId(1),
    payoutId: '00000000-0000-7000-8000-000000000001',
    number: 1,
    reference,
    asset: 'NGN',
    polls: 1,
    createdAt: new Date('2026-01-05T09:00:00.000Z'),
  }
}
