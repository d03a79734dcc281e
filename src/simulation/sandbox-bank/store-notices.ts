import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type SandboxPayment, sandboxPayments } from './payment.js'

/** A claimed notice; `attempts` includes the one it was claimed for. */
export type SandboxNotice = { payment: SandboxPayment; copies: number; attempts: number }

/** Copies still to send, and when; without copies or a time, the notice is done. */
export type EndedAttempt = {
  paymentId: string
  attempts: number
  copies: number
  dueAt: Date | null
}

type NoticeRow = typeof sandboxPayments.readRow & { copies: number; attempts: number }

const ended = { paymentId: 'text', tries: 'int4', copies: 'int4', dueAt: 'timestamptz' } as const

/** Matches on `tries`: a process that outlived its lease changes nothing. */
const keep = listStatement({
  name: 'keep_sandbox_notices',
  columns: ended,
  text: (list) => `
    update sandbox_notices n
    set copies = list.copies, due_at = list.due_at, is_under_way = false
    from ${list} where n.payment_id = list.payment_id and n.tries = list.tries`,
})

const remove = listStatement({
  name: 'remove_sandbox_notices',
  columns: { paymentId: 'text', tries: 'int4' },
  text: (list) => `
    delete from sandbox_notices n using ${list}
    where n.payment_id = list.payment_id and n.tries = list.tries`,
})

/** No other process gets these notices until the lease ends, also if this one dies. */
export function claimNotices(
  db: Queryable,
  claim: { now: Date; leasedUntil: Date; limit: number },
): Promise<SandboxNotice[]> {
  return claimWhere(db, 'claim_sandbox_notices', {
    which: 'due_at <= $1 order by due_at limit $3 for update skip locked',
    values: [claim.now, claim.leasedUntil, claim.limit],
  })
}

/**
 * Claims the notice of one payment if it is due. Waits for a concurrent claim instead of skipping
 * the row: skipped, it would look like a notice that no process sends.
 */
export async function claimNotice(
  db: Queryable,
  claim: { now: Date; leasedUntil: Date; paymentId: string },
): Promise<SandboxNotice | undefined> {
  const [notice] = await claimWhere(db, 'claim_sandbox_notice', {
    which: 'due_at <= $1 and payment_id = $3 for update',
    values: [claim.now, claim.leasedUntil, claim.paymentId],
  })
  return notice
}

async function claimWhere(
  db: Queryable,
  name: string,
  { which, values }: { which: string; values: unknown[] },
): Promise<SandboxNotice[]> {
  const rows = await db.rows<NoticeRow>({
    name,
    text: `
      with due as materialized (
        select payment_id from sandbox_notices where ${which})
      update sandbox_notices n set due_at = $2, tries = n.tries + 1, is_under_way = true
      from sandbox_payments p
      where n.payment_id = any (array(select payment_id from due)) and p.id = n.payment_id
      returning n.copies, n.tries as attempts, ${sandboxPayments.of('p')}`,
    values,
  })
  return rows.map(({ copies, attempts, ...row }) => ({
    payment: sandboxPayments.read(row),
    copies,
    attempts,
  }))
}

/** Whether a process is sending the notice, according to the table. */
export async function isUnderWay(db: Queryable, paymentId: string): Promise<boolean> {
  const [row] = await db.rows<{ isUnderWay: boolean }>({
    name: 'find_sandbox_notice',
    text: `
      select is_under_way from sandbox_notices where payment_id = $1`,
    values: [paymentId],
  })
  return row?.isUnderWay ?? false
}

/**
 * Does not wait for the disk: after a crash of the database the notice is sent once more, which the
 * receiver ignores.
 */
const doNotWaitForDisk = {
  name: 'commit_without_waiting',
  text: 'set local synchronous_commit = off',
  values: [],
}

export function endAttempts(tx: Tx, ended: EndedAttempt[]): void {
  tx.write(doNotWaitForDisk)
  const rows = ended
    .map(({ paymentId, attempts, copies, dueAt }) => ({
      paymentId,
      tries: attempts,
      copies,
      dueAt,
    }))
    .sort((a, b) => (a.paymentId < b.paymentId ? -1 : 1))
  const isDone = (row: (typeof rows)[number]) => row.copies === 0 || row.dueAt === null
  const retried = rows.filter((row) => !isDone(row))
  const done = rows.filter(isDone)
  if (retried.length > 0) tx.write(keep(retried))
  if (done.length > 0) tx.write(remove(done))
}
