import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromReference, prefixes } from '../../../src/base/ids.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { claimMoney } from './recipient.js'

// The database constraints that protect claims, tested by direct SQL as in
// test/ledger/constraints.test.ts.

const service = await openWithBank()
const { db } = service
const key = service.merchant.test.secret

async function post(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  return (await service.ask('POST', path, { key, body, headers })).json.data
}

await post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
async function create(more: object = {}) {
  const body = { amount: 100_000, description: 'Refund', ...more }
  const { reference, url } = await post('/v1/claims', body)
  return { id: `'${fromReference(prefixes.claim, reference)}'`, url }
}
const open = await create({ merchantReference: 'refund-1' })
const claimed = await create()
await claimMoney(claimed.url, { bankCode: '058', accountNumber: '0123456789' })

const change = (set: string, { id }: { id: string } = open) =>
  `update claims set ${set} where id = ${id}`
const changeHold = (set: string, { id }: { id: string } = open) =>
  `update claim_holds set ${set} where claim_id = ${id}`
const copyHold = (more: string) => `
  insert into claim_holds (environment_id, id, claim_id, opening, amount, ended_as, payout_id,
    created_at)
  select environment_id, gen_random_uuid(), claim_id, ${more}, created_at
  from claim_holds where claim_id = `
const payoutOfClaimed = `(select payout_id from claims where id = ${claimed.id})`

test.each([
  ['claim_status_is_known', change(`status = 'PAID'`)],
  ['claim_asset_is_known', change(`asset = 'BTC'`)],
  ['claim_amount_is_positive', change('amount = 0')],
  ['claim_fee_is_not_negative', change('fee_max = -1')],
  ['claim_of_payment_has_its_rail', change('payment_id = gen_random_uuid(), fee_max = 0')],
  ['claim_of_payment_has_its_rail', change(`rail = 'paper'`)],
  ['claim_takes_from_is_known', change(`takes_from = 'suspense'`)],
  ['claim_takes_from_is_known', change(`takes_from = 'fees'`)],
  ['claim_of_payment_is_free', change(`payment_id = gen_random_uuid(), rail = 'paper'`)],
  ['claim_token_is_hashed', change(`token_hash = 'plain'`)],
  ['claim_has_its_payout', change('payout_id = gen_random_uuid()')],
  ['claim_has_its_payout', change('payout_id = null', claimed)],
  ['claimed_claim_has_its_time', change('claimed_at = now()')],
  ['ended_claim_has_its_time', change('ended_at = now()')],
  ['claim_word_is_whole', change(`word_hash = 'x'`)],
  ['claim_guesses_are_limited', change('guesses = 6')],
  ['claim_guesses_are_limited', change('guesses = -1')],
  ['claim_lookups_are_limited', change('lookups = 21')],
  ['claim_openings_are_counted', change('openings = 0')],
  ['claim_event_sequence_is_positive', change('event_sequence = 0')],
  [
    'claim_of_token',
    change(`token_hash = (select token_hash from claims where id = ${claimed.id})`),
  ],
  [
    'claim_has_its_own_payout',
    change(`status = 'CLAIMED', claimed_at = now(), payout_id = ${payoutOfClaimed}`),
  ],
  ['claim_reference_is_unique', change(`merchant_reference = 'refund-1'`, claimed)],
  ['claim_hold_has_an_amount', changeHold('amount = 0')],
  ['claim_hold_end_is_known', changeHold(`ended_as = 'LOST'`)],
  ['claimed_hold_has_a_payout', changeHold(`ended_as = 'CLAIMED'`)],
  ['claimed_hold_has_a_payout', changeHold('payout_id = gen_random_uuid()')],
  ['claim_opening_is_numbered', changeHold('opening = 0')],
  ['claim_opens_once', `${copyHold(`1, amount, 'EXPIRED', null`)}${open.id}`],
  ['claim_holds_money_once', `${copyHold('2, amount, null, null')}${open.id}`],
  [
    'claim_hold_becomes_one_payout',
    `${copyHold(`2, amount, 'CLAIMED', ${payoutOfClaimed}`)}${open.id}`,
  ],
  [
    'claim_only_holds',
    `insert into ledger_transfers select environment_id, gen_random_uuid(), purpose, asset, debit,
       credit, amount, false, entry_number + 1000, available_after, created_at
     from ledger_transfers where purpose = 'claim' limit 1`,
  ],
  ...[`'available', 'clearing'`, `'suspense', 'available'`, `'suspense', 'deposits'`].map(
    (sides): [string, string] => [
      'claim_only_holds',
      `insert into ledger_transfers select environment_id, gen_random_uuid(), purpose, asset, ${sides},
       amount, true, case when ${sides.includes('available')} then entry_number + 1000 end,
       case when ${sides.includes('available')} then available_after end, created_at
     from ledger_transfers where purpose = 'claim' limit 1`,
    ],
  ),
])('%s refuses it', async (constraint, text) => {
  await expect(db.rows({ text, values: [] })).rejects.toMatchObject({ constraint })
})

// Fails for a new constraint until a row for it is added above.
test('every named rule of claims is tested', async () => {
  const rows = await db.rows<{ name: string }>({
    text: `select conname as name from pg_constraint
      where conrelid in ('claims'::regclass, 'claim_holds'::regclass) and contype = 'c'`,
    values: [],
  })
  const source = readFileSync(import.meta.filename, 'utf8')
  expect(rows.filter(({ name }) => !source.includes(`'${name}'`))).toEqual([])
})
