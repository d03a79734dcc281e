import { after, type RealTime } from '../../base/clock.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { disputeLimits } from '../limits.js'
import type { AttemptFinding, PreparedAttempt } from '../ports.js'

/** RPC nodes of a rail that contradict each other about a transaction. */
export type Dispute = {
  /** Signature of the transaction. */
  subject: string
  /** Never the URLs of the nodes, which may contain a key. */
  hosts: string[]
}

const openDisputes = new Table('disputes', {
  rail: column.text(),
  subject: column.text(),
  hosts: column.text(),
  firstSeenAt: column.time(),
  lastSeenAt: column.time(),
})

const note = listStatement({
  name: 'note_disputes',
  columns: openDisputes.types('rail', 'subject', 'hosts'),
  text: (list, parameter, names) => `
    insert into disputes as d (${names}, first_seen_at, last_seen_at)
    select ${names}, ${parameter(0)}::timestamptz, ${parameter(0)}::timestamptz from ${list}
    on conflict (rail, subject) do update set hosts = excluded.hosts, ended_at = null,
      last_seen_at = excluded.last_seen_at,
      first_seen_at = case when d.ended_at is null then d.first_seen_at
        else excluded.first_seen_at end`,
})

type CheckedDisputes = {
  rail: string
  disputes: Dispute[]
  agreed: string[]
}

/** Stores contradictions, and ends those that the nodes agree on by now. */
export function recordDisputes(
  tx: Tx,
  now: RealTime,
  { rail, disputes, agreed }: CheckedDisputes,
): void {
  const bySubject = new Map(
    disputes.map((dispute) => [dispute.subject, [...new Set(dispute.hosts)].sort()]),
  )
  const rows = [...bySubject].map(([subject, hosts]) => ({
    rail,
    subject,
    hosts: hosts.join(', '),
  }))
  if (rows.length > 0) {
    tx.write(
      note(
        rows.sort((left, right) => (left.subject < right.subject ? -1 : 1)),
        now,
      ),
    )
    const oldest = after(now, -disputeLimits.retentionMs)
    tx.write(sql`delete from disputes where last_seen_at < ${oldest}`)
  }
  const settled = agreed.filter((subject) => !bySubject.has(subject))
  if (settled.length > 0)
    tx.write(sql`
      update disputes set ended_at = ${now}
      where rail = ${rail} and subject = any(${settled}) and ended_at is null`)
}

export function disputesIn(
  rail: string,
  attempts: PreparedAttempt[],
  findings: AttemptFinding[],
): CheckedDisputes {
  const disputes: Dispute[] = []
  const agreed: string[] = []
  for (const [index, { token }] of attempts.entries()) {
    const { disputedBy: hosts, state } = findings[index]!
    if (hosts) disputes.push({ subject: token, hosts })
    // Without a conclusion, a disputing node may just not have answered.
    else if (state !== 'pending' && state !== 'unseen') agreed.push(token)
  }
  return { rail, disputes, agreed }
}

export async function countDisputes(
  db: Queryable,
  now: RealTime,
): Promise<{ rail: string; count: number }[]> {
  const counts = new Map<string, number>()
  for (const { rail } of await listDisputes(db, now)) counts.set(rail, (counts.get(rail) ?? 0) + 1)
  return [...counts].map(([rail, count]) => ({ rail, count }))
}

export type OpenDispute = typeof openDisputes.row

/** Disputes that were seen recently and have not ended, oldest first. */
export function listDisputes(db: Queryable, now: RealTime): Promise<OpenDispute[]> {
  return db.rows(sql<OpenDispute>`
    select ${openDisputes.columns} from disputes
    where ended_at is null and last_seen_at > ${after(now, -disputeLimits.openMs)}
    order by first_seen_at, subject limit ${disputeLimits.listedMax}`)
}
