import { fromWire } from '../../src/money/amounts.js'
import { type Asset, assetNames } from '../../src/money/assets.js'

export const words = [
  'received',
  'arrived',
  'count',
  'held',
  'returned',
  'refunded',
  'fees',
  'paidOut',
  'converted',
  'added',
  'setAside',
] as const

export type Word = (typeof words)[number]
export type Figures = Record<Word | 'net' | 'change', bigint>

type Fact = { at: number; word: Word; asset: Asset; amount: bigint }

const hourMs = 3_600_000

/** `2026-12-01`, in Lagos. */
export const dayOf = (at: Date | string) =>
  new Date(new Date(at).getTime() + hourMs).toISOString().slice(0, 10)

export const midnight = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) - hourMs)

/** What happened, as the answers of the operations told it. Knows nothing of the ledger. */
export class Facts {
  readonly #facts: Fact[] = []

  note(word: Word, at: Date | string, amount: number | string | bigint, asset: Asset = 'NGN') {
    const units = typeof amount === 'bigint' ? amount : fromWire(amount, asset)
    if (units !== 0n) this.#facts.push({ at: new Date(at).getTime(), word, asset, amount: units })
  }

  takeBack(word: Word, at: Date | string, amount: number | string, asset: Asset = 'NGN') {
    this.note(word, at, -fromWire(amount, asset), asset)
  }

  /** Of whole days, both included. */
  within(asset: Asset, first: string, last: string): Figures {
    const own = this.#facts.filter(({ asset: of, at }) => {
      const day = dayOf(new Date(at))
      return of === asset && day >= first && day <= last
    })
    const sum = (word: Word) =>
      own.filter((fact) => fact.word === word).reduce((all, { amount }) => all + amount, 0n)
    const sums = Object.fromEntries(words.map((word) => [word, sum(word)])) as Record<Word, bigint>
    const { received, refunded, fees, paidOut, converted, added, setAside } = sums
    const net = received - refunded - fees
    return { ...sums, net, change: net + added + converted - paidOut - setAside }
  }

  days(first: string, last: string): string[] {
    const all = this.#facts.map(({ at }) => dayOf(new Date(at)))
    return [...new Set(all)].filter((day) => day >= first && day <= last).toSorted()
  }

  /** One line a word, one column an asset. */
  table(first: string, last: string): string {
    const columns = assetNames.map((asset) => this.within(asset, first, last))
    const lines = [...words, 'net' as const, 'change' as const].map((word) =>
      [word.padEnd(9), ...columns.map((one) => String(one[word]).padStart(14))].join(' '),
    )
    const head = ['in units'.padEnd(9), ...assetNames.map((asset) => asset.padStart(14))].join(' ')
    return [`${first} to ${last}`, head, ...lines].join('\n')
  }
}
