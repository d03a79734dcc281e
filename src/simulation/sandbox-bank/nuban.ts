import { strict as assert } from 'node:assert'

const weights = [3, 7, 3]

/**
 * Completes nine digits to an account number that is valid at this bank: the tenth is the check
 * digit of the Central Bank's standard (NUBAN), which covers the bank's code of three digits too.
 */
export function toNuban({ bankCode, serial }: { bankCode: string; serial: string }): string {
  assert(/^\d{3}$/.test(bankCode) && /^\d{9}$/.test(serial), 'a NUBAN is made of 3 and 9 digits')
  const sum = [...bankCode, ...serial].reduce(
    (total, digit, index) => total + Number(digit) * weights[index % 3]!,
    0,
  )
  return `${serial}${(10 - (sum % 10)) % 10}`
}
