import { after } from '../base/clock.js'
import type { Reader } from './tx.js'

/** A table whose rows are jobs: what makes a row wait for work, and what a worker needs of it. */
export type DueTable = {
  table: string
  /** Where jobs of several kinds share a table, each has a name of its own. */
  name?: string
  /** Primary key columns. */
  key: string[]
  /** Which rows are open, as the partial index on due_at says it. */
  open: string
  /** What a claim returns, as a select list over the alias `job`. */
  returning: string
  /** A column whose value the claim names: rows of others are not for this worker. */
  of: string
  /** The column that counts the claims. */
  counter: string
  /** The column that says until when a claim lasts, where somebody else has to know. */
  lease?: string
}

/**
 * Claims rows that are due: nobody else gets them until the lease is over, and the attempt is
 * counted. A worker that dies needs no reaper: its rows fall due again. Whoever finishes a row must
 * name the attempt it was claimed with, so that a worker which outlived its lease cannot overwrite
 * its successor.
 */
export async function claimDue<Row>(
  db: Reader,
  due: DueTable,
  claim: { of: string; now: Date; leaseMs: number; limit: number },
): Promise<Row[]> {
  const { lease } = due
  const same = due.key.map((column) => `job.${column} = claimed.${column}`).join(' and ')
  return db.rows<Row>({
    name: `claim_due_${due.name ?? due.table}`,
    text: `
      with claimed as materialized (
        select ${due.key.join(', ')} from ${due.table}
        where ${due.open} and ${due.of} = $4 and due_at <= $1
        order by due_at limit $3
        for update skip locked)
      update ${due.table} job set due_at = $2, ${due.counter} = ${due.counter} + 1
        ${lease ? `, ${lease} = $2` : ''}
      from claimed where ${same}
      returning ${due.returning}`,
    values: [claim.now, after(claim.now, claim.leaseMs), claim.limit, claim.of],
  })
}
