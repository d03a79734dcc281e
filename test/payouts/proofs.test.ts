import { afterEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/operations/verify-ledger.js'
import { payoutProofs } from '../../src/payouts/proofs.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { payInEveryWay } from '../support/payouts.js'

// As in test/ledger/proofs.test.ts: a sound database is damaged, past all triggers and constraints,
// so that one claim and no other is untrue, and verify-ledger must name it.

const db = await freshDatabase()
await payInEveryWay(db, await insertEnvironment(db))
const environmentId = await insertEnvironment(db)
const paid = await payInEveryWay(db, environmentId)

const tables = [
  'ledger_accounts',
  'ledger_transfers',
  'ledger_resolutions',
  'events',
  'payouts',
  'payout_attempts',
]
const indexes = ['payout_has_one_attempt_that_counts', 'reference_is_one_payout']
const definitions = await db.rows(sql<{ indexdef: string }>`
  select indexdef from pg_indexes where indexname = any(${indexes})`)
await run(tables.map((table) => `create table sound_${table} as table ${table}`))
afterEach(() =>
  run([
    ...tables.flatMap((table) => [
      `truncate ${table}`,
      `insert into ${table} select * from sound_${table}`,
    ]),
    'alter table payouts drop constraint if exists payouts_pkey',
    'alter table payouts add constraint payouts_pkey primary key (environment_id, id)',
    ...indexes.map((index) => `drop index if exists ${index}`),
    ...definitions.map(({ indexdef }) => indexdef),
  ]),
)

/** As a replica runs what it is sent: without triggers, and without asking whether it may be. */
async function run(statements: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    for (const text of statements) tx.write({ text, values: [] })
  })
}

async function claimsBrokenBy(damage: string[]): Promise<string[]> {
  await run(damage)
  const findings = await verifyLedger(db)
  return findings.filter(({ counterexamples }) => counterexamples.length > 0).map(claimOf)
}

function claimOf({ claim }: { claim: string }): string {
  return claim
}

const idOf = (name: keyof typeof paid) => `'${paid[name].id}'`
const attemptOf = (name: keyof typeof paid) => `payout_id = ${idOf(name)}`
const copyAttempt = (name: keyof typeof paid, state: string) => `
  insert into payout_attempts
  select environment_id, payout_id, 9, rail, token || ' again', wire, valid_until, '${state}',
    outcome, due_at, looks, created_at, case when '${state}' = 'LIVE' then null else now() end
  from payout_attempts where ${attemptOf(name)} limit 1`

/** Every claim, and the ways in which it can come to be untrue while all the others hold. */
const damages: Record<string, Record<string, string[]>> = {
  // Balances follow from transfers, and the transfers of a payout from its row, so if this one
  // alone is untrue then a payout itself is: here, it is there twice.
  'What is held is what open payouts will take, in every environment and asset': {
    'an open payout that is there twice': [
      'alter table payouts drop constraint payouts_pkey',
      'drop index reference_is_one_payout',
      `insert into payouts select * from payouts where id = ${idOf('open')}`,
    ],
  },
  'Every payout has set aside its amount and its fee, and nothing else has': {
    'a completed payout of another amount': [
      `update payouts set amount = amount + 1 where id = ${idOf('completed')}`,
    ],
    'a failed payout of another fee': [`update payouts set fee = 0 where id = ${idOf('failed')}`],
    'a completed payout of another asset': [
      `update payouts set asset = 'USDT' where id = ${idOf('completed')}`,
    ],
    'lines that have changed their places': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('completed')} and purpose = 'crypto_payout'`,
    ],
    'money that was spent for no payout': [
      `update ledger_transfers set cause_id = '00000000-0000-7000-8000-000000000000'
       where cause_id = ${idOf('failed')}`,
      `update ledger_resolutions set cause_id = '00000000-0000-7000-8000-000000000000'
       where cause_id = ${idOf('failed')}`,
      `delete from payouts where id = ${idOf('failed')}`,
      `delete from payout_attempts where ${attemptOf('failed')}`,
      `delete from events where resource_id = ${idOf('failed')}`,
    ],
  },
  'Every reversed payout has given back its amount and its fee, and no other has': {
    'a reversal under another name': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_reversal'`,
    ],
    'a fee that was kept': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_fee_reversal'`,
    ],
    'a reversal of nothing': [
      `update ledger_transfers set cause_id = gen_random_uuid()
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_fee_reversal'`,
    ],
    'a reversal of a payout that nobody sent back': [
      `update ledger_transfers set purpose = 'bank_payout_reversal', cause_id = ${idOf('completed')}
       where environment_id = ${environmentId} and asset = 'USDC' and purpose = 'test_funding'`,
    ],
  },
  'Every payout has told each of its states once, in their order, and nothing else': {
    'a beginning that was not told': [`delete from events where resource_id = ${idOf('open')}`],
    'an end that was not told': [
      `delete from events where resource_id = ${idOf('completed')} and sequence = 2`,
    ],
    'an end that was told as another': [
      `update events set type = 'crypto_transfer.failed'
       where resource_id = ${idOf('completed')} and sequence = 2`,
    ],
    'an end that was told before it came': [
      `insert into events select environment_id, gen_random_uuid(), 'crypto_transfer.confirmed',
         resource_id, cause_id, 2, data, created_at
       from events where resource_id = ${idOf('open')}`,
    ],
    'a completion that was left out before a reversal': [
      `delete from events where resource_id = ${idOf('reversed')} and sequence = 2`,
    ],
    'an event of a payout that is not there': [
      `update events set resource_id = gen_random_uuid() where resource_id = ${idOf('open')}`,
    ],
    'a count that nobody reached': [
      `update payouts set event_sequence = 7 where id = ${idOf('failed')}`,
    ],
  },
  'Every open payout has exactly one live attempt, and no other payout has one': {
    'an open payout that nobody tries': [
      `update payout_attempts set state = 'DEAD', ended_at = now() where ${attemptOf('open')}`,
    ],
    'an open payout that is tried twice at once': [
      'drop index payout_has_one_attempt_that_counts',
      copyAttempt('open', 'LIVE'),
    ],
    'a failed payout that is still tried': [copyAttempt('failed', 'LIVE')],
  },
  'Every completed payout has exactly one attempt that landed, and no other payout has one': {
    'a completed payout of which nothing landed': [
      `update payout_attempts set state = 'FAILED' where ${attemptOf('completed')}`,
    ],
    'a completed payout that landed twice': [
      'drop index payout_has_one_attempt_that_counts',
      copyAttempt('completed', 'LANDED'),
    ],
    'a failed payout that landed': [
      `update payout_attempts set state = 'LANDED' where ${attemptOf('failed')}`,
    ],
    'an open payout whose dead attempt landed': [
      'drop index payout_has_one_attempt_that_counts',
      `update payout_attempts set state = 'LANDED' where ${attemptOf('again')} and number = 1`,
    ],
  },
  'Every attempt is of a payout, and on its rail': {
    'an attempt on another rail': [
      `update payout_attempts set rail = 'elsewhere' where ${attemptOf('open')}`,
    ],
    'an attempt of nothing': [
      `update payout_attempts set payout_id = gen_random_uuid()
       where ${attemptOf('again')} and number = 1`,
    ],
  },
}

test('a database that nobody has damaged proves every claim', async () => {
  expect(await claimsBrokenBy([])).toEqual([])
})

describe.each(Object.entries(damages))('%s', (claim, ways) => {
  test.each(Object.entries(ways))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toEqual([claim])
  })
})

const spentAsItsStateSays =
  'The money of every payout is held, spent or given back, as its state says'

// A state is told by many rows at once, so a state that is wrong is wrong in several ways.
describe(spentAsItsStateSays, () => {
  test.each([
    ['an open payout that somebody called completed', 'open', 'COMPLETED'],
    ['an open payout that somebody called failed', 'open', 'FAILED'],
    ['a completed payout that somebody called failed', 'completed', 'FAILED'],
    ['a failed payout that somebody opened again', 'failed', 'SUBMITTED'],
  ] as const)('is disproved by %s', async (_, name, status) => {
    const broken = await claimsBrokenBy([
      'alter table payouts drop constraint if exists failed_payout_says_why',
      'alter table payouts drop constraint if exists failed_payout_has_its_time',
      'alter table payouts drop constraint if exists completed_payout_has_its_time',
      `update payouts set status = '${status}' where id = ${idOf(name)}`,
    ])
    expect(broken).toContain(spentAsItsStateSays)
  })

  test('is disproved alone by the other verb', async () => {
    const [settle, release] = ['settle', 'release'].map((verb) => `verb = '${verb}'`)
    const broken = await claimsBrokenBy([
      `delete from ledger_resolutions where cause_id = ${idOf('completed')}`,
      `update ledger_resolutions set cause_id = ${idOf('completed')}
       where cause_id = ${idOf('failed')} and ${release}`,
      `insert into ledger_resolutions select environment_id, ${idOf('failed')}, verb, purpose, asset,
         debit, amount, entry_number, available_after, created_at
       from sound_ledger_resolutions where cause_id = ${idOf('completed')} and ${settle}`,
    ])
    expect(broken).toEqual([spentAsItsStateSays])
  })
})

// A claim that is added without a way to disprove it fails here until it has one above.
test('every claim of this room is verified, and can be disproved', async () => {
  const claims = payoutProofs.map(claimOf)
  const verified = (await verifyLedger(db)).map(claimOf)
  expect(verified).toEqual(expect.arrayContaining(claims))
  expect([...Object.keys(damages), spentAsItsStateSays].sort()).toEqual(claims.sort())
})
