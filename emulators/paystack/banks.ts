import { nigerianBanks } from '../banks.js'

export type ListedBank = {
  id: number
  name: string
  slug: string
  code: string
  isActive: boolean
  isDeleted: boolean
}

/** Banks whose ids and slugs appear in other answers, and codes that are not numbers. */
const special: ListedBank[] = [
  listed({ id: 20, name: 'Wema Bank', code: '035' }),
  listed({ id: 24, name: 'Test Bank', code: '001' }),
  { ...listed({ id: 629, name: 'Paystack-Titan', code: '100039' }), slug: 'titan-paystack' },
  listed({ id: 27, name: 'ALAT by WEMA', code: '035A' }),
  listed({ id: 302, name: 'Mint Finex MFB', code: '50304' }),
  listed({ id: 740, name: 'Ahmadu Bello University Microfinance Bank', code: 'ABU01' }),
  { ...listed({ id: 12, name: 'Closed Merchant Bank', code: '559' }), isActive: false },
  { ...listed({ id: 13, name: 'Merged Bank', code: '063' }), isDeleted: true },
]

/** Ids are not in the order of names or codes. */
export const listedBanks: ListedBank[] = [
  ...special,
  ...nigerianBanks
    .filter(({ code }) => code !== '035')
    .map(({ code, name }, index) => listed({ id: 900 - index, name, code })),
].sort((one, other) => one.id - other.id)

const byCode = new Map(listedBanks.map((bank) => [bank.code, bank]))
const bySlug = new Map(listedBanks.map((bank) => [bank.slug, bank]))

export function findBank(code: string): ListedBank | undefined {
  return byCode.get(code)
}

export function bankOfSlug(slug: string): ListedBank | undefined {
  return bySlug.get(slug)
}

function listed({ id, name, code }: { id: number; name: string; code: string }): ListedBank {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return { id, name, slug, code, isActive: true, isDeleted: false }
}
