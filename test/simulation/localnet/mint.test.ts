import { expect, test } from 'vitest'
import { type Rpc, startChain } from './localnet.js'
import { balanceOf, newWallet, usdc, usdt } from './transfers.js'

type Outcome = { key: string; signature: string; err: unknown }

const mint = (rpc: Rpc, orders: object | object[]) => rpc.call<Outcome[]>('localnet_mint', orders)

test('coins are minted by a transaction, with its key as memo', async () => {
  const chain = await startChain()
  const owner = await newWallet()
  const order = { owner, mint: usdc, amount: '2500000', key: 'fund_1' }
  const [outcome] = await mint(chain, order)
  expect(outcome).toMatchObject({ key: 'fund_1', err: null })
  expect(await balanceOf(chain, owner)).toBe(2_500_000n)
  await chain.advance(32)
  const [line] = await chain.call('getSignaturesForAddress', owner)
  expect(line).toMatchObject({ signature: outcome!.signature, memo: '[6] fund_1', err: null })
  const supply = await chain.call('getTokenSupply', usdc)
  expect(supply.value).toMatchObject({ amount: '2500000', decimals: 6, uiAmountString: '2.5' })
})

// Copies at once, copies in one list, and copies after a crash: one mint, one signature.
test('a key mints at most once, for ever', async () => {
  const chain = await startChain()
  const owner = await newWallet()
  const order = { owner, mint: usdt, amount: 7, key: 'once' }
  const first = await Promise.all([
    mint(chain, [order, order]),
    mint(chain, order),
    mint(chain, order),
  ])
  await chain.kill()
  const again = await startChain({ folder: chain.folder })
  const outcomes = [...first.flat(), ...(await mint(again, order))]
  expect(new Set(outcomes.map(({ signature }) => signature)).size).toBe(1)
  const supply = await again.call('getTokenSupply', usdt, { commitment: 'processed' })
  expect(supply.value.amount).toBe('7')
})

test('orders that make no sense are refused before any of the list is fulfilled', async () => {
  const chain = await startChain()
  const order = { owner: await newWallet(), mint: usdc, amount: '1', key: 'a' }
  const wrong = [
    { ...order, amount: '-1' },
    { ...order, amount: '0' },
    { ...order, amount: 0.5 },
    { ...order, mint: order.owner },
    { ...order, owner: 'nobody' },
    { ...order, key: '' },
  ]
  for (const one of wrong)
    expect((await chain.ask('localnet_mint', [order, one])).error?.code).toBe(-32602)
  const supply = await chain.call('getTokenSupply', usdc, { commitment: 'processed' })
  expect(supply.value.amount).toBe('0')
})

test('airdrops are transfers of the faucet, each its own', async () => {
  const chain = await startChain()
  const to = await newWallet()
  const signatures = new Set<string>()
  for (let gift = 0; gift < 3; gift++)
    signatures.add(await chain.call('requestAirdrop', to, 2_000_000))
  expect(signatures.size).toBe(3)
  const { value } = await chain.call('getBalance', to, { commitment: 'processed' })
  expect(value).toBe(6_000_000)
})
