import type { Mode } from '../../base/environment.js'
import { column, Table } from '../../postgres/table.js'

export const levyKinds = ['stamp_duty'] as const
export type LevyKind = (typeof levyKinds)[number]

/** What a merchant may say that a transfer is for. */
export const payoutPurposes = ['salary'] as const
export type PayoutPurpose = (typeof payoutPurposes)[number]

/** `own_accounts`: bank accounts that the merchant saved, such as that of its settlements. */
export const levyExemptions = ['salary', 'own_accounts'] as const
export type LevyExemption = (typeof levyExemptions)[number]

export const levies = new Table('levies', {
  id: column.int8(),
  kind: column.text<LevyKind>(),
  mode: column.text<Mode>(),
  /** Null: every naira rail. */
  rail: column.text().orNull(),
  /** The smallest amount of a transfer that owes it, in kobo. */
  threshold: column.int8(),
  /** In kobo. 0: no levy in this period. */
  amount: column.int8(),
  exempts: column.texts<LevyExemption>(),
  holdsFrom: column.time(),
  /** Null: until an entry that is newer. */
  holdsUntil: column.time().orNull(),
  createdAt: column.time(),
  createdBy: column.text(),
})

export type Levy = typeof levies.row

/** What a transfer owes if its amount reaches the threshold. */
export type LevyTerms = Pick<Levy, 'threshold' | 'amount'>

export function levyOn(terms: LevyTerms | null, amount: bigint): bigint {
  return terms !== null && amount >= terms.threshold ? terms.amount : 0n
}

export type LeviedTransfer = { mode: Mode; rail: string; at: Date; purpose: PayoutPurpose | null }

/**
 * The entry that decides about a transfer: the newest one whose period includes its time. An entry
 * for one rail and one for all rails compete alike. Undefined: no levy, or a salary that is exempt.
 */
export function findLevy(
  newestFirst: Levy[],
  { mode, rail, at, purpose }: LeviedTransfer,
): Levy | undefined {
  const levy = newestFirst.find(
    (entry) =>
      entry.mode === mode &&
      (entry.rail === null || entry.rail === rail) &&
      entry.holdsFrom <= at &&
      (entry.holdsUntil === null || at < entry.holdsUntil),
  )
  if (!levy || levy.amount === 0n) return undefined
  const isExempt = purpose === 'salary' && levy.exempts.includes('salary')
  return isExempt ? undefined : levy
}

/**
 * Whether a provider debits the levy from our balance. `with_transfer`: it shows the levy with each
 * transfer. `apart`: as rows of its own, which cannot be compared transfer by transfer.
 */
export const levyDebitKinds = ['no', 'with_transfer', 'apart'] as const
export type LevyDebitKind = (typeof levyDebitKinds)[number]

export const levyDebits = new Table('levy_debits', {
  id: column.int8(),
  rail: column.text(),
  debits: column.text<LevyDebitKind>(),
  since: column.time(),
  createdAt: column.time(),
  createdBy: column.text(),
})

export type LevyDebit = typeof levyDebits.row
