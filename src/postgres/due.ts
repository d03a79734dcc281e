import pg from 'pg'
import { after } from '../base/clock.js'
import { type Sql, sql } from './sql.js'
import type { Queryable } from './transactions/tx.js'

/** `owner` is a value of the table's `ownerColumn`. */
type DueClaim = { owner: string; now: Date; leaseMs: number; limit: number }

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
  /** Column that stores the end of the lease, where other code reads it. */
  leaseColumn?: string
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
  const { leaseColumn } = due
  const same = due.keyColumns.map((column) => `job.${column} = claimed.${column}`).join(' and ')
  return db.rows<Row>({
    name: `claim_due_${due.name ?? due.table}`,
    text: `
      with claimed as materialized (
        select ${due.keyColumns.join(', ')} from ${due.table}
        where ${due.openCondition} and ${due.ownerColumn} = $4 and due_at <= $1
        order by due_at limit $3
        for update skip locked)
      update ${due.table} job set due_at = $2, ${due.counterColumn} = ${due.counterColumn} + 1
        ${leaseColumn ? `, ${leaseColumn} = $2` : ''}
      from claimed where ${same}
      returning ${due.returning}`,
    values: [claim.now, after(claim.now, claim.leaseMs), claim.limit, claim.owner],
  })
}
