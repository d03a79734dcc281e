import { afterEach, describe, expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { emitAll } from '../../src/events/emit.js'
import { owedName, pendingName } from '../../src/ledger/accounts.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import {
  fundingOf,
  holdOf,
  movementOf,
  now,
  subaccountHoldOf,
  transferFrom,
  transferTo,
} from '../support/movements.js'
import { openSession, untilBlocked } from '../support/sessions.js'
import { proofsBelow } from '../support/sound-books.js'

// A check that cannot fail proves nothing. For every claim, a valid database is damaged so that
// only this claim is violated, and verify-ledger must report it. The damage bypasses triggers and
// constraints, as a PostgreSQL bug, a restored backup or a person with a console would.

const db = await freshDatabase()

/** Has money and a statement; waits for money; owes some; is closed and empty. */
type Sellers = Record<'rich' | 'waiting' | 'indebted' | 'closed', string>

/** An environment with every kind of row: posted, held, settled, released, suspended. */
async function fill(): Promise<{ held: Movement; settled: Movement; sellers: Sellers }> {
  const environmentId = await insertEnvironment(db)
  const place = { environmentId, asset: 'USDC' } as const
  const suspended: Movement = {
    ...fundingOf(place, 70n),
    lines: [{ debit: 'deposits', credit: 'suspense', amount: 70n, purpose: 'operator_credit' }],
  }
  const [held, settled, released] = [7n, 8n, 9n].map((amount) => holdOf(place, amount, 1n))
  await db.transaction((tx) =>
    moveAll(tx, now, [fundingOf(place, 100n), suspended, held!, settled!, released!]),
  )
  const sellers = await fillSellers(place)
  await insertEndpoint(db, environmentId)
  await db.rows(sql`
    insert into idempotency_keys values (${environmentId}, ${newId(now)}, 'a key',
      ${Buffer.alloc(32)}, 201, '{}', false, ${now}, null)`)
  await db.transaction(async (tx) => {
    await resolveAll(tx, now, [
      { environmentId, causeId: settled!.causeId, verb: 'settle' },
      { environmentId, causeId: released!.causeId, verb: 'release' },
    ])
    emitAll(tx, now, [
      {
        environmentId,
        type: 'crypto_transfer.confirmed',
        resourceId: settled!.causeId,
        causeId: settled!.causeId,
        sequence: 1,
        data: toJson({}),
      },
    ])
  })
  return { held: held!, settled: settled!, sellers }
}

async function fillSellers(place: { environmentId: EnvironmentId; asset: 'USDC' }) {
  const { environmentId } = place
  const sellers: Sellers = {
    rich: newId(now),
    waiting: newId(now),
    indebted: newId(now),
    closed: newId(now),
  }
  const { rich, waiting, indebted, closed } = sellers
  for (const [name, id] of Object.entries(sellers))
    await db.rows(sql`
      insert into subaccounts (environment_id, id, name, status, created_at, closed_at)
      values (${environmentId}, ${id}, ${name}, ${id === closed ? 'CLOSED' : 'ACTIVE'}, ${now},
        ${id === closed ? now : null})`)
  const holds = [2n, 3n, 4n].map((amount) => subaccountHoldOf(place, rich, amount, 1n))
  const pending = movementOf(place, {
    debit: 'available',
    credit: pendingName(waiting),
    amount: 6n,
    purpose: 'split',
  })
  const debt = movementOf(place, {
    debit: owedName(indebted),
    credit: 'receivables',
    amount: 5n,
    purpose: 'receivable',
  })
  await db.transaction((tx) =>
    moveAll(tx, now, [
      transferTo(place, rich, 30n),
      transferTo(place, closed, 5n),
      transferFrom(place, closed, 5n),
      ...holds,
      pending,
      debt,
    ]),
  )
  const ends = [
    { environmentId, causeId: holds[1]!.causeId, verb: 'settle' as const },
    { environmentId, causeId: holds[2]!.causeId, verb: 'release' as const },
  ]
  await db.transaction((tx) => resolveAll(tx, now, ends))
  return sellers
}

const other = await fill()
const { held, settled, sellers } = await fill()
const { environmentId } = held

const tables = [
  'ledger_accounts',
  'ledger_transfers',
  'ledger_resolutions',
  'idempotency_keys',
  'webhook_endpoints',
  'events',
  'deliveries',
]
await run(
  [...tables, 'subaccounts'].map((table) => `create table sound_${table} as table ${table}`),
)
afterEach(() =>
  run([
    ...tables.flatMap((table) => [
      `truncate ${table}`,
      `insert into ${table} select * from sound_${table}`,
    ]),
    // Other tables refer to it, so it cannot be truncated.
    'delete from subaccounts',
    'insert into subaccounts select * from sound_subaccounts',
    `update environments set mode = 'test'`,
    'alter table ledger_accounts drop constraint if exists ledger_accounts_pkey',
    `alter table ledger_accounts add constraint ledger_accounts_pkey
      primary key (environment_id, asset, name)`,
  ]),
)

/** Runs SQL as a replica does: without triggers and foreign keys. */
async function run(statements: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    for (const text of statements) tx.write({ text, values: [] })
  })
}

async function claimsBrokenBy(damage: string[]): Promise<string[]> {
  await run(damage)
  const findings = await verifyLedger(db, proofsBelow)
  return findings.filter(({ counterexamples }) => counterexamples.length > 0).map(claimOf)
}

function claimOf({ claim }: { claim: string }): string {
  return claim
}

const here = `environment_id = ${environmentId}`
const account = (name: string) => `${here} and asset = 'USDC' and name = '${name}'`
const richAccount = account(`sub:${sellers.rich}`)

/** Posts 5 from one account to another, as the code would. The second account is opened. */
const post = (debit: string, credit: string, opened: string) => [
  `insert into ledger_accounts (environment_id, asset, name)
   values (${environmentId}, 'USDC', '${opened}')`,
  `insert into ledger_transfers values (${environmentId}, gen_random_uuid(), 'operator_credit',
    'USDC', '${debit}', '${credit}', 5, false, null, null, now())`,
  `update ledger_accounts set debits_posted = debits_posted + 5 where ${account(debit)}`,
  `update ledger_accounts set credits_posted = credits_posted + 5 where ${account(credit)}`,
]

const closing = (seller: string) => [
  `update subaccounts set status = 'CLOSED', closed_at = now() where id = '${seller}'`,
]

/** Ways to violate each claim while all others hold. */
const damages: Record<string, Record<string, string[]>> = {
  // Transfers have two equal sides, so this claim alone is violated only if the accounts are wrong:
  // here, one of them exists twice.
  'Debits equal credits, pending and posted, in every environment and asset': {
    'a duplicate account': [
      'alter table ledger_accounts drop constraint ledger_accounts_pkey',
      `insert into ledger_accounts select * from ledger_accounts where ${account('treasury')}`,
    ],
  },
  'Every balance is the sum of its transfers': {
    'posted sums that no transfer explains': [
      `update ledger_accounts set credits_posted = credits_posted + 5 where ${account('fees')}`,
      `update ledger_accounts set debits_posted = debits_posted + 5 where ${account('treasury')}`,
    ],
    'pending sums that no hold explains': [
      `update ledger_accounts set credits_pending = credits_pending + 5 where ${account('fees')}`,
      `update ledger_accounts set debits_pending = debits_pending + 5 where ${account('treasury')}`,
    ],
    'a transfer that reached no account': [
      `insert into ledger_transfers values (${environmentId}, gen_random_uuid(), 'operator_credit',
        'USDT', 'treasury', 'deposits', 5, false, null, null, now())`,
    ],
    'a deleted transfer': [`delete from ledger_transfers where ${here} and credit = 'suspense'`],
    'a transfer to an unknown account': [
      `update ledger_transfers set credit = 'pocket' where ${here} and credit = 'suspense'`,
    ],
    'a deleted settlement': [`delete from ledger_resolutions where ${here} and verb = 'settle'`],
  },
  'Every statement is without gaps, adds up line by line and ends at the balance': {
    'a line with a wrong balance': [
      `update ledger_transfers set available_after = available_after + 1
       where ${here} and entry_number = 2`,
    ],
    'a release with a wrong balance': [
      `update ledger_resolutions set available_after = available_after + 1
       where ${here} and entry_number is not null`,
    ],
    'a gap between two lines': [
      `update ledger_resolutions set entry_number = entry_number + 1
       where ${here} and entry_number is not null`,
      `update ledger_accounts set entry_count = entry_count + 1 where ${account('available')}`,
    ],
    'a duplicate entry number': [
      `update ledger_resolutions set entry_number = entry_number - 1
       where ${here} and entry_number is not null`,
      `update ledger_accounts set entry_count = entry_count - 1 where ${account('available')}`,
    ],
    'an entry count that is too high': [
      `update ledger_accounts set entry_count = entry_count + 1 where ${account('available')}`,
    ],
  },
  'Every statement of a sub-account is without gaps, adds up and ends at its balance': {
    'a line with a wrong balance': [
      `update ledger_transfers set subaccount_after = subaccount_after + 1
       where ${here} and subaccount_id = '${sellers.rich}' and subaccount_entry = 2`,
    ],
    'a release with a wrong balance': [
      `update ledger_resolutions set subaccount_after = subaccount_after + 1
       where ${here} and subaccount_entry is not null`,
    ],
    'a gap between two lines': [
      `update ledger_resolutions set subaccount_entry = subaccount_entry + 1
       where ${here} and subaccount_entry is not null`,
      `update ledger_accounts set entry_count = entry_count + 1 where ${richAccount}`,
    ],
    'a duplicate entry number': [
      `update ledger_resolutions set subaccount_entry = subaccount_entry - 1
       where ${here} and subaccount_entry is not null`,
      `update ledger_accounts set entry_count = entry_count - 1 where ${richAccount}`,
    ],
    'an entry count that is too high': [
      `update ledger_accounts set entry_count = entry_count + 1 where ${richAccount}`,
    ],
  },
  'What sub-accounts owe adds up to the receivables of every environment and asset': {
    'a debt that is no receivable': post(`sub_owed:${sellers.indebted}`, 'exchange', 'exchange'),
    'a receivable that no sub-account owes': post('exchange', 'receivables', 'exchange'),
  },
  'Every ledger account of a sub-account belongs to one of its environment': {
    'a deleted sub-account': [`delete from subaccounts where id = '${sellers.rich}'`],
    'a sub-account of another merchant': [
      `update subaccounts set environment_id = ${other.held.environmentId}
       where id = '${sellers.indebted}'`,
    ],
    'pending money of no sub-account': [
      `insert into ledger_accounts (environment_id, asset, name)
       values (${environmentId}, 'USDC', 'sub_pending:' || gen_random_uuid())`,
    ],
    'a name with more behind the id': [
      `insert into ledger_accounts (environment_id, asset, name)
       values (${environmentId}, 'USDC', 'sub:${sellers.rich}:savings')`,
    ],
    'a name without an id': [
      `insert into ledger_accounts (environment_id, asset, name)
       values (${environmentId}, 'USDC', 'sub')`,
    ],
  },
  'Every closed sub-account is empty and owes nothing': {
    'a closed sub-account with money': closing(sellers.rich),
    'a closed sub-account with money that is released later': closing(sellers.waiting),
    'a closed sub-account that owes': closing(sellers.indebted),
  },
  'Every resolution settles or releases exactly what its cause holds': {
    'a settlement of another amount': [
      `update ledger_resolutions set amount = amount + 1 where ${here} and verb = 'settle'`,
    ],
    'a settlement of another asset': [
      `update ledger_resolutions set asset = 'USDT' where ${here} and verb = 'settle'`,
    ],
    'a settlement of another account': [
      `update ledger_resolutions set debit = 'suspense' where ${here} and verb = 'settle'`,
    ],
    'a settlement of nothing': [
      `insert into ledger_resolutions values (${environmentId}, gen_random_uuid(), 'settle',
        'crypto_payout', 'USDC', 'available', 5, null, null, now())`,
    ],
  },
  'All lines of a hold debit the same account': {
    'a second line that debits suspense': [
      `insert into ledger_transfers values (${environmentId}, '${held.causeId}', 'operator_credit',
        'USDC', 'suspense', 'treasury', 5, true, null, null, now())`,
      `update ledger_accounts set debits_pending = debits_pending + 5 where ${account('suspense')}`,
      `update ledger_accounts set credits_pending = credits_pending + 5 where ${account('treasury')}`,
    ],
  },
  'Test money is only in test environments': {
    'an environment that was made live': [
      `update environments set mode = 'live' where id = ${environmentId}`,
    ],
  },
  'Every idempotency key has its answer': {
    'a key without a status': [`update idempotency_keys set status = null where ${here}`],
    'a key without an answer': [`update idempotency_keys set answer = null where ${here}`],
  },
  'Every delivery links an event and an endpoint of its own environment': {
    'a deleted event': [`delete from events where ${here}`],
    'a deleted endpoint': [`delete from webhook_endpoints where ${here}`],
    'a delivery to another merchant': [
      `update deliveries set endpoint_id = (select id from webhook_endpoints where not ${here})
       where ${here}`,
    ],
  },
}

test('an undamaged database satisfies every claim', async () => {
  expect(await claimsBrokenBy([])).toEqual([])
})

describe.each(Object.entries(damages))('%s', (claim, ways) => {
  test.each(Object.entries(ways))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toEqual([claim])
  })
})

// A new claim fails here until it has a case above.
test('every claim of the ledger is verified and has a case', async () => {
  const claims = proofsBelow.map(claimOf)
  const verified = (await verifyLedger(db)).map(claimOf)
  expect(verified).toEqual(expect.arrayContaining(claims))
  expect(Object.keys(damages).sort()).toEqual(claims.sort())
})

// Several claims may find the same damage; what counts is that it cannot hide.
test('an edited transfer is found', async () => {
  const broken = await claimsBrokenBy([
    `update ledger_transfers set amount = amount + 1 where cause_id = '${settled.causeId}'
       and purpose = 'crypto_payout'`,
  ])
  expect(broken).toEqual([
    'Every balance is the sum of its transfers',
    'Every statement is without gaps, adds up line by line and ends at the balance',
    'Every resolution settles or releases exactly what its cause holds',
  ])
})

// Verification takes a while on a large database. All claims must see one snapshot: later commits,
// even damage, are not visible.
test('all claims are checked against one snapshot', async () => {
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query('lock table ledger_resolutions in access exclusive mode')
  const findings = verifyLedger(db, proofsBelow)
  await untilBlocked(db)
  await run([`update idempotency_keys set status = null where ${here}`])
  await blocker.query('commit')

  for (const { counterexamples } of await findings) expect(counterexamples).toEqual([])
  expect(await claimsBrokenBy([])).toEqual(['Every idempotency key has its answer'])
})
