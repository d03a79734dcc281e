import { listLimits } from '../../postgres/limits.js'

/** A search as typed: words, and filters such as `payer:chuka` or `amount:5000`. */
export type SearchText = {
  /** The words outside of filters. */
  text: string
  payer?: string
  recipient?: string
  order?: string
  status?: string
  /** Naira, as typed: `5000`, `>5000`, `<5000` or `1000..5000`. */
  amount?: string
}

const filterNames = ['payer', 'recipient', 'order', 'status', 'amount'] as const

/** Names that the filters of lists have. */
const aliases: Record<string, (typeof filterNames)[number]> = {
  sender: 'payer',
  from: 'payer',
  to: 'recipient',
  merchantreference: 'order',
}

const token = /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g

/** Quotes keep words together: `payer:"ada obi"`. An unknown filter is text. */
export function parseSearch(typed: string): SearchText {
  const found: SearchText = { text: '' }
  const words: string[] = []
  for (const [whole, name, quoted, plain] of typed.matchAll(token)) {
    const lower = name?.toLowerCase() ?? ''
    const filter = filterNames.find((name) => name === (aliases[lower] ?? lower))
    const value = quoted ?? plain ?? ''
    if (filter && value !== '') found[filter] = value
    else words.push(quoted !== undefined && name === undefined ? quoted : whole)
  }
  const text = words.join(' ').slice(0, listLimits.searchLengthMax)
  return /^(₦|NGN)\s?[\d,.]+$/.test(text) ? { ...found, amount: text } : { ...found, text }
}
