import { after, type RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { queueOperatorAlert } from '../../mail/team-mails.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { proofLimits } from '../limits.js'
import { allProofs, type ProofResult, verifyLedger } from './verify-ledger.js'

const proofRuns = new Table('proof_runs', {
  id: column.uuid(),
  requestedAt: column.time(),
  endedAt: column.time().orNull(),
  /** Null while it runs, and if it failed. */
  isClean: column.bool().orNull(),
  claims: column.int4().orNull(),
  violations: column.json<{ claim: string; counterexamples: unknown[] }[]>().orNull(),
  failure: column.text().orNull(),
})

/** A check of every claim about the ledger that an operator asked for. */
export type LedgerProof = typeof proofRuns.row & { requestedBy: string }

/** Newest first. */
export async function listLedgerProofs(db: Queryable): Promise<LedgerProof[]> {
  const rows = await db.rows(sql<typeof proofRuns.readRow & { requestedBy: string }>`
    select ${proofRuns.of('p')}, u.name as requested_by
    from proof_runs p join users u on u.id = p.requested_by
    order by p.id desc limit ${proofLimits.proofsListedMax}`)
  return rows.map((row) => proofRuns.read(row))
}

export const firstProofDueAt = sql`select min(due_at) from proof_runs where ended_at is null`

/** Asks a worker for a proof. Refused while one is open. */
export async function requestLedgerProof(
  tx: Tx,
  now: RealTime,
  requestedBy: string,
): Promise<{ id: string }> {
  const id = newId(now)
  const rows = await tx.rows(sql`
    ${proofRuns.insert({ id, requestedAt: now }, { requestedBy, dueAt: now })}
    on conflict ((true)) where ended_at is null do nothing returning id`)
  if (rows.length > 0) return { id }
  throw new Refusal('validation_failed', {
    reason: 'invalid_state',
    message: 'A proof is already running. Wait for its result.',
  })
}

/**
 * Runs the proof that was asked for, if any. The lease is renewed while it runs, so that no other
 * worker starts it, and ends soon after the process does. Returns the number of proofs.
 */
export async function runLedgerProof(db: Database, now: RealTime): Promise<number> {
  const [claimed] = await db.rows(sql<{ id: string; attempts: number }>`
    update proof_runs set due_at = ${leaseEnd(now)}, attempts = attempts + 1
    where ended_at is null and due_at <= ${now} returning id, attempts`)
  if (!claimed) return 0
  const { id, attempts } = claimed
  if (attempts > proofLimits.attemptsMax) {
    await end(db, now, { id, failure: 'The workers that ran it ended. Check their logs.' })
    return 1
  }
  // The lease keeps its distance from the present, however long the proof takes.
  const renew = () =>
    db.rows(sql`
      update proof_runs set due_at = due_at + ${proofLimits.renewIntervalMs} * interval '1 ms'
      where id = ${id} and ended_at is null and attempts = ${attempts}`)
  const timer = setInterval(() => void renew().catch(() => {}), proofLimits.renewIntervalMs)
  try {
    const results = await verifyLedger(db, allProofs, { claimMs: proofLimits.claimMs })
    await end(db, now, { id, results })
  } catch (error) {
    await end(db, now, { id, failure: (error as Error).message })
  } finally {
    clearInterval(timer)
  }
  return 1
}

function leaseEnd(now: Date): Date {
  return after(now, proofLimits.leaseMs)
}

type End = { id: string; results?: ProofResult[]; failure?: string }

async function end(db: Database, now: RealTime, { id, results, failure }: End): Promise<void> {
  const violated = results?.filter(({ counterexamples }) => counterexamples.length > 0)
  await db.transaction(async (tx) => {
    const ended = await tx.rows(sql`
    update proof_runs set ended_at = greatest(clock_timestamp(), ${now}),
      is_clean = ${violated ? violated.length === 0 : null}, claims = ${results?.length ?? null},
      violations = ${violated ? toText(violated) : null}::json, failure = ${failure ?? null}
    where id = ${id} and ended_at is null returning id`)
    if (ended.length > 0 && violated && violated.length > 0)
      await alertOfViolations(tx, now, { id, claims: violated.map(({ claim }) => claim) })
  })
}

function alertOfViolations(
  tx: Tx,
  now: RealTime,
  { id, claims }: { id: string; claims: string[] },
): Promise<void> {
  return queueOperatorAlert(tx, now, {
    cause: `ledger proof/${id}`,
    subject: 'A check of the ledger failed',
    blocks: [
      {
        type: 'paragraph',
        text: 'These claims about the books do not hold. Stop payouts until you know why.',
      },
      { type: 'facts', facts: claims.map((claim, index) => [`Claim ${index + 1}`, claim]) },
      { type: 'page', label: 'Open the console', path: '/operator' },
    ],
  })
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}
