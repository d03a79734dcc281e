import { afterEach, describe, expect, test } from 'vitest'
import { fromReferenceOfAnyKind } from '../../src/base/ids.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { sql } from '../../src/postgres/sql.js'
import { subaccountProofs } from '../../src/subaccounts/proofs.js'
import { closedAccount, openSplitMarket } from './split-market.js'

// As in test/payouts/proofs.test.ts: each case damages a valid database, with triggers disabled, so
// that exactly one claim is false. verify-ledger must name that claim.

const { db, openShop, work } = await openSplitMarket()
const { posted, pending, released, plain, returned } = await splitInEveryWay()

/** Shares in every state, one refund that took from both kinds and one that failed. */
async function splitInEveryWay() {
  const shop = await openShop()
  const idOf = (reference: string) => `'${fromReferenceOfAnyKind(reference)}'`
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const early = await shop.sell({
    lines: [{ subaccount: bola, percent: '10', releaseAfterDays: 1 }],
  })
  await shop.post('/v1/test/clock/advance', { seconds: 86_401 })
  await work()
  const late = await shop.sell(
    {
      lines: [
        { subaccount: ada, percent: '40' },
        { subaccount: bola, percent: '20', releaseAfterDays: 5 },
      ],
    },
    { merchantReference: 'order-2' },
  )
  const unsplit = await shop.open({ merchantReference: 'order-3' })
  const { reference: plainReference } = await shop.pay(unsplit.accountNumber)
  await shop.move(ada, { to: 'merchant', amount: 190_000 })
  const refunded = await shop.refund(late.reference, { amount: 100_000 })
  expect(refunded.status, refunded.text).toBe(201)
  await shop.refund(late.reference, { amount: 50_000, destination: closedAccount })
  await work()
  const [first, second] = (await shop.payment(late.reference)).shares
  const [third] = (await shop.payment(early.reference)).shares
  expect([first.status, second.status, third.releasedAt]).toEqual([
    'POSTED',
    'PENDING',
    expect.any(String),
  ])
  return {
    posted: idOf(first.reference),
    pending: idOf(second.reference),
    released: idOf(third.reference),
    plain: idOf(plainReference),
    returned: idOf(refunded.json.data.refund.reference),
  }
}

const tables = ['payment_shares', 'share_take_backs', 'payments', 'ledger_transfers']
const columns = await db.rows(sql<{ table: string; names: string }>`
  select table_name as table, string_agg(column_name, ', ') as names
  from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'
  group by table_name`)
await run(tables.map((table) => `create table sound_${table} as table ${table}`))
afterEach(() =>
  run([
    `truncate ${tables.join(', ')}`,
    ...tables.map((table) => {
      const { names } = columns.find((found) => found.table === table)!
      return `insert into ${table} (${names}) select ${names} from sound_${table}`
    }),
  ]),
)

/** Without triggers, like a replica. */
async function run(statements: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    for (const text of statements) tx.write({ text, values: [] })
  })
}

async function claimsBrokenBy(damage: string[]): Promise<string[]> {
  const before = await fingerprint()
  await run(damage)
  // A statement that changes nothing would prove nothing.
  if (damage.length > 0) expect(await fingerprint()).not.toBe(before)
  const findings = await verifyLedger(db)
  return findings
    .filter(({ counterexamples }) => counterexamples.length > 0)
    .map(({ claim }) => claim)
}

async function fingerprint(): Promise<string> {
  const all = tables.map((table) => `select row_to_json(t)::text as row from ${table} t`)
  const [found] = await db.rows<{ digest: string }>({
    text: `select md5(string_agg(row, '' order by row)) as digest
      from (${all.join(' union all ')}) rows`,
    values: [],
  })
  return found!.digest
}

/** Damage that makes each claim false while all others hold. */
const damages: Record<string, Record<string, string[]>> = {
  'Every share credited its amount less its fee, and there are no other splits': {
    'a larger share': [`update payment_shares set amount = amount + 1 where id = ${posted}`],
    'a fee that nobody took': [`update payment_shares set fee = 1 where id = ${posted}`],
    'a share that was not credited': [
      `update payment_shares set id = gen_random_uuid(), taken_back = 0, taken_pending = 0
       where id = ${released}`,
      `update ledger_transfers set cause_id = (select id from payment_shares
         where release_at is not null and status = 'POSTED')
       where cause_id = ${released} and purpose = 'split_release'`,
    ],
    'a share of another sub-account': [
      `update payment_shares set subaccount_id = (select subaccount_id from payment_shares
         where id = ${posted}) where id = ${released}`,
    ],
  },
  'Every payment has at least what its shares got and its fee, and was split as it says': {
    'a payment that was not split': [
      `update payments set split_id = null
       where id = (select payment_id from payment_shares where id = ${posted})`,
    ],
    'a share of another payment': [
      `update payment_shares set payment_id = ${plain} where id = ${released}`,
    ],
    'a share of another split': [
      `update payment_shares set split_id = (select split_id from payment_shares
         where id = ${released}) where id = ${posted}`,
    ],
  },
  'Every released share was credited what refunds had left of it, and no other was': {
    'a release that no time names': [
      `update payment_shares set released_at = null where id = ${released}`,
    ],
    'a release that nobody credited': [
      `update ledger_transfers set purpose = 'subaccount_transfer'
       where cause_id = ${released} and purpose = 'split_release'`,
    ],
  },
  'What is pending for a sub-account is what its pending shares have left': {
    'a pending share that says it is posted': [
      `update payment_shares set status = 'POSTED', due_at = null where id = ${pending}`,
    ],
    'more taken from what is pending': [
      `update payment_shares set taken_pending = taken_pending - 1 where id = ${pending}`,
    ],
  },
  'What was taken back of a share is the sum of what refunds took and did not give back': {
    'more than refunds took': [
      `update payment_shares set taken_back = taken_back + 1 where id = ${posted}`,
    ],
    'a share that gave nothing': [`update payment_shares set taken_back = 0 where id = ${posted}`],
  },
  'Every take-back moved what it took and what it is owed': {
    'a debt recorded as taken': [
      `update share_take_backs set owed = owed - 1, taken = taken + 1
       where return_id = ${returned} and share_id = ${posted}`,
    ],
    'a transfer of no take-back': [
      `update ledger_transfers set cause_id = gen_random_uuid()
       where purpose = 'split_refund_pending' and cause_id in
         (select id from share_take_backs where return_id = ${returned})`,
    ],
    'money that was given back and is recorded as taken': [
      `update payment_shares s set taken_back = s.taken_back + t.taken + t.owed
       from share_take_backs t
       where t.share_id = s.id and t.state = 'GIVEN_BACK' and s.id = ${posted}`,
      `update share_take_backs set state = 'TAKEN'
       where state = 'GIVEN_BACK' and share_id = ${posted}`,
    ],
  },
}

test('every claim holds before', async () => {
  expect(await claimsBrokenBy([])).toEqual([])
})

test('every claim about sub-accounts has a case', () => {
  expect(Object.keys(damages)).toEqual(subaccountProofs.map(({ claim }) => claim))
})

for (const [claim, cases] of Object.entries(damages))
  describe(claim, () => {
    test.each(Object.entries(cases))('is false with %s', async (_, damage) => {
      expect(await claimsBrokenBy(damage)).toEqual([claim])
    })
  })
