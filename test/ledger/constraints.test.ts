import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now, subaccountHoldOf, transferTo } from '../support/movements.js'

// Every money rule is also a database constraint, tested here by direct SQL. Each case breaks one
// rule only, so the name of the violated constraint shows that this rule holds.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const place = { environmentId, asset: 'USDC' } as const
const hold = holdOf(place, 29n, 1n)
const funding = fundingOf(place, 100n)
const seller = newId(now)
const otherSeller = newId(now)
const sellerHold = subaccountHoldOf(place, seller, 4n, 1n)
await db.transaction((tx) =>
  moveAll(tx, now, [funding, hold, transferTo(place, seller, 10n), sellerHold]),
)
await db.transaction((tx) =>
  resolveAll(
    tx,
    now,
    [hold, sellerHold].map(({ causeId }) => ({ environmentId, causeId, verb: 'release' as const })),
  ),
)

type Values = Record<string, unknown>

function insert(table: string, row: Values): Promise<unknown> {
  const names = Object.keys(row)
  return db.rows({
    text: `insert into ${table} (${names.join(', ')})
      values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    values: Object.values(row),
  })
}

function account(change: Values): Promise<unknown> {
  const row = { environment_id: environmentId, asset: 'USDT', name: 'exchange' }
  return insert('ledger_accounts', { ...row, ...change })
}

/** A posted transfer that does not touch the available balance by default. */
function transfer(change: Values): Promise<unknown> {
  return insert('ledger_transfers', {
    environment_id: environmentId,
    cause_id: newId(now),
    purpose: 'test_funding',
    asset: 'USDC',
    debit: 'treasury',
    credit: 'deposits',
    amount: 1,
    is_hold: false,
    created_at: now,
    ...change,
  })
}

function resolution(change: Values): Promise<unknown> {
  return insert('ledger_resolutions', {
    environment_id: environmentId,
    cause_id: newId(now),
    verb: 'settle',
    purpose: 'crypto_payout',
    asset: 'USDC',
    debit: 'available',
    amount: 1,
    created_at: now,
    ...change,
  })
}

const onStatement = { credit: 'available', entry_number: 1_000, available_after: 1 }
const released = { verb: 'release', entry_number: 2_000, available_after: 1 }

const ofSeller = { subaccount_id: seller, subaccount_entry: 1_000, subaccount_after: 1 }
const toSeller = { credit: `sub:${seller}`, ...ofSeller }
const releasedToSeller = { verb: 'release', debit: `sub:${seller}`, ...ofSeller }

/** Ways to break each rule, by the name of the constraint that must refuse it. */
const violations: Record<string, Record<string, () => Promise<unknown>>> = {
  account_asset_is_known: {
    'an unknown asset': () => account({ asset: 'EUR' }),
  },
  account_name_is_known: {
    'an unknown name': () => account({ name: 'pocket' }),
    'a bank account for coins': () => account({ name: 'clearing' }),
    'levies on coins': () => account({ name: 'levies' }),
    'a treasury for naira': () => account({ asset: 'NGN', name: 'treasury' }),
    'deposits of naira': () => account({ asset: 'NGN', name: 'deposits' }),
    'another kind of money of a sub-account': () => account({ name: `sub_lost:${seller}` }),
  },
  sums_are_never_negative: {
    'debits pending': () => account({ debits_pending: -1 }),
    'debits posted': () => account({ debits_posted: -1 }),
    'credits pending': () => account({ credits_pending: -1 }),
    'credits posted': () => account({ credits_posted: -1 }),
  },
  available_never_below_zero: {
    'more spent than credited': () =>
      account({ name: 'available', credits_posted: 99, debits_posted: 100 }),
    'more held than credited': () =>
      account({ name: 'available', credits_posted: 99, debits_pending: 100 }),
    'more spent and held than credited': () =>
      account({ name: 'available', credits_posted: 99, debits_posted: 50, debits_pending: 50 }),
    'covered only by pending credits': () =>
      account({ name: 'available', credits_pending: 100, debits_posted: 1 }),
  },
  suspense_never_below_zero: {
    'more spent than credited': () =>
      account({ name: 'suspense', credits_posted: 99, debits_posted: 100 }),
    'more held than credited': () =>
      account({ name: 'suspense', credits_posted: 99, debits_pending: 100 }),
  },
  subaccount_never_below_zero: {
    'more spent than credited': () =>
      account({ name: `sub:${seller}`, credits_posted: 99, debits_posted: 100 }),
    'more held than credited': () =>
      account({ name: `sub:${seller}`, credits_posted: 99, debits_pending: 100 }),
    'covered only by pending credits': () =>
      account({ name: `sub:${seller}`, credits_pending: 100, debits_posted: 1 }),
  },
  pending_never_below_zero: {
    'more released than credited': () =>
      account({ name: `sub_pending:${seller}`, credits_posted: 99, debits_posted: 100 }),
    'covered only by pending credits': () =>
      account({ name: `sub_pending:${seller}`, credits_pending: 100, debits_posted: 1 }),
  },
  no_more_is_recovered_than_owed: {
    'a recovery of nothing': () => account({ name: `sub_owed:${seller}`, credits_posted: 1 }),
    'more recovered than owed': () =>
      account({ name: `sub_owed:${seller}`, debits_posted: 99, credits_posted: 100 }),
  },
  naira_balance_fits_the_wire: {
    'more kobo than a JSON integer': () =>
      account({ asset: 'NGN', name: 'available', credits_posted: '9007199254740992' }),
    'more kobo than a JSON integer, pending': () =>
      account({ asset: 'NGN', name: 'suspense', credits_pending: '9007199254740992' }),
    'more kobo than a JSON integer once a hold is released': () =>
      account({
        asset: 'NGN',
        name: 'available',
        credits_posted: '9007199254740992',
        debits_pending: 100,
      }),
    'more kobo than a JSON integer, of a sub-account': () =>
      account({ asset: 'NGN', name: `sub:${seller}`, credits_posted: '9007199254740992' }),
    'more kobo than a JSON integer, released later': () =>
      account({ asset: 'NGN', name: `sub_pending:${seller}`, credits_posted: '9007199254740992' }),
  },
  only_spendable_money_has_a_statement: {
    'entries of another account': () => account({ entry_count: 1 }),
    'entries of money that is released later': () =>
      account({ name: `sub_pending:${seller}`, entry_count: 1 }),
    'entries of a debt': () => account({ name: `sub_owed:${seller}`, entry_count: 1 }),
  },
  ledger_accounts_pkey: {
    'a second account of the same name': () => account({ asset: 'USDC', name: 'treasury' }),
  },
  ledger_accounts_environment_id_fkey: {
    'an account without an environment': () => account({ environment_id: 999_999 }),
  },
  transfer_asset_is_known: {
    'an unknown asset': () => transfer({ asset: 'EUR' }),
  },
  transfer_amount_is_positive: {
    zero: () => transfer({ amount: 0 }),
    'a negative amount': () => transfer({ amount: -1 }),
  },
  transfer_leaves_available_whole: {
    'a statement below zero': () => transfer({ ...onStatement, available_after: -1 }),
  },
  transfer_has_two_sides: {
    'from an account to itself': () => transfer({ credit: 'treasury' }),
  },
  transfer_purpose_is_known: {
    'an unknown purpose': () => transfer({ purpose: 'fun' }),
  },
  claim_only_holds: {
    'a claim that is paid at once': () => transfer({ purpose: 'claim', debit: 'available' }),
    'a claim on money in transit': () =>
      transfer({ purpose: 'claim', is_hold: true, debit: 'available', credit: 'treasury' }),
  },
  hold_sets_money_aside: {
    'a hold on money that is not owed': () => transfer({ is_hold: true }),
    'a hold on money that is released later': () =>
      transfer({ is_hold: true, debit: `sub_pending:${seller}` }),
    'a hold on a debt': () => transfer({ is_hold: true, debit: `sub_owed:${seller}` }),
  },
  transfer_is_on_the_statement: {
    'a credit of available without an entry': () => transfer({ credit: 'available' }),
    'a debit of available without an entry': () => transfer({ debit: 'available' }),
    'an entry of another account': () => transfer({ entry_number: 1_000, available_after: 1 }),
    'an entry without a balance': () => transfer({ ...onStatement, available_after: null }),
    'a balance without an entry': () => transfer({ available_after: 1 }),
  },
  transfer_is_on_the_statement_of_its_subaccount: {
    'a credit of a sub-account without an entry': () => transfer({ credit: `sub:${seller}` }),
    'a debit of a sub-account without an entry': () => transfer({ debit: `sub:${seller}` }),
    'an entry that names no sub-account': () => transfer({ ...toSeller, subaccount_id: null }),
    'an entry of a sub-account that is not touched': () => transfer(ofSeller),
    'an entry of another sub-account': () => transfer({ ...toSeller, subaccount_id: otherSeller }),
    'an entry of money that is released later': () =>
      transfer({ ...ofSeller, credit: `sub_pending:${seller}` }),
    'two sub-accounts in one transfer': () =>
      transfer({ ...toSeller, debit: `sub:${otherSeller}` }),
    'a sub-account without a number': () => transfer({ ...toSeller, subaccount_entry: null }),
    'an entry without a balance': () => transfer({ ...toSeller, subaccount_after: null }),
    'a balance below zero': () => transfer({ ...toSeller, subaccount_after: -1 }),
    'a number without a sub-account': () => transfer({ subaccount_entry: 1_000 }),
    'a balance without a sub-account': () => transfer({ subaccount_after: 1 }),
  },
  fees_are_on_a_statement: {
    'a fee that is not on the statement': () => transfer({ credit: 'fees' }),
    'a fee that comes back elsewhere': () => transfer({ debit: 'fees', credit: 'treasury' }),
  },
  levies_are_on_a_statement: {
    'a levy that is not on the statement': () => transfer({ credit: 'levies' }),
    'a levy that comes back elsewhere': () => transfer({ debit: 'levies', credit: 'treasury' }),
  },
  ledger_transfers_pkey: {
    'a cause that moves money again for the same purpose': () =>
      transfer({ cause_id: funding.causeId, purpose: 'test_funding' }),
  },
  transfer_entries_are_numbered_once: {
    'a used entry number': () => transfer({ ...onStatement, entry_number: 1 }),
  },
  transfer_subaccount_entries_are_numbered_once: {
    'a used entry number': () => transfer({ ...toSeller, subaccount_entry: 1 }),
  },
  resolution_verb_is_known: {
    'an unknown verb': () => resolution({ verb: 'forget' }),
  },
  resolution_amount_is_positive: {
    zero: () => resolution({ amount: 0 }),
  },
  resolution_leaves_available_whole: {
    'a statement below zero': () => resolution({ ...released, available_after: -1 }),
  },
  release_is_on_the_statement: {
    'a release without an entry': () => resolution({ verb: 'release' }),
    'a settlement with an entry': () => resolution({ ...released, verb: 'settle' }),
    'an entry of another account': () => resolution({ ...released, debit: 'suspense' }),
    'an entry without a balance': () => resolution({ ...released, available_after: null }),
    'a balance without an entry': () => resolution({ available_after: 1 }),
  },
  resolution_is_on_the_statement_of_its_subaccount: {
    'a release without an entry': () => resolution({ verb: 'release', debit: `sub:${seller}` }),
    'a settlement with an entry': () => resolution({ ...releasedToSeller, verb: 'settle' }),
    'an entry that names no sub-account': () =>
      resolution({ ...releasedToSeller, subaccount_id: null }),
    'an entry of another sub-account': () =>
      resolution({ ...releasedToSeller, subaccount_id: otherSeller }),
    "an entry of the merchant's money": () => resolution({ ...released, ...ofSeller }),
    'a sub-account without a number': () =>
      resolution({ ...releasedToSeller, subaccount_entry: null }),
    'an entry without a balance': () => resolution({ ...releasedToSeller, subaccount_after: null }),
    'a balance below zero': () => resolution({ ...releasedToSeller, subaccount_after: -1 }),
    'a number without a sub-account': () => resolution({ subaccount_entry: 1_000 }),
    'a balance without a sub-account': () => resolution({ subaccount_after: 1 }),
  },
  ledger_resolutions_pkey: {
    'a hold that is resolved again': () => resolution({ cause_id: hold.causeId }),
  },
  resolution_entries_are_numbered_once: {
    'a used entry number': () => resolution({ ...released, entry_number: 5 }),
  },
  resolution_subaccount_entries_are_numbered_once: {
    'a used entry number': () => resolution({ ...releasedToSeller, subaccount_entry: 4 }),
  },
}

describe.each(Object.entries(violations))('%s', (constraint, attempts) => {
  test.each(Object.entries(attempts))('refuses %s', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ constraint })
  })
})

// The cases above prove nothing if their valid forms are refused too.
test('valid rows are accepted', async () => {
  await account({})
  await account({ name: 'available', credits_posted: 100, debits_posted: 50, debits_pending: 50 })
  await transfer({})
  await transfer(onStatement)
  await resolution({})
  await resolution(released)
  await account({ name: `sub:${seller}`, credits_posted: 9, debits_pending: 9, entry_count: 2 })
  await account({ name: `sub_pending:${seller}`, credits_posted: 9, debits_posted: 9 })
  await account({ name: `sub_owed:${seller}`, credits_posted: 9, debits_posted: 9 })
  await account({ name: 'receivables' })
  await transfer(toSeller)
  await transfer({ ...toSeller, credit: 'fees', debit: `sub:${seller}`, subaccount_entry: 1_001 })
  await transfer({
    ...toSeller,
    debit: `sub:${seller}`,
    subaccount_entry: 1_002,
    is_hold: true,
    credit: 'treasury',
  })
  await resolution(releasedToSeller)
  await resolution({ debit: `sub:${seller}` })
})

// A constraint that is added or renamed fails here until it has a case above.
test('every constraint and unique index of the ledger has a case above', async () => {
  const rows = await db.rows(sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid::regclass::text like 'ledger\_%' and contype <> 'n'
    union
    select indexrelid::regclass::text from pg_index
    where indrelid::regclass::text like 'ledger\_%' and indisunique`)
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(violations).sort())
})

// Mistakes are corrected by another row. No row can be edited, not even by the owner of the tables.
describe.each(['ledger_transfers', 'ledger_resolutions'])('%s', (table) => {
  test.each([
    `update ${table} set amount = amount + 1`,
    `update ${table} set created_at = now() where false`,
    `delete from ${table}`,
    `delete from ${table} where amount = 30`,
    `truncate ${table}`,
    `insert into ${table} select * from ${table}
     on conflict (environment_id, cause_id${table === 'ledger_transfers' ? ', purpose' : ''})
     do update set amount = excluded.amount + 1`,
  ])('refuses %s', async (text) => {
    const before = await db.rows({ text: `select * from ${table}`, values: [] })
    expect(before.length).toBeGreaterThan(0)
    await expect(db.rows({ text, values: [] })).rejects.toMatchObject({
      code: '23001',
      message: `${table} rows are never edited or removed`,
    })
    expect(await db.rows({ text: `select * from ${table}`, values: [] })).toEqual(before)
  })
})
