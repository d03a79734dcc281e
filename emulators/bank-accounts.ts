import { hash } from 'node:crypto'

const nubanWeights = [3, 7, 3]

/** A nine-digit serial and its check digit, by the NUBAN standard of the Central Bank. */
export function toNuban({ bankCode, serial }: { bankCode: string; serial: string }): string {
  const sum = [...bankCode, ...serial].reduce(
    (total, digit, index) => total + Number(digit) * nubanWeights[index % 3]!,
    0,
  )
  return `${serial}${(10 - (sum % 10)) % 10}`
}

/** Grouped by language, so that first names and surname match. */
const namePools = [
  {
    surnames: words('Adebayo Adeyemi Afolabi Balogun Ogunleye Okeowo Oladipo Salako'),
    women: words('Abimbola Folake Morenike Omolara Titilayo Yetunde'),
    men: words('Ayodele Babatunde Kayode Olumide Segun Tunde'),
  },
  {
    surnames: words('Chukwu Eze Nwosu Obi Okafor Okonkwo Onyekachi Uzor'),
    women: words('Adaeze Amarachi Chiamaka Ifeoma Ngozi Nkechi'),
    men: words('Chinedu Emeka Ikenna Kelechi Obinna Uchenna'),
  },
  {
    surnames: words('Abubakar Bello Danjuma Garba Lawal Musa Shehu Yakubu'),
    women: words('Aisha Fatima Hadiza Halima Maryam Zainab'),
    men: words('Abdullahi Aliyu Ibrahim Kabiru Nasir Sani'),
  },
]

/**
 * The account holder's name, the same for a number as at the sandbox bank: in capitals with the
 * surname first.
 */
export function accountNameOf(accountNumber: string): string {
  const bytes = hash('sha256', `sandbox/${accountNumber}`, 'buffer')
  const pool = pick(namePools, bytes[0]!)
  const given = bytes[1]! % 2 === 0 ? pool.women : pool.men
  const first = pick(given, bytes[2]!)
  const others = given.filter((name) => name !== first)
  return [pick(pool.surnames, bytes[3]!), first, pick(others, bytes[4]!)].join(' ').toUpperCase()
}

/** The interbank session id: code of the sending bank, time, and twelve digits. */
export function sessionIdOf(paymentId: string, paidAtMs: number, bankCode: string): string {
  const time = new Date(paidAtMs).toISOString().replace(/\D/g, '').slice(2, 14)
  const number = hash('sha256', `session/${paymentId}`, 'buffer').readBigUInt64BE()
  const digits = (number % 1_000_000_000_000n).toString().padStart(12, '0')
  return bankCode.padStart(6, '0') + time + digits
}

function words(text: string): string[] {
  return text.split(' ')
}

function pick<Item>(items: Item[], byte: number): Item {
  return items[byte % items.length]!
}
