import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { operatorDecision } from '../attempts/failure-reasons.js'
import { levyDebitsOf } from '../levies/store-levies.js'
import { type Payout, referenceOf } from '../payout.js'
import type { Booked } from './compare-books.js'

export type BookedPayout = Booked & Pick<Payout, 'environmentId' | 'id'>

type Row = Omit<BookedPayout, 'reference' | 'attempts'> & { kind: Payout['kind']; attempts: string }

/** Payouts of a rail that were created or completed since `from`, or that have these tokens. */
export async function listBooked(
  tx: Tx,
  { rail, from, tokens }: { rail: string; from: Date; tokens: string[] },
): Promise<BookedPayout[]> {
  const rows = await tx.rows(sql<Row>`
    select p.environment_id, p.id, p.kind, p.asset, p.amount, p.levy, p.status,
      ${levyDebitsOf(sql`p.rail`, sql`coalesce(p.submitted_at, p.created_at)`)} as levy_debits,
      (select coalesce(json_agg(json_build_object('token', a.token, 'state', a.state,
          'isDecided', a.outcome is not distinct from ${operatorDecision})), '[]')
        from payout_attempts a
        where a.environment_id = p.environment_id and a.payout_id = p.id) as attempts
    from payouts p
    where p.rail = ${rail} and (p.created_at >= ${from} or p.completed_at >= ${from}
      or (p.environment_id, p.id) in (select environment_id, payout_id from payout_attempts
        where rail = ${rail} and token = any(${tokens})))`)
  return rows.map(({ attempts, ...row }) => ({
    ...row,
    reference: referenceOf(row),
    attempts: JSON.parse(attempts) as Booked['attempts'],
  }))
}
