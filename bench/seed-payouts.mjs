/**
 * Inserts finished payouts in bulk: copies of one that the API created and a rail landed, with every
 * row that it has. The books stay consistent.
 */
import {
  changeOfAvailable,
  moveBalances,
  prepareCopies,
  readTransfers,
  skipTriggers,
} from './copy-rows.mjs'

const payoutsPerTransaction = 50_000
/** Younger than the retention of idempotency keys, so that all keys still exist. */
const spreadOver = `interval '29 days'`

/**
 * How the columns of a copy differ from those of the original `o`; all others are the same. `s` is
 * the row of the copy in `seeded`.
 */
const tables = {
  payouts: {
    of: 'o.environment_id = $1 and o.id = $2',
    id: 's.id',
    merchant_reference: 's.id::text',
    submitted_at: 's.at',
    created_at: 's.at',
    completed_at: `s.at + interval '2 seconds'`,
  },
  payout_attempts: {
    of: 'o.environment_id = $1 and o.payout_id = $2',
    payout_id: 's.id',
    token: 's.token',
    due_at: `s.at + interval '1 second'`,
    created_at: 's.at',
    ended_at: `s.at + interval '2 seconds'`,
  },
  ledger_transfers: {
    of: 'o.environment_id = $1 and o.cause_id = $2',
    cause_id: 's.id',
    entry_number: 'o.entry_number + s.line * $3::bigint',
    available_after: 'o.available_after + s.line * $4::bigint',
    created_at: 's.at',
  },
  ledger_resolutions: {
    of: 'o.environment_id = $1 and o.cause_id = $2',
    cause_id: 's.id',
    created_at: `s.at + interval '2 seconds'`,
  },
  events: {
    of: 'o.environment_id = $1 and o.resource_id = $2',
    id: 'uuidv7(s.at - now())',
    resource_id: 's.id',
    cause_id: 's.id',
    data: `replace(o.data, $3::text, 'ct_' || left(s.token, 26))`,
    created_at: "s.at + (o.sequence - 1) * interval '2 seconds'",
  },
  idempotency_keys: {
    of: 'o.environment_id = $1 and o.digest = $2',
    digest: 'md5(s.id::text)::uuid',
    key: 's.id::text',
    fingerprint: 'sha256(s.token::bytea)',
    answer: `replace(o.answer, $3::text, 'ct_' || left(s.token, 26))`,
    created_at: 's.at',
    forget_at: `s.at + (o.forget_at - o.created_at)`,
  },
  search_terms: {
    of: 'o.environment_id = $1 and o.id = $2',
    id: 's.id',
  },
}

/** `original` has id and reference of the payout to copy, and the digest of its key. */
export async function seedPayouts(db, { environmentId, original, count, onWritten }) {
  const copies = await prepareCopies(db, tables)
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
  skipTriggers(tx)
  const transfers = await readTransfers(tx, { environmentId, causeId: original.id })
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
  copy('ledger_transfers', original.id, transfers.length, changeOfAvailable(transfers))
  copy('ledger_resolutions', original.id)
  copy('events', original.id, original.reference)
  copy('idempotency_keys', original.digest, original.reference)
  copy('search_terms', original.id)
  moveBalances(tx, { environmentId, transfers, copies: some })
}
