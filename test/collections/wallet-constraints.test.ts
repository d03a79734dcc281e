import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'

// As in constraints.test.ts, each case breaks exactly one rule about wallets and sweeps.

const db = await freshDatabase()
const environment_id = await insertEnvironment(db)
let count = 0

type Values = Record<string, unknown>

function insert(table: string, row: Values): Promise<unknown> {
  const names = Object.keys(row)
  return db.rows({
    text: `insert into ${table} (${names.join(', ')})
      values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    values: Object.values(row),
  })
}

const wallet = (change: Values = {}) =>
  insert('wallets', {
    rail: 'chain',
    address: `w${++count}`,
    number: count,
    reference: `r${count}`,
    created_at: now,
    ...change,
  })

const tokenAccount = (change: Values = {}) =>
  insert('token_accounts', {
    rail: 'chain',
    address: `t${++count}`,
    wallet: 'w',
    asset: 'USDC',
    busy_until: now,
    audited_at: now,
    due_at: now,
    ...change,
  })

const sweep = (change: Values = {}) =>
  insert('sweeps', {
    rail: 'chain',
    id: newId(now),
    asset: 'USDC',
    amount: 5,
    token: `s${++count}`,
    wire: Buffer.from('bytes'),
    valid_until: 1,
    state: 'LIVE',
    due_at: now,
    created_at: now,
    ...change,
  })

const part = (change: Values = {}) =>
  insert('sweep_parts', {
    rail: 'chain',
    sweep_id: newId(now),
    token_account: `t${++count}`,
    environment_id,
    account_id: newId(now),
    amount: 5,
    is_closing: false,
    is_live: true,
    ...change,
  })

async function twice(
  add: (change: Values) => Promise<unknown>,
  same: Values,
  second: Values = {},
): Promise<void> {
  await add(same)
  await add({ ...same, ...second })
}

const run = (text: string) => db.rows({ text, values: [] })

const edits = (table: string, columns: string[]) =>
  Object.fromEntries(
    columns.map((column) => [
      `another ${column}`,
      () => run(`update ${table} set ${column} = ${column}`),
    ]),
  )

const neverGone = (table: string) => ({
  'fewer of them': () => run(`delete from ${table}`),
  'none of them': () => run(`truncate ${table}`),
})

/** Ways to break each rule, by the constraint that must refuse them. */
const violations: Record<string, Record<string, () => Promise<unknown>>> = {
  wallets_pkey: {
    'an address in use': () => twice(wallet, { address: 'a' }, { number: 901, reference: 'x' }),
  },
  wallet_number_is_used_once: {
    'a number in use': () => twice(wallet, { number: 900 }, { reference: 'y' }),
  },
  wallet_reference_is_one_wallet: {
    'a second wallet for a request': () => twice(wallet, { reference: 'z' }, { number: 902 }),
  },
  wallets_are_never_edited: {
    ...edits('wallets', ['rail', 'address', 'number', 'reference', 'created_at']),
    ...neverGone('wallets'),
  },
  token_accounts_pkey: { 'an address in use': () => twice(tokenAccount, { address: 'b' }) },
  only_unsigned_sweep_rests: {
    'a pause without unsigned sweeps': () => tokenAccount({ sweep_rests_until: now }),
    'unsigned sweeps without a pause': () => tokenAccount({ unsigned_sweeps: 1 }),
    'a negative count': () => tokenAccount({ unsigned_sweeps: -1 }),
  },
  unread_polls_are_not_negative: {
    'a negative count': () => tokenAccount({ unread_polls: -1 }),
  },
  token_account_amount_is_not_negative: {
    'a negative amount': () => tokenAccount({ amount: -1 }),
  },
  sweeps_pkey: { 'an id in use': () => twice(sweep, { id: newId(now) }, { token: 'q' }) },
  sweep_asset_is_known: { naira: () => sweep({ asset: 'NGN' }) },
  sweep_amount_is_positive: { nothing: () => sweep({ amount: 0 }) },
  sweep_signed_slot_is_not_negative: {
    'a slot before the first': () => sweep({ signed_slot: -1 }),
  },
  sweep_state_is_known: { 'an unknown state': () => sweep({ state: 'LOST', ended_at: now }) },
  ended_sweep_has_its_time: {
    'landed without a time': () => sweep({ state: 'LANDED' }),
    'an end time without an end': () => sweep({ ended_at: now }),
  },
  sweep_is_one_transaction: {
    'a signature in use': () => twice(sweep, { token: 'same' }, { id: newId(now) }),
  },
  sweeps_are_never_edited: {
    ...edits('sweeps', [
      'rail',
      'id',
      'asset',
      'amount',
      'token',
      'wire',
      'valid_until',
      'created_at',
    ]),
    ...neverGone('sweeps'),
  },
  ended_sweep_stays: {
    'a second end': async () => {
      const id = newId(now)
      await sweep({ id, state: 'DEAD', ended_at: now })
      await db.rows(sql`update sweeps set state = 'LANDED' where id = ${id}`)
    },
  },
  sweep_parts_pkey: {
    'a token account twice in a sweep': () =>
      twice(part, { sweep_id: newId(now), token_account: 'c', is_live: false }),
  },
  sweep_part_is_positive: { nothing: () => part({ amount: 0 }) },
  sweep_parts_environment_id_fkey: {
    'an unknown environment': () => part({ environment_id: 999_999 }),
  },
  token_account_is_swept_once_at_a_time: {
    'two sweeps at once': () => twice(part, { token_account: 'd' }, { sweep_id: newId(now) }),
  },
  sweep_parts_are_never_edited: {
    ...edits('sweep_parts', [
      'rail',
      'sweep_id',
      'token_account',
      'environment_id',
      'account_id',
      'amount',
      'is_closing',
    ]),
    ...neverGone('sweep_parts'),
  },
}

describe.each(Object.entries(violations))('%s', (constraint, attempts) => {
  test.each(Object.entries(attempts))('refuses %s', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ constraint })
  })
})

test('valid rows are accepted', async () => {
  await wallet()
  await wallet({ rail: 'another chain', number: 1 })
  await tokenAccount({ amount: 5, asset: 'EURC' })
  await sweep()
  await sweep({ state: 'LANDED', ended_at: now })
  await part({ token_account: 'e', is_live: false })
  await part({ token_account: 'e' })
})

// Fails for every constraint that has no case above.
test('every constraint, unique index and trigger of these tables has a case', async () => {
  const tables = ['wallets', 'token_accounts', 'sweeps', 'sweep_parts']
  const rows = await db.rows(sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid::regclass::text = any(${tables}) and contype <> 'n'
    union
    select indexrelid::regclass::text from pg_index
    where indrelid::regclass::text = any(${tables}) and indisunique
    union
    select tgname from pg_trigger
    where tgrelid::regclass::text = any(${tables}) and not tgisinternal`)
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(violations).sort())
})
