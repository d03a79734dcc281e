import type { BalanceEntry } from '../../../../sdk/src/types'
import { formatWallet } from '../../parts/identifiers'
import { toUnits } from '../../parts/money-format'
import { balanceTexts as words } from './texts'

type Described = Pick<BalanceEntry, 'type' | 'effect'> & Partial<Pick<BalanceEntry, 'resolution'>>

/** `Payout`, `Payout set aside` while it is open, `Collection fee`. */
export function describeEntry(
  { type, effect, resolution }: Described,
  own: Record<string, string> = {},
): string {
  const what = own[type] ?? words.types[type] ?? type
  // Entries of a settlement report do not say what became of a hold.
  if (resolution === 'open' || (effect === 'hold' && resolution === undefined))
    return words.setAside(what)
  if (resolution === 'released') return words.notSent(what)
  return effect === 'release' ? words.givenBack(what) : what
}

/** `GRACE EFFIONG, GTBank`. */
export function describeCounterparty({ counterparty }: BalanceEntry): string {
  if (!counterparty) return ''
  const { name, bankName, address } = counterparty
  return [name, bankName, address && formatWallet(address)].filter(Boolean).join(', ')
}

/**
 * Checks entries of one asset, newest first: each number is one more than that before, and each
 * balance is that before plus the change. Returns the number of the first that is not.
 */
export function findBreak(entries: BalanceEntry[]): number | undefined {
  for (const [index, entry] of entries.entries()) {
    const before = entries[index + 1]
    if (!before) return undefined
    const { asset } = entry
    const expected = toUnits(before.balanceAfter, asset) + toUnits(entry.amount, asset)
    const follows = expected === toUnits(entry.balanceAfter, asset)
    if (!follows || entry.number !== before.number + 1) return entry.number
  }
  return undefined
}
