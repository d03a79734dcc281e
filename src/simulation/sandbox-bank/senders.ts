import { createHash } from 'node:crypto'
import type { BankSender } from '../../collections/ports.js'
import type { Bank } from '../../payouts/ports.js'
import { nigerianBanks } from '../../rails/banks.js'
import { accountNameOf } from './account-names.js'
import { banks } from './judge-account.js'
import { sandboxBankItself } from './magic-accounts.js'
import { toNuban } from './nuban.js'

/** Banks whose code the NUBAN standard covers. */
const nubanBanks = nigerianBanks.filter(({ code }) => /^\d{3}$/.test(code))

/** Serials below those of the magic accounts. */
const serialsMax = 900_000_000

/**
 * Fills in missing details of a sender. Without an account number, the payment's id determines a
 * valid one at a real bank. A number without a bank belongs to the Sandbox Bank; a missing name is
 * the account holder's.
 */
export function completeSender(paymentId: string, known: Partial<BankSender>): BankSender {
  const generated = senderOf(paymentId)
  const accountNumber = known.accountNumber ?? generated.accountNumber
  const bank = known.accountNumber === undefined ? generated.bank : sandboxBankItself
  const bankCode = known.bankCode ?? bank.code
  const listed = banks.find(({ code }) => code === bankCode)
  const bankName = known.bankName ?? listed?.name ?? `Bank ${bankCode}`
  return { name: known.name ?? accountNameOf(accountNumber), accountNumber, bankCode, bankName }
}

/** The interbank session id: code of the sending bank, time, and twelve digits. */
export function sessionIdOf(paymentId: string, paidAt: Date, bankCode: string): string {
  const time = paidAt.toISOString().replace(/\D/g, '').slice(2, 14)
  const digits = numberOf(`session/${paymentId}`) % 1_000_000_000_000n
  return bankCode.padStart(6, '0') + time + digits.toString().padStart(12, '0')
}

function senderOf(paymentId: string): { bank: Bank; accountNumber: string } {
  const number = numberOf(`sender/${paymentId}`)
  const bank = nubanBanks[Number(number % BigInt(nubanBanks.length))]!
  const serial = (number / BigInt(nubanBanks.length)) % BigInt(serialsMax)
  const digits = serial.toString().padStart(9, '0')
  return { bank, accountNumber: toNuban({ bankCode: bank.code, serial: digits }) }
}

function numberOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64BE()
}
