import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Bank } from '../../payouts/ports.js'
import { isNameMismatch } from '../../rails/bank/judge-name.js'
import { nigerianBanks } from '../../rails/banks.js'
import { accountNameOf } from './account-names.js'
import { findMagicAccount, sandboxBankItself } from './magic-accounts.js'

export type SandboxAccountNumber = { bankCode: string; accountNumber: string }
export type Resolved = { bankName: string; accountName: string }

/** Every bank that the sandbox bank can pay. */
export const banks: readonly Bank[] = [...nigerianBanks, sandboxBankItself]

const byCode = new Map(banks.map((bank) => [bank.code, bank]))

/** Resolves an account to its bank and holder, or refuses it like `refuseAccountNumber`. */
export function resolveAccount(account: SandboxAccountNumber): Outcome<Resolved> {
  const refusal = refuseAccountNumber(account)
  if (refusal) return refusal
  const { bankCode, accountNumber } = account
  return { bankName: byCode.get(bankCode)!.name, accountName: accountNameOf(accountNumber) }
}

/**
 * Refuses an unknown bank, a number that is not ten digits or does not resolve, and a bank that
 * does not answer. The check digit is not verified: the NUBAN standard does not cover the codes of
 * newer banks.
 */
export function refuseAccountNumber({
  bankCode,
  accountNumber,
}: SandboxAccountNumber): Refusal | undefined {
  const bank = byCode.get(bankCode)
  if (!bank)
    return refuse(
      'unknown_bank',
      `Unknown bank code ${bankCode}. GET /v1/banks lists the known ones.`,
    )
  const reason = /^\d{10}$/.test(accountNumber)
    ? findMagicAccount(accountNumber)?.refusedAs
    : 'account_not_found'
  if (reason === 'account_not_found')
    return refuse(
      reason,
      `${bank.name} has no account ${accountNumber}. Check the number with the recipient.`,
    )
  if (reason === 'rail_unavailable')
    return refuse(reason, `${bank.name} does not answer. Nothing was changed; retry later.`)
  return undefined
}

/** Like `resolveAccount`, and refuses an account holder that does not match the name sent. */
export function judgeAccount(
  account: SandboxAccountNumber & { accountName: string },
): Outcome<Resolved> {
  const resolved = resolveAccount(account)
  if (resolved instanceof Refusal) return resolved
  return isNameMismatch({ sent: account.accountName, holder: resolved.accountName })
    ? refuse(
        'name_mismatch',
        `The account belongs to ${resolved.accountName}. Correct accountName or omit it.`,
      )
    : resolved
}

function refuse(
  reason: 'unknown_bank' | 'account_not_found' | 'name_mismatch' | 'rail_unavailable',
  message: string,
): Refusal {
  return new Refusal('bank_transfer_failed', { reason, message })
}
