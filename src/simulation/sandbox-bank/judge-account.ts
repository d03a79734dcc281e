import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Bank } from '../../payouts/ports.js'
import { nigerianBanks } from '../../rails/banks.js'
import { accountNameOf } from './account-names.js'
import { isSomebodyElse } from './judge-name.js'
import { findMagicAccount, sandboxBankItself } from './magic-accounts.js'

export type SandboxAccountNumber = { bankCode: string; accountNumber: string }
export type Resolved = { bankName: string; accountName: string }

/** Every bank that can be paid through the sandbox. */
export const banks: readonly Bank[] = [...nigerianBanks, sandboxBankItself]

const byCode = new Map(banks.map((bank) => [bank.code, bank]))

/**
 * Says at which bank an account is and whose it is. Refuses a bank nobody knows, a number that is
 * not ten digits or does not resolve, and says so when the bank cannot be asked. The check digit is
 * not judged: newer banks have codes that the standard for it does not cover.
 */
export function resolveAccount({
  bankCode,
  accountNumber,
}: SandboxAccountNumber): Outcome<Resolved> {
  const bank = byCode.get(bankCode)
  if (!bank)
    return refuse('unknown_bank', `No bank has the code ${bankCode}. GET /v1/banks lists them.`)
  const reason = /^\d{10}$/.test(accountNumber)
    ? findMagicAccount(accountNumber)?.refusedAs
    : 'account_not_found'
  if (reason === 'account_not_found')
    return refuse(
      reason,
      `${bank.name} does not know the account ${accountNumber}. Check it with the recipient.`,
    )
  if (reason === 'rail_unavailable')
    return refuse(reason, `${bank.name} does not answer. Nothing was done; retry later.`)
  return { bankName: bank.name, accountName: accountNameOf(accountNumber) }
}

/** As above, and refuses an account that clearly belongs to another name than the one sent. */
export function judgeAccount(
  account: SandboxAccountNumber & { accountName: string },
): Outcome<Resolved> {
  const resolved = resolveAccount(account)
  if (resolved instanceof Refusal) return resolved
  return isSomebodyElse({ sent: account.accountName, held: resolved.accountName })
    ? refuse(
        'name_mismatch',
        `The account belongs to ${resolved.accountName}. Correct accountName, or leave it out.`,
      )
    : resolved
}

function refuse(
  reason: 'unknown_bank' | 'account_not_found' | 'name_mismatch' | 'rail_unavailable',
  message: string,
): Refusal {
  return new Refusal('bank_transfer_failed', { reason, message })
}
