import { afterEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { payoutProofs } from '../../src/payouts/proofs.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { payInEveryWay } from '../support/payouts.js'

// As in test/ledger/proofs.test.ts: each test damages a sound database, bypassing triggers and
// constraints, so that exactly one claim is untrue; verify-ledger must name it.

const db = await freshDatabase()
await payInEveryWay(db, await insertEnvironment(db))
const environmentId = await insertEnvironment(db)
const paid = await payInEveryWay(db, environmentId)
const liveId = await insertEnvironment(db, 'live')

const tables = [
  'ledger_accounts',
  'ledger_transfers',
  'ledger_resolutions',
  'events',
  'payouts',
  'payout_attempts',
  'payout_approvals',
  'payout_checks',
  'payout_batch_approvals',
]
const indexes = ['payout_has_one_attempt_that_counts', 'reference_is_one_payout']
const definitions = await db.rows(sql<{ indexdef: string }>`
  select indexdef from pg_indexes where indexname = any(${indexes})`)
await run(
  [...tables, 'environments'].map((table) => `create table sound_${table} as table ${table}`),
)
afterEach(() =>
  run([
    ...tables.flatMap((table) => [
      `truncate ${table}`,
      `insert into ${table} select * from sound_${table}`,
    ]),
    // Not truncated: other tables reference it.
    `insert into environments overriding system value
     select * from sound_environments on conflict do nothing`,
    'alter table payouts drop constraint if exists payouts_pkey',
    'alter table payouts add constraint payouts_pkey primary key (environment_id, id)',
    ...indexes.map((index) => `drop index if exists ${index}`),
    ...definitions.map(({ indexdef }) => indexdef),
  ]),
)

/** Without triggers and constraints, like a replica. */
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
    outcome, due_at, polls, created_at, case when '${state}' = 'LIVE' then null else now() end
  from payout_attempts where ${attemptOf(name)} limit 1`

/** For every claim, the damages that make it untrue while all the others hold. */
const damages: Record<string, Record<string, string[]>> = {
  // Other claims tie balances to transfers, and transfers to payouts. So only a duplicated payout
  // makes this one alone untrue.
  'Held amounts equal what open payouts and claims take, in every environment and asset': {
    'a duplicated open payout': [
      'alter table payouts drop constraint payouts_pkey',
      'drop index reference_is_one_payout',
      `insert into payouts select * from payouts where id = ${idOf('open')}`,
    ],
  },
  // As above.
  'The ledger account `levies` holds the levies of completed payouts, and pending those of open ones':
    {
      'a duplicated completed payout': [
        'alter table payouts drop constraint payouts_pkey',
        'drop index reference_is_one_payout',
        `insert into payouts select * from payouts where id = ${idOf('levied')}`,
      ],
    },
  'Every payout to a saved recipient went to its bank account or wallet': {
    'a recipient that is unknown': [
      `update payouts set recipient_id = gen_random_uuid() where id = ${idOf('completed')}`,
    ],
    'a recipient with another account': [
      `insert into recipients (environment_id, id, kind, address, metadata, status, active_since,
         created_at)
       values (${environmentId}, '00000000-0000-7000-8000-000000000001', 'wallet', 'another', '{}',
         'ACTIVE', now(), now())`,
      `update payouts set recipient_id = '00000000-0000-7000-8000-000000000001'
       where id = ${idOf('completed')}`,
    ],
  },
  'Every payout belongs to an environment': {
    'an environment that is gone': [`delete from environments where id = ${environmentId}`],
  },
  'Every payout holds its amount, its fee and its levy, and there are no other holds but those of claims':
    {
      'a completed payout of another amount': [
        `update payouts set amount = amount + 1 where id = ${idOf('completed')}`,
      ],
      'a failed payout of another fee': [`update payouts set fee = 0 where id = ${idOf('failed')}`],
      'a completed payout of another asset': [
        `update payouts set asset = 'USDT' where id = ${idOf('completed')}`,
      ],
      'a hold with another purpose': [
        `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('completed')} and purpose = 'crypto_payout'`,
      ],
      'a levy with another purpose': [
        `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('levied')} and purpose = 'bank_payout_levy'`,
      ],
      'a hold without a payout': [
        `update ledger_transfers set cause_id = '00000000-0000-7000-8000-000000000000'
       where cause_id = ${idOf('failed')}`,
        `update ledger_resolutions set cause_id = '00000000-0000-7000-8000-000000000000'
       where cause_id = ${idOf('failed')}`,
        `delete from payouts where id = ${idOf('failed')}`,
        `delete from payout_attempts where ${attemptOf('failed')}`,
        `delete from events where resource_id = ${idOf('failed')}`,
      ],
    },
  'Every reversed payout returned its amount, its fee and its levy, and no other payout did': {
    'a reversal with another purpose': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_reversal'`,
    ],
    'a fee that was kept': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_fee_reversal'`,
    ],
    'a levy that was kept': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_levy_reversal'`,
    ],
    'a reversal of nothing': [
      `update ledger_transfers set cause_id = gen_random_uuid()
       where cause_id = ${idOf('reversed')} and purpose = 'bank_payout_fee_reversal'`,
    ],
    'a reversal of a payout that was not reversed': [
      `update ledger_transfers set purpose = 'bank_payout_reversal', cause_id = ${idOf('completed')}
       where environment_id = ${environmentId} and asset = 'USDC' and purpose = 'test_funding'`,
    ],
  },
  'Every payout emitted one event for each of its states, in order, and no others': {
    'a missing first event': [`delete from events where resource_id = ${idOf('open')}`],
    'a missing final event': [
      `delete from events where resource_id = ${idOf('completed')} and sequence = 2`,
    ],
    'a final event of another type': [
      `update events set type = 'crypto_transfer.failed'
       where resource_id = ${idOf('completed')} and sequence = 2`,
    ],
    'a final event of an open payout': [
      `insert into events select environment_id, gen_random_uuid(), 'crypto_transfer.confirmed',
         resource_id, cause_id, 2, data, created_at
       from events where resource_id = ${idOf('open')}`,
    ],
    'a reversal without a completion event': [
      `delete from events where resource_id = ${idOf('reversed')} and sequence = 2`,
    ],
    'an event without a payout': [
      `update events set resource_id = gen_random_uuid() where resource_id = ${idOf('open')}`,
    ],
    'a wrong event count': [`update payouts set event_sequence = 7 where id = ${idOf('failed')}`],
  },
  'Every open payout has exactly one live attempt, and no other payout has one': {
    'an open payout without a live attempt': [
      `update payout_attempts set state = 'DEAD', ended_at = now() where ${attemptOf('open')}`,
    ],
    'an open payout with two live attempts': [
      'drop index payout_has_one_attempt_that_counts',
      copyAttempt('open', 'LIVE'),
    ],
    'a failed payout with a live attempt': [copyAttempt('failed', 'LIVE')],
  },
  'Every completed payout has exactly one attempt that landed, and no other payout has one': {
    'a completed payout without a landed attempt': [
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
  'Every payout that waited was submitted only after enough other members, and the callback if it was asked, approved it':
    {
      'a payout that waited and was sent without an approval': [
        `update payouts set order_hash = sha256('x'), approve_by = now(), event_sequence = 2
       where id = ${idOf('open')}`,
        `update events set sequence = 2 where resource_id = ${idOf('open')}`,
        `insert into events select environment_id, gen_random_uuid(), 'crypto_transfer.pending',
         resource_id, cause_id, 1, data, created_at
       from events where resource_id = ${idOf('open')}`,
      ],
    },
  'Every payout of an API key whose payouts wait waited, alone or with its batch': {
    'a payout that did not wait': [
      `insert into api_keys (id, environment_id, kind, name, hash, hint, secret_fingerprint,
         payouts_wait, created_at)
       values (${idOf('open')}, ${environmentId}, 'secret', 'agent', sha256('agent'), 'sk_test_…0000',
         sha256('secret'), true, now()) on conflict do nothing`,
      `update payouts set created_by_key = ${idOf('open')} where id = ${idOf('open')}`,
    ],
  },
  'Every check belongs to a payout that waited, and asks only while the payout waits': {
    'a check that is still due': [
      `update payouts set order_hash = sha256('x'), approve_by = now(), event_sequence = 2
       where id = ${idOf('open')}`,
      `update events set sequence = 2 where resource_id = ${idOf('open')}`,
      `insert into events select environment_id, gen_random_uuid(), 'crypto_transfer.pending',
         resource_id, cause_id, 1, data, created_at
       from events where resource_id = ${idOf('open')}`,
      `insert into payout_checks (environment_id, payout_id, mode, reasons, callback, answered_at,
         due_at, created_at)
       select environment_id, id, 'test', '{}', 'APPROVED', now(), now(), now() from payouts
       where id = ${idOf('open')}`,
    ],
    'a check of a payout that never waited': [
      `insert into payout_checks (environment_id, payout_id, mode, reasons, created_at)
       select environment_id, id, 'test', '{amount}', now() from payouts
       where id = ${idOf('open')}`,
    ],
    'a check without a payout': [
      `insert into payout_checks (environment_id, payout_id, mode, reasons, created_at)
       select environment_id, gen_random_uuid(), 'test', '{amount}', now() from payouts
       where id = ${idOf('open')}`,
    ],
  },
  'Every simulated decision about a payout is in test mode': {
    'a decision in live mode': [
      `insert into payout_approvals (environment_id, payout_id, verdict, decided_by, order_hash,
         decided_at)
       values (${liveId}, gen_random_uuid(), 'APPROVED', 'simulated', sha256('x'), now())`,
    ],
  },
  'Every attempt belongs to a payout and is on its rail': {
    'an attempt on another rail': [
      `update payout_attempts set rail = 'elsewhere' where ${attemptOf('open')}`,
    ],
    'an attempt without a payout': [
      `update payout_attempts set payout_id = gen_random_uuid()
       where ${attemptOf('again')} and number = 1`,
    ],
  },
}

test('an undamaged database proves every claim', async () => {
  expect(await claimsBrokenBy([])).toEqual([])
})

describe.each(Object.entries(damages))('%s', (claim, ways) => {
  test.each(Object.entries(ways))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toEqual([claim])
  })
})

const resolvedAsItsStatusRequires =
  'The money of every payout is held, settled or released, as its status requires'

// Many rows depend on a status, so a wrong status violates several claims.
describe(resolvedAsItsStatusRequires, () => {
  test.each([
    ['an open payout marked as completed', 'open', 'COMPLETED'],
    ['an open payout marked as failed', 'open', 'FAILED'],
    ['a completed payout marked as failed', 'completed', 'FAILED'],
    ['a failed payout that was opened again', 'failed', 'SUBMITTED'],
  ] as const)('is disproved by %s', async (_, name, status) => {
    const broken = await claimsBrokenBy([
      'alter table payouts drop constraint if exists failed_payout_says_why',
      'alter table payouts drop constraint if exists failed_payout_has_its_time',
      'alter table payouts drop constraint if exists completed_payout_has_its_time',
      `update payouts set status = '${status}' where id = ${idOf(name)}`,
    ])
    expect(broken).toContain(resolvedAsItsStatusRequires)
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
    expect(broken).toEqual([resolvedAsItsStatusRequires])
  })
})

test('simulated approvals count in test mode only', async () => {
  const approve = `
    insert into payout_approvals (environment_id, payout_id, verdict, decided_by, order_hash,
      decided_at)
    values (${environmentId}, ${idOf('open')}, 'APPROVED', 'simulated', sha256('x'), now())`
  const waitedForTwo = [
    `update payouts set order_hash = sha256('x'), approve_by = now(), event_sequence = 2
     where id = ${idOf('open')}`,
    `update events set sequence = 2 where resource_id = ${idOf('open')}`,
    `insert into events select environment_id, gen_random_uuid(), 'crypto_transfer.pending',
       resource_id, cause_id, 1, data, created_at
     from events where resource_id = ${idOf('open')}`,
    approve,
    approve,
  ]
  expect(await claimsBrokenBy(waitedForTwo)).toEqual([])
  const setMode = (mode: string) =>
    `update environments set mode = '${mode}' where id = ${environmentId}`
  const broken = await claimsBrokenBy([setMode('live')])
  await run([setMode('test')])
  expect(broken).toContain('Every simulated decision about a payout is in test mode')
  expect(broken).toContain(
    'Every payout that waited was submitted only after enough other members, and the callback if it was asked, approved it',
  )
})

// Fails for a new claim until a damage for it is added above.
test('every claim about payouts is verified and can be disproved', async () => {
  const claims = payoutProofs.map(claimOf)
  const verified = (await verifyLedger(db)).map(claimOf)
  expect(verified).toEqual(expect.arrayContaining(claims))
  expect([...Object.keys(damages), resolvedAsItsStatusRequires].sort()).toEqual(claims.sort())
})
