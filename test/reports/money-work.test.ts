import { expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { startOfNext } from '../../src/reports/calendar.js'
import { readMoney, sumMoney } from '../../src/reports/money.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { isLongRun } from '../support/long-run.js'
import { measuringReader, type Work } from '../support/plans.js'
import { openSession } from '../support/sessions.js'

// A month with 30,000 payments, or 100,000 in `npm run test:long`: one in fifty is held, one in fifty went back. Home and the days of
// the list of payments read their figures often, so they must not read the payments.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
// In the middle of a day: soon after midnight, the day before is not summed up yet.
const now = new Date('2026-11-10T11:00:00.000Z')
const to = startOfNext('day', now)
const from = after(to, -30 * day)
const payments = isLongRun ? 100_000 : 30_000

await db.transaction(async (tx) => {
  const stepMs = (now.getTime() - from.getTime()) / payments
  const rows = sql`(
    select n, 'epoch'::timestamptz + ms * interval '1 millisecond' as at,
      (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id
    from (select n, (${from.getTime()}::float8 + n * ${stepMs}::float8)::bigint as ms
      from generate_series(1, ${payments}::bigint) n) timed) one`
  // Without triggers: the days have not been summed up.
  tx.write(sql`set local session_replication_role = replica`)
  tx.write(sql`
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      event_sequence, received_at, created_at)
    select ${environmentId}, id, id, 'virtual_account', 'paper', n, 'NGN', 1000,
      case when n % 50 = 0 then 0 else 1000 end, case when n % 50 = 0 then 1000 else 0 end, 0, 0,
      10, 'NONE', '{}', 1, at, at from ${rows}`)
  tx.write(sql`
    insert into ledger_transfers (environment_id, cause_id, purpose, asset, debit, credit, amount,
      is_hold, entry_number, available_after, created_at)
    select ${environmentId}, id, case line when 0 then 'payment' else 'payment_fee' end, 'NGN',
      case line when 0 then 'clearing' else 'available' end,
      case line when 0 then 'available' else 'fees' end, case line when 0 then 1000 else 10 end,
      false, 2 * n + line - 1, 1000, at
    from ${rows} cross join generate_series(0, 1) line`)
  tx.write(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, event_sequence, takes_from, submitted_at, completed_at,
      created_at)
    select ${environmentId}, id, 'bank_return', 'paper', 'NGN', 400, 0, '400', '{}', '{}',
      'COMPLETED', 0, case when n % 100 = 0 then 'available' else 'suspense' end, at, at, at
    from ${rows} where n % 50 = 0`)
})
await sumUpReports(db, now)
await db.rows(sql`analyze`)

test('the figures of a month do not read its payments', async () => {
  const session = await openSession(db)
  const work: Work = { rows: 0, buffers: 0, nodes: [] }
  const period = { bucket: 'day', from, to } as const
  const found = await readMoney(
    measuringReader(session, work),
    { environmentId, asset: 'NGN' },
    period,
  )
  expect(sumMoney(found)).toMatchObject({
    received: 1_000n * BigInt(payments),
    arrived: 1_000n * BigInt(payments),
    count: BigInt(payments),
    held: 1_000n * BigInt(payments / 50),
    returned: 400n * BigInt(payments / 100),
    refunded: 400n * BigInt(payments / 100),
    fees: 10n * BigInt(payments),
  })
  console.log(`30 days of ${payments} payments: ${work.rows} rows, ${work.buffers} pages`)
  // Held payments, returns, and the payments of the present day.
  const today = Number(found.at(-1)!.count)
  expect(work.rows).toBeLessThan(payments / 50 + payments / 50 + 2 * today + 1_000)
})
