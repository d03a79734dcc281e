import { hash } from 'node:crypto'

type NamePool = { surnames: string[]; women: string[]; men: string[] }

/** Grouped by language, so that first names and surname match. */
const namePools: NamePool[] = [
  {
    surnames: [
      'Adebayo',
      'Adeyemi',
      'Afolabi',
      'Balogun',
      'Ogunleye',
      'Okeowo',
      'Oladipo',
      'Salako',
    ],
    women: ['Abimbola', 'Folake', 'Morenike', 'Omolara', 'Titilayo', 'Yetunde'],
    men: ['Ayodele', 'Babatunde', 'Kayode', 'Olumide', 'Segun', 'Tunde'],
  },
  {
    surnames: ['Chukwu', 'Eze', 'Nwosu', 'Obi', 'Okafor', 'Okonkwo', 'Onyekachi', 'Uzor'],
    women: ['Adaeze', 'Amarachi', 'Chiamaka', 'Ifeoma', 'Ngozi', 'Nkechi'],
    men: ['Chinedu', 'Emeka', 'Ikenna', 'Kelechi', 'Obinna', 'Uchenna'],
  },
  {
    surnames: ['Abubakar', 'Bello', 'Danjuma', 'Garba', 'Lawal', 'Musa', 'Shehu', 'Yakubu'],
    women: ['Aisha', 'Fatima', 'Hadiza', 'Halima', 'Maryam', 'Zainab'],
    men: ['Abdullahi', 'Aliyu', 'Ibrahim', 'Kabiru', 'Nasir', 'Sani'],
  },
]

/**
 * The account holder's name: always the same for a number, written as banks do, in capitals with
 * the surname first.
 */
export function accountNameOf(accountNumber: string): string {
  const bytes = hash('sha256', `sandbox/${accountNumber}`, 'buffer')
  const pool = pick(namePools, bytes[0]!)
  const given = bytes[1]! % 2 === 0 ? pool.women : pool.men
  const first = pick(given, bytes[2]!)
  const others = given.filter((name) => name !== first)
  return [pick(pool.surnames, bytes[3]!), first, pick(others, bytes[4]!)].join(' ').toUpperCase()
}

function pick<Item>(items: Item[], byte: number): Item {
  return items[byte % items.length]!
}
