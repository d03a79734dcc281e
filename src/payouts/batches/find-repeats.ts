import { firstIdAt, prefixes, timeOf, toReference } from '../../base/ids.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { batchLimits } from '../limits.js'
import { referenceOf } from '../payout.js'
import type { Batch, BatchItem, ItemWarning } from './batch.js'

const columns = {
  environmentId: 'int4',
  number: 'int4',
  kind: 'text',
  amount: 'int8',
  term: 'text',
  bankCode: 'text',
} as const

type Repeat = { number: number; id: string }

/**
 * By the search terms of payouts, which have every account number and address in an index. Payouts
 * are read by their key: the planner might prefer their status.
 */
const selectRepeats = listStatement<typeof columns, Repeat>({
  name: 'find_repeated_payouts',
  columns,
  isReplanned: true,
  text: (list, parameter) => `
    select list.number, found.id from ${list} cross join lateral (
      select p.id from (
        select t.id from search_terms t
        where t.environment_id = list.environment_id and t.kind = 'payout' and t.term = list.term
          and t.id >= ${parameter(0)}::uuid
        order by t.id desc limit ${batchLimits.repeatsComparedMax}) term
      cross join lateral (
        select * from payouts
        where environment_id = list.environment_id and id = term.id offset 0) p
      where p.kind = list.kind and p.amount = list.amount
        and p.status in ('PENDING', 'SUBMITTED', 'COMPLETED')
        and list.term = coalesce(p.destination ->> 'accountNumber', p.destination ->> 'address')
        and list.bank_code is not distinct from p.destination ->> 'bankCode'
      order by p.id desc limit 1) found`,
})

type Planned = { number: number; batchId: string; row: number }

/** Items of other batches that are not paid yet and may be. */
const selectPlanned = listStatement<typeof columns, Planned>({
  name: 'find_planned_payouts',
  columns,
  isReplanned: true,
  text: (list, parameter) => `
    select list.number, found.batch_id, found.number as row
    from ${list} cross join lateral (
      select i.batch_id, i.number from (
        select batch_id, number, destination from payout_batch_items
        where environment_id = list.environment_id
          and coalesce(destination ->> 'accountNumber', destination ->> 'address') = list.term
          and amount = list.amount and state in ('PENDING', 'VALID')
          and batch_id <> ${parameter(0)}::uuid
        order by batch_id desc limit ${batchLimits.repeatsComparedMax}) i
      cross join lateral (
        select kind, state from payout_batches
        where environment_id = list.environment_id and id = i.batch_id offset 0) b
      where b.kind = list.kind
        and b.state in ('VALIDATING', 'READY', 'INVALID', 'PENDING', 'PROCESSING')
        and list.bank_code is not distinct from i.destination ->> 'bankCode'
      order by i.batch_id desc, i.number limit 1) found`,
})

/**
 * Items whose recipient got the same amount in the last 30 days, or will get it from another batch,
 * by number.
 */
export async function findRepeats(
  db: Queryable,
  since: Date,
  { environmentId, id, kind }: Pick<Batch, 'environmentId' | 'id' | 'kind'>,
  items: BatchItem[],
): Promise<Map<number, ItemWarning[]>> {
  const rows = items.map(({ number, amount, destination }) => ({
    environmentId,
    number,
    kind,
    amount,
    term: destination.kind === 'wallet' ? destination.address : destination.accountNumber,
    bankCode: destination.kind === 'wallet' ? null : destination.bankCode,
  }))
  const [repeats, planned] = await Promise.all([
    db.rows(selectRepeats(rows, firstIdAt(since))),
    db.rows(selectPlanned(rows, id)),
  ])
  const warnings = new Map<number, ItemWarning[]>()
  const add = (number: number, warning: ItemWarning) =>
    warnings.set(number, [...(warnings.get(number) ?? []), warning])
  for (const { number, id: payoutId } of repeats) {
    const day = timeOf(payoutId).toISOString().slice(0, 10)
    const reference = referenceOf({ kind, id: payoutId })
    const message = `${reference} paid the same amount to the same recipient on ${day}.`
    add(number, { code: 'paid_recently', message })
  }
  for (const { number, batchId, row } of planned) {
    const reference = toReference(prefixes.payoutBatch, batchId)
    const message = `Row ${row} of ${reference} pays the same amount to the same recipient.`
    add(number, { code: 'in_another_batch', message })
  }
  return warnings
}
