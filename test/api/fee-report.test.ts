import { expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { type Purpose, purposes } from '../../src/ledger/purposes.js'
import { type Asset, assetNames } from '../../src/money/assets.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { sql } from '../../src/postgres/sql.js'
import { feeKinds, kindsOfFees } from '../../src/reports/fees.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { openWithBankAndChain, twoWayShopOf } from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, bank, logger, merchant } = service
const shop = twoWayShopOf(service, merchant)
const environmentId = merchant.environments.test.id
await service.chain.advance(40)

let keys = 0
const post = async (path: string, body: object) => {
  keys += 1
  const reply = await shop.post(path, body, { 'idempotency-key': `fees-${keys}` })
  expect([reply.status, reply.text]).toEqual([201, reply.text])
  return reply.json.data
}
const account = (serial: number) =>
  toNuban({ bankCode: '058', serial: String(serial).padStart(9, '0') })
/** Distinguishes the transfers. */
const amountOf = (serial: number) => 1_000_000 + (serial % 1_000)
const pay = (serial: number) =>
  post('/v1/disbursements/bank-transfer', {
    amount: amountOf(serial),
    bankCode: '058',
    accountNumber: account(serial),
  })
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

async function passTime(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await service.settle()
    clock.advance(10_000)
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

type Row = { at: Date; asset: Asset; purpose: Purpose; amount: bigint; change: string }

/** Every change of the account `fees`, without the code under test. */
function readRows(): Promise<Row[]> {
  return db.rows(sql<Row>`
    select t.created_at as at, asset, t.purpose, t.amount, 'charged' as change
    from ledger_transfers t where environment_id = ${environmentId} and credit = 'fees'
    union all
    select t.created_at, asset, t.purpose, t.amount, 'reversed'
    from ledger_transfers t where environment_id = ${environmentId} and debit = 'fees'
    union all
    select r.created_at, t.asset, t.purpose, t.amount, 'released'
    from ledger_resolutions r join ledger_transfers t using (environment_id, cause_id)
    where r.environment_id = ${environmentId} and r.verb = 'release' and t.credit = 'fees'`)
}

test('every purpose of a fee belongs to a kind', () => {
  const ofFees = Object.keys(purposes).filter((purpose) => /_fee(_reversal)?$/.test(purpose))
  expect(Object.keys(kindsOfFees).toSorted()).toEqual(ofFees.toSorted())
})

test('fees add up to the ledger, by day and kind, before and after they are summed up', async () => {
  const from = clock.now()
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '1000' })
  await service.chain.advance(2)
  const { number } = await shop.open()
  await shop.pay(number)
  await pay(1)
  await pay(990_000_002)
  await pay(990_000_003)
  await post('/v1/disbursements/crypto', {
    amount: '25.5',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: wallet,
  })
  await passTime()
  clock.advance(day)
  const { reference } = await post('/v1/conversions/quotes', {
    from: 'NGN',
    to: 'USDC',
    amount: 100_000_000,
  })
  await post('/v1/conversions', { quote: reference })
  await pay(990_000_001)
  await pay(990_000_006)
  await passTime()

  const period = `from=${from.toISOString()}&to=${after(clock.now(), day).toISOString()}`
  const units = (amount: number | string, asset: Asset) =>
    asset === 'NGN' ? BigInt(amount) : BigInt(Math.round(Number(amount) * 1e6))
  const check = async () => {
    const rows = await readRows()
    for (const asset of assetNames)
      for (const bucket of ['day', 'hour']) {
        const report = await shop.get(
          `/v1/reports/fees?currency=${asset}&bucket=${bucket}&${period}`,
        )
        const sizeMs = bucket === 'day' ? day : day / 24
        for (const one of [{ ...report.total, from: report.from, isAll: true }, ...report.buckets])
          for (const kind of [undefined, ...feeKinds]) {
            const start = new Date(one.from).getTime()
            const own = rows.filter(
              ({ at, asset: of, purpose }) =>
                of === asset &&
                at.getTime() >= start &&
                (one.isAll || at.getTime() < start + sizeMs) &&
                (!kind || kindsOfFees[purpose] === kind),
            )
            const sum = (change: string) =>
              own.filter((row) => row.change === change).reduce((all, row) => all + row.amount, 0n)
            const shown = kind ? one.kinds[kind] : one
            const [charged, released, reversed] = [sum('charged'), sum('released'), sum('reversed')]
            const kept = charged - released - reversed
            const found = (name: string) => units(shown[name], asset)
            expect([
              one.from,
              kind,
              ...['charged', 'released', 'reversed', 'kept'].map(found),
            ]).toEqual([one.from, kind, charged, released, reversed, kept])
          }
        // The balance of the ledger account, with the fees of open transfers.
        const [fees] = await db.rows(sql<{ balance: bigint }>`
          select credits_posted + credits_pending - debits_posted as balance from ledger_accounts
          where environment_id = ${environmentId} and asset = ${asset} and name = 'fees'`)
        expect(units(report.total.kept, asset)).toBe(fees?.balance ?? 0n)
      }
  }
  await check()
  const { total } = await shop.get(`/v1/reports/fees?${period}`)
  expect(total.released).toBeGreaterThan(0)
  expect(total.reversed).toBeGreaterThan(0)
  expect(total.kinds).toMatchObject({
    payment: { released: 0, reversed: 0 },
    crypto_transfer: { charged: 0 },
    conversion: { charged: 500_000, kept: 500_000 },
  })
  expect(total.kinds.payment.charged).toBeGreaterThan(0)
  await sumUpReports(db, clock.now())
  const [sums] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from report_entries where environment_id = ${environmentId}`)
  expect(sums!.count).toBeGreaterThan(8n)
  await check()
  // What happens later is added to the sums.
  await pay(2)
  await passTime()
  await check()
  await sumUpReports(db, after(clock.now(), day))
  await check()
  await expectAllProofs(db)
})

test('a release names amount and fee apart', async () => {
  const { items } = await shop.get('/v1/balance-entries?asset=NGN&limit=100')
  type Entry = { effect: string; amount: number; released: { amount: number; fee: number } | null }
  const releases = (items as Entry[]).filter(({ effect }) => effect === 'release')
  expect(releases).toHaveLength(2)
  const amounts = releases.map(({ released }) => released!.amount)
  expect(amounts).toEqual([amountOf(990_000_001), amountOf(990_000_002)])
  for (const { amount, released } of releases) {
    expect(released!.amount + released!.fee).toBe(amount)
    expect(released!.fee).toBeGreaterThan(0)
  }
  const others = (items as Entry[]).filter(({ effect }) => effect !== 'release')
  expect(others.every(({ released }) => released === null)).toBe(true)
})
