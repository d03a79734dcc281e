import fc from 'fast-check'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import type { PayoutAttempt } from '../../src/payouts/payout.js'
import {
  createPayoutReader,
  getPayout,
  type PayoutRow,
  payoutColumns,
  toPayout,
} from '../../src/payouts/records/find-payouts.js'
import { payoutList } from '../../src/payouts/records/payout-list.js'
import { Database } from '../../src/postgres/database.js'
import { readList } from '../../src/postgres/lists/find-ids.js'
import { sql } from '../../src/postgres/sql.js'
import type { Queryable } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { plansOf } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const neighbour = await insertEnvironment(db)

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map(withoutNul)
const time = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2199-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const amount = fc.bigInt({ min: 1n, max: 2n ** 62n })
/** JSON texts that a parser would not write back unchanged. */
const metadata = fc.constantFrom(
  '{}',
  '{ "spaced" : [ 1 , 2 ] }',
  '{"n":12345678901234567890.000,"e":1E400}',
  '{"a":1,"a":2}',
  '{"escaped":"\\u00e9\\n\\"","plain":"é"}',
)
const status = fc.constantFrom('SUBMITTED', 'COMPLETED', 'FAILED')
const states = fc.array(fc.constantFrom('FAILED', 'DEAD'), { maxLength: 3 })

function withoutNul(value: string): string {
  return value.replaceAll('\0', '0')
}

const payout = fc.record({
  amount,
  fee: amount,
  requestedAmount: text,
  address: text,
  merchantReference: fc.option(text),
  metadata,
  status,
  failureReason: text,
  submittedAt: time,
  endedAt: time,
  createdAt: time,
  states,
  tokens: fc.array(text, { minLength: 4, maxLength: 4 }),
})

type Sample = typeof payout extends fc.Arbitrary<infer Value> ? Value : never

/** `approveBy`: it needed approval. */
async function insert(
  owner: EnvironmentId,
  one: Sample,
  approveBy: Date | null = null,
): Promise<string> {
  const id = newId(new Date())
  const isCompleted = one.status === 'COMPLETED'
  const isFailed = one.status === 'FAILED'
  await db.rows(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, merchant_reference, metadata, status, failure_reason, event_sequence,
      submitted_at, completed_at, failed_at, created_at, order_hash, approve_by)
    values (${owner}, ${id}, 'crypto_transfer', 'solana', 'USDC', ${one.amount}, ${one.fee},
      ${one.requestedAmount}, ${JSON.stringify({ kind: 'wallet', address: one.address })},
      ${one.merchantReference && `${one.merchantReference} ${id}`}, ${one.metadata}, ${one.status},
      ${isFailed ? one.failureReason : null}, 1, ${one.submittedAt},
      ${isCompleted ? one.endedAt : null}, ${isFailed ? one.endedAt : null}, ${one.createdAt},
      ${approveBy && Buffer.alloc(32)}, ${approveBy})`)
  const last = isCompleted ? 'LANDED' : isFailed ? 'DEAD' : 'LIVE'
  // The last one first: attempts are sorted by number, not by when they were written.
  for (const [index, state] of [...[...one.states, last].entries()].reverse())
    await db.rows(sql`
      insert into payout_attempts (environment_id, payout_id, number, rail, token, wire, state,
        due_at, created_at, ended_at)
      values (${owner}, ${id}, ${index + 1}, 'solana', ${one.tokens[index]}, '', ${state},
        ${one.createdAt}, ${one.createdAt}, ${state === 'LIVE' ? null : one.endedAt})`)
  return id
}

/** The plain twin: one column per field, and a second query for the attempts. */
async function readPlainly(reader: Queryable, owner: EnvironmentId, id: string) {
  const [row] = await reader.rows(sql<PayoutRow>`
    select ${payoutColumns} from payouts p
    where p.environment_id = ${owner} and p.id = ${id}`)
  const attempts = await reader.rows(sql<PayoutAttempt>`
    select number, token, state, created_at from payout_attempts
    where environment_id = ${owner} and payout_id = ${id} order by number`)
  return { payout: toPayout(row!), attempts }
}

// A prepared statement keeps its plan until the next ANALYZE, however much the table grows before.
test('statements that are prepared while the table is empty read by index', async () => {
  const pool = new Database(db.url, () => {}, { size: 1, readsByKey: true })
  onTestFinished(() => pool.close())
  const settings = await pool.rows(sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin') and setting = 'off'`)
  expect(settings).toHaveLength(3)

  // With the same settings. The payout needs approval, so approvals are read, too.
  const session = await openSession(db)
  const id = await insert(environmentId, fc.sample(payout, 1)[0]!, new Date())
  const reference = toReference(prefixes.cryptoTransfer, id)
  const found = await getPayout(readerOf(session), { environmentId, reference })
  expect(found.payout.approval).toMatchObject({ needed: 2, decisions: [] })
  const keys = [`{${environmentId}}`, `{${newId(new Date())}}`]
  const byKey = expect.stringMatching(/^by (payouts_pkey|reference_is_one_payout)/)
  expect(await scansOf(session, 'read_payouts', keys)).toEqual([
    ['by payout_attempts_pkey', byKey],
    ['by payout_attempts_pkey', byKey],
  ])
  const ofApprovals = [
    'by api_key_holders_by_user',
    'by api_keys_pkey',
    'by api_keys_pkey',
    'by api_keys_pkey',
    'by key_replaces_one',
    'by member_decides_once',
    'by member_decides_once',
    'by payout_checks_pkey',
    byKey,
    'by users_pkey',
  ]
  expect(await scansOf(session, 'read_approvals', keys)).toEqual([ofApprovals, ofApprovals])
})

async function scansOf(session: pg.Client, statement: string, keys: string[]): Promise<string[][]> {
  const plans = await plansOf(session, statement, keys)
  return plans.map(({ scans }) => scans.map((scan) => scan.replace(/ keeping .*/, '')))
}

test('payouts are read exactly as they are stored, in any time zone', async () => {
  const session = await openSession(db)
  const reader = readerOf(session)
  await fc.assert(
    fc.asyncProperty(
      payout,
      fc.constantFrom('UTC', 'Africa/Lagos', 'Asia/Kathmandu', 'America/St_Johns'),
      async (one, zone) => {
        await session.query(`set timezone = '${zone}'`)
        const id = await insert(environmentId, one)
        const plain = await readPlainly(reader, environmentId, id)
        const reference = toReference(prefixes.cryptoTransfer, id)
        expect(await getPayout(reader, { environmentId, reference })).toEqual(plain)
        const filter = { kinds: ['crypto_transfer'] } as const
        const page = { before: undefined, limit: 100 }
        const { rows } = await readList(reader, payoutList, { environmentId, filter }, page)
        expect(rows.find((found) => found.payout.id === id)).toEqual(plain)
      },
    ),
    { numRuns: 60 },
  )
})

test('payouts that are read together go to those who asked for them', async () => {
  const [one, other] = fc.sample(payout, 2) as [Sample, Sample]
  const ids = [await insert(environmentId, one), await insert(neighbour, other)]
  const read = createPayoutReader(db)
  const calls = [environmentId, neighbour].flatMap((owner) =>
    [...ids, newId(new Date()), ids[0]!].map(async (id) => {
      const reference = toReference(prefixes.cryptoTransfer, id)
      const name = { environmentId: owner, kind: 'crypto_transfer', reference } as const
      return read(name).then(
        ({ payout }) => [payout.environmentId, payout.id],
        (error: { code: string }) => error.code,
      )
    }),
  )
  const own = [environmentId, ids[0]]
  expect(await Promise.all(calls)).toEqual([
    ...[own, 'not_found', 'not_found', own],
    ...['not_found', [neighbour, ids[1]], 'not_found', 'not_found'],
  ])
  const wrongKind = toReference(prefixes.bankTransfer, ids[0]!)
  const asked = { environmentId, kind: 'bank_transfer', reference: wrongKind } as const
  await expect(read(asked)).rejects.toMatchObject({ code: 'not_found' })
})
