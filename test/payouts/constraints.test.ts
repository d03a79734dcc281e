import { describe, expect, test } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { payInEveryWay } from '../support/payouts.js'

// The database constraints that protect payouts, tested by direct SQL as in
// test/ledger/constraints.test.ts.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const other = await insertEnvironment(db)
const paid = await payInEveryWay(db, environmentId)

const run = (text: string) => db.rows({ text, values: [] })
const idOf = (name: keyof typeof paid) => `'${paid[name].id}'`

/** Another attempt like the first, with changes. */
const copyAttempt = (
  name: keyof typeof paid,
  state: string,
  token = `'another'`,
  validUntil = 'valid_until',
) => `
  insert into payout_attempts (environment_id, payout_id, number, rail, token, wire, valid_until,
    state, due_at, created_at, ended_at)
  select environment_id, payout_id, 9, rail, ${token}, wire, ${validUntil}, '${state}', due_at,
    created_at, case when '${state}' = 'LIVE' then null else now() end
  from payout_attempts where payout_id = ${idOf(name)} limit 1`

test.each([
  ['one live attempt beside another', copyAttempt('open', 'LIVE')],
  ['one that landed beside one that is live', copyAttempt('again', 'LANDED')],
  ['a live one after one has landed', copyAttempt('completed', 'LIVE')],
  ['one that landed after one has landed', copyAttempt('completed', 'LANDED')],
])('a payout has one attempt that counts: never %s', async (_, text) => {
  const constraint = 'payout_has_one_attempt_that_counts'
  await expect(run(text)).rejects.toMatchObject({ constraint })
})

test('a signature belongs to one attempt, a bank reference may belong to several', async () => {
  const constraint = 'signature_is_one_attempt'
  await expect(run(copyAttempt('failed', 'DEAD', 'token'))).rejects.toMatchObject({ constraint })
  await run(copyAttempt('failed', 'DEAD', 'token', 'null'))
})

test('an attempt is never signed again on another chain', async () => {
  const constraint = 'attempts_stay_on_one_chain'
  const moved = copyAttempt('failed', 'DEAD').replace('9, rail,', `9, rail || ':other',`)
  await expect(run(moved)).rejects.toMatchObject({ constraint })
})

test('a mode keeps its chain, and only live mode uses mainnet', async () => {
  const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
  const insert = (mode: string, hash: string) =>
    run(`insert into chains (mode, genesis_hash, pinned_at) values ('${mode}', '${hash}', now())`)
  const constraint = 'only_live_uses_mainnet'
  await expect(insert('live', 'devnet')).rejects.toMatchObject({ constraint })
  await expect(insert('test', mainnet)).rejects.toMatchObject({ constraint })
  await insert('test', 'devnet')
  await expect(insert('test', 'testnet')).rejects.toMatchObject({ constraint: 'chains_pkey' })
  for (const change of [`update chains set genesis_hash = 'testnet'`, 'delete from chains'])
    await expect(run(change)).rejects.toThrow('never edited or removed')
})

test('a reference is unique across environments', async () => {
  const copy = `
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, event_sequence, submitted_at, created_at)
    select ${other}, id, kind, rail, asset, amount, fee, requested_amount, destination, metadata,
      status, event_sequence, submitted_at, created_at
    from payouts where id = ${idOf('open')}`
  await expect(run(copy)).rejects.toMatchObject({ constraint: 'reference_is_one_payout' })
})

test('only bank payouts can be reversed', async () => {
  const reverse = `update payouts set status = 'REVERSED', reversed_at = now()
    where id = ${idOf('completed')}`
  await expect(run(reverse)).rejects.toMatchObject({ constraint: 'only_banks_send_back' })
})

test.each([
  ['only_bank_transfer_has_a_levy', 'completed', '1', 'null'],
  ['payout_levy_is_not_negative', 'levied', '-1', 'null'],
  ['payout_purpose_is_known', 'levied', '0', `'bonus'`],
  ['payout_purpose_is_known', 'completed', '0', `'salary'`],
] as const)('%s: the %s payout, levy %s, purpose %s', async (constraint, name, levy, purpose) => {
  const copy = `
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, levy, purpose,
      requested_amount, destination, metadata, status, event_sequence, submitted_at, created_at)
    select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee, ${levy}, ${purpose},
      requested_amount, destination, metadata, 'SUBMITTED', event_sequence, submitted_at, created_at
    from payouts where id = ${idOf(name)}`
  await expect(run(copy)).rejects.toMatchObject({ constraint })
})

describe('amounts, destinations and sent bytes cannot be edited', () => {
  test.each([
    ['payouts', 'amount = amount + 1'],
    ['payouts', 'fee = 0'],
    ['payouts', 'levy = 0'],
    ['payouts', `purpose = 'salary'`],
    ['payouts', `asset = 'USDT'`],
    ['payouts', `destination = '{}'`],
    ['payouts', `rail = 'elsewhere'`],
    ['payout_attempts', `wire = '\\x00'`],
    ['payout_attempts', `token = 'another'`],
    ['payout_attempts', 'valid_until = valid_until + 1'],
    ['payout_attempts', 'signed_slot = 1'],
  ])('%s: %s', async (table, change) => {
    const refusal = { message: `${table} rows are never edited or removed` }
    await expect(run(`update ${table} set ${change}`)).rejects.toMatchObject(refusal)
    await expect(run(`delete from ${table}`)).rejects.toMatchObject(refusal)
    await expect(run(`truncate ${table}`)).rejects.toMatchObject(refusal)
  })
})
