import { strict as assert } from 'node:assert'
import { type Party, splitByHand, takenBackByHand } from '../../../subaccounts/splits/oracle.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { type Collector, collectorOf, expected, failingAccount, funded } from './collecting.js'
import { untilReceived } from './sandbox-transfers.js'

const settings: WorldSettings = { bank: 'sandbox' }

type Shop = {
  collector: Collector
  sellers: string[]
  /** Reference of the account that was paid. */
  account: string
}

const share = expected / 5
const releaseMs = 24 * 60 * 60_000

async function readNaira(collector: Collector, reference: string) {
  const { balances } = await collector.get(`/v1/subaccounts/${reference}`)
  return balances.find(({ asset }: { asset: string }) => asset === 'NGN')
}

async function openShop(world: World): Promise<Shop> {
  const collector = collectorOf(world)
  await collector.fund('NGN', funded)
  const sellers: string[] = []
  for (const name of ['Ada', 'Bola'])
    sellers.push((await collector.post('/v1/subaccounts', { name })).reference)
  return { collector, sellers, account: '' }
}

async function openSplit(shop: Shop) {
  const [ada, bola] = shop.sellers
  const lines = [
    { subaccount: ada, percent: '20' },
    { subaccount: bola, percent: '20', releaseAfterDays: 1 },
  ]
  const account = await shop.collector.openVirtual({ splits: { lines } })
  shop.account = account.reference
  return account
}

/** What sellers have in the end, whether available or pending. None of them owes anything. */
async function checkSellers({ collector, sellers }: Shop, expectedOf: number[]): Promise<void> {
  for (const [index, seller] of sellers.entries()) {
    const { available, pending, owed } = await readNaira(collector, seller)
    assert.deepEqual([available + pending, owed], [expectedOf[index], 0])
  }
  const { items } = await collector.get('/v1/events?type=split.posted')
  assert.equal(items.length, 1)
}

/** Amounts that no line divides without a rest, of two sales. */
const [oddSale, nextSale, oddRefund] = [500_003, 700_001, 400_007]
const [flatLine, spentByAda] = [10_000, 150_000]

/** What sellers have and owe of both sales; neither books nor code of the service are asked. */
function expectSales(fees: number[]) {
  const [ada, bola] = ['Ada', 'Bola']
  const [first, second] = [oddSale, nextSale].map(BigInt) as [bigint, bigint]
  const refunded = BigInt(oddRefund)
  const [adas, bolas] = splitByHand({
    lines: [
      { who: ada, takes: { hundredthsOfPercent: 3_333 } },
      { who: bola, takes: { hundredthsOfPercent: 5_001 } },
    ],
    bearer: 'subaccounts',
    accepted: first,
    fee: BigInt(fees[0]!),
  })
  const [flat, released, soon, later] = splitByHand({
    lines: [
      { who: ada, takes: { flat: BigInt(flatLine) } },
      { who: ada, takes: { hundredthsOfPercent: 1 } },
      { who: bola, takes: { hundredthsOfPercent: 111 } },
      { who: bola, takes: { hundredthsOfPercent: 222 } },
    ],
    bearer: 'merchant',
    accepted: second,
    fee: BigInt(fees[1]!),
  })
  const keeps = ({ got, bore }: Party) => got - bore - takenBackByHand(got, refunded, first)
  const ofAda = keeps(adas!) - BigInt(spentByAda) + flat!.got + released!.got
  return {
    owedByAda: Number(-ofAda),
    ofBola: Number(keeps(bolas!) + soon!.got),
    pendingForBola: Number(later!.got),
  }
}

export const splitPaths: Path[] = [
  definePath<Shop>({
    name: 'payment is split; a share is released later, and a refund takes both back',
    settings,
    prepare: openShop,
    async run(world, shop) {
      const { collector, sellers } = shop
      await collector.pay(await openSplit(shop))
      const [payment] = await collector.paymentsInto(shop.account)
      await collector.refund(payment!.reference, { amount: expected / 2 })
      await untilReceived(world, 1)
      assert.equal((await readNaira(collector, sellers[1]!)).pending, share / 2)
      world.clock.advance(releaseMs)
      await world.untilQuiet(async () => (await readNaira(collector, sellers[1]!)).pending === 0)
      await collector.refund(payment!.reference)
      await untilReceived(world, 2)
    },
    check: async (_world, shop) => checkSellers(shop, [0, 0]),
  }),
  definePath<Shop>({
    name: 'refund of a split payment fails, and sub-accounts get back what it took',
    settings,
    prepare: openShop,
    async run(world, shop) {
      const { collector, sellers } = shop
      await collector.pay(await openSplit(shop), { senderAccountNumber: failingAccount })
      const [payment] = await collector.paymentsInto(shop.account)
      // The first seller has spent a part, so it owes that until the refund fails.
      const spent = { to: 'merchant', asset: 'NGN', amount: share - 1_000 }
      await collector.post(`/v1/subaccounts/${sellers[0]}/transfers`, spent)
      await collector.refund(payment!.reference)
      await untilReceived(world, 1)
      await world.untilQuiet()
    },
    async check(_world, shop) {
      const { collector, sellers } = shop
      const types = await collector.eventTypes(sellers[0]!)
      assert.deepEqual(types, ['subaccount.created', 'subaccount.receivable'])
      await checkSellers(shop, [1_000, share])
    },
  }),
  definePath<Shop>({
    name: 'a seller owes what it has spent, and pays it from its next shares',
    settings,
    prepare: openShop,
    async run(world, shop) {
      const { collector, sellers } = shop
      const [ada, bola] = sellers
      const sell = async (amount: number, splits: object) => {
        const sale = { merchantReference: `sale of ${amount}`, amount, splits }
        const account = await collector.openVirtual(sale)
        await collector.pay(account, { amount })
        return (await collector.paymentsInto(account.reference))[0]!
      }
      const first = await sell(oddSale, {
        feeBearer: 'subaccounts',
        lines: [
          { subaccount: ada, percent: '33.33' },
          { subaccount: bola, percent: '50.01' },
        ],
      })
      const spent = { to: 'merchant', asset: 'NGN', amount: spentByAda }
      await collector.post(`/v1/subaccounts/${ada}/transfers`, spent)
      await collector.refund(first.reference, { amount: oddRefund })
      await untilReceived(world, 1)
      await sell(nextSale, {
        lines: [
          { subaccount: ada, flat: flatLine },
          { subaccount: ada, percent: '0.01', releaseAfterDays: 1 },
          { subaccount: bola, percent: '1.11', releaseAfterDays: 1 },
          { subaccount: bola, percent: '2.22', releaseAfterDays: 300 },
        ],
      })
      world.clock.advance(releaseMs)
      await world.untilQuiet(async () => (await readNaira(collector, ada!)).pending === 0)
    },
    async check(_world, { collector, sellers }) {
      const { items } = await collector.get('/v1/collections/payments')
      const feeOf = (wanted: number) =>
        items.find(({ amount }: { amount: number }) => amount === wanted).fee
      const wanted = expectSales([feeOf(oddSale), feeOf(nextSale)])
      assert(wanted.owedByAda > 0)
      const [ada, bola] = await Promise.all(sellers.map((one) => readNaira(collector, one)))
      assert.deepEqual([ada.available, ada.pending, ada.owed], [0, 0, wanted.owedByAda])
      assert.deepEqual(
        [bola.available, bola.pending, bola.owed],
        [wanted.ofBola, wanted.pendingForBola, 0],
      )
    },
  }),
]
