/** Copies rows in bulk, under the ids of a temporary table `seeded`. The books stay consistent. */
import { sql } from '../dist/postgres/sql.js'

const copiesPerTransaction = 50_000
/** Younger than the retention of idempotency keys. */
const spreadOver = `interval '29 days'`

/**
 * One statement per table, with the columns it has today. `of` says which rows `o` are copied for
 * every row `s` of `seeded`; the other entries are columns that differ from those of the original.
 */
async function prepareCopies(db, tables) {
  const statements = {}
  for (const [table, { of, ...changed }] of Object.entries(tables)) {
    const rows = await db.rows(sql`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
      order by ordinal_position`)
    const names = rows.map(({ name }) => name)
    statements[table] = `
      insert into ${table} (${names.join(', ')})
      select ${names.map((name) => changed[name] ?? `o.${name}`).join(', ')}
      from seeded s cross join ${table} o where ${of}`
  }
  return statements
}

/**
 * Copies rows into `tables`, a part of them per transaction. `columns` are those of `seeded` beside
 * its line, time and id; times are spread over the last 29 days, so that all idempotency keys still
 * exist. `copySome` writes the rows of a part.
 */
export async function copyInParts(db, { tables, columns, count, onWritten }, copySome) {
  const statements = await prepareCopies(db, tables)
  for (let done = 0; done < count; ) {
    const copies = Math.min(copiesPerTransaction, count - done)
    await db.transaction((tx) => {
      tx.liftTimeouts()
      skipTriggers(tx)
      createSeeded(tx, { columns, count, first: done + 1, copies })
      const copy = (table, ...values) => tx.write({ text: statements[table], values })
      return copySome(tx, { copy, copies })
    })
    done += copies
    onWritten(done)
  }
}

function createSeeded(tx, { columns, count, first, copies }) {
  tx.write({
    text: `create temporary table seeded on commit drop as
      select n as line, at, uuidv7(at - now()) as id, ${columns}
      from generate_series($1::bigint, $2::bigint) n,
        lateral (select now() - ${spreadOver} * (1 - n / $3::float8)) times (at)`,
    values: [first, first + copies - 1, count],
  })
}

/**
 * Foreign keys are checked by triggers, which take most of the time. Copies refer to each other as
 * their originals do.
 */
function skipTriggers(tx) {
  tx.write({ text: 'set local session_replication_role = replica', values: [] })
}

/** The transfers of a payout or payment, of which every copy has the same. */
export function readTransfers(tx, { environmentId, causeId }) {
  return tx.rows(sql`
    select asset, debit, credit, amount from ledger_transfers
    where environment_id = ${environmentId} and cause_id = ${causeId}`)
}

/** What the transfers change `available` by. */
export function changeOfAvailable(transfers) {
  return transfers.reduce((sum, { debit, credit, amount }) => {
    if (debit === 'available') return sum - BigInt(amount)
    return credit === 'available' ? sum + BigInt(amount) : sum
  }, 0n)
}

/** Moves the sums of the ledger accounts by what a number of copies transferred. */
export function moveBalances(tx, { environmentId, transfers, copies }) {
  const move = (name, { asset, debits, credits }) =>
    tx.write(sql`
      update ledger_accounts set debits_posted = debits_posted + ${debits * BigInt(copies)},
        credits_posted = credits_posted + ${credits * BigInt(copies)},
        entry_count = entry_count + ${name === 'available' ? copies : 0}
      where environment_id = ${environmentId} and asset = ${asset} and name = ${name}`)
  for (const { asset, debit, credit, amount } of transfers) {
    move(debit, { asset, debits: BigInt(amount), credits: 0n })
    move(credit, { asset, debits: 0n, credits: BigInt(amount) })
  }
}
