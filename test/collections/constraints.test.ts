import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'

// The database enforces the rules of collections too. As in test/ledger/constraints.test.ts, each
// case breaks exactly one rule with direct SQL.

const db = await freshDatabase()
const environment_id = await insertEnvironment(db)
const liveId = await insertEnvironment(db, 'live')
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

const names = () => ({ environment_id, id: newId(now), rail: 'paper', created_at: now })

function virtual(change: Values = {}): Promise<unknown> {
  const number = `${count++}`
  return insert('collection_accounts', {
    ...names(),
    kind: 'virtual_account',
    rail_account: number,
    number,
    account_name: 'Ada',
    bank_code: '999',
    bank_name: 'Paper',
    asset: 'NGN',
    amount: 100,
    metadata: '{}',
    merchant_reference: 'order-1',
    status: 'ACTIVE',
    expires_at: now,
    due_at: now,
    ...change,
  })
}

const dedicated = (change: Values = {}) =>
  virtual({
    kind: 'dedicated_account',
    amount: null,
    expires_at: null,
    due_at: null,
    merchant_reference: `customer ${count++}`,
    ...change,
  })

const noBank = { bank_code: '', bank_name: '', account_name: '' }
const wallet = (change: Values = {}) =>
  virtual({ kind: 'crypto_wallet', asset: 'USDC', requested_amount: '1', ...noBank, ...change })
const dedicatedWallet = (change: Values = {}) =>
  dedicated({ kind: 'dedicated_crypto_wallet', asset: null, ...noBank, ...change })
const inCoins = { kind: 'crypto_wallet', asset: 'USDC', ...noBank, requested_amount: '1' }

function session(change: Values = {}): Promise<unknown> {
  return insert('checkout_sessions', {
    environment_id,
    id: newId(now),
    reference: `${count++}`.padStart(42, '0'),
    account_id: newId(now),
    description: 'Bread',
    customer_name: 'Ada',
    url: 'x',
    customer_email: 'a@b',
    metadata: '{}',
    created_at: now,
    ...change,
  })
}

/** Ended accounts have no due time. */
const ended = (status: string, change: Values = {}) =>
  virtual({ status, due_at: null, ended_at: now, ...change })

function payment(change: Values = {}): Promise<unknown> {
  return insert('payments', {
    ...names(),
    account_id: newId(now),
    source: 'virtual_account',
    rail_id: `${count++}`,
    asset: 'NGN',
    amount: 100,
    amount_accepted: 100,
    amount_held: 0,
    amount_returning: 0,
    amount_returned: 0,
    fee: 1,
    variance: 'NONE',
    sender: '{}',
    event_sequence: 0,
    received_at: now,
    ...change,
  })
}

function paymentReturn(change: Values = {}): Promise<unknown> {
  return insert('payment_returns', {
    ...names(),
    payment_id: newId(now),
    asset: 'NGN',
    amount: 100,
    takes_from: 'suspense',
    destination: '{}',
    state: 'WAITING',
    due_at: now,
    ...change,
  })
}

const refund = { takes_from: 'available', state: 'SENT' }

const claimId = newId(now)
await insert('claims', {
  environment_id,
  id: claimId,
  token_hash: Buffer.alloc(32),
  status: 'OPEN',
  asset: 'NGN',
  amount: 100,
  fee_max: 0,
  description: 'Refund',
  metadata: '{}',
  expires_at: now,
  created_at: now,
})
const byClaim = { claim_id: claimId, destination: null, state: 'SENT' }

function notice(change: Values = {}): Promise<unknown> {
  return insert('notices', {
    rail: 'paper',
    mode: 'test',
    id: `${count++}`,
    report: '{}',
    state: 'WAITING',
    due_at: now,
    received_at: now,
    ...change,
  })
}

function hint(change: Values = {}): Promise<unknown> {
  return insert('notice_hints', {
    rail: 'paper',
    mode: 'test',
    id: `${count++}`,
    hint: '{}',
    body: '{}',
    due_at: now,
    received_at: now,
    ...change,
  })
}

function opened(change: Values = {}): Promise<unknown> {
  return insert('opened_bank_accounts', {
    rail: 'paper',
    reference: `${count++}`,
    number: '1',
    account_name: 'Ada',
    bank_code: '999',
    bank_name: 'Paper',
    details: '{}',
    created_at: now,
    ...change,
  })
}

function order(change: Values = {}): Promise<unknown> {
  return insert('bank_orders', {
    rail: 'paper',
    token: `${count++}`,
    sendings: 1,
    first_sent_at: now,
    ...change,
  })
}

function bankAccount(change: Values = {}): Promise<unknown> {
  return insert('merchant_bank_accounts', {
    environment_id,
    id: newId(now),
    bank_code: '058',
    account_number: '0123456789',
    account_name: 'Ada',
    is_active: true,
    is_primary: false,
    created_at: now,
    ...change,
  })
}

function payout(change: Values = {}): Promise<unknown> {
  return insert('payouts', {
    ...names(),
    kind: 'bank_return',
    takes_from: 'suspense',
    asset: 'NGN',
    amount: 100,
    fee: 0,
    requested_amount: '100',
    destination: '{}',
    metadata: '{}',
    status: 'SUBMITTED',
    event_sequence: 0,
    submitted_at: now,
    ...change,
  })
}

const moveClock = (id: number, offsetMs: number) =>
  db.rows(sql`update environments set clock_offset_ms = ${offsetMs} where id = ${id}`)

/** Inserts twice with the same key; the second insert must fail. */
async function twice(
  add: (change: Values) => Promise<unknown>,
  same: Values,
  second: Values = {},
): Promise<void> {
  await add(same)
  await add({ ...same, ...second })
}

const amountColumns = ['accepted', 'held', 'returning', 'returned'].map((name) => `amount_${name}`)
const noAmounts = Object.fromEntries(amountColumns.map((name) => [name, 0]))
/** One amount is negative and another compensates for it, so that the sum is right. */
const below = (sum: string) =>
  Object.fromEntries(
    amountColumns.map((column, index) => {
      const other = amountColumns[(index + 1) % 4]!
      return [`a negative ${column}`, { ...noAmounts, [sum]: 100, [column]: -1, [other]: 101 }]
    }),
  )
const each = (
  changes: Record<string, Values>,
  add: (change: Values) => Promise<unknown>,
): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, () => add(change)]))

/** Naming the column is refused, even with its current value. */
const edits = (table: string, columns: string[]) =>
  Object.fromEntries(
    columns.map((column) => [
      `another ${column}`,
      () => db.rows({ text: `update ${table} set ${column} = ${column}`, values: [] }),
    ]),
  )

/** Inserts an account in one status and updates it to another, with the columns that need it. */
/** Changes a payment that is held for screening, without a decision of people. */
async function movedWhileScreened(change: Values): Promise<unknown> {
  const id = newId(now)
  await payment({ id, fee: 0, amount_accepted: 0, amount_held: 100, held_for: 'screening' })
  const { held_for = 'screening', amount_held = 100, amount_returning = 0 } = change
  return db.rows(sql`
    update payments set held_for = ${held_for}, amount_held = ${amount_held},
      amount_returning = ${amount_returning}
    where id = ${id}`)
}

async function becomes(from: string, to: string): Promise<unknown> {
  const id = newId(now)
  const isDedicated = from === 'INACTIVE'
  const timesOf = (status: string) => ({
    paid_at: status === 'PAID' ? now : null,
    ended_at: ['CANCELLED', 'INACTIVE'].includes(status) ? now : null,
    due_at: status === 'ACTIVE' && !isDedicated ? now : null,
  })
  await (isDedicated ? dedicated : virtual)({ id, status: from, ...timesOf(from) })
  const { paid_at, ended_at, due_at } = timesOf(to)
  return db.rows(sql`
    update collection_accounts
    set status = ${to}, paid_at = ${paid_at}, ended_at = ${ended_at}, due_at = ${due_at}
    where id = ${id}`)
}

/** Ways to break each rule, by the constraint that must refuse them. */
const violations: Record<string, Record<string, () => Promise<unknown>>> = {
  account_kind_is_known: {
    'an unknown kind': () => dedicated({ kind: 'piggy_bank' }),
  },
  account_status_is_known: {
    'an unknown status': () => virtual({ status: 'LOST', due_at: null }),
    'an inactive virtual account': () => ended('INACTIVE'),
    'a paid dedicated account': () => dedicated({ status: 'PAID', paid_at: now }),
    'an expired dedicated account': () => dedicated({ status: 'EXPIRED' }),
    'a cancelled dedicated account': () => dedicated({ status: 'CANCELLED', ended_at: now }),
    'an inactive wallet': () => wallet({ status: 'INACTIVE', due_at: null, ended_at: now }),
    'a paid dedicated wallet': () => dedicatedWallet({ status: 'PAID', paid_at: now }),
  },
  variance_is_known: {
    'an unknown variance': () => virtual({ variance: 'ODD' }),
  },
  asset_fits_kind: {
    'a bank account for coins': () => virtual({ asset: 'USDC' }),
    'a bank account for any asset': () => virtual({ asset: null }),
    'an unknown asset': () => dedicated({ asset: 'EUR' }),
    'naira in a wallet': () => wallet({ asset: 'NGN' }),
    'a wallet with an amount but no asset': () => wallet({ asset: null }),
    'a dedicated wallet for one coin': () => dedicatedWallet({ asset: 'USDC' }),
  },
  only_wallet_keeps_how_it_was_asked: {
    'naira with a requested amount': () => virtual({ requested_amount: '1' }),
    'coins without a requested amount': () => wallet({ requested_amount: null }),
  },
  only_wallet_has_no_bank: {
    'a virtual account without a bank': () => virtual({ bank_code: '', bank_name: '' }),
    'a dedicated account without the name of its bank': () => dedicated({ bank_name: '' }),
    'a wallet with a bank': () => wallet({ bank_code: '999' }),
    'a wallet with the name of a bank': () => wallet({ bank_name: 'Access Bank' }),
    'a dedicated wallet with a bank': () => dedicatedWallet({ bank_code: '999' }),
  },
  only_temporary_account_waits_for_an_amount: {
    'a wallet without an amount': () => wallet({ amount: null }),
    'a dedicated wallet with an amount': () => dedicatedWallet({ amount: 100 }),
    'a virtual account without an amount': () => virtual({ amount: null }),
    'a dedicated account with an amount': () => dedicated({ amount: 100 }),
  },
  only_temporary_account_expires: {
    'a wallet without an expiry': () => wallet({ expires_at: null }),
    'a dedicated wallet that expires': () => dedicatedWallet({ expires_at: now }),
    'a virtual account without an expiry': () => virtual({ expires_at: null }),
    'a dedicated account that expires': () => dedicated({ expires_at: now }),
  },
  only_temporary_account_has_a_session: {
    'a session for a dedicated account': () => dedicated({ session_id: newId(now) }),
  },
  session_is_paid_once: {
    'a session with two paid accounts': async () => {
      const paid = { status: 'PAID', paid_at: now, due_at: null, session_id: newId(now) }
      await virtual(paid)
      await virtual({ ...paid, ...inCoins })
    },
  },
  amount_is_positive: {
    'a zero amount': () => virtual({ amount: 0 }),
    'a negative amount': () => virtual({ amount: -1 }),
  },
  paid_account_has_its_time: {
    'paid without a time': () => virtual({ status: 'PAID', due_at: null }),
    'a payment time without being paid': () => virtual({ paid_at: now }),
    'cancelled after it was paid': () => ended('CANCELLED', { paid_at: now }),
  },
  only_cancelled_account_has_a_reason: {
    'a reason without being cancelled': () => virtual({ cancellation_reason: 'requested' }),
    'an unknown reason': () => ended('CANCELLED', { cancellation_reason: 'other' }),
  },
  only_dedicated_accounts_have_a_customer: {
    'a virtual account with a customer': () => virtual({ customer: '{"name":"Ada"}' }),
  },
  account_of_invoice_has_its_customer: {
    'an invoice without its customer': () => virtual({ invoice_id: randomUUID() }),
  },
  customer_has_no_identity_number: {
    'a customer with a BVN': () => dedicated({ customer: '{"name":"Ada","bvn":"22222222226"}' }),
  },
  ended_account_has_its_time: {
    'cancelled without a time': () => ended('CANCELLED', { ended_at: null }),
    'inactive without a time': () => dedicated({ status: 'INACTIVE' }),
    'an end time without an end': () => virtual({ ended_at: now }),
  },
  only_open_account_falls_due: {
    'an open account without a due time': () => virtual({ due_at: null }),
    'a cancelled account with a due time': () => ended('CANCELLED', { due_at: now }),
    'a paid account with a due time': () => virtual({ status: 'PAID', paid_at: now }),
    'a dedicated account with a due time': () => dedicated({ due_at: now }),
    'an open wallet without a due time': () => wallet({ due_at: null }),
    'a dedicated wallet with a due time': () => dedicatedWallet({ due_at: now }),
  },
  account_amounts_add_up: {
    'more received than the amounts add up to': () => virtual({ amount_received: 1 }),
    'amounts that add up to more than received': () => virtual({ amount_held: 1 }),
    ...each(below('amount_received'), virtual),
  },
  rail_account_is_one_account: {
    'an account of another merchant': () =>
      twice(virtual, { rail_account: 'n' }, { environment_id: liveId }),
    'an account of another kind': async () => {
      await virtual({ rail_account: 'm' })
      await dedicated({ rail_account: 'm' })
    },
    'an account with another number': async () => {
      await virtual({ rail_account: 'o', number: '1' })
      await virtual({ rail_account: 'o', number: '2' })
    },
  },
  external_reference_is_used_once: {
    'a reference in use': () => twice(dedicated, { merchant_reference: 'x' }),
    'a reference of another wallet': () => twice(dedicatedWallet, { merchant_reference: 'x' }),
    'a reference of an account that has ended': () =>
      twice(
        dedicated,
        { merchant_reference: 'y', status: 'INACTIVE', ended_at: now },
        { status: 'ACTIVE', ended_at: null },
      ),
  },
  collection_accounts_pkey: {
    'an id in use': () => twice(virtual, { id: newId(now) }, { number: 'other' }),
  },
  payment_source_is_known: {
    'an unknown source': () => payment({ source: 'pocket', asset: 'USDC' }),
  },
  payment_asset_is_known: {
    'an unknown asset': () => payment({ source: 'crypto_wallet', asset: 'EUR' }),
  },
  payment_asset_fits_source: {
    'coins from a bank': () => payment({ asset: 'USDC' }),
    'naira from a wallet': () => payment({ source: 'dedicated_crypto_wallet' }),
  },
  payment_amount_is_positive: {
    'a zero amount': () => payment({ amount: 0, amount_accepted: 0 }),
  },
  all_of_a_payment_is_somewhere: {
    'amounts that add up to less': () => payment({ amount_accepted: 99 }),
    'amounts that add up to more': () => payment({ amount_held: 1 }),
    ...each(below('amount'), payment),
  },
  payment_fee_is_not_negative: {
    'a negative fee': () => payment({ fee: -1 }),
  },
  payment_fee_is_within_its_amount: {
    'a fee above the accepted amount': () => payment({ fee: 101 }),
  },
  payment_hold_is_known: {
    'an unknown hold': () =>
      payment({ held_for: 'fun', fee: 0, amount_accepted: 0, amount_held: 100 }),
  },
  payment_held_for_screening_is_not_accepted: {
    'an accepted payment that is held for screening': () => payment({ held_for: 'screening' }),
  },
  screened_payment_moves_by_decision: {
    'a release without a decision': () => movedWhileScreened({ held_for: null }),
    'a return without a decision': () =>
      movedWhileScreened({ amount_held: 0, amount_returning: 100 }),
  },
  payment_variance_is_known: {
    'an unknown variance': () => payment({ variance: 'ODD' }),
  },
  payment_is_booked_once: {
    'a payment with a known rail id': () =>
      twice(payment, { rail_id: 'again' }, { id: newId(now), environment_id: liveId }),
  },
  payments_pkey: {
    'an id in use': () => twice(payment, { id: newId(now) }, { rail_id: 'other' }),
  },
  return_is_positive: {
    'a zero amount': () => paymentReturn({ amount: 0 }),
    'a negative amount': () => paymentReturn({ amount: -1 }),
  },
  return_takes_from_is_known: {
    'an unknown ledger account': () => paymentReturn({ takes_from: 'pocket', state: 'SENT' }),
  },
  return_state_is_known: {
    'an unknown state': () => paymentReturn({ state: 'LOST' }),
  },
  refund_is_sent_at_once: {
    'a waiting refund': () => paymentReturn({ takes_from: 'available' }),
  },
  refund_reason_is_known: {
    'an unknown reason': () => paymentReturn({ ...refund, reason: 'because' }),
  },
  refund_note_is_short: {
    'an empty note': () => paymentReturn({ ...refund, note: '' }),
    'a long note': () => paymentReturn({ ...refund, note: 'x'.repeat(501) }),
  },
  only_refunds_say_why: {
    'a return with a reason': () => paymentReturn({ reason: 'other' }),
    'a return with a note': () => paymentReturn({ note: 'Paid twice' }),
  },
  return_has_a_destination_or_a_claim: {
    'neither of both': () => paymentReturn({ destination: null }),
    'both at once': () => paymentReturn({ ...byClaim, destination: '{}' }),
  },
  return_by_claim_does_not_wait: {
    'a claim that workers would send': () => paymentReturn({ ...byClaim, state: 'WAITING' }),
  },
  return_of_claim: {
    'an unknown claim': () => paymentReturn({ ...byClaim, claim_id: newId(now) }),
  },
  claim_returns_once: {
    'two returns of one claim': () => twice(paymentReturn, byClaim),
  },
  return_asset_is_known: {
    'an unknown asset': () => paymentReturn({ asset: 'EUR' }),
  },
  payment_returns_pkey: {
    'an id in use': () => twice(paymentReturn, { id: newId(now) }),
  },
  payment_returns_environment_id_fkey: {
    'an unknown environment': () => paymentReturn({ environment_id: 999_999 }),
  },
  notice_mode_is_known: {
    'an unknown mode': () => notice({ mode: 'demo' }),
  },
  notice_state_is_known: {
    'an unknown state': () => notice({ state: 'LOST' }),
  },
  refused_notice_says_why: {
    'a refusal without a reason': () => notice({ state: 'REFUSED' }),
    'a reason without a refusal': () => notice({ reason: 'too_large' }),
  },
  notices_pkey: {
    'a notice with a known id': () => twice(notice, { id: 'same' }),
  },
  hint_state_is_known: {
    'an unknown state': () => hint({ state: 'GUESSED' }),
  },
  only_ended_hint_has_a_reason: {
    'a reason before the end': () => hint({ reason: 'too_large' }),
  },
  notice_hints_pkey: {
    'a hint with a known id': () => twice(hint, { id: 'same' }),
  },
  opened_bank_accounts_pkey: {
    'another account for a reference': () =>
      twice(opened, { reference: 'same' }, { number: 'another' }),
  },
  bank_orders_pkey: {
    'an order with a known token': () => twice(order, { token: 'same' }),
  },
  refusals_answer_sendings: {
    'more refusals than sendings': () => order({ refusals: 2 }),
  },
  sendings_are_not_negative: {
    'fewer sendings than none': () => order({ sendings: -1, refusals: -1 }),
  },
  only_refused_order_is_closed: {
    'a closed order that may have moved money': () => order({ closed_at: now }),
    'a closed order with one unanswered sending': () =>
      order({ sendings: 2, refusals: 1, closed_at: now }),
  },
  notices_are_never_edited: {
    ...edits('notices', ['rail', 'mode', 'id', 'report', 'body', 'received_at']),
    'a delete': () => db.rows({ text: 'delete from notices', values: [] }),
    'a truncate': () => db.rows({ text: 'truncate notices', values: [] }),
  },
  payments_are_never_edited: {
    ...edits('payments', [
      'environment_id',
      'id',
      'account_id',
      'source',
      'rail',
      'rail_id',
      'asset',
      'amount',
      'variance',
      'sender',
      'session_id',
      'narration',
      'received_at',
      'created_at',
    ]),
    'a delete': () => db.rows({ text: 'delete from payments', values: [] }),
    'a truncate': () => db.rows({ text: 'truncate payments', values: [] }),
  },
  payment_returns_are_never_edited: {
    ...edits('payment_returns', [
      'environment_id',
      'id',
      'payment_id',
      'rail',
      'asset',
      'amount',
      'takes_from',
      'destination',
      'created_at',
      'reason',
      'note',
      'claim_id',
    ]),
    'a delete': () => db.rows({ text: 'delete from payment_returns', values: [] }),
    'a truncate': () => db.rows({ text: 'truncate payment_returns', values: [] }),
  },
  ended_account_stays: Object.fromEntries(
    Object.entries({
      PAID: ['ACTIVE', 'EXPIRED', 'CANCELLED'],
      CANCELLED: ['ACTIVE', 'PAID', 'EXPIRED'],
      EXPIRED: ['ACTIVE', 'CANCELLED'],
      INACTIVE: ['ACTIVE'],
    }).flatMap(([from, then]) =>
      then.map((to) => [`${to} after ${from}`, () => becomes(from, to)] as const),
    ),
  ),
}

/** Rules of other tables that collections rely on. */
const otherViolations: typeof violations = {
  session_has_one_wallet: {
    'two sessions with one wallet': async () => {
      const wallet_id = newId(now)
      await session({ wallet_id })
      await session({ wallet_id })
    },
  },
  bank_code_is_plain: {
    'no code': () => bankAccount({ bank_code: '' }),
    'two characters': () => bankAccount({ bank_code: '05' }),
    'ten characters': () => bankAccount({ bank_code: '0123456789' }),
    'a space': () => bankAccount({ bank_code: '05 8' }),
    'letters with accents': () => bankAccount({ bank_code: '05é' }),
  },
  clock_moves_forward_only: {
    'a clock behind real time': () => moveClock(environment_id, -1),
  },
  only_test_clocks_move: {
    'a live clock ahead': () => moveClock(liveId, 1),
  },
  payout_kind_is_known: {
    'an unknown kind': () =>
      payout({ kind: 'gift', asset: 'USDC', takes_from: 'available', event_sequence: 1 }),
  },
  payout_asset_fits_kind: {
    'a bank return of coins': () => payout({ asset: 'USDC' }),
    'a crypto return of naira': () => payout({ kind: 'crypto_return' }),
  },
  only_return_takes_from_suspense: {
    'a payout from suspense': () => payout({ kind: 'bank_transfer', event_sequence: 1 }),
    'a crypto payout from suspense': () =>
      payout({ kind: 'crypto_transfer', asset: 'USDC', event_sequence: 1 }),
    'an unknown ledger account': () => payout({ takes_from: 'pocket' }),
  },
  return_is_free: {
    'a fee for a return': () => payout({ fee: 1 }),
    'a fee for a return of coins': () => payout({ kind: 'crypto_return', asset: 'USDC', fee: 1 }),
    'a fee for a refund': () => payout({ fee: 1, takes_from: 'available' }),
  },
  payout_has_an_event_when_submitted: {
    'a return with its own events': () => payout({ event_sequence: 1 }),
    'a return of coins with its own events': () =>
      payout({ kind: 'crypto_return', asset: 'USDT', event_sequence: 1 }),
    'a payout without events': () => payout({ kind: 'bank_transfer', takes_from: 'available' }),
    'a negative event sequence': () => payout({ event_sequence: -1 }),
  },
}

describe.each(Object.entries({ ...violations, ...otherViolations }))(
  '%s',
  (constraint, attempts) => {
    test.each(Object.entries(attempts))('refuses %s', async (_, attempt) => {
      await expect(attempt()).rejects.toMatchObject({ constraint })
    })
  },
)

// Proves that the cases above fail because of their change, not because of the valid base row.
test('valid rows are accepted', async () => {
  await virtual()
  await virtual({ status: 'PAID', due_at: null, paid_at: now })
  await virtual({ status: 'EXPIRED', due_at: null, amount_received: 100, amount_held: 100 })
  await ended('CANCELLED')
  await dedicated()
  await dedicated({ status: 'INACTIVE', ended_at: now })
  await dedicated({ merchant_reference: 'order-1' })
  await dedicatedWallet({ merchant_reference: 'order-1' })
  await wallet()
  await wallet({ asset: 'USDT', status: 'CANCELLED', due_at: null, ended_at: now })
  await payment({ source: 'crypto_wallet', asset: 'USDT' })
  await dedicated({ merchant_reference: 'order-1', environment_id: liveId })
  for (const column of amountColumns) await payment({ ...noAmounts, [column]: 100 })
  await paymentReturn()
  await paymentReturn({ takes_from: 'available', state: 'SENT' })
  await notice({ id: 'both' })
  await notice({ id: 'both', mode: 'live', state: 'REFUSED', reason: 'too_large' })
  await virtual({ rail_account: 'first of 9', number: '9' })
  await virtual({ rail_account: 'second of 9', number: '9' })
  await hint({ id: 'both' })
  await hint({ id: 'both', mode: 'live', state: 'REJECTED', reason: 'INCORRECT_AMOUNT' })
  await hint({ id: 'both', rail: 'other', state: 'CONFIRMED' })
  await opened({ reference: 'both' })
  await opened({ reference: 'both', rail: 'other' })
  await order({ token: 'both', refusals: 1, refusal: 'no', closed_at: now })
  await order({ token: 'both', rail: 'other' })
  await bankAccount({ bank_code: '035A' })
  await payout()
  await payout({ takes_from: 'available' })
  await payout({ kind: 'crypto_return', asset: 'USDC' })
  await moveClock(environment_id, 1)
  for (const to of ['PAID', 'EXPIRED', 'CANCELLED']) await becomes('ACTIVE', to)
  await becomes('EXPIRED', 'PAID')
  await becomes('PAID', 'PAID')
})

test('the status of a payment is that of its first non-zero amount', async () => {
  const states = ['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED']
  const order = ['amount_held', 'amount_returning', 'amount_accepted', 'amount_returned']
  for (const [index, state] of states.entries()) {
    const id = newId(now)
    const rest = order.slice(index).map((column) => [column, 1])
    await payment({ ...noAmounts, ...Object.fromEntries(rest), amount: rest.length, id })
    const found = await db.rows(sql`select status from payments where id = ${id}`)
    expect(found).toEqual([{ status: state }])
  }
  await expect(payment({ status: 'ACCEPTED' })).rejects.toMatchObject({ code: '428C9' })
})

// Fails for every constraint that has no case above.
test('every constraint, unique index and trigger of these tables has a case', async () => {
  const tables = [
    'collection_accounts',
    'payments',
    'payment_returns',
    'notices',
    'notice_hints',
    'opened_bank_accounts',
    'bank_orders',
  ]
  const rows = await db.rows(sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid::regclass::text = any(${tables}) and contype <> 'n'
    union
    select indexrelid::regclass::text from pg_index
    where indrelid::regclass::text = any(${tables}) and indisunique
    union
    select tgname from pg_trigger
    where tgrelid::regclass::text = any(${tables}) and not tgisinternal
      and tgfoid = 'refuse_change'::regproc`)
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(violations).sort())
})
