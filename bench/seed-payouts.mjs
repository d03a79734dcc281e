/**
 * Inserts finished payouts in bulk: copies of one that the API created and a rail landed, with every
 * row that it has. The books stay consistent.
 */
import { changeOfAvailable, copyInParts, moveBalances, readTransfers } from './copy-rows.mjs'

const columns = `
  translate(encode(sha512(n::text::bytea), 'base64'), E'+/=\\n0', 'abcde') as token`

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
  const { id, reference, digest } = original
  await copyInParts(db, { tables, columns, count, onWritten }, async (tx, { copy, copies }) => {
    const transfers = await readTransfers(tx, { environmentId, causeId: id })
    const change = changeOfAvailable(transfers)
    copy('payouts', environmentId, id)
    copy('payout_attempts', environmentId, id)
    copy('ledger_transfers', environmentId, id, transfers.length, change)
    copy('ledger_resolutions', environmentId, id)
    copy('events', environmentId, id, reference)
    copy('idempotency_keys', environmentId, digest, reference)
    copy('search_terms', environmentId, id)
    moveBalances(tx, { environmentId, transfers, copies })
  })
}
