import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/postgres/sql.js'
import { inTransaction } from '../../../src/postgres/transactions/tx.js'
import { lookUpTransfers } from '../../../src/simulation/sandbox-bank/look-up-transfers.js'
import type { PaymentOrder } from '../../../src/simulation/sandbox-bank/payment-order.js'
import { judgeRefunds } from '../../../src/simulation/sandbox-bank/refunds.js'
import { closeAccounts, findAccounts } from '../../../src/simulation/sandbox-bank/store-accounts.js'
import {
  claimNotice,
  claimNotices,
  endAttempts,
} from '../../../src/simulation/sandbox-bank/store-notices.js'
import {
  findPaymentsById,
  findPaymentsInto,
  lockSandboxPayments,
} from '../../../src/simulation/sandbox-bank/store-payments.js'
import {
  lockTransfers,
  replanTransfers,
} from '../../../src/simulation/sandbox-bank/store-transfers.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { plansOf } from '../../support/plans.js'
import { openSession, readerOf } from '../../support/sessions.js'

// Every payout of test mode stays in the bank's table. Checking a few must not scan them all, also
// on a pool connection, where the planner may choose sequential scans.

const db = await freshDatabase()
const now = manualClock().now()

await db.rows(sql`
  insert into sandbox_transfers (reference, instruction, amount, received_at, is_lost, ending,
    ends_at)
  select 'bt-' || n, '{}', 1, ${now}, false, 'completed', ${now}
  from generate_series(1, 60000) n`)
await db.rows(sql`analyze`)

const references = ['bt-1', 'bt-2', 'bt-60000']
const list = `{${references.join(',')}}`

function scansOn(session: Parameters<typeof plansOf>[0]) {
  return async (statement: string, ...values: string[]) =>
    (await plansOf(session, statement, values)).flatMap(({ scans }) => scans)
}

async function openFreeSession() {
  const session = await openSession(db)
  await session.query(
    'set enable_seqscan = on; set enable_hashjoin = on; set enable_mergejoin = on',
  )
  return session
}

test('looking up transfers and marking their endings use the primary key', async () => {
  const session = await openFreeSession()
  await inTransaction(session, (tx) => lookUpTransfers(tx, now, references))
  for (const statement of ['lock_sandbox_transfers', 'report_sandbox_endings'])
    for (const { scans } of await plansOf(session, statement, [list]))
      expect(scans).toEqual([expect.stringMatching(/^by sandbox_transfers_pkey/)])
})

test('replanning transfers uses the primary key', async () => {
  const session = await openFreeSession()
  await inTransaction(session, async (tx) => {
    replanTransfers(tx, [...(await lockTransfers(tx, ['bt-3'])).values()])
  })
  const at = now.toISOString()
  const values = ['{bt-3}', `{${at}}`, '{f}', '{completed}', '{null}', `{${at}}`, '{null}']
  for (const { scans } of await plansOf(session, 'replan_sandbox_transfers', values))
    expect(scans).toEqual(['by sandbox_transfers_pkey'])
})

describe('among many payments', async () => {
  await db.rows(sql`
    insert into sandbox_accounts (reference, number, name, opened_at)
    select 'va_' || n, '1' || lpad(n::text, 9, '0'), 'Ada', ${now}
    from generate_series(1, 30000) n`)
  await db.rows(sql`
    insert into sandbox_payments (id, account_number, amount, currency, is_sender_masked,
      session_id, paid_at, recorded_at)
    select 'sbp_' || n, '1' || lpad((1 + n % 30000)::text, 9, '0'), 1, 'NGN', false, '', ${now},
      ${now}::timestamptz + n * interval '1 second'
    from generate_series(1, 60000) n`)
  await db.rows(sql`
    insert into sandbox_notices (payment_id, copies, due_at)
    select id, 1, recorded_at from sandbox_payments`)
  await db.rows(sql`analyze`)

  test('opening, closing and finding use indexes', async () => {
    const session = await openFreeSession()
    const reader = readerOf(session)
    await inTransaction(session, async (tx) => {
      await findAccounts(tx, ['va_1'])
      closeAccounts(tx, now, ['1000000001'])
      await lockSandboxPayments(tx, ['sbp_1'])
      await judgeRefunds(tx, [{ refundOf: 'sbp_1' } as PaymentOrder])
    })
    await findPaymentsById(reader, ['sbp_1'])
    await findPaymentsInto(reader, '1000000001')
    const scansOf = scansOn(session)
    const scans = [
      ...(await scansOf('find_sandbox_accounts', '{va_1}')),
      ...(await scansOf('close_sandbox_accounts', '{1000000001}', now.toISOString())),
      ...(await scansOf('lock_sandbox_payments', '{sbp_1}')),
      ...(await scansOf('find_sandbox_payments', '{sbp_1}')),
      ...(await scansOf('find_sandbox_payments_into', '1000000001')),
      ...(await scansOf('list_sandbox_refunds', '{sbp_1}')),
    ]
    expect(scans.filter((scan) => !scan.startsWith('by '))).toEqual([])
  })

  test('claiming and ending due notices use indexes', async () => {
    const session = await openFreeSession()
    const reader = readerOf(session)
    const claim = { now, leasedUntil: now }
    await claimNotices(reader, { ...claim, limit: 1 })
    await claimNotice(reader, { ...claim, paymentId: 'sbp_1' })
    const ended = { paymentId: 'sbp_1', attempts: 9 }
    await inTransaction(session, async (tx) =>
      endAttempts(tx, [
        { ...ended, copies: 0, dueAt: null },
        { ...ended, copies: 1, dueAt: now },
      ]),
    )
    const at = now.toISOString()
    const scansOf = scansOn(session)
    const scans = [
      ...(await scansOf('claim_sandbox_notices', at, at, '10')),
      ...(await scansOf('claim_sandbox_notice', at, at, 'sbp_1')),
      ...(await scansOf('keep_sandbox_notices', '{sbp_1}', '{1}', '{1}', `{${at}}`)),
      ...(await scansOf('remove_sandbox_notices', '{sbp_1}', '{1}')),
    ]
    expect(scans.filter((scan) => !scan.startsWith('by '))).toEqual([])
  })
})
