/** The ledger without HTTP: holds for an amount and a fee, as a payout needs them. */
import { newId } from '../dist/base/ids.js'
import { moveAll } from '../dist/ledger/move.js'
import { connect } from '../dist/postgres/connection.js'
import { Database } from '../dist/postgres/database.js'
import { Lane } from '../dist/postgres/lane.js'

const funds = 1_000_000_000_000n

export async function benchLedger(url, plan) {
  const db = new Database(url, () => {}, { size: 16 })
  const [hot, ...spread] = await environments(db, 201)
  const lane = new Lane({
    connect: () => connect(url, 'bench'),
    work: (tx, holds) => moveAll(tx, new Date(), holds),
  })
  const plain = (hold) =>
    db.transaction((tx) => moveAll(tx, new Date(), [hold])).then(([outcome]) => outcome)
  const runs = [
    ['ledger hold, one hot account, lanes', (hold) => lane.run(hold), () => hot],
    ['ledger hold, one hot account, plain', plain, () => hot],
    ['ledger hold, 200 accounts, lanes', (hold) => lane.run(hold), pick(spread)],
    ['ledger hold, 200 accounts, plain', plain, pick(spread)],
  ]

  const results = []
  for (const [name, run, environment] of runs)
    results.push([name, await loop(() => run(hold(environment())), plan)])
  await lane.close()
  await db.close()
  return results
}
function hold(environmentId) {
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
const pick = (list) => () => list[Math.floor(Math.random() * list.length)]

async function loop(call, { runMs, warmMs, connections }) {
  const times = []
  const from = performance.now() + warmMs
  const until = from + runMs
  const one = async () => {
    for (let sentAt = performance.now(); sentAt < until; ) {
      const outcome = await call()
      if (!outcome.isMoved) throw new Error('the benchmark ran out of money')
      const now = performance.now()
      if (now >= from && now < until) times.push(now - sentAt)
      sentAt = now
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  times.sort((left, right) => left - right)
  return {
    perSecond: Math.round(times.length / (runMs / 1000)),
    p50: times[times.length >> 1] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}

async function environments(db, count) {
  const now = new Date()
  const rows = await db.rows({
    text: `with m as (insert into merchants select gen_random_uuid(), 'Bench', $2 from generate_series(1, $1) returning id)
      insert into environments (merchant_id, mode, created_at) select id, 'test', $2 from m returning id`,
    values: [count, now],
  })
  const ids = rows.map((row) => row.id)
  await db.transaction((tx) =>
    moveAll(
      tx,
      now,
      ids.map((environmentId) => ({
        environmentId,
        asset: 'USDC',
        causeId: newId(now),
        isHold: false,
        lines: [{ debit: 'treasury', credit: 'available', amount: funds, purpose: 'test_funding' }],
      })),
    ),
  )
  return ids
}
