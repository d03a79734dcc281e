import { randomBytes } from 'node:crypto'
import { Refusal } from '../../../src/base/refusal.js'
import type {
  AccountOpening,
  ReportedPayment,
  SimulatedPayment,
} from '../../../src/collections/ports.js'
import type { SandboxBank } from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../../support/clock.js'

export function newPaymentId(): string {
  return `sbp_${randomBytes(10).toString('hex')}`
}

export function newOpening(more: Partial<AccountOpening> = {}): AccountOpening {
  const reference = `va_${randomBytes(10).toString('hex')}`
  const order = { reference, name: 'Ada Stores', purpose: 'order-1' }
  return { ...order, expected: null, customer: null, ...more }
}

export async function openAccount(bank: SandboxBank): Promise<string> {
  const [account] = await bank.openAccounts([newOpening()])
  if (account instanceof Refusal) throw account
  return account!.number
}

export function paymentInto(
  accountNumber: string,
  more: Partial<SimulatedPayment> = {},
): SimulatedPayment {
  const paidAt = manualClock().now()
  return { id: newPaymentId(), accountNumber, amount: 500_000n, paidAt, copies: 1, ...more }
}

/** Pays into a new account by default. */
export async function payIn(
  bank: SandboxBank,
  more: Partial<SimulatedPayment> = {},
): Promise<ReportedPayment> {
  const accountNumber = more.accountNumber ?? (await openAccount(bank))
  return (await bank.receivePayment(paymentInto(accountNumber, more)))!
}
