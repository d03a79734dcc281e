import { expect, test } from 'vitest'
import { type Random, seededRandom } from '../support/seed.js'
import { expectAllProofs } from '../support/sound-books.js'
import { MarketOracle } from './market-oracle.js'
import { closedAccount, openSplitMarket } from './split-market.js'
import type { OracleCase, OracleLine } from './splits/oracle.js'

const { db, service, openShop, releaseAll, giveAllBack } = await openSplitMarket()

const operations = 200

type Shop = Awaited<ReturnType<typeof openShop>>
type RandomLine = OracleLine & { days: number | undefined }

function randomLines(random: Random, sellers: string[], expected: number): RandomLine[] {
  const count = random.integer(1, 4)
  return Array.from({ length: count }, (_, place): RandomLine => {
    const who = random.pick(sellers)
    const days = random.integer(0, 2) === 0 ? random.integer(1, 3) : undefined
    const isLast = place === count - 1
    if (isLast && random.integer(0, 2) === 0) return { who, takes: 'rest', days }
    const most = random.integer(0, 3) === 0 ? BigInt(random.integer(1, expected)) : undefined
    if (random.integer(0, 2) > 0)
      return { who, takes: { hundredthsOfPercent: random.integer(1, 2_300) }, most, days }
    return { who, takes: { flat: BigInt(random.integer(1, Math.floor(expected / 5))) }, days }
  })
}

function toSent({ who, takes, most, days }: RandomLine): object {
  const share =
    takes === 'rest'
      ? { remainder: true }
      : 'flat' in takes
        ? { flat: Number(takes.flat) }
        : { percent: (takes.hundredthsOfPercent / 100).toFixed(2) }
  return {
    subaccount: who,
    ...share,
    ...(most !== undefined && { max: Number(most) }),
    ...(days !== undefined && { releaseAfterDays: days }),
  }
}

async function openMarket(random: Random) {
  const shop = await openShop()
  await shop.setPolicy({ underpayment: 'accept', overpayment: 'accept' })
  const oracle = new MarketOracle()
  const sellers: string[] = []
  for (const name of ['Ada', 'Bola', 'Chi']) {
    const reference = await shop.addSeller(name)
    oracle.addSeller(reference)
    sellers.push(reference)
  }
  await shop.fund(10_000_000_000)
  oracle.merchant += 10_000_000_000n
  let orders = 0

  async function sell(): Promise<void> {
    orders += 1
    const expected = random.integer(20_000, 1_000_000)
    const lines = randomLines(random, sellers, expected)
    const bearer = random.pick(['merchant', 'subaccounts', 'all', { who: lines[0]!.who }] as const)
    const feeBearer = typeof bearer === 'object' ? bearer.who : bearer
    const account = await shop.open({
      merchantReference: `order-${orders}`,
      amount: expected,
      splits: { feeBearer, lines: lines.map(toSent) },
    })
    const amount = random.pick([expected, expected, random.integer(20_000, 2 * expected)])
    const paid = await shop.pay(account.accountNumber, { amount })
    const accepted = BigInt(paid.amountAccepted)
    expect(accepted).toBe(BigInt(amount))
    const given: OracleCase = { lines, bearer, accepted, fee: BigInt(paid.fee) }
    oracle.pay(
      paid.reference,
      given,
      lines.map(({ days }) => days),
    )
  }

  async function refund(): Promise<void> {
    const open = [...oracle.payments].filter(([, { kept }]) => kept > 0n)
    if (open.length === 0) return
    // Few payments, so that each is refunded in several steps.
    const [reference, { kept, shares }] = random.pick(open.slice(-3))
    const amount =
      random.integer(0, 5) === 0 ? Number(kept) : random.integer(1, Math.ceil(Number(kept) / 2))
    const named = random.integer(0, 2) === 0 ? nameSome(shares, amount) : undefined
    const fails = random.integer(0, 5) === 0
    const { status, text, json } = await shop.refund(reference, {
      amount,
      ...(named && {
        splits: [...named].map(([subaccount, part]) => ({ subaccount, amount: Number(part) })),
      }),
      ...(fails && { destination: closedAccount }),
    })
    expect(status, text).toBe(201)
    const taken = oracle.refund(reference, BigInt(amount), named)
    if (!fails) return
    const isFailed = async () =>
      (await shop.returnsOf(reference)).some(
        (one: { reference: string; status: string }) =>
          one.reference === json.data.refund.reference && one.status === 'FAILED',
      )
    while (!(await isFailed())) await service.pass(1)
    await giveAllBack()
    oracle.failRefund(reference, BigInt(amount), taken)
  }

  function nameSome(shares: { who: string; got: bigint; given: bigint }[], amount: number) {
    const named = new Map<string, bigint>()
    let room = BigInt(amount)
    for (const who of new Set(shares.map((share) => share.who))) {
      const left = shares
        .filter((share) => share.who === who)
        .reduce((sum, { got, given }) => sum + got - given, 0n)
      const most = left > room ? room : left
      if (most === 0n || random.integer(0, 2) === 0) continue
      const part = BigInt(random.integer(1, Number(most)))
      named.set(who, part)
      room -= part
    }
    return named
  }

  async function move(): Promise<void> {
    const from = random.pick([undefined, ...sellers])
    const to = random.pick([undefined, ...sellers].filter((end) => end !== from))
    const has = from === undefined ? 100_000n : oracle.purses.get(from)!.spendable
    if (has === 0n) return
    const amount = random.integer(0, 2) === 0 ? Number(has) : random.integer(1, Number(has))
    const name = (end: string | undefined) => end ?? 'merchant'
    if (from === undefined) await shop.move(to!, { from: 'merchant', amount })
    else await shop.move(from, { to: name(to), amount })
    oracle.move(from, to, BigInt(amount))
  }

  async function passDay(): Promise<void> {
    await shop.post('/v1/test/clock/advance', { seconds: 86_400 })
    await releaseAll()
    oracle.nextDay()
  }

  return { shop, oracle, steps: [sell, sell, refund, refund, refund, refund, move, move, passDay] }
}

async function compare(shop: Shop, oracle: MarketOracle, after: string): Promise<void> {
  const right: Record<string, bigint[]> = {}
  const found: Record<string, bigint[]> = {}
  for (const [who, { spendable, waiting, debt }] of oracle.purses) {
    right[who] = [spendable, waiting, debt]
  }
  for (const { reference, balances } of (await shop.get('/v1/subaccounts')).json.data.items) {
    const { available, pending, owed } = balances[0]
    found[reference] = [BigInt(available), BigInt(pending), BigInt(owed)]
  }
  right.merchant = [oracle.merchant]
  found.merchant = [BigInt((await shop.naira()).available)]
  expect(found, after).toEqual(right)
}

test(`${operations} random operations leave what the oracle says, to the kobo`, async () => {
  const random = seededRandom('market')
  const { shop, oracle, steps } = await openMarket(random)
  for (let done = 0; done < operations; done += 1) {
    const step = random.pick(steps)
    await step()
    await compare(shop, oracle, `operation ${done}: ${step.name}`)
  }
  await expectAllProofs(db)
  console.log(`market: ${JSON.stringify({ payments: oracle.payments.size, ...oracle.seen })}`)
  // Otherwise the cases that are hard to get right did not occur.
  for (const [what, count] of Object.entries(oracle.seen)) expect(count, what).toBeGreaterThan(0)
}, 60_000)
