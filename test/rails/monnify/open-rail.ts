import { onTestFinished } from 'vitest'
import type { Emulator } from '../../../emulators/emulator.js'
import {
  createMonnifyEmulator,
  type MonnifyEmulatorOptions,
} from '../../../emulators/monnify/emulator.js'
import { hour } from '../../../src/base/clock.js'
import { type Mode, toEnvironmentId } from '../../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../../src/base/ids.js'
import { createLogger } from '../../../src/base/log.js'
import { Refusal } from '../../../src/base/refusal.js'
import { Secret } from '../../../src/base/secret.js'
import type {
  AccountOpening,
  BankRail,
  NoticeRequest,
  OpenedAccount,
} from '../../../src/collections/ports.js'
import type { AttemptFinding, LiveAttempt, PayoutInstruction } from '../../../src/payouts/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import { createBankRail } from '../../../src/rails/bank/rail.js'
import { createMonnifyDriver } from '../../../src/rails/monnify/driver.js'
import { manualClock } from '../../support/clock.js'
import { openReceiver } from '../../support/receiver.js'

type Options = Partial<MonnifyEmulatorOptions> & { mode?: Mode; secretKey?: string }

/** The rail at an emulator of Monnify, on one clock. Payouts wait until they are settled. */
export async function openRail(db: Database, { mode = 'live', secretKey, ...rest }: Options = {}) {
  const clock = manualClock()
  const emulator = await createMonnifyEmulator({ clock, speed: 1_000, ...rest })
  onTestFinished(() => emulator.close())
  emulator.faults.arePayoutsHeld = true
  const logged: string[] = []
  const logger = createLogger('debug', { write: (line) => logged.push(line) })
  const driver = createMonnifyDriver(configOf(emulator, secretKey), {
    payerEmail: 'payer@example.com',
    mode,
    clock,
    logger,
  })
  const rail = createBankRail({ driver, mode, db, clock, logger })
  return { clock, emulator, driver, rail, logged }
}

export type OpenRail = Awaited<ReturnType<typeof openRail>>

function configOf({ variables }: Emulator, secretKey = variables.MONNIFY_SECRET_KEY!) {
  return {
    apiKey: new Secret(variables.MONNIFY_API_KEY!),
    secretKey: new Secret(secretKey),
    contractCode: variables.MONNIFY_CONTRACT_CODE!,
    sourceAccount: variables.MONNIFY_SOURCE_ACCOUNT!,
    url: variables.MONNIFY_URL!,
  }
}

let openings = 0

export function temporary({ clock }: OpenRail, amount = 5_000_00n): AccountOpening {
  openings += 1
  const lifetimeMs = hour / 2
  return {
    reference: `va-${newId(clock.now()).slice(-12)}${openings}`,
    name: 'Ada Stores',
    purpose: 'order 7',
    expected: { amount, expiresAt: new Date(clock.now().getTime() + lifetimeMs), lifetimeMs },
    customer: null,
  }
}

export function dedicated({ clock }: OpenRail): AccountOpening {
  openings += 1
  return {
    reference: `da-${newId(clock.now()).slice(-12)}${openings}`,
    name: 'Ada Stores',
    purpose: 'customer 7',
    expected: null,
    customer: {
      name: 'Ngozi Obi',
      email: 'ngozi@example.com',
      phone: null,
      bvn: new Secret('22222222226'),
      nin: null,
    },
  }
}

export async function openOne(rail: BankRail, opening: AccountOpening): Promise<OpenedAccount> {
  const [opened] = await rail.openAccounts([opening])
  if (opened instanceof Refusal) throw opened
  return opened!
}

/** Every notice that the emulator sends from now on, as the API would get it. */
export async function catchNotices({
  emulator,
}: OpenRail): Promise<() => Promise<NoticeRequest[]>> {
  const receiver = await openReceiver()
  emulator.sendNoticesTo(receiver.url)
  return async () => {
    await emulator.drainNotices()
    return receiver.received.splice(0)
  }
}

/** The hint of a notice, or its kind. */
export function readHint(rail: BankRail, request: NoticeRequest) {
  const read = rail.readNotice(request)
  return read.kind === 'hint' ? read.hint : read.kind
}

/** What the bank says about a payment that a notice is about. */
export async function confirm(rail: BankRail, request: NoticeRequest) {
  const read = rail.readNotice(request)
  if (read.kind !== 'hint' || read.hint.about.subject !== 'payment')
    throw new Error(`no payment: ${JSON.stringify(read)}`)
  return rail.confirmPayment(read.hint.about.key)
}

export function transferOf(
  amount: bigint,
  more: Partial<PayoutInstruction['destination']> = {},
): PayoutInstruction {
  return {
    reference: toReference(prefixes.bankTransfer, newId(manualClock().now())),
    asset: 'NGN',
    amount,
    destination: {
      kind: 'bank_account',
      bankCode: '058',
      accountNumber: '0123456789',
      bankName: '',
      accountName: '',
      narration: 'Rent',
      ...more,
    } as PayoutInstruction['destination'],
  }
}

/** Inspected and prepared, as a worker reads it from its committed row. */
export async function prepare(
  rail: BankRail,
  instruction: PayoutInstruction,
): Promise<LiveAttempt> {
  const [inspected] = await rail.inspect([instruction])
  if (inspected instanceof Refusal) throw inspected
  const { reference, asset, amount } = instruction
  const [prepared] = await rail.prepare([
    { reference, asset, amount, destination: inspected!.destination },
  ])
  if (prepared instanceof Refusal) throw prepared
  const createdAt = manualClock().now()
  return {
    ...prepared!,
    environmentId: toEnvironmentId(1),
    payoutId: newId(createdAt),
    number: 1,
    reference,
    asset,
    polls: 1,
    createdAt,
  }
}

export async function check(rail: BankRail, attempt: LiveAttempt): Promise<AttemptFinding> {
  const [finding] = await rail.check([attempt])
  return finding!
}
