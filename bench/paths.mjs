/**
 * The measured HTTP paths of one busy merchant. `key` and `group` are what BENCH_ONLY selects.
 * `goal` bounds throughput per second, shares of the bare route and of pgbench, and microseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveNoticeKey } from '../dist/base/sealed.js'
import { sql } from '../dist/postgres/sql.js'
import { seedAccounts, seedSplit } from './seed-collections.mjs'

const accountAmount = 500_000n
/** More notices than this per second cannot be sent: accounts are created before. */
const noticesPerSecondMax = 8_000
const postWithinMs = 5_000

const cryptoTransfer = ({ wallet }) =>
  post('/v1/disbursements/crypto', {
    amount: '0.01',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: wallet,
    merchantReference: '#',
  })

export const paths = [
  {
    key: 'crypto',
    group: 'payouts',
    name: 'create crypto transfers, chain accepts at once',
    server: 'stub',
    hasPlainTwin: true,
    goal: { perSecond: 3_500, ofBare: 0.4, ofTpcb: 2, ofPlain: 15, postgresUs: 130 },
    plan: cryptoTransfer,
  },
  {
    key: 'crypto-localnet',
    group: 'payouts',
    name: 'create crypto transfers, localnet executes them',
    server: 'localnet',
    goal: { perSecond: 1_800, landedPerSecond: 1_500 },
    plan: cryptoTransfer,
    /** The processor time of transfers that land after the last response counts too. */
    async settle({ chain }) {
      await chain.waitUntilIdle()
    },
  },
  {
    key: 'crypto-alone',
    group: 'payouts',
    name: 'create crypto transfers, one connection',
    server: 'stub',
    connections: 1,
    warmRequestsMax: 200,
    isWithoutBare: true,
    goal: { p50: 3 },
    plan: cryptoTransfer,
  },
  {
    key: 'bank',
    group: 'payouts',
    name: 'create bank transfers',
    server: 'stub',
    goal: { perSecond: 4_000, ofBare: 0.4 },
    plan: () =>
      post('/v1/disbursements/bank-transfer', {
        amount: 10_000,
        bankCode: '058',
        accountNumber: '0123456789',
        merchantReference: '#',
      }),
  },
  {
    key: 'fund',
    group: 'money',
    name: 'fund a test balance',
    server: 'stub',
    hasPlainTwin: true,
    goal: { perSecond: 4_500, nodeUs: 180, postgresUs: 70 },
    plan: () => post('/v1/test/balances/fund', { asset: 'NGN', amount: 1 }),
  },
  {
    key: 'accounts',
    group: 'collections',
    name: 'create virtual accounts',
    server: 'stub',
    goal: { perSecond: 4_500, ofBare: 0.3 },
    plan: () =>
      post('/v1/collections/virtual-accounts', {
        merchantReference: 'order-1001',
        amount: Number(accountAmount),
      }),
  },
  {
    key: 'notices',
    group: 'collections',
    name: 'bank notices until posted',
    server: 'stub',
    goal: { perSecond: 3_500, ofTpcb: 2, nodeUs: 200, postgresUs: 150 },
    ...notices({ isSplit: false }),
  },
  {
    key: 'splits',
    group: 'collections',
    name: 'bank notices split among five sub-accounts, until posted',
    server: 'stub',
    goal: {},
    ...notices({ isSplit: true }),
  },
  {
    key: 'balances',
    group: 'reads',
    name: 'GET balances',
    server: 'stub',
    goal: { ofBare: 0.6 },
    plan: () => get('/v1/balances'),
  },
  {
    key: 'one',
    group: 'reads',
    name: 'GET one crypto transfer',
    server: 'stub',
    goal: { ofBare: 0.6 },
    plan: ({ transferReference }) => get(`/v1/disbursements/crypto/${transferReference}`),
  },
  {
    key: 'list',
    group: 'reads',
    name: 'GET a page of 20 crypto transfers, 3 connections',
    server: 'stub',
    /** The API reads this many lists of one environment at a time: none waits, and none is shared. */
    connections: 3,
    warmRequestsMax: 6_000,
    goal: { perSecond: 3_000 },
    plan: () => get('/v1/disbursements/crypto'),
  },
  {
    key: 'list-shared',
    group: 'reads',
    name: 'GET the same page of 20 crypto transfers, 48 connections',
    server: 'stub',
    /** Three are read at a time; those that wait share a read. Over 53 some would be refused. */
    connections: 48,
    goal: { ofBare: 0.6 },
    plan: () => get('/v1/disbursements/crypto'),
  },
  {
    key: 'checkout',
    group: 'reads',
    name: 'GET public checkout',
    server: 'stub',
    goal: { ofBare: 0.75 },
    plan: ({ sessionReference }) => get(`/public/checkout/${sessionReference}`),
  },
]

function post(path, body) {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

function get(path) {
  return { method: 'GET', path }
}

/** Payments that a bank reports, until they are posted. */
function notices({ isSplit }) {
  return {
    isMeasuredUntilSettled: true,
    async plan({ db, environmentId, secret, accountNumbers }, { count, seconds }) {
      const accounts = count ?? Math.ceil(seconds * noticesPerSecondMax)
      const first = accountNumbers.take(accounts)
      const splitId = isSplit ? await seedSplit(db, { environmentId }) : null
      const seed = { environmentId, amount: accountAmount, first, count: accounts, splitId }
      await seedAccounts(db, seed)
      const key = deriveNoticeKey(secret).toString('hex')
      return {
        method: 'POST',
        path: '/rails/sandbox-bank/notices/test',
        count: accounts,
        notices: { key, first, amount: `${accountAmount}` },
      }
    },
    /**
     * Returns how many were not posted: notices that wait too long in the API are left to workers,
     * which do not run here. Those of earlier runs stay and are not waited for again.
     */
    async settle({ db, unposted }) {
      const isWaiting = sql`rail = 'sandbox-bank' and state in ('WAITING', 'UNMATCHED')`
      const end = Date.now() + postWithinMs
      while (Date.now() < end) {
        const waiting = await db.rows(
          sql`select from notices where ${isWaiting} offset ${unposted.count} limit 1`,
        )
        if (waiting.length === 0) return 0
        await sleep(5)
      }
      const [{ count }] = await db.rows(
        sql`select count(*)::int as count from notices where ${isWaiting}`,
      )
      const added = count - unposted.count
      unposted.count = count
      console.log(`  ${added} notices were left to workers: the machine is overloaded`)
      return added
    },
  }
}
