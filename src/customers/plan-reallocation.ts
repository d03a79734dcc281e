import { smallerOf } from '../money/amounts.js'

/** What a payment paid, and what of it is still there: neither refunded nor moved. */
export type UsedPart = {
  allocationId: string
  /** Null: credit of the customer. */
  invoiceId: string | null
  remaining: bigint
}

/** What invoices, by id, and credit can give and take. */
export type Room = {
  /** Still to be paid, of invoices that can be paid. */
  due: ReadonlyMap<string, bigint>
  /** Paid; a credit note may have turned some of what a payment paid into credit. */
  paid: ReadonlyMap<string, bigint>
  /** Credit of the customer that was not used. */
  credit: bigint
}

export type Reallocation = {
  taken: { allocationId: string; invoiceId: string | null; amount: bigint }[]
  /** At most one for each invoice, and one for credit. */
  given: { invoiceId: string | null; amount: bigint }[]
}

/** Why it cannot be done: more than there is to give or to take. */
export type TooMuch = {
  /** Null: credit. */
  invoiceId: string | null
  kind: 'not_due' | 'not_paid'
  /** At most so much. */
  max: bigint
}

/**
 * What must be taken and given, so that the payment pays each invoice what is wanted, and the rest
 * is credit. `wanted` adds up to at most what remains of the payment. The last allocation is taken
 * from first, as refunds do it.
 */
export function planReallocation(
  used: readonly UsedPart[],
  wanted: ReadonlyMap<string, bigint>,
  room: Room,
): Reallocation | TooMuch {
  const current = new Map<string | null, bigint>()
  for (const { invoiceId, remaining } of used)
    current.set(invoiceId, (current.get(invoiceId) ?? 0n) + remaining)
  const total = sumOf(current)
  const target = new Map<string | null, bigint>([...wanted])
  target.set(null, total - sumOf(wanted))
  const plan: Reallocation = { taken: [], given: [] }
  for (const place of new Set([...target.keys(), ...current.keys()])) {
    const before = current.get(place) ?? 0n
    const after = target.get(place) ?? 0n
    if (after > before) {
      const max = place === null ? total : (room.due.get(place) ?? 0n) + before
      if (after > max) return { invoiceId: place, kind: 'not_due', max }
      plan.given.push({ invoiceId: place, amount: after - before })
    }
    if (after < before) {
      const free = place === null ? room.credit : (room.paid.get(place) ?? 0n)
      if (before - after > free) return { invoiceId: place, kind: 'not_paid', max: free }
      plan.taken.push(...takeLastFirst(used, place, before - after))
    }
  }
  return plan
}

function takeLastFirst(
  used: readonly UsedPart[],
  place: string | null,
  amount: bigint,
): Reallocation['taken'] {
  const taken: Reallocation['taken'] = []
  let missing = amount
  for (const { allocationId, invoiceId, remaining } of [...used].reverse()) {
    if (invoiceId !== place || missing === 0n || remaining === 0n) continue
    const part = smallerOf(missing, remaining)
    missing -= part
    taken.push({ allocationId, invoiceId, amount: part })
  }
  return taken
}

function sumOf(amounts: ReadonlyMap<unknown, bigint>): bigint {
  let sum = 0n
  for (const amount of amounts.values()) sum += amount
  return sum
}
