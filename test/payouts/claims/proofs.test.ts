import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { fromReference, prefixes } from '../../../src/base/ids.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { claimProofs } from '../../../src/payouts/claims/proofs.js'
import { sql } from '../../../src/postgres/sql.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { claimMoney } from './recipient.js'

// As in test/payouts/proofs.test.ts: each test damages a sound database, bypassing triggers and
// constraints; verify-ledger must name the claim that is untrue then.

const service = await openWithBank()
const { db } = service
const key = service.merchant.test.secret
const account = { bankCode: '058', accountNumber: '0123456789' }

async function post(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  const { json, status, text } = await service.ask('POST', path, { key, body, headers })
  expect(status, text).toBe(201)
  return json.data
}

await post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
const create = async () => {
  const { reference, url } = await post('/v1/claims', { amount: 100_000, description: 'Refund' })
  return { id: `'${fromReference(prefixes.claim, reference)}'`, url }
}
const open = await create()
const claimed = await create()
const reopened = await create()
await claimMoney(claimed.url, account)
await claimMoney(reopened.url, { bankCode: '999', accountNumber: '9900000027' })
await service.pass(10)
// Held money of a payment, returned by a claim that is open and by one that is claimed.
const dedicated = await post('/v1/collections/dedicated-accounts', { externalReference: 'ada' })
const deactivate = `/v1/collections/dedicated-accounts/${dedicated.accountReference}/deactivate`
await service.ask('POST', deactivate, { key, body: {} })
const returnByClaim = async () => {
  const paid = { accountNumber: dedicated.accountNumber, amount: 500_000 }
  const { reference } = await post('/v1/test/bank-transfers', paid)
  const { json } = await service.ask('POST', `/v1/collections/payments/${reference}/resolve`, {
    key,
    body: { action: 'return', by: 'claim' },
    headers: { 'idempotency-key': randomUUID() },
  })
  const { claim } = json.data
  return { id: `'${fromReference(prefixes.claim, claim.reference)}'`, url: claim.url }
}
const returning = await returnByClaim()
const returned = await returnByClaim()
await claimMoney(returned.url, account)
await service.pass(10)

const tables = ['claims', 'claim_holds', 'events']
/** Damages copy rows, so the rules that hold them once must not get in the way. */
const rules = [
  'alter table claims drop constraint claim_has_its_payout',
  'drop index claim_opens_once',
  'drop index claim_holds_money_once',
  'drop index claim_hold_becomes_one_payout',
]
await run([...rules, ...tables.map((table) => `create table sound_${table} as table ${table}`)])
afterEach(() =>
  run(
    tables.flatMap((table) => [
      `delete from ${table}`,
      `insert into ${table} select * from sound_${table}`,
    ]),
  ),
)

/** Without triggers and foreign keys, like a replica. */
async function run(statements: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    for (const text of statements) tx.write({ text, values: [] })
  })
}

async function brokenBy(damage: string[]): Promise<string[]> {
  await run(damage)
  const findings = await verifyLedger(db)
  return findings
    .filter(({ counterexamples }) => counterexamples.length > 0)
    .map(({ claim }) => claim)
}

const ofOpen = `claim_id = ${open.id}`
const ofReopened = `claim_id = ${reopened.id}`

const damages: Record<string, Record<string, string[]>> = {
  'Every open claim has exactly one hold, and no other claim has one': {
    'an open claim without a hold': [`update claim_holds set ended_as = 'EXPIRED' where ${ofOpen}`],
    'a claimed claim with a hold': [
      `update claim_holds set ended_as = null, payout_id = null where claim_id = ${claimed.id}`,
    ],
    'an opening that was not counted': [`update claims set openings = 1 where id = ${reopened.id}`],
  },
  'The money of every claim is held in the books while it is open, and released afterwards': {
    'a hold of another amount': [`update claim_holds set amount = amount + 1 where ${ofOpen}`],
    'a hold of another ledger account': [
      `update claims set takes_from = 'available' where id = ${returning.id}`,
    ],
    'a hold that the books do not have': [
      `update claim_holds set id = gen_random_uuid() where ${ofOpen}`,
    ],
    'a hold that ended while its money is held': [
      `update claim_holds set ended_as = 'CANCELLED' where ${ofOpen}`,
      `update claims set status = 'CANCELLED', ended_at = now(), event_sequence = 2
       where id = ${open.id}`,
    ],
  },
  'Every claim has at most one payout that did not fail, of its amount, and is claimed then': {
    'an open claim with a payout': [
      `update claim_holds h set payout_id = c.payout_id from claims c
       where c.id = ${claimed.id} and h.${ofReopened} and h.opening = 1`,
    ],
    'a payout of another amount': [
      `update claims set amount = amount + 1 where id = ${claimed.id}`,
    ],
    'a payout from another ledger account': [
      `update claims set takes_from = 'available' where id = ${returned.id}`,
    ],
    'a second payout': [
      `insert into claim_holds select environment_id, gen_random_uuid(), claim_id, 2, amount,
         'CLAIMED', (select id from payouts where status = 'FAILED'), created_at
       from claim_holds where claim_id = ${claimed.id}`,
      `update claims set payout_id = (select id from payouts where status = 'FAILED')
       where id = ${claimed.id}`,
    ],
  },
  'Every claimed hold became a payout, and all but the last one of a claim failed': {
    'a claimed hold whose payout is unknown': [
      `update claim_holds set payout_id = gen_random_uuid() where ${ofReopened} and opening = 1`,
    ],
  },
  'The payouts of a claim are returns, by the rail of its payment, only if it has one': {
    'a transfer that should be a return': [
      `update claims set fee_max = 0, payment_id = gen_random_uuid(), rail = 'sandbox'
       where id = ${claimed.id}`,
    ],
    'a return that should be a transfer': [
      `update claims set payment_id = null, rail = null, takes_from = 'available'
       where id = ${returned.id}`,
    ],
    'a return by another rail': [`update claims set rail = 'elsewhere' where id = ${returned.id}`],
  },
  'Every claim emitted an event for each time that it was opened, claimed and ended': {
    'an event that is missing': [
      `delete from events where resource_id = ${reopened.id} and type = 'claim.reopened'`,
    ],
    'an event of another state': [
      `update events set type = 'claim.expired' where resource_id = ${claimed.id}
       and type = 'claim.claimed'`,
    ],
  },
}

test('an undamaged database proves every claim', async () => {
  expect(await brokenBy([])).toEqual([])
})

describe.each(Object.entries(damages))('%s', (claim, ways) => {
  test.each(Object.entries(ways))('is disproved by %s', async (_, damage) => {
    expect(await brokenBy(damage)).toContain(claim)
  })
})

test('every proof about claims can be disproved', () => {
  expect(Object.keys(damages).sort()).toEqual(claimProofs.map(({ claim }) => claim).sort())
})
