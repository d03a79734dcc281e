import { limits } from '../base/limits.js'

/** A search as typed: words, and filters such as `payer:chuka` or `amount:5000`. */
export type SearchText = {
  /** The words outside of filters. */
  text: string
  payer?: string
  recipient?: string
  order?: string
  status?: string
  /** As typed, in naira. */
  amount?: string
}

const filterNames = ['payer', 'recipient', 'order', 'status', 'amount'] as const

const token = /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g

/** Quotes keep words together: `payer:"ada obi"`. An unknown filter is text. */
export function parseSearch(typed: string): SearchText {
  const found: SearchText = { text: '' }
  const words: string[] = []
  for (const [whole, name, quoted, plain] of typed.matchAll(token)) {
    const filter = filterNames.find((one) => one === name?.toLowerCase())
    const value = quoted ?? plain ?? ''
    if (filter && value !== '') found[filter] = value
    else words.push(quoted !== undefined && name === undefined ? quoted : whole)
  }
  found.text = words.join(' ').slice(0, limits.lists.searchLengthMax)
  return found
}
