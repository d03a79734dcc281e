import { createHash } from 'node:crypto'

type Families = { surnames: string[]; women: string[]; men: string[] }

/** Names that go together: nobody is called by a first name of one tongue and two of others. */
const peoples: Families[] = [
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
 * Whose account it is: the same number always has the same name, written as banks write it, the
 * surname first and in capitals.
 */
export function accountNameOf(accountNumber: string): string {
  const bytes = createHash('sha256').update(`sandbox/${accountNumber}`).digest()
  const people = pick(peoples, bytes[0]!)
  const given = bytes[1]! % 2 === 0 ? people.women : people.men
  const first = pick(given, bytes[2]!)
  const others = given.filter((name) => name !== first)
  return [pick(people.surnames, bytes[3]!), first, pick(others, bytes[4]!)].join(' ').toUpperCase()
}

function pick<Item>(items: Item[], byte: number): Item {
  return items[byte % items.length]!
}
