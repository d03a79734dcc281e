import { type Outcome, Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { moveAll } from '../ledger/move.js'
import type { Movement, NotMoved } from '../ledger/movement.js'
import { formatDecimal } from '../money/amounts.js'
import { assets } from '../money/assets.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { showPayout } from '../resources/payout.js'
import { kinds, type Payout, purposesOf } from './payout.js'
import type { Prepared } from './ports.js'
import { insertAttempts, insertPayouts } from './store-payouts.js'

export type NewPayout = {
  payout: Payout
  prepared: Prepared
  /** In the time of the world: by the age of an attempt it is decided when to look at it. */
  preparedAt: Date
  /** The payout as it begins, for the answer and for the event: JSON text. */
  shown: string
}

export function toNewPayout(
  payout: Payout,
  prepared: Prepared,
  preparedAt: Date = payout.submittedAt,
): NewPayout {
  const { token } = prepared
  const attempt = { number: 1, token, state: 'LIVE', createdAt: preparedAt } as const
  return { payout, prepared, preparedAt, shown: showPayout(payout, [attempt]) }
}

/**
 * Holds the money and records each payout as submitted, with what will be sent. All or nothing per
 * payout; one that cannot be covered, or whose reference was used before, is refused alone. Nothing
 * leaves the building here.
 */
export async function createPayouts(
  tx: Tx,
  now: Date,
  orders: NewPayout[],
): Promise<Outcome<Payout>[]> {
  const isUsed = await findUsedReferences(tx, orders)
  const fresh = orders.filter((order) => !isUsed.has(order))
  const moved = await moveAll(tx, now, fresh.map(toHold))
  const outcomes = new Map(fresh.map((order, index) => [order, moved[index]!]))
  const held = fresh.filter((order) => outcomes.get(order)!.isMoved)

  insertPayouts(
    tx,
    held.map(({ payout }) => payout),
  )
  insertAttempts(tx, now, held.map(toAttempt))
  emitAll(tx, now, held.flatMap(toBegun))
  return orders.map((order) => {
    if (isUsed.has(order)) return duplicate(order.payout)
    const outcome = outcomes.get(order)!
    return outcome.isMoved ? order.payout : notCovered(order.payout, outcome)
  })
}

/** The same, where some orders were refused before: they are answered with the rest. */
export async function createOrRefuse(
  tx: Tx,
  now: Date,
  orders: Outcome<NewPayout>[],
): Promise<Outcome<Payout>[]> {
  const wanted = orders.filter((order): order is NewPayout => !(order instanceof Refusal))
  const created = wanted.length > 0 ? await createPayouts(tx, now, wanted) : []
  const byOrder = new Map(wanted.map((order, index) => [order, created[index]!]))
  return orders.map((order) => (order instanceof Refusal ? order : byOrder.get(order)!))
}

const columns = { environment_id: 'int4', kind: 'text', merchant_reference: 'text' } as const

const findReferences = listStatement<typeof columns, { key: string }>({
  name: 'find_merchant_references',
  columns,
  text: (list) => `
    select concat_ws('/', p.environment_id, p.kind, p.merchant_reference) as key
    from payouts p join ${list} using (environment_id, kind, merchant_reference)`,
})

/** Used before, or by an earlier order of the same list. Two lists at once meet at the index. */
async function findUsedReferences(tx: Tx, orders: NewPayout[]): Promise<Set<NewPayout>> {
  const named = orders.filter(({ payout }) => payout.merchantReference !== null)
  if (named.length === 0) return new Set()
  const rows = named.map(({ payout }) => ({
    environment_id: payout.environmentId,
    kind: payout.kind,
    merchant_reference: payout.merchantReference!,
  }))
  const used = new Set((await tx.rows(findReferences(rows))).map(({ key }) => key))
  return new Set(
    named.filter(({ payout }) => {
      const key = `${payout.environmentId}/${payout.kind}/${payout.merchantReference}`
      const isUsed = used.has(key)
      used.add(key)
      return isUsed
    }),
  )
}

function toHold({ payout }: NewPayout): Movement {
  const { environmentId, asset, id, amount, fee, takesFrom: debit } = payout
  const purposes = purposesOf(payout)
  const lines = [
    { debit, credit: assets[asset].holder, amount, purpose: purposes.amount },
    { debit, credit: 'fees' as const, amount: fee, purpose: purposes.fee },
  ]
  const charged = lines.filter((line) => line.amount > 0n)
  return { environmentId, asset, causeId: id, isHold: true, lines: charged }
}

function toAttempt({ payout, prepared, preparedAt }: NewPayout) {
  return { ...prepared, payout, number: 1, createdAt: preparedAt }
}

function toBegun({ payout, shown }: NewPayout) {
  const { environmentId, id, kind } = payout
  const type = kinds[kind].events?.begun
  return type
    ? [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown }]
    : []
}

function duplicate({ kind, merchantReference }: Payout): Refusal {
  return new Refusal(kinds[kind].refusal, {
    reason: 'duplicate_reference',
    message: `merchantReference ${merchantReference} was used before. Send a new one, or none.`,
    details: [{ field: 'merchantReference', issue: 'must be unique for ever' }],
  })
}

export function notCovered(
  { asset, amount, fee }: Pick<Payout, 'asset' | 'amount' | 'fee'>,
  { available }: Pick<NotMoved, 'available'>,
): Refusal {
  const [needed, has] = [amount + fee, available].map((value) => formatDecimal(value, asset))
  const withFee = fee > 0n ? ' with its fee' : ''
  return new Refusal('insufficient_balance', {
    message:
      `The transfer needs ${needed} ${asset}${withFee}; ${has} ${asset} is available. ` +
      'Fund the balance, or send less.',
  })
}
