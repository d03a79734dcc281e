import { createHash } from 'node:crypto'
import type { BankSender } from '../../collections/ports.js'
import type { Bank } from '../../payouts/ports.js'
import { nigerianBanks } from '../../rails/banks.js'
import { accountNameOf } from './account-names.js'
import { banks } from './judge-account.js'
import { sandboxBankItself } from './magic-accounts.js'
import { toNuban } from './nuban.js'

/** Those whose code the standard for check digits covers. */
const covered = nigerianBanks.filter(({ code }) => /^\d{3}$/.test(code))

/** Below those that make the bank misbehave. */
const serials = 900_000_000

/**
 * Completes what is known of a sender. Somebody of whom nothing is known has an account that is
 * valid at a real bank, always the same one for the same payment. A number without a bank is one
 * of the Sandbox Bank; a number without a name has the name that it resolves to.
 */
export function completeSender(paymentId: string, known: Partial<BankSender>): BankSender {
  const anybody = senderOf(paymentId)
  const accountNumber = known.accountNumber ?? anybody.accountNumber
  const bank = known.accountNumber === undefined ? anybody.bank : sandboxBankItself
  const bankCode = known.bankCode ?? bank.code
  const listed = banks.find(({ code }) => code === bankCode)
  const bankName = known.bankName ?? listed?.name ?? `Bank ${bankCode}`
  return { name: known.name ?? accountNameOf(accountNumber), accountNumber, bankCode, bankName }
}

/**
 * The name that a payment has between banks: the code of the bank it comes from, the time, and
 * twelve digits.
 */
export function sessionIdOf(paymentId: string, paidAt: Date, bankCode: string): string {
  const time = paidAt.toISOString().replace(/\D/g, '').slice(2, 14)
  const digits = numberOf(`session/${paymentId}`) % 1_000_000_000_000n
  return bankCode.padStart(6, '0') + time + digits.toString().padStart(12, '0')
}

function senderOf(paymentId: string): { bank: Bank; accountNumber: string } {
  const number = numberOf(`sender/${paymentId}`)
  const bank = covered[Number(number % BigInt(covered.length))]!
  const serial = (number / BigInt(covered.length)) % BigInt(serials)
  const digits = serial.toString().padStart(9, '0')
  return { bank, accountNumber: toNuban({ bankCode: bank.code, serial: digits }) }
}

function numberOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64BE()
}
