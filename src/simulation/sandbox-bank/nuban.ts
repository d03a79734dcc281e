import { strict as assert } from 'node:assert'

const weights = [3, 7, 3]

/**
 * Adds the check digit of the Central Bank's NUBAN standard, computed over the three-digit bank
 * code and the nine-digit serial.
 */
export function toNuban({ bankCode, serial }: { bankCode: string; serial: string }): string {
  assert(
    /^\d{3}$/.test(bankCode) && /^\d{9}$/.test(serial),
    'a NUBAN has a 3-digit bank code and a 9-digit serial',
  )
  const sum = [...bankCode, ...serial].reduce(
    (total, digit, index) => total + Number(digit) * weights[index % 3]!,
    0,
  )
  return `${serial}${(10 - (sum % 10)) % 10}`
}

/** The same in SQL, for a serial of type bigint: the database draws serials while it inserts. */
export function nubanSql(bankCode: string, serial: string): string {
  const ofBank = [...bankCode].map((digit, index) => Number(digit) * weights[index % 3]!)
  const ofSerial = Array.from({ length: 9 }, (_, index) => {
    const digit = `${serial} / ${10 ** (8 - index)} % 10`
    return `${digit} * ${weights[index % 3]}`
  })
  const sum = [...ofBank, ...ofSerial].join(' + ')
  return `${serial}::text || (10 - (${sum}) % 10) % 10`
}
