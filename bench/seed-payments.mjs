/**
 * Inserts paid virtual accounts in bulk: copies of one that the API created and a bank's notice
 * paid, with every row that it has. The books stay consistent.
 */
import { changeOfAvailable, copyInParts, moveBalances, readTransfers } from './copy-rows.mjs'

const columns = `uuidv7(at - now()) as account_id, lpad(n::text, 10, '0') as number`

const tables = {
  idempotency_keys: {
    of: 'o.environment_id = $1 and o.digest = $2',
    digest: `md5(s.id::text)::uuid`,
    key: 's.id::text',
    fingerprint: 'sha256(s.id::text::bytea)',
    created_at: 's.at',
    forget_at: `s.at + (o.forget_at - o.created_at)`,
  },
  sandbox_accounts: {
    of: 'o.number = $1',
    reference: `'va-' || left(encode(sha256(s.number::bytea), 'hex'), 40)`,
    number: 's.number',
    opened_at: 's.at',
  },
  collection_accounts: {
    of: 'o.environment_id = $1 and o.id = $2',
    id: 's.account_id',
    number: 's.number',
    rail_account: 's.number',
    merchant_reference: `'order-' || s.line`,
    expires_at: `s.at + (o.expires_at - o.created_at)`,
    paid_at: `s.at + interval '1 minute'`,
    created_at: 's.at',
  },
  notices: {
    of: `o.rail = 'sandbox-bank' and o.id = $1`,
    id: `'sbp_past' || s.line`,
    due_at: 's.at',
    received_at: `s.at + interval '1 minute'`,
  },
  payments: {
    of: 'o.environment_id = $1 and o.id = $2',
    id: 's.id',
    account_id: 's.account_id',
    rail_id: `'sbp_past' || s.line`,
    received_at: `s.at + interval '1 minute'`,
    created_at: `s.at + interval '1 minute'`,
  },
  events: {
    of: 'o.environment_id = $1 and o.resource_id in ($2::uuid, $3::uuid)',
    id: `uuidv7(s.at - now())`,
    resource_id: 'case o.resource_id when $2::uuid then s.account_id else s.id end',
    cause_id: 'case o.cause_id when $2::uuid then s.account_id else s.id end',
    created_at: `s.at + interval '1 minute'`,
  },
  ledger_transfers: {
    of: 'o.environment_id = $1 and o.cause_id = $2',
    cause_id: 's.id',
    entry_number: 'o.entry_number + s.line * $3::bigint',
    available_after: 'o.available_after + s.line * $4::bigint',
    created_at: `s.at + interval '1 minute'`,
  },
  search_terms: {
    of: 'o.environment_id = $1 and o.id in ($2::uuid, $3::uuid)',
    id: 'case o.id when $2::uuid then s.account_id else s.id end',
  },
}

/**
 * `original` has the ids of a payment, its account and its notice, the number of the account and
 * the digest of the key that created it.
 */
export async function seedPayments(db, { environmentId, original, count, onWritten }) {
  const { paymentId, accountId, noticeId, number, digest } = original
  await copyInParts(db, { tables, columns, count, onWritten }, async (tx, { copy, copies }) => {
    const transfers = await readTransfers(tx, { environmentId, causeId: paymentId })
    const change = changeOfAvailable(transfers)
    copy('idempotency_keys', environmentId, digest)
    copy('sandbox_accounts', number)
    copy('collection_accounts', environmentId, accountId)
    copy('notices', noticeId)
    copy('payments', environmentId, paymentId)
    copy('events', environmentId, accountId, paymentId)
    copy('ledger_transfers', environmentId, paymentId, transfers.length, change)
    copy('search_terms', environmentId, accountId, paymentId)
    moveBalances(tx, { environmentId, transfers, copies })
  })
}
