import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fromReferenceOfAnyKind } from '../../src/base/ids.js'
import { addPerson } from '../support/people.js'
import { openSplitMarket } from './split-market.js'

// The database constraints of sub-accounts, splits, levies and VAT, tested by direct SQL as in
// test/ledger/constraints.test.ts. Each case changes one thing of a valid row.

const { db, service, openShop } = await openSplitMarket()
const run = (text: string) => db.rows({ text, values: [] })

const bankAccount = { bankCode: '058', accountNumber: '0123456789' }
const { environmentId, ada, bola, rule } = await fillEveryTable()

/** Rows of every table that these constraints protect. */
async function fillEveryTable() {
  const shop = await openShop()
  const idOf = (reference: string) => fromReferenceOfAnyKind(reference)!
  const seller = async (name: string) =>
    (await shop.post('/v1/subaccounts', { name, externalReference: name, bankAccount })).reference
  const [ada, bola] = [await seller('Ada'), await seller('Bola')]
  const lines = [
    { subaccount: ada, percent: '40' },
    { subaccount: bola, flat: 100_000, releaseAfterDays: 2 },
    { subaccount: ada, remainder: true },
  ]
  const rule = await shop.post('/v1/split-rules', { name: 'Halves', asset: 'NGN', lines })
  const { reference, fee } = await shop.sell({ rule: rule.reference })
  await shop.fund(fee + 1_000_000)
  await shop.refund(reference, { amount: 10_000 })
  await shop.move(ada, { from: 'merchant', amount: 500_000 })
  const items = [{ amount: 10_000, ...bankAccount }]
  await shop.post('/v1/disbursements/batches', { kind: 'bank_transfer', from: ada, items })
  await shop.post(`/v1/subaccounts/${ada}/settlements`, {})
  await shop.patch(`/v1/subaccounts/${ada}`, { settlement: { schedule: 'daily' } })
  const { reference: merchant } = shop.merchant
  const owner = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
  const key = { name: 'page of a seller', kind: 'secret', subaccount: ada }
  expect((await owner.ask('POST', '/v1/api-keys', { body: key })).status).toBe(201)
  await run(`
    insert into levies (kind, mode, rail, threshold, amount, exempts, holds_from, holds_until,
      created_at, created_by)
    values ('stamp_duty', 'test', null, 1, 1, '{salary}', now() + interval '1 day', null, now(), 'x')`)
  await run(`insert into levy_debits (rail, debits, since, created_at, created_by)
    values ('x', 'no', now(), now(), 'x')`)
  await run(`insert into vat_rates values ('test', now(), 750, 'x', now())`)
  await run(`insert into provider_fees
    select environment_id, id, 'x', 1, now() from payments limit 1`)
  return {
    environmentId: shop.environmentId,
    ada: idOf(ada),
    bola: idOf(bola),
    rule: idOf(rule.reference),
  }
}

/** Inserts the row again with these values. */
const copy = (table: string, change: object, where = 'true') => `
  insert into ${table} overriding system value
  select (jsonb_populate_record(t, '${JSON.stringify(change)}')).* from ${table} t
  where ${where} limit 1`
const update = (table: string, change: string, where = 'true') =>
  `update ${table} set ${change} where ${where}`

const share = (change: string) => update('payment_shares', change, `status = 'POSTED'`)
const pendingShare = (change: string) => update('payment_shares', change, `status = 'PENDING'`)
const takeBack = (change: string) => update('share_take_backs', change)
const subaccount = (change: string) => update('subaccounts', change, `id = '${ada}'`)
const line = (change: object, where = 'line = 0') => {
  const places = { line: 9, ...change }
  return copy('split_lines', places, where)
}
const split = (change: object) => copy('splits', { id: randomUUID(), version: 2, ...change })
const transfer = (change: object) =>
  copy('subaccount_transfers', { id: randomUUID(), ...change }, `to_subaccount_id = '${ada}'`)
const settlement = (change: object) =>
  copy(
    'settlements',
    {
      id: randomUUID(),
      payout_id: randomUUID(),
      first_entry: 901,
      last_entry: 902,
      ...change,
    },
    `subaccount_id = '${ada}'`,
  )
const levy = (change: object) => copy('levies', { id: 9, ...change })
const unknown = randomUUID()

const cases: Record<string, Record<string, string>> = {
  subaccount_status_is_known: { 'another status': subaccount(`status = 'GONE'`) },
  subaccount_has_a_name: { 'no name': subaccount(`name = ''`) },
  subaccount_bank_account_is_whole: {
    'a number without a bank': subaccount('bank_code = null'),
    'no name of the holder': subaccount('account_name = null'),
  },
  closed_subaccount_says_when: {
    'closed at no time': subaccount(`status = 'CLOSED', settlement_schedule = 'off'`),
    'open and closed': subaccount('closed_at = now()'),
  },
  closed_subaccount_is_not_settled: {
    'a schedule of a closed one': subaccount(`status = 'CLOSED', closed_at = now()`),
  },
  closing_subaccount_is_paused: {
    'an active one': subaccount(`closing_payout_id = gen_random_uuid()`),
  },
  subaccount_event_sequence_is_positive: { zero: subaccount('event_sequence = 0') },
  subaccount_external_reference_is_unique: {
    'that of another': subaccount(`external_reference = 'Bola'`),
  },
  subaccount_schedule_is_known: { hourly: subaccount(`settlement_schedule = 'hourly'`) },
  subaccount_reserve_is_not_negative: {
    'a reserve': subaccount('settlement_reserve = -1'),
    'a minimum': subaccount('settlement_minimum = -1'),
  },
  transferred_asset_is_known: { 'another asset': transfer({ asset: 'BTC' }) },
  transferred_amount_is_positive: { zero: transfer({ amount: 0 }) },
  transfer_has_two_ends: {
    'to itself': transfer({ from_subaccount_id: ada }),
    'from the merchant to the merchant': transfer({ to_subaccount_id: null }),
  },
  split_rule_has_a_name: { 'no name': copy('split_rules', { id: randomUUID(), name: '' }) },
  split_rule_asset_is_known: { bitcoin: copy('split_rules', { id: randomUUID(), asset: 'BTC' }) },
  split_asset_is_known: { bitcoin: split({ asset: 'BTC' }) },
  only_rules_have_versions: {
    'a version of no rule': split({ rule_id: null }),
    'a rule without a version': split({ version: null }),
  },
  split_version_is_positive: { zero: split({ version: 0 }) },
  split_version_is_unique: { 'the same again': split({ version: 1 }) },
  fee_bearer_is_known: { 'somebody else': split({ fee_bearer: 'payer' }) },
  bearing_subaccount_is_named: {
    'no sub-account': split({ fee_bearer: 'subaccount' }),
    'a sub-account that does not bear it': split({ fee_subaccount_id: ada }),
  },
  split_has_at_most_20_lines: {
    'line 21': line({ line: 20 }),
    'a line before the first': line({ line: -1 }),
  },
  line_has_one_amount: { both: line({ flat: 1 }) },
  line_amounts_are_positive: {
    'nothing flat': line({ flat: 0 }, 'line = 1'),
    'no minimum': line({ min: 0 }),
    'no maximum': line({ max: 0 }),
  },
  line_is_at_most_100_percent: {
    more: line({ basis_points: 10_001 }),
    nothing: line({ basis_points: 0 }),
  },
  line_min_is_at_most_max: { more: line({ min: 2, max: 1 }) },
  remainder_has_no_bounds: { 'a maximum': line({ max: 1 }, 'line = 2') },
  line_is_released_once: {
    'at a time and after days': line({ release_at: '2026-01-01T00:00:00Z' }, 'line = 1'),
  },
  release_days_are_positive: { zero: line({ release_after_days: 0 }) },
  split_has_one_remainder: { another: line({}, 'line = 2') },
  share_status_is_known: { 'another status': share(`status = 'GONE'`) },
  share_has_an_amount: {
    nothing: share(`amount = 0, taken_back = 0, proportion_amount = null,
      proportion_accepted = null, proportion_kept = null`),
    'a fee below zero': share('fee = -1'),
    'a fee that leaves nothing': share('fee = amount'),
  },
  share_takes_back_at_most_itself: {
    more: share('taken_back = amount + 1'),
    'less than nothing': share('taken_back = -1'),
    'more pending than all': pendingShare('taken_pending = taken_back + 1'),
  },
  share_waits_for_its_release: {
    'pending and never due': pendingShare('due_at = null'),
    'posted and due': share('due_at = now()'),
    'pending without a time': pendingShare('release_at = null'),
  },
  share_says_when_it_was_released: {
    'released and pending': pendingShare('released_at = now()'),
    'released and never pending': share('released_at = now()'),
  },
  share_has_a_whole_proportion: {
    'without what was accepted': share('proportion_accepted = null'),
    'more than what was accepted': share('proportion_amount = proportion_accepted + 1'),
    'less than nothing': share('proportion_amount = -1'),
    'less than nothing kept': share('proportion_kept = -1'),
    'more than the share': share('proportion_kept = amount'),
  },
  payment_is_shared_once: {
    'the same line': copy('payment_shares', { id: randomUUID() }),
  },
  take_back_state_is_known: { 'another state': takeBack(`state = 'GONE'`) },
  take_back_has_an_amount: {
    nothing: takeBack('taken = 0, taken_pending = 0, owed = 0'),
    'less than nothing taken': takeBack('taken = -1, owed = 2'),
    'less than nothing pending': takeBack('taken_pending = -1, owed = 2'),
    'less than nothing owed': takeBack('owed = -1, taken = 2'),
  },
  take_back_is_due_while_given_back: {
    'given back and never due': takeBack(`state = 'GIVING_BACK'`),
    'taken and due': takeBack('due_at = now()'),
  },
  refund_takes_back_once: { twice: copy('share_take_backs', { id: randomUUID() }) },
  batch_has_its_subaccount: {
    'one that does not exist': copy('payout_batches', {
      id: randomUUID(),
      subaccount_id: unknown,
    }),
  },
  batch_levies_are_not_negative: {
    'a levy below zero': update('payout_batches', 'levy = -1'),
    'a levy of nothing paid': update('payout_batches', 'paid_levy = 1'),
  },
  item_purpose_is_known: {
    'another purpose': copy('payout_batch_items', { number: 9, purpose: 'gift' }),
  },
  settlement_has_its_subaccount: {
    'one that does not exist': settlement({ subaccount_id: unknown }),
  },
  subaccount_settles_to_a_bank: {
    'in coins': settlement({ conversion_id: unknown, converted_amount: 2, conversion_fee: 1 }),
  },
  settlement_begins_once: { 'at the same entry': settlement({ first_entry: 1 }) },
  subaccount_settlement_ends_once: {
    'at the same entry': `${settlement({ last_entry: 5_000 })};
      ${settlement({ first_entry: 902, last_entry: 5_000 })}`,
  },
  scheduled_subaccount_settlement_is_made_once: {
    'at the same time': `${settlement({ scheduled_for: '2026-01-01T00:00:00Z' })};
      ${settlement({ scheduled_for: '2026-01-01T00:00:00Z', first_entry: 903, last_entry: 904 })}`,
  },
  settlement_ends_once: {
    'at the same entry, of the merchant': `${settlement({ subaccount_id: null })};
      ${settlement({ subaccount_id: null, first_entry: 900 })}`,
  },
  scheduled_settlement_is_made_once: {
    'at the same time, of the merchant': `
      ${settlement({ subaccount_id: null, scheduled_for: '2026-01-01T00:00:00Z' })};
      ${settlement({
        subaccount_id: null,
        scheduled_for: '2026-01-01T00:00:00Z',
        first_entry: 903,
        last_entry: 904,
      })}`,
  },
  schedule_has_its_subaccount: {
    'one that does not exist': update('settlement_schedules', `subaccount_id = '${unknown}'`),
  },
  settlement_schedules_pkey: {
    'a second one': `insert into settlement_schedules (environment_id, mode, scheduled_for, due_at,
        subaccount_id)
      select environment_id, mode, scheduled_for, due_at, subaccount_id from settlement_schedules`,
  },
  key_has_its_subaccount: {
    'one that does not exist': copyKey({ subaccount_id: unknown }),
  },
  key_of_a_subaccount_only_reads: {
    'one that pays': copyKey({ permissions: ['payouts.create'] }),
    'one without limits': copyKey({ permissions: null }),
  },
  levy_kind_is_known: { 'another kind': levy({ kind: 'tax' }) },
  levy_mode_is_known: { 'another mode': levy({ mode: 'demo' }) },
  levy_threshold_is_not_negative: { 'below zero': levy({ threshold: -1 }) },
  levy_amount_is_not_negative: { 'below zero': levy({ amount: -1 }) },
  levy_exemptions_are_known: { 'another one': levy({ exempts: ['gifts'] }) },
  levy_ends_after_it_begins: { before: levy({ holds_until: '2020-01-01T00:00:00Z' }) },
  levy_debit_is_known: { 'another way': copy('levy_debits', { id: 9, debits: 'maybe' }) },
  vat_mode_is_known: { 'another mode': copy('vat_rates', { mode: 'demo' }) },
  vat_is_at_most_the_net_fee: {
    more: copy('vat_rates', { mode: 'live', basis_points: 10_001 }),
    less: copy('vat_rates', { mode: 'live', basis_points: -1 }),
  },
  vat_is_part_of_the_amount: {
    more: `insert into report_entries (environment_id, asset, bucket, bucket_start, purpose,
        effect, amount, vat)
      values (${environmentId}, 'NGN', 'day', now(), 'payment_fee', 'post', 1, 2)`,
  },
  provider_fee_is_not_negative: {
    'below zero': copy('provider_fees', { cause_id: unknown, amount: -1 }),
  },
}

function copyKey(change: object): string {
  const places = { id: randomUUID(), hash: `\\x${randomBytes(32).toString('hex')}` }
  return copy('api_keys', { ...places, ...change }, `subaccount_id = '${ada}'`)
}

for (const [constraint, rows] of Object.entries(cases))
  describe(constraint, () => {
    test.each(Object.entries(rows))('refuses %s', async (_, text) => {
      const attempt = db.transaction(async (tx) => {
        for (const statement of text.split(';')) await tx.rows({ text: statement, values: [] })
      })
      await expect(attempt).rejects.toMatchObject({ constraint })
    })
  })

test('every constraint of these tables has a case', async () => {
  const tables = `subaccounts subaccount_transfers split_rules splits split_lines payment_shares
    share_take_backs levies levy_debits vat_rates provider_fees`.split(/\s+/)
  const rows = await db.rows<{ name: string }>({
    text: `
      select conname as name from pg_constraint
      where contype = 'c' and conrelid::regclass::text = any ($1)
      union select indexrelid::regclass::text from pg_index
      where indisunique and not indisprimary and indrelid::regclass::text = any ($1)`,
    values: [tables],
  })
  const elsewhere = ['levy_is_never_set_for_the_past']
  const missing = rows.map(({ name }) => name).filter((name) => !(name in cases))
  expect(missing).toEqual(elsewhere)
})

test.each([
  ['split_rules', `name = 'x' where id = '${rule}'`],
  ['splits', 'version = 2'],
  ['split_lines', `subaccount_id = '${bola}'`],
  ['subaccount_transfers', 'amount = 1'],
  ['payout_batches', `subaccount_id = '${bola}'`],
  ['api_keys', `subaccount_id = '${bola}'`],
  ['settlements', `subaccount_id = '${bola}'`],
])('%s are never edited', async (table, change) => {
  await expect(run(`update ${table} set ${change}`)).rejects.toThrow('are never edited or removed')
})
