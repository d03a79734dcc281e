import { afterEach, describe, expect, test } from 'vitest'
import { fromReferenceOfAnyKind } from '../../src/base/ids.js'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import { collectionProofs } from '../../src/collections/proofs.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

// As in test/payouts/proofs.test.ts: each case damages a valid database, with triggers disabled, so
// that exactly one claim is false. verify-ledger must name that claim.

const service = await openWithBank()
const { db, clock, bank } = service
const order = {
  amount: 500_000,
  description: 'Bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}
const { accounts, payments, sessions } = await collectEveryKind()

/** Creates an account and a payment in every state. */
async function collectEveryKind() {
  const stranger = payersOf(service, await service.addMerchant('Bola'))
  const theirs = (await stranger.openDedicated('customer-1')).json.data
  const shop = payersOf(service, await service.addMerchant('Ada'))
  const open = async (change = {}) => (await shop.openVirtual(change)).json.data
  const idOf = (reference: string) => `'${fromReferenceOfAnyKind(reference)}'`
  const pay = async (number: string, change: object = {}): Promise<string> =>
    (await shop.payIn(number, change)).json.data.reference
  /** Underpays from an account whose number decides what happens to the return. */
  const payTooLittle = async (serial = '012345678') => {
    const sender = { accountNumber: `${serial}0`, bankCode: '058' }
    return pay((await open()).accountNumber, { amount: 499_999, sender })
  }

  const openSession = async () => (await shop.post('/v1/checkout/sessions', order)).json.data
  const [page, paidPage, endedPage] = [
    await openSession(),
    await openSession(),
    await openSession(),
  ]
  await service.ask('POST', `/public/checkout/${paidPage.reference}/simulate`)
  await shop.post(`/v1/checkout/sessions/${endedPage.reference}/cancel`, {})
  const [active, paid, other, cancelled] = [await open(), await open(), await open(), await open()]
  const expired = await open({ expiresAt: new Date(clock.now().getTime() + 1_000).toISOString() })
  const dedicated = (await shop.openDedicated('customer-1')).json.data
  const exact = await pay(paid.accountNumber)
  const refunded = await pay(other.accountNumber)
  const credited = await pay(dedicated.accountNumber)
  await shop.post(`/v1/collections/virtual-accounts/${cancelled.reference}/cancel`, {})
  const { accountReference } = dedicated
  await shop.post(`/v1/collections/dedicated-accounts/${accountReference}/deactivate`, {})
  const held = await pay(dedicated.accountNumber)
  const late = await pay(cancelled.accountNumber)
  const returnByClaim = async (payment: string) => {
    const body = { action: 'return', by: 'claim' }
    const headers = { 'idempotency-key': payment }
    const path = `/v1/collections/payments/${payment}/resolve`
    return (await shop.post(path, body, headers)).json.data.claim.reference
  }
  const byClaim = await pay(dedicated.accountNumber)
  await returnByClaim(byClaim)
  const unclaimed = await pay(dedicated.accountNumber)
  await shop.post(`/v1/claims/${await returnByClaim(unclaimed)}/cancel`, {})
  const returned = await payTooLittle()
  const failed = await payTooLittle('990000002')
  const reversed = await payTooLittle('990000003')
  const sent = await payTooLittle('990000006')
  const refund = (destination: object) =>
    shop.post(`/v1/collections/payments/${refunded}/refund`, { amount: 1_000, ...destination })
  await refund({})
  await refund({ destination: { bankCode: '058', accountNumber: '9900000060' } })
  await service.pass(10)
  const payment = {
    id: 'unmatched',
    railAccount: '9999999999',
    amount: 1n,
    currency: 'NGN',
    sender: null,
    bankSessionId: null,
    narration: null,
    receivedAt: clock.now(),
  }
  const unmatched = {
    rail: bank.name,
    mode: 'test' as const,
    id: 'unmatched',
    reported: payment,
    body: null,
  }
  await db.transaction(async (tx) =>
    insertNotices(tx, { now: clock.now(), dueAt: clock.now() }, [unmatched]),
  )
  await service.work()
  const waiting = await payTooLittle()

  const shown = async (reference: string) => (await shop.payment(reference)).status
  const all = {
    exact,
    refunded,
    credited,
    held,
    late,
    returned,
    failed,
    reversed,
    sent,
    waiting,
    byClaim,
    unclaimed,
  }
  const named = Object.entries(all)
  expect(await Promise.all(named.map(([, reference]) => shown(reference)))).toEqual([
    'ACCEPTED',
    'RETURNING',
    'ACCEPTED',
    'HELD',
    'HELD',
    'RETURNED',
    'HELD',
    'HELD',
    'RETURNING',
    'RETURNING',
    'RETURNING',
    'HELD',
  ])
  return {
    /** Sessions by their account. */
    sessions: {
      pending: idOf(page.virtualAccount),
      paid: idOf(paidPage.virtualAccount),
      cancelled: idOf(endedPage.virtualAccount),
    },
    accounts: {
      active: idOf(active.reference),
      paid: idOf(paid.reference),
      cancelled: idOf(cancelled.reference),
      expired: idOf(expired.reference),
      dedicated: idOf(accountReference),
      theirs: idOf(theirs.accountReference),
    },
    payments: Object.fromEntries(
      named.map(([name, reference]) => [name, idOf(reference)]),
    ) as Record<keyof typeof all, string>,
  }
}

const tables = [
  'checkout_sessions',
  'collection_accounts',
  'payments',
  'payment_returns',
  'notices',
  'payouts',
  'payout_attempts',
  'events',
  'ledger_accounts',
  'ledger_transfers',
  'ledger_resolutions',
]
const columns = await db.rows(sql<{ table: string; names: string }>`
  select table_name as table, string_agg(column_name, ', ') as names
  from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'
  group by table_name`)
await run(tables.map((table) => `create table sound_${table} as table ${table}`))
afterEach(() =>
  run(
    tables.flatMap((table) => {
      const { names } = columns.find((one) => one.table === table)!
      return [
        `truncate ${table}`,
        `insert into ${table} (${names}) select ${names} from sound_${table}`,
      ]
    }),
  ),
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
  return findings.filter(({ counterexamples }) => counterexamples.length > 0).map(claimOf)
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

function claimOf({ claim }: { claim: string }): string {
  return claim
}

const unknownId = 'gen_random_uuid()'
const returnOf = (name: keyof typeof payments) => `payment_id = ${payments[name]}`
const noticeOf = (name: keyof typeof payments) =>
  `id = (select rail_id from payments where id = ${payments[name]})`
const copyEvent = (type: string, to: string) => `
  insert into events (environment_id, id, type, resource_id, cause_id, sequence, data, created_at)
  select environment_id, gen_random_uuid(), '${type}', ${to}, gen_random_uuid(), 9, data, created_at
  from events where type = '${type}' limit 1`

const sessionOf = (account: string) =>
  `(select id from checkout_sessions where account_id = ${account})`

/** Damage that makes each claim false while all others hold. */
const damages: Record<string, Record<string, string[]>> = {
  // Dedicated accounts keep no sums, so only their payments are changed here.
  'The suspense balance equals the held and returning amounts of all payments': {
    'a held kobo recorded as accepted': [
      `update payments set amount_held = amount_held - 1, amount_accepted = amount_accepted + 1
       where id = ${payments.held}`,
    ],
    'an accepted kobo recorded as held': [
      `update payments set amount_held = amount_held + 1, amount_accepted = amount_accepted - 1
       where id = ${payments.credited}`,
    ],
    'held money of another asset': [
      `alter table payments drop constraint if exists payment_asset_fits_source`,
      `update payments set asset = 'USDC' where account_id = ${accounts.dedicated}`,
      `alter table collection_accounts drop constraint if exists asset_fits_kind`,
      `update collection_accounts set asset = 'USDC' where id = ${accounts.dedicated}`,
    ],
  },
  'Every payment and its fee are booked exactly once, in full': {
    'a different fee': [`update payments set fee = fee + 1 where id = ${payments.exact}`],
    'a fee for held money': [`update payments set fee = 1 where id = ${payments.held}`],
    'a transfer with another purpose': [
      `update ledger_transfers set purpose = 'operator_credit'
       where cause_id = ${payments.exact} and purpose = 'payment'`,
    ],
    'a transfer without a payment': [
      `update ledger_transfers set cause_id = ${unknownId}
       where cause_id = ${payments.held} and purpose = 'payment_held'`,
    ],
  },
  'Every recorded notice is one payment of its mode, and every payment has a notice': {
    'a payment without a notice': [`delete from notices where ${noticeOf('exact')}`],
    'a payment whose notice is waiting': [
      `update notices set state = 'WAITING' where ${noticeOf('held')}`,
    ],
    'a taken notice without a payment': [
      `update notices set state = 'BOOKED' where state = 'UNMATCHED'`,
    ],
    'a notice with another amount': [
      `update notices
       set report = replace(report::text, '"500000"', '"500001"')::json
       where ${noticeOf('exact')}`,
    ],
    'a notice of the other mode': [`update notices set mode = 'live' where ${noticeOf('exact')}`],
  },
  'The sums of every account with an expected amount are those of its payments': {
    'a larger sum': [
      `update collection_accounts
       set amount_received = amount_received + 1, amount_accepted = amount_accepted + 1
       where id = ${accounts.paid}`,
    ],
    'money in another amount': [
      `update collection_accounts
       set amount_held = amount_held - 1, amount_returned = amount_returned + 1
       where id = ${accounts.cancelled}`,
    ],
    'a sum without payments': [
      `update collection_accounts set amount_received = 1, amount_held = 1
       where id = ${accounts.active}`,
    ],
    'sums of a dedicated account': [
      `update collection_accounts set amount_received = 500000, amount_accepted = 500000
       where id = ${accounts.dedicated}`,
    ],
    'a payment moved to another account': [
      `update payments set account_id = ${accounts.active} where id = ${payments.exact}`,
    ],
  },
  'Every collection account belongs to an environment': {
    'an account of an unknown environment': [
      `update collection_accounts set environment_id = 999999 where id = ${accounts.active}`,
    ],
  },
  'Every payment belongs to an account of its own environment and kind': {
    'a payment to an unknown account': [
      `update payments set account_id = ${unknownId} where id = ${payments.credited}`,
    ],
    'a payment to an account of another merchant': [
      `update payments set account_id = ${accounts.theirs} where id = ${payments.credited}`,
    ],
    'a payment to an account of another kind': [
      `update payments set source = 'virtual_account' where id = ${payments.held}`,
    ],
    'an account at another bank': [
      `update collection_accounts set rail = 'elsewhere' where id = ${accounts.paid}`,
    ],
  },
  'Every sent return without a claim is a payout of its amount and in the matching state': {
    'a sent return without a payout': [
      `update payment_returns set state = 'SENT' where ${returnOf('waiting')}`,
    ],
    'a return of another asset': [
      `update payment_returns set asset = 'USDC' where ${returnOf('returned')}`,
    ],
    'a return on another rail': [
      `update payment_returns set rail = 'elsewhere' where ${returnOf('returned')}`,
    ],
    'a return from another ledger account': [
      `update payment_returns set takes_from = 'available' where ${returnOf('returned')}`,
    ],
    'a failed return recorded as reversed': [
      `update payment_returns set state = 'REVERSED' where ${returnOf('failed')}`,
    ],
    'a waiting return with a payout': [
      `update payment_returns set state = 'WAITING' where ${returnOf('sent')}`,
    ],
    'a return payout without a return': [
      `update payment_returns set id = ${unknownId} where ${returnOf('failed')}`,
    ],
  },
  'Every return by claim has the payment, the money and the state of its claim': {
    'a return on another rail': [
      `update payment_returns set rail = 'elsewhere' where ${returnOf('byClaim')}`,
    ],
    'a return of another asset': [
      `update payment_returns set asset = 'USDC' where ${returnOf('byClaim')}`,
    ],
    'a return whose claim is unknown': [
      `update payment_returns set claim_id = ${unknownId} where ${returnOf('byClaim')}`,
    ],
    'a return of another payment': [
      `update payment_returns set payment_id = ${payments.held} where ${returnOf('unclaimed')}`,
    ],
    'a claim without its return': [`delete from payment_returns where ${returnOf('unclaimed')}`],
    'a return that failed recorded as reversed': [
      `update payment_returns set state = 'REVERSED' where ${returnOf('unclaimed')}`,
    ],
  },
  'The returning and returned amounts of every payment are those of its returns': {
    'a returning amount without a return': [
      `delete from payment_returns where ${returnOf('waiting')}`,
    ],
    'a return of another amount': [
      `update payment_returns set amount = amount - 1 where ${returnOf('waiting')}`,
    ],
    'a return of another payment': [
      `update payment_returns set payment_id = ${unknownId} where ${returnOf('waiting')}`,
    ],
    'a failed return whose amount is still returning': [
      `update payment_returns set state = 'FAILED' where ${returnOf('waiting')}`,
    ],
  },
  'Every account has emitted exactly one event for its end, and none that did not happen': {
    'a missing paid event': [
      `delete from events where resource_id = ${accounts.paid} and type = 'virtual_account.paid'`,
    ],
    'a missing expired event': [`delete from events where resource_id = ${accounts.expired}`],
    'a missing cancelled event': [
      `delete from events
       where resource_id = ${accounts.cancelled} and type = 'virtual_account.cancelled'`,
    ],
    'a missing deactivated event': [
      `delete from events where type = 'dedicated_account.deactivated'`,
    ],
    'a repeated event': [copyEvent('virtual_account.paid', accounts.paid)],
    'an event that did not happen': [copyEvent('virtual_account.expired', accounts.active)],
    'a paid event of a cancelled account': [copyEvent('virtual_account.paid', accounts.cancelled)],
    'an event of an unknown account': [copyEvent('virtual_account.paid', unknownId)],
  },
  'Every session has its own accounts; at most one is paid, and then none is active': {
    'an account of another session': [
      `update collection_accounts set session_id = null where id = ${sessions.pending}`,
    ],
    'an account without its session': [
      `update collection_accounts set session_id = ${unknownId} where id = ${accounts.active}`,
    ],
    'a wallet of another kind': [
      `update checkout_sessions set wallet_id = ${accounts.cancelled}
       where account_id = ${sessions.pending}`,
      `update collection_accounts set session_id = (
         select id from checkout_sessions where account_id = ${sessions.pending})
       where id = ${accounts.cancelled}`,
    ],
  },
  'Every session has emitted exactly one event for its end, and none that did not happen': {
    'a missing paid event': [`delete from events where type = 'checkout.session.paid'`],
    'a missing cancelled event': [`delete from events where type = 'checkout.session.cancelled'`],
    'a repeated event': [copyEvent('checkout.session.paid', sessionOf(sessions.paid))],
    'an event that did not happen': [
      copyEvent('checkout.session.paid', sessionOf(sessions.pending)),
    ],
    'an event of an unknown session': [copyEvent('checkout.session.paid', unknownId)],
  },
}

test('an undamaged database proves every claim', async () => {
  expect(await claimsBrokenBy([])).toEqual([])
})

describe.each(Object.entries(damages))('%s', (claim, cases) => {
  test.each(Object.entries(cases))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toEqual([claim])
  })
})

// Fails for every claim that has no case above.
test('every claim of collections is verified and can be disproved', async () => {
  const claims = collectionProofs.map(claimOf)
  const verified = (await verifyLedger(db)).map(claimOf)
  expect(verified).toEqual(expect.arrayContaining(claims))
  expect(Object.keys(damages).sort()).toEqual(claims.sort())
})
