import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { noAmounts } from '../../src/collections/accounts/account.js'
import { insertCollectionAccounts } from '../../src/collections/accounts/store-accounts.js'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import { bookStoredNotices } from '../../src/collections/payments/record-payments.js'
import { lockPayments } from '../../src/collections/payments/store-payments.js'
import type { CollectionRail } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, type Tx } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { plansOf } from '../support/plans.js'
import { openSession } from '../support/sessions.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const now = new Date()
const later = new Date(now.getTime() + 3_600_000)
const name = { rail: 'sandbox-bank', mode: 'test', id: 'sbp_1' } as const
const number = '1000000001'
const id = newId(now)

async function payOne(tx: Tx): Promise<void> {
  insertCollectionAccounts(tx, new Map(), [
    {
      environmentId,
      id,
      kind: 'virtual_account',
      rail: name.rail,
      railAccount: number,
      number,
      accountName: 'Ada',
      bankCode: '999',
      bankName: 'Sandbox Bank',
      asset: 'NGN',
      amount: 500n,
      metadata: toJson({}),
      requestedAmount: null,
      merchantReference: 'order',
      status: 'ACTIVE',
      variance: 'NONE',
      eventSequence: 0,
      sessionId: null,
      splitId: null,
      customerId: null,
      invoiceId: null,
      amountReceived: 0n,
      ...noAmounts,
      expiresAt: later,
      paidAt: null,
      endedAt: null,
      cancellationReason: null,
      customer: null,
      createdAt: now,
    },
  ])
  const payment = {
    id: name.id,
    railAccount: number,
    amount: 500n,
    currency: 'NGN',
    sender: null,
    bankSessionId: null,
    narration: null,
    receivedAt: now,
  }
  insertNotices(tx, { now, dueAt: now }, [{ ...name, reported: payment, body: null }])
  const rail = { name: name.rail, limits: { refundsById: true } } as CollectionRail
  await bookStoredNotices(tx, now, { names: [name], rails: new Map([[rail.name, rail]]) })
}

// A new database has no statistics, and plans made then are kept. A batch must not scan all waiting
// notices or all accounts for each row.
test('payments are judged by key even in tables without statistics', async () => {
  const session = await openSession(db)
  await inTransaction(session, payOne)
  await inTransaction(session, (tx) => lockPayments(tx, [{ environmentId, id }]))
  expect(await db.rows(sql`select from notices where state = 'BOOKED'`)).toHaveLength(1)

  const at = `{${now.toISOString()}}`
  const notice = ['{sandbox-bank}', '{test}', '{sbp_1}']
  const sums = ['{0}', '{0}', '{0}', '{0}', '{0}', '{1}']
  const ended = [at, '{null}', '{null}']
  const account = [`{${environmentId}}`, `{${id}}`, '{PAID}', '{NONE}', ...sums, ...ended]
  const expected: [string, string[], RegExp][] = [
    ['lock_notices', notice, /^by notices_pkey/],
    ['update_notices', [...notice, '{BOOKED}', '{null}', at], /^by notices_pkey/],
    ['update_collection_accounts', account, /^by collection_accounts_pkey$/],
    ['lock_payments', [`{${environmentId}}`, `{${id}}`], /^by payments_pkey$/],
  ]
  for (const [statement, values, index] of expected)
    for (const { scans } of await plansOf(session, statement, values))
      expect(scans).toEqual([expect.stringMatching(index)])
  const asked = ['{sandbox-bank}', '{test}', `{${number}}`]
  for (const { scans } of await plansOf(session, 'lock_collection_accounts_by_rail', asked))
    expect(scans).toEqual([
      'by checkout_sessions_pkey',
      'by collection_accounts_pkey',
      'by environments_pkey',
      'by rail_account_is_one_account',
    ])
})
