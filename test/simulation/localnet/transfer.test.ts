import { expect, test } from 'vitest'
import { createLocalnetPayers } from '../../../src/simulation/embedded-chain.js'
import { type Rpc, startChain } from './localnet.js'
import { balanceOf, newWallet, tokenAccountOf, usdc, usdt } from './transfers.js'

type Outcome = { key: string; signature: string; err: unknown }

const pay = (rpc: Rpc, requests: object | object[]) =>
  rpc.call<Outcome[]>('localnet_transfer', requests)

test('a payer pays by a transfer from a separate account', async () => {
  const chain = await startChain()
  const to = await newWallet()
  const [outcome] = await pay(chain, { to, mint: usdc, amount: '2500000', key: 'deposit_1' })
  expect(outcome).toMatchObject({ key: 'deposit_1', err: null })
  expect(await balanceOf(chain, to)).toBe(2_500_000n)
  await chain.advance(32)
  const account = await tokenAccountOf(to)
  const [line] = await chain.call('getSignaturesForAddress', account)
  expect(line).toMatchObject({ signature: outcome!.signature, err: null, memo: '[9] deposit_1' })
  const { meta } = await chain.call('getTransaction', outcome!.signature, {
    maxSupportedTransactionVersion: 0,
  })
  const owners = meta.postTokenBalances.map(({ owner }: { owner: string }) => owner)
  expect(owners).toContain(to)
  expect(new Set(owners).size).toBe(2)
})

// Concurrent repeats, repeats in one list and repeats after a crash: one payment, one signature. A
// mint with the same key is independent.
test('a key pays at most once', async () => {
  const chain = await startChain()
  const to = await newWallet()
  const request = { to, mint: usdt, amount: 7, key: 'once' }
  await chain.call('localnet_mint', { ...request, owner: to, amount: 100 })
  const first = await Promise.all([pay(chain, [request, request]), pay(chain, request)])
  await chain.kill()
  const again = await startChain({ folder: chain.folder })
  const outcomes = [...first.flat(), ...(await pay(again, request))]
  expect(new Set(outcomes.map(({ signature }) => signature)).size).toBe(1)
  const account = await tokenAccountOf(to, usdt)
  const { value } = await again.call('getTokenAccountBalance', account, { commitment: 'processed' })
  expect(value.amount).toBe('107')
})

test('equal payments with different keys are separate, and are awaited', async () => {
  const chain = await startChain({ slotMs: 10 })
  const payers = createLocalnetPayers(chain.url)
  const address = await newWallet()
  const deposit = (key: string) =>
    payers.deposit({ key, address, asset: 'USDC', amount: 5_000_000n })
  const signatures = await Promise.all([deposit('a'), deposit('b'), deposit('a')])
  expect(new Set(signatures).size).toBe(2)
  expect(await balanceOf(chain, address, 'confirmed')).toBe(10_000_000n)
  const invalid = payers.deposit({ key: 'c', address: 'invalid', asset: 'USDC', amount: 1n })
  await expect(invalid).rejects.toThrow('localnet_transfer failed')
})
