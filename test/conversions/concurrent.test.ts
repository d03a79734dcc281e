import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromWire } from '../../src/money/amounts.js'
import type { Asset } from '../../src/money/assets.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { seededRandom } from '../support/seed.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { ask, merchant, db, settle } = service
const key = merchant.test.secret
const random = seededRandom('conversions')

const post = (path: string, body: object) =>
  ask('POST', path, { key, body, headers: { 'idempotency-key': randomUUID() } })

const fund = (asset: Asset, amount: number | string) =>
  post('/v1/test/balances/fund', { asset, amount })

async function readBalances(): Promise<Record<Asset, bigint>> {
  const { json } = await ask('GET', '/v1/balances', { key })
  const items = json.data.items as { asset: Asset; available: number | string }[]
  return Object.fromEntries(
    items.map(({ asset, available }) => [asset, fromWire(available, asset)]),
  ) as Record<Asset, bigint>
}

/** One call in four fails for lack of money: the balances are small on purpose. */
async function act(): Promise<{ path: string; status: number; data: Answer | undefined }> {
  const coin = random.pick(['USDC', 'USDT'])
  const amount = random.integer(1_000_000, 30_000_000)
  const coins = `${random.integer(1, 150)}.${random.integer(0, 999_999)}`
  const toBank = { bankCode: '058', accountNumber: '0123456789' }
  const kind = random.integer(0, 3)
  if (kind === 3) return send('/v1/disbursements/bank-transfer', { ...toBank, amount })
  if (kind === 2) {
    const fundFrom = { asset: coin, maxRate: '1' }
    return send('/v1/disbursements/bank-transfer', { ...toBank, amount, fundFrom })
  }
  const wanted =
    kind === 1 ? { from: 'NGN', to: coin, amount } : { from: coin, to: 'NGN', amount: coins }
  const quote = await post('/v1/conversions/quotes', wanted)
  expect(quote.status, quote.text).toBe(201)
  return send('/v1/conversions', { quote: quote.json.data.reference })
}

type Answer = {
  sourceAmount: number | string
  targetAmount: number | string
  from: Asset
  to: Asset
  totalDebit: number
}

async function send(path: string, body: object) {
  const { status, json } = await post(path, body)
  return { path, status, data: json.data as Answer | undefined }
}

test('conversions and transfers over the same balances never spend a kobo twice', async () => {
  await service.chain.advance(40)
  await fund('NGN', 100_000_000)
  await fund('USDC', '300')
  const start = await readBalances()
  const calls = Number(process.env.CONVERSIONS ?? 48)
  const replies: Awaited<ReturnType<typeof act>>[] = []
  for (let done = 0; done < calls; done += 12)
    replies.push(...(await Promise.all(Array.from({ length: 12 }, act))))
  expect(replies.filter(({ status }) => ![201, 402].includes(status))).toEqual([])
  const made = replies.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(5)

  // What the answers say is what the balances say.
  const conversions = (await ask('GET', '/v1/conversions?limit=100', { key })).json.data.items
  const expected = { ...start }
  for (const one of conversions as Answer[]) {
    expected[one.from] -= fromWire(one.sourceAmount, one.from)
    expected[one.to] += fromWire(one.targetAmount, one.to)
  }
  for (const { path, data } of made)
    if (path.endsWith('bank-transfer')) expected.NGN -= BigInt(data!.totalDebit)
  expect(await readBalances()).toEqual(expected)
  await settle()
  await expectAllProofs(db)
})
