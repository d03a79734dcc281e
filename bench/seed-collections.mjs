/** Inserts accounts and settled payments in bulk; the books stay consistent. */
import { sql } from '../dist/postgres/sql.js'

const atOnce = 100_000

/** A split of five lines, each of another sub-account; the merchant keeps half. Returns its id. */
export async function seedSplit(db, { environmentId }) {
  const [{ id }] = await db.rows(sql`
    with sellers as (
      insert into subaccounts (environment_id, id, name, created_at)
      select ${environmentId}, uuidv7(), 'Bench ' || n, now() from generate_series(1, 5) n
      returning id),
    split as (
      insert into splits (environment_id, id, asset, fee_bearer, created_at)
      values (${environmentId}, uuidv7(), 'NGN', 'merchant', now()) returning id),
    lines as (
      insert into split_lines (environment_id, split_id, line, subaccount_id, basis_points)
      select ${environmentId}, split.id, row_number() over () - 1, sellers.id, 1000
      from sellers cross join split)
    select id from split`)
  return id
}

/** Open virtual accounts with consecutive numbers. */
export async function seedAccounts(db, { environmentId, amount, first, count, splitId = null }) {
  await db.rows(sql`
    insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
      account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, expires_at,
      created_at, due_at, split_id)
    select ${environmentId}, uuidv7(), 'virtual_account', 'sandbox-bank',
      lpad(n::text, 10, '0'), lpad(n::text, 10, '0'), 'Bench', '999', 'Sandbox Bank', 'NGN',
      ${amount}, 'order-' || n, '{}', 'ACTIVE', now() + interval '1 day', now(), now() + interval '1 day',
      ${splitId}::uuid
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) n`)
  await db.rows(sql`analyze collection_accounts`)
}

/** Paid accounts, each with every row that creating and paying one writes. */
export async function seedPast(db, { environmentId, amount, first, count }) {
  for (let from = first; from < first + count; from += atOnce) {
    const rows = Math.min(atOnce, first + count - from)
    await db.transaction((tx) => seedSome(tx, { environmentId, amount, first: from, count: rows }))
  }
  for (const table of tables) await db.rows(sql`vacuum analyze ${sql.identifier(table)}`)
  // Pending writes would slow down the next measurement.
  await db.rows(sql`checkpoint`)
}

const tables = [
  'collection_accounts',
  'payments',
  'notices',
  'ledger_transfers',
  'events',
  'idempotency_keys',
  'sandbox_accounts',
]

const ago = sql`(now() - interval '1 day')`

async function seedSome(tx, { environmentId, amount, first, count }) {
  const fee = amount / 100n
  const net = amount - fee
  tx.liftTimeouts()
  const [{ entries, available }] = await tx.rows(sql`
    insert into ledger_accounts (environment_id, asset, name)
    select ${environmentId}, 'NGN', name from unnest(array['available', 'clearing', 'fees']) name
    on conflict (environment_id, asset, name) do update set name = excluded.name
    returning entry_count as entries,
      credits_posted - debits_posted - debits_pending as available`)
  tx.write(sql`
    create temporary table seeded on commit drop as
    select n, n - ${first}::bigint + 1 as line, uuidv7(interval '-1 day') as account_id,
      uuidv7(interval '-1 day') as payment_id, lpad(n::text, 10, '0') as number
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) n`)
  tx.write(sql`
    insert into idempotency_keys (environment_id, digest, key, fingerprint, status, answer,
      created_at, forget_at)
    select ${environmentId}, md5(number)::uuid, number, sha256(number::bytea), 201,
      '{"status":true,"message":"Virtual account created","data":"' || repeat('x', 600) || '"}',
      ${ago}, ${ago} + interval '30 days'
    from seeded`)
  tx.write(sql`
    insert into sandbox_accounts (reference, number, name, opened_at)
    select 'va-' || left(encode(sha256(number::bytea), 'hex'), 40), number, 'Bench', ${ago}
    from seeded`)
  tx.write(sql`
    insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
      account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, amount_received,
      amount_accepted, event_sequence, expires_at, paid_at, created_at)
    select ${environmentId}, account_id, 'virtual_account', 'sandbox-bank', number, number,
      'Bench', '999', 'Sandbox Bank', 'NGN', ${amount}, 'order-' || n, '{}', 'PAID', ${amount}, ${amount},
      1, ${ago}, ${ago}, ${ago} from seeded`)
  tx.write(sql`
    insert into notices (rail, mode, id, report, body, state, due_at, received_at)
    select 'sandbox-bank', 'test', 'sbp_past' || n,
      json_build_object('id', 'sbp_past' || n, 'amount', ${amount}::text, 'more', repeat('x', 250)),
      repeat('x', 400), 'BOOKED', ${ago}, ${ago} from seeded`)
  tx.write(sql`
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      session_id, narration, event_sequence, received_at, created_at)
    select ${environmentId}, payment_id, account_id, 'virtual_account', 'sandbox-bank',
      'sbp_past' || n, 'NGN', ${amount}, ${amount}, 0, 0, 0, ${fee}, 'NONE',
      '{"name":"CHINEDU OKAFOR","accountNumber":"0123456789","bankCode":"058","bankName":"GTB"}',
      '000058261115085656123456789012', 'order', 0, ${ago}, ${ago} from seeded`)
  tx.write(sql`
    insert into events (environment_id, id, type, resource_id, cause_id, sequence, data, created_at)
    select ${environmentId}, uuidv7(interval '-1 day'), 'virtual_account.paid', account_id,
      payment_id, 1, '{"more":"' || repeat('x', 1200) || '"}', ${ago} from seeded`)
  tx.write(sql`
    insert into ledger_transfers (environment_id, cause_id, purpose, asset, debit, credit, amount,
      is_hold, entry_number, available_after, created_at)
    select ${environmentId}::integer, payment_id, 'payment', 'NGN', 'clearing', 'available',
      ${amount}::bigint, false, ${entries}::bigint + line * 2 - 1,
      ${available}::bigint + (line - 1) * ${net}::bigint + ${amount}::bigint, ${ago} from seeded
    union all
    select ${environmentId}::integer, payment_id, 'payment_fee', 'NGN', 'available', 'fees',
      ${fee}::bigint, false, ${entries}::bigint + line * 2,
      ${available}::bigint + line * ${net}::bigint, ${ago} from seeded`)
  const [all, fees] = [BigInt(count) * amount, BigInt(count) * fee]
  const move = (name, change) =>
    tx.write(sql`
      update ledger_accounts set debits_posted = debits_posted + ${change.debits},
        credits_posted = credits_posted + ${change.credits},
        entry_count = entry_count + ${change.entries ?? 0}
      where environment_id = ${environmentId} and asset = 'NGN' and name = ${name}`)
  move('available', { debits: fees, credits: all, entries: 2 * count })
  move('clearing', { debits: all, credits: 0n })
  move('fees', { debits: 0n, credits: fees })
}
