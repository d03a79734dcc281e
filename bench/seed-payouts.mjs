/**
 * Inserts finished payouts in bulk: copies of one that the API created and a rail landed, with every
 * row that it has. The books stay consistent.
 */
import { sql } from '../dist/postgres/sql.js'

const payoutsPerTransaction = 50_000
/** Younger than the retention of idempotency keys, so that all keys still exist. */
const spreadOver = `interval '29 days'`

/**
 * How the columns of a copy differ from those of the original `o`; all others are the same. `s` is
 * the row of the copy in `seeded`.
 */
const tables = {
  payouts: {
    of: 'o.id = $2',
    id: 's.id',
    merchant_reference: 's.id::text',
    submitted_at: 's.at',
    created_at: 's.at',
    completed_at: `s.at + interval '2 seconds'`,
  },
  payout_attempts: {
    of: 'o.payout_id = $2',
    payout_id: 's.id',
    token: 's.token',
    due_at: `s.at + interval '1 second'`,
    created_at: 's.at',
    ended_at: `s.at + interval '2 seconds'`,
  },
  ledger_transfers: {
    of: 'o.cause_id = $2',
    cause_id: 's.id',
    entry_number: 'o.entry_number + s.line * $3::bigint',
    available_after: 'o.available_after - s.line * $4::bigint',
    created_at: 's.at',
  },
  ledger_resolutions: {
    of: 'o.cause_id = $2',
    cause_id: 's.id',
    created_at: `s.at + interval '2 seconds'`,
  },
  events: {
    of: 'o.resource_id = $2',
    id: 'uuidv7(s.at - now())',
    resource_id: 's.id',
    cause_id: 's.id',
    data: `replace(o.data, $3::text, 'ct_' || left(s.token, 26))`,
    created_at: "s.at + (o.sequence - 1) * interval '2 seconds'",
  },
  idempotency_keys: {
    of: 'o.digest = $2',
    digest: 'md5(s.id::text)::uuid',
    key: 's.id::text',
    fingerprint: 'sha256(s.token::bytea)',
    answer: `replace(o.answer, $3::text, 'ct_' || left(s.token, 26))`,
    created_at: 's.at',
    forget_at: `s.at + (o.forget_at - o.created_at)`,
  },
}

/** `original` has id and reference of the payout to copy, and the digest of its key. */
export async function seedPayouts(db, { environmentId, original, count, onWritten }) {
  const copies = await readColumns(db)
  for (let done = 0; done < count; ) {
    const some = Math.min(payoutsPerTransaction, count - done)
    await db.transaction((tx) =>
      seedSome(tx, { environmentId, original, copies, first: done + 1, some, count }),
    )
    done += some
    onWritten(done)
  }
}

async function seedSome(tx, { environmentId, original, copies, first, some, count }) {
  tx.liftTimeouts()
  const lines = await tx.rows(sql`
    select asset, debit, credit, amount, is_hold from ledger_transfers
    where environment_id = ${environmentId} and cause_id = ${original.id}`)
  const sum = lines.reduce((total, { amount }) => total + BigInt(amount), 0n)
  tx.write({
    text: `create temporary table seeded on commit drop as
      select n as line, at, uuidv7(at - now()) as id,
        translate(encode(sha512(n::text::bytea), 'base64'), E'+/=\\n0', 'abcde') as token
      from generate_series($1::bigint, $2::bigint) n,
        lateral (select now() - ${spreadOver} * (1 - n / $3::float8)) times (at)`,
    values: [first, first + some - 1, count],
  })
  const copy = (table, ...values) =>
    tx.write({ text: copies[table], values: [environmentId, ...values] })
  copy('payouts', original.id)
  copy('payout_attempts', original.id)
  copy('ledger_transfers', original.id, lines.length, sum)
  copy('ledger_resolutions', original.id)
  copy('events', original.id, original.reference)
  copy('idempotency_keys', original.digest, original.reference)
  const move = (name, { debits = 0n, credits = 0n, entries = 0 }) =>
    tx.write(sql`
      update ledger_accounts set debits_posted = debits_posted + ${BigInt(some) * debits},
        credits_posted = credits_posted + ${BigInt(some) * credits},
        entry_count = entry_count + ${some * entries}
      where environment_id = ${environmentId} and asset = ${lines[0].asset} and name = ${name}`)
  move('available', { debits: sum, entries: lines.length })
  for (const { credit, amount } of lines) move(credit, { credits: BigInt(amount) })
}

/** One statement per table, with the columns it has today. */
async function readColumns(db) {
  const statements = {}
  for (const [table, { of, ...changed }] of Object.entries(tables)) {
    const rows = await db.rows(sql`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} order by ordinal_position`)
    const names = rows.map(({ name }) => name)
    statements[table] = `
      insert into ${table} (${names.join(', ')})
      select ${names.map((name) => changed[name] ?? `o.${name}`).join(', ')}
      from seeded s cross join ${table} o where o.environment_id = $1 and ${of}`
  }
  return statements
}
