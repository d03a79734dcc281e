import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { referenceOf } from '../payout.js'
import type { LiveAttempt, PayoutInstruction } from '../ports.js'
import { type PayoutRow, payoutColumns, toPayout } from './find-payouts.js'

const columns = { environmentId: 'int4', payoutId: 'uuid' } as const

const findPayouts = listStatement<typeof columns, PayoutRow>({
  name: 'find_payouts_of_attempts',
  columns,
  text: (list) => `
    select ${payoutColumns} from payouts p join ${list}
      on p.environment_id = list.environment_id and p.id = list.payout_id`,
})

/** The instructions that the attempts were prepared from, in the same order. */
export async function findInstructions(
  db: Queryable,
  attempts: LiveAttempt[],
): Promise<PayoutInstruction[]> {
  if (attempts.length === 0) return []
  const rows = await db.rows(findPayouts(attempts))
  const byId = new Map(rows.map((row) => [row.id, toPayout(row)]))
  return attempts.map(({ payoutId }) => {
    const payout = byId.get(payoutId)!
    const { asset, amount, destination } = payout
    return { asset, amount, destination, reference: referenceOf(payout) }
  })
}
