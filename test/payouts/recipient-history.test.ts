import { afterAll, expect, test } from 'vitest'
import { findRecipientHistory } from '../../src/payouts/requests/recipient-history.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { measuringReader, type Work } from '../support/plans.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const session = await connect(db.url, 'manilla test')
afterAll(() => session.end())

const recipient = { bankCode: '058', accountNumber: '0123456789' }
const others = { bankCode: '058', accountNumber: '0000000001' }
const paidOften = 3_000

/** Payouts with their search terms. Only triggers and foreign keys are left out, for speed. */
async function insertPayouts(from: number, count: number, destination: typeof recipient) {
  const id = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  const series = `generate_series(${from}, ${from + count - 1}) n`
  await session.query('set session_replication_role = replica')
  await session.query(`
    insert into payouts (environment_id, id, merchant_reference, rail, amount, fee,
      requested_amount, destination, metadata, event_sequence, submitted_at, created_at, kind, asset,
      status, completed_at)
    select ${environmentId}, ${id}, 'order ' || n, 'paper', 1, 0, '1',
      '${JSON.stringify(destination)}', '{}', 1, now(), now(), 'bank_transfer', 'NGN', 'COMPLETED',
      now() from ${series}`)
  await session.query(`
    insert into search_terms
    select ${environmentId}, 'payout', '${destination.accountNumber}', ${id} from ${series}`)
}

async function readHistory() {
  const work: Work = { rows: 0, buffers: 0, nodes: [] }
  const history = await findRecipientHistory(
    measuringReader(session, work),
    environmentId,
    recipient,
  )
  return { history, work }
}

// The planner cannot estimate conditions on JSON and expects one payout. A plan built on that reads
// all payouts of the installation, or the terms again for every payout.
test('the history of a recipient reads its payouts only, whatever the statistics say', async () => {
  await insertPayouts(1, 20, others)
  await session.query('analyze payouts, search_terms')
  await insertPayouts(1_000, paidOften, recipient)
  await insertPayouts(100_000, 20_000, others)
  const rowsMax = 2 * paidOften + 100
  const withOldStatistics = await readHistory()
  expect(withOldStatistics.history.count).toBe(paidOften)
  expect
    .soft(withOldStatistics.work.rows, withOldStatistics.work.nodes.join())
    .toBeLessThan(rowsMax)

  await session.query('analyze payouts, search_terms')
  const { history, work } = await readHistory()
  expect(history).toMatchObject({ count: paidOften, isTruncated: false, cameBack: 0 })
  expect(work.rows, work.nodes.join()).toBeLessThan(rowsMax)
})
