import pg from 'pg'
import { after, type Clock, type RealTime } from '../base/clock.js'
import type { Logger } from '../base/log.js'
import { leaseLimits } from './limits.js'
import { type Sql, sql } from './sql.js'
import type { Queryable } from './transactions/tx.js'

/** How many rows of each value of `turnColumn` a claim may take; of others, `otherwise`. */
export type TurnShares = { turns: number[]; limits: number[]; otherwise: number }

/** `owner` is a value of the table's `ownerColumn`. */
type DueClaim = {
  owner: string
  now: RealTime
  limit: number
  /** Only for a table with turns. Absent: any number of each. */
  shares?: TurnShares
}

/** A table whose rows are jobs. */
export type DueTable = {
  table: string
  /** Needed where jobs of several kinds share a table. */
  name?: string
  /** Primary key columns. */
  keyColumns: string[]
  /** Condition for rows that need work, the same as in the partial index on due_at. */
  openCondition: string
  /** Select list of a claim, over the alias `job`. */
  returning: string
  /** Column that divides the rows among jobs, such as the rail: one job claims one value. */
  ownerColumn: string
  /** Column that counts the claims. */
  counterColumn: string
  /**
   * Column whose values take turns, such as the environment: then those with many due rows do not
   * delay the others. It needs an index on owner, this column and due_at.
   */
  turnColumn?: string
  /**
   * Column that stores until when the last claim may have effects outside, for other code. Not with
   * turns.
   */
  effectsColumn?: { name: string; durationMs: number }
}

/** When the first open row of an owner is due. Reads one entry of the index on due_at. */
export function firstDueAt({ table, openCondition, ownerColumn }: DueTable, owner: string): Sql {
  return sql.raw(`
    select min(due_at) from ${table}
    where ${openCondition} and ${ownerColumn} = ${pg.escapeLiteral(owner)}`)
}

/**
 * Claims due rows: no other worker gets them until the lease ends, and the attempt is counted.
 * Rows of a worker that dies fall due again. A worker that outlived its lease must not overwrite
 * its successor: the update that finishes a row names the attempt it was claimed with or, as for
 * notices and returns, locks the row and checks that it is still open.
 */
export async function claimDue<Row>(db: Queryable, due: DueTable, claim: DueClaim): Promise<Row[]> {
  const { now, limit, owner, shares } = claim
  const { turns, limits, otherwise } = shares ?? { turns: [], limits: [], otherwise: limit }
  return db.rows<Row>({
    name: `claim_due_${due.name ?? due.table}`,
    text: `
      ${due.turnColumn ? selectInTurns(due, due.turnColumn) : selectOldest(due)}
      update ${due.table} job set due_at = $2, ${due.counterColumn} = ${due.counterColumn} + 1
        ${due.effectsColumn ? `, ${due.effectsColumn.name} = $5` : ''}
      from claimed where ${isSameRow(due, 'claimed')}
      returning ${due.returning}`,
    values: [
      ...[now, leaseEnd(now), limit, owner],
      ...(due.turnColumn ? [turns, limits, otherwise] : effectsEnd(due, now)),
    ],
  })
}

function selectOldest({ table, keyColumns, openCondition, ownerColumn }: DueTable): string {
  return `
      with claimed as materialized (
        select ${keyColumns.join(', ')} from ${table}
        where ${openCondition} and ${ownerColumn} = $4 and due_at <= $1
        order by due_at limit $3
        for update skip locked)`
}

/** The oldest row of each first, then the second of each, and so on, up to its share. */
function selectInTurns(due: DueTable, turn: string): string {
  const { table, openCondition, ownerColumn, keyColumns } = due
  const isOpen = `${openCondition} and ${ownerColumn} = $4`
  const first = `order by ${turn}, due_at limit 1`
  return `
      with recursive turns (turn) as (
        (select ${turn} from ${table} where ${isOpen} ${first})
        union all
        select next.* from turns cross join lateral (
          select ${turn} from ${table} where ${isOpen} and ${turn} > turns.turn ${first}) next),
      sorted as (
        select ${keyColumns.map((column) => `oldest.${column}`).join(', ')}
        from turns cross join lateral (
          select ${keyColumns.join(', ')}, due_at, row_number() over (order by due_at) as round
          from ${table} where ${isOpen} and ${turn} = turns.turn and due_at <= $1
          order by due_at limit coalesce((
            select s.most from unnest($5::int4[], $6::int4[]) s (turn, most)
            where s.turn = turns.turn), $7)) oldest
        order by oldest.round, oldest.due_at limit $3),
      claimed as materialized (
        select ${keyColumns.map((column) => `job.${column}`).join(', ')}
        from sorted join ${table} job on ${isSameRow(due, 'sorted')}
        where ${isOpen} and job.due_at <= $1
        for update of job skip locked)`
}

/**
 * Runs claimed rows one after the other. One that fails does not stop the others: it falls due
 * again when its lease ends, and its error is thrown at the end.
 */
export async function runEach<Row>(
  claimed: Row[],
  run: (row: Row) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  for (const row of claimed) await run(row).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

function isSameRow({ keyColumns }: DueTable, other: string): string {
  return keyColumns.map((column) => `job.${column} = ${other}.${column}`).join(' and ')
}

function leaseEnd(now: RealTime): RealTime {
  return after(now, leaseLimits.leaseMs)
}

function effectsEnd({ effectsColumn }: DueTable, now: RealTime): RealTime[] {
  return effectsColumn ? [after(now, effectsColumn.durationMs)] : []
}

/** The lease of claimed rows, which is renewed until `end` is called. */
export type Lease = {
  /**
   * Whether the rows are this worker's for long enough to start something outside. False when the
   * lease could not be renewed: then another worker may soon claim them.
   */
  holds(): boolean
  end(): Promise<void>
}

/**
 * Renews the lease of claimed rows, however long a bank or node takes. So a lease can be short, and
 * the rows of a worker that was killed are soon claimed by another. The rows are found by the ends
 * of the lease so far: those that were finished meanwhile have another due time, and those that
 * are being finished are locked and skipped.
 */
export function keepLease(
  { db, clock, logger }: { db: Queryable; clock: Clock; logger: Logger },
  due: DueTable,
  { owner, now }: Pick<DueClaim, 'owner' | 'now'>,
): Lease {
  let ends = [leaseEnd(now)]
  let renewed = { now, elapsedMs: clock.elapsedMs() - (clock.now().getTime() - now.getTime()) }
  let renewal = Promise.resolve()

  // By both clocks: one can be set, and the other stands still while a machine sleeps.
  const holds = () =>
    clock.now() < after(renewed.now, leaseLimits.holdsMs) &&
    clock.elapsedMs() < renewed.elapsedMs + leaseLimits.holdsMs

  /** A lease that once failed to hold stays lost: another worker may have the rows. */
  async function renew(): Promise<void> {
    if (!holds()) return
    const started = { now: clock.now(), elapsedMs: clock.elapsedMs() }
    const openEnds = ends.filter((end) => end > started.now)
    await db.rows({
      name: `renew_lease_${due.name ?? due.table}`,
      text: `
        with held as materialized (
          select ${due.keyColumns.join(', ')} from ${due.table}
          where ${due.openCondition} and ${due.ownerColumn} = $3 and due_at = any($1)
          for update skip locked)
        update ${due.table} job set due_at = $2
          ${due.effectsColumn ? `, ${due.effectsColumn.name} = $4` : ''}
        from held where ${isSameRow(due, 'held')}`,
      values: [openEnds, leaseEnd(started.now), owner, ...effectsEnd(due, started.now)],
    })
    if (!holds()) return
    ends = [...openEnds, leaseEnd(started.now)]
    renewed = started
  }

  const timer = setInterval(() => {
    renewal = renewal.then(renew).catch((error: unknown) => {
      logger.warn({ err: error, table: due.table }, 'the lease of claimed rows was not renewed')
    })
  }, leaseLimits.renewIntervalMs)
  return {
    holds,
    async end() {
      clearInterval(timer)
      await renewal
    },
  }
}

/** Runs the work on claimed rows and renews their lease until it has ended. */
export async function whileLeased<Result>(
  dependencies: Parameters<typeof keepLease>[0],
  due: DueTable,
  claim: Pick<DueClaim, 'owner' | 'now'>,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lease = keepLease(dependencies, due, claim)
  try {
    return await work(lease)
  } finally {
    await lease.end()
  }
}
