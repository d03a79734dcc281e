/**
 * The ledger without HTTP: holds of an amount and a fee on one busy account, as a payout needs them,
 * batched in a lane and with one transaction each.
 */
import { newId } from '../dist/base/ids.js'
import { moveAll } from '../dist/ledger/move.js'
import { createMerchant } from '../dist/merchants/create-merchant.js'
import { Database } from '../dist/postgres/database.js'
import { Lane } from '../dist/postgres/transactions/lane.js'
import { connect } from '../dist/postgres/wire/connection.js'

const path = { key: 'ledger', group: 'money', name: 'ledger alone: hold amount and fee' }
const funds = 1_000_000_000_000n

export async function benchLedger({ databaseUrl }, options, record) {
  if (!options.isSelected(path)) return
  const node = process.version
  const db = new Database(databaseUrl, () => {}, { size: 16 })
  const environmentId = await createFundedMerchant(db)
  const lane = new Lane({
    connect: () => connect(databaseUrl, 'bench'),
    work: (tx, holds) => moveAll(tx, new Date(), holds),
  })
  const runPlain = async (hold) => {
    const [outcome] = await db.transaction((tx) => moveAll(tx, new Date(), [hold]))
    return outcome
  }
  await loop(environmentId, (hold) => lane.run(hold), { ...options, seconds: 1 })
  for (let round = 1; round <= options.rounds; round += 1) {
    record({ ...path, node }, await loop(environmentId, (hold) => lane.run(hold), options))
    if (options.isPlainMeasured)
      record(
        { key: 'ledger/plain', name: 'one transaction per hold', node },
        await loop(environmentId, runPlain, options),
      )
  }
  await lane.close()
  await db.close()
}

function makeHold(environmentId) {
  return {
    environmentId,
    asset: 'USDC',
    causeId: newId(new Date()),
    isHold: true,
    lines: [
      { debit: 'available', credit: 'treasury', amount: 9n, purpose: 'crypto_payout' },
      { debit: 'available', credit: 'fees', amount: 1n, purpose: 'crypto_payout_fee' },
    ],
  }
}

async function loop(environmentId, run, { seconds, connections }) {
  const latencies = []
  const start = performance.now()
  const end = start + seconds * 1000
  const runCaller = async () => {
    for (let sentAt = performance.now(); sentAt < end; ) {
      const outcome = await run(makeHold(environmentId))
      if (!outcome.isMoved) throw new Error('the benchmark ran out of money')
      const now = performance.now()
      latencies.push(now - sentAt)
      sentAt = now
    }
  }
  await Promise.all(Array.from({ length: connections }, runCaller))
  const elapsedSeconds = (performance.now() - start) / 1000
  latencies.sort((left, right) => left - right)
  return {
    perSecond: latencies.length / elapsedSeconds,
    p50: latencies[latencies.length >> 1] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

async function createFundedMerchant(db) {
  const now = new Date()
  const { environments } = await db.transaction((tx) => createMerchant(tx, now, 'Bench ledger'))
  const environmentId = environments.test.id
  const lines = [{ debit: 'treasury', credit: 'available', amount: funds, purpose: 'test_funding' }]
  const funding = { environmentId, asset: 'USDC', causeId: newId(now), isHold: false, lines }
  await db.transaction((tx) => moveAll(tx, now, [funding]))
  return environmentId
}
