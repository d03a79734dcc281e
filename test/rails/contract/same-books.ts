import { expect } from 'vitest'
import type { PayoutState } from '../../../emulators/emulator.js'
import { toReference } from '../../../src/base/ids.js'
import { type PayoutKind, payoutKinds } from '../../../src/payouts/payout.js'
import { sql } from '../../../src/postgres/sql.js'
import { fromProviderReference } from '../../../src/rails/bank/instruction.js'
import { expectAllProofs } from '../../support/sound-books.js'
import type { World } from './open-world.js'

/** What the bank may say about a payout of ours. `undefined`: it does not know it. */
const agreements: Record<string, (PayoutState | undefined)[]> = {
  SUBMITTED: ['pending', undefined],
  COMPLETED: ['success'],
  REVERSED: ['reversed'],
  FAILED: ['failed', 'reversed', undefined],
}

type Row = { id: string; kind: PayoutKind; amount: bigint; status: string }

/** References of payouts that a scenario planted at the bank on purpose. */
export type Planted = Set<string>

/** No payment is credited twice or lost, no payout is doubled, and our ledger is sound. */
export async function expectSameBooks({ db, bank }: World, planted: Planted): Promise<void> {
  await expectAllProofs(db)
  const books = await bank.books()
  const { name } = bank.rail
  const ours = await db.rows(sql<{ id: string; amount: bigint }>`
    select rail_id as id, amount from payments where rail = ${name}`)
  const show = (payments: { id: string; amount: bigint }[]) =>
    payments.map(({ id, amount }) => `${id} ${amount}`).sort()
  expect(show(ours)).toEqual(show(books.payments))

  const atBank = [
    ...books.payouts.map(({ reference, amount, state }) => ({ reference, amount, state })),
    ...books.refunds.map(({ note, amount, state }) => ({ reference: note, amount, state })),
  ].map((line) => ({ ...line, reference: fromProviderReference(line.reference) }))
  const unplanted = atBank.filter(({ reference }) => !planted.has(reference))
  expect(new Set(unplanted.map(({ reference }) => reference)).size).toBe(unplanted.length)
  const byReference = new Map(unplanted.map((line) => [line.reference, line]))
  const rows = await db.rows(sql<Row>`
    select id, kind, amount, status from payouts where rail = ${name}`)
  for (const { id, kind, amount, status } of rows) {
    const reference = toReference(payoutKinds[kind].prefix, id)
    if (planted.has(reference)) continue
    const line = byReference.get(reference)
    const known = agreements[status] ?? []
    expect(known, `${reference} is ${status}, at the bank ${line?.state}`).toContain(line?.state)
    if (line) expect(line.amount).toBe(amount)
    byReference.delete(reference)
  }
  expect([...byReference.values()]).toEqual([])
}
