import { expect, test } from 'vitest'
import { type Rpc, startChain } from './localnet.js'
import { balanceOf, newWallet, usdc, usdt } from './transfers.js'

type Outcome = { key: string; signature: string; err: unknown }

const mint = (rpc: Rpc, requests: object | object[]) =>
  rpc.call<Outcome[]>('localnet_mint', requests)

test('coins are minted by a transaction with the key as memo', async () => {
  const chain = await startChain()
  const owner = await newWallet()
  const request = { owner, mint: usdc, amount: '2500000', key: 'fund_1' }
  const [outcome] = await mint(chain, request)
  expect(outcome).toMatchObject({ key: 'fund_1', err: null })
  expect(await balanceOf(chain, owner)).toBe(2_500_000n)
  await chain.advance(32)
  const [line] = await chain.call('getSignaturesForAddress', owner)
  expect(line).toMatchObject({ signature: outcome!.signature, memo: '[6] fund_1', err: null })
  const supply = await chain.call('getTokenSupply', usdc)
  expect(supply.value).toMatchObject({ amount: '2500000', decimals: 6, uiAmountString: '2.5' })
})

// Concurrent repeats, repeats in one list and repeats after a crash: one mint, one signature.
test('a key mints at most once', async () => {
  const chain = await startChain()
  const owner = await newWallet()
  const request = { owner, mint: usdt, amount: 7, key: 'once' }
  const first = await Promise.all([
    mint(chain, [request, request]),
    mint(chain, request),
    mint(chain, request),
  ])
  await chain.kill()
  const again = await startChain({ folder: chain.folder })
  const outcomes = [...first.flat(), ...(await mint(again, request))]
  expect(new Set(outcomes.map(({ signature }) => signature)).size).toBe(1)
  const supply = await again.call('getTokenSupply', usdt, { commitment: 'processed' })
  expect(supply.value.amount).toBe('7')
})

test('an invalid request in a list refuses the whole list', async () => {
  const chain = await startChain()
  const request = { owner: await newWallet(), mint: usdc, amount: '1', key: 'a' }
  const wrong = [
    { ...request, amount: '-1' },
    { ...request, amount: '0' },
    { ...request, amount: 0.5 },
    { ...request, mint: request.owner },
    { ...request, owner: 'nobody' },
    { ...request, key: '' },
  ]
  for (const one of wrong)
    expect((await chain.request('localnet_mint', [request, one])).error?.code).toBe(-32602)
  const supply = await chain.call('getTokenSupply', usdc, { commitment: 'processed' })
  expect(supply.value.amount).toBe('0')
})

test('every airdrop is a separate transfer from the faucet', async () => {
  const chain = await startChain()
  const to = await newWallet()
  const signatures = new Set<string>()
  for (let count = 0; count < 3; count++)
    signatures.add(await chain.call('requestAirdrop', to, 2_000_000))
  expect(signatures.size).toBe(3)
  const { value } = await chain.call('getBalance', to, { commitment: 'processed' })
  expect(value).toBe(6_000_000)
})
