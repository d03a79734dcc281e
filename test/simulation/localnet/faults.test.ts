import { beforeEach, expect, test } from 'vitest'
import { rpcAt, setFaults, shareChain, startChain, type TestChain } from './localnet.js'
import {
  balanceOf,
  checked,
  newPayer,
  newWallet,
  signTransfer,
  statusOf,
  unchecked,
} from './transfers.js'

const shared = shareChain()
beforeEach(() => setFaults(shared()))

async function prepare(chain: TestChain, memo?: string) {
  const payer = await newPayer(chain)
  const to = await newWallet()
  const signed = await signTransfer(chain, { payer, to, ...(memo && { memo }) })
  return { payer, to, ...signed }
}

test('a dropped transaction is accepted and never lands; sent again after the rule, it does', async () => {
  const chain = shared()
  const { to, wire, signature } = await prepare(chain, 'lost one')
  await setFaults(chain, { match: { memo: 'lost one' }, fault: 'drop', times: 1 })
  expect(await chain.call('sendTransaction', wire, checked)).toBe(signature)
  await chain.advance(5)
  expect(await statusOf(chain, signature, true)).toBeNull()
  await chain.call('sendTransaction', wire, checked)
  expect(await balanceOf(chain, to)).toBe(1_000_000n)
})

test('a delayed transaction lands after its slots, unless it is too old by then', async () => {
  const chain = shared()
  const { to, wire, signature } = await prepare(chain)
  await setFaults(chain, { match: { signature }, fault: 'delay', slots: 3 })
  await chain.call('sendTransaction', wire, unchecked)
  await chain.call('sendTransaction', wire, unchecked)
  await chain.advance(2)
  expect(await balanceOf(chain, to)).toBe(0n)
  await chain.advance(1)
  expect(await balanceOf(chain, to)).toBe(1_000_000n)

  const late = await prepare(chain)
  await setFaults(chain, { match: { any: true }, fault: 'delay', slots: 151 })
  await chain.call('sendTransaction', late.wire, unchecked)
  await chain.advance(151)
  expect(await statusOf(chain, late.signature, true)).toBeNull()
})

test('a failing transaction lands with an error, pays its fee and moves nothing', async () => {
  const chain = shared()
  const { payer, to, wire, signature } = await prepare(chain)
  await setFaults(chain, { match: { account: to }, fault: 'fail' })
  const lamports = async () =>
    (await chain.call('getBalance', payer.address, { commitment: 'processed' })).value
  const before = await lamports()
  expect(await chain.call('sendTransaction', wire, checked)).toBe(signature)
  const err = { InstructionError: [2, { Custom: 1 }] }
  expect(await statusOf(chain, signature)).toMatchObject({ err, status: { Err: err } })
  expect(await balanceOf(chain, to)).toBe(0n)
  expect(await lamports()).toBe(before - 5_000)
  await chain.advance(32)
  const options = { maxSupportedTransactionVersion: 0 }
  const { meta } = await chain.call('getTransaction', signature, options)
  expect(meta).toMatchObject({ err, fee: 5_000 })
  expect(meta.preBalances[0] - meta.postBalances[0]).toBe(5_000)
})

test('a lost reply is an internal error for a transaction that landed', async () => {
  const chain = shared()
  const { to, wire } = await prepare(chain)
  await setFaults(chain, { match: { any: true }, fault: 'lose_reply', times: 1 })
  const { error } = await chain.request('sendTransaction', wire, unchecked)
  expect(error).toMatchObject({ code: -32603 })
  expect(await balanceOf(chain, to)).toBe(1_000_000n)
})

test('a rate limit is HTTP 429 before any call runs, also for a whole batch', async () => {
  const chain = shared()
  const [one, two] = [await prepare(chain), await prepare(chain)]
  await setFaults(chain, { match: { account: two.to }, fault: 'rate_limit', times: 1 })
  const batch = [one, two].map(({ wire }, id) => {
    return { jsonrpc: '2.0', id, method: 'sendTransaction', params: [wire, unchecked] }
  })
  expect((await chain.post(batch)).status).toBe(429)
  expect(await balanceOf(chain, one.to)).toBe(0n)
  expect((await chain.post(batch)).status).toBe(200)
  expect(await balanceOf(chain, two.to)).toBe(1_000_000n)

  await setFaults(chain, { match: { any: true }, fault: 'rate_limit' })
  await expect(chain.call('getSlot')).rejects.toThrow('HTTP 429')
  await setFaults(chain)
  expect(await chain.call('getSlot')).toBeGreaterThan(0)
})

test('permanent rules apply to every node and cannot be removed', async () => {
  const magic = await newWallet()
  const chain = await startChain({ rules: [{ match: { account: magic }, fault: 'drop' }] })
  const payer = await newPayer(chain)
  await setFaults(chain)
  const other = rpcAt((await chain.call('localnet_openNode', {})).url)
  for (const node of [chain, other]) {
    const { wire } = await signTransfer(chain, { payer, to: magic })
    await node.call('sendTransaction', wire, checked)
  }
  expect(await balanceOf(chain, magic)).toBe(0n)
})

test('a rule for one transaction overrides permanent rules until it is used up', async () => {
  const magic = await newWallet()
  const chain = await startChain({ rules: [{ match: { account: magic }, fault: 'drop' }] })
  const payer = await newPayer(chain)
  const send = async (memo: string) => {
    const { wire, signature } = await signTransfer(chain, { payer, to: magic, memo })
    await chain.call('sendTransaction', wire, unchecked)
    return statusOf(chain, signature)
  }
  await setFaults(
    chain,
    { match: { memo: 'spared' }, fault: 'spare' },
    { match: { memo: 'failing' }, fault: 'fail' },
    { match: { memo: 'late once' }, fault: 'delay', slots: 1, times: 1 },
  )
  expect(await send('another')).toBeNull()
  expect(await send('spared')).toMatchObject({ err: null })
  expect(await send('failing')).toMatchObject({ err: { InstructionError: expect.anything() } })
  expect(await send('late once')).toBeNull()
  await chain.advance(1)
  expect(await balanceOf(chain, magic)).toBe(2_000_000n)
  expect(await send('late once')).toBeNull()
  await chain.advance(1)
  expect(await balanceOf(chain, magic)).toBe(2_000_000n)
})

test('a delayed transaction is discarded when its repeat is dropped', async () => {
  const chain = shared()
  const { to, wire } = await prepare(chain, 'given up')
  await setFaults(chain, { match: { memo: 'given up' }, fault: 'delay', slots: 3 })
  await chain.call('sendTransaction', wire, unchecked)
  await setFaults(chain, { match: { memo: 'given up' }, fault: 'drop' })
  await chain.call('sendTransaction', wire, unchecked)
  await chain.advance(5)
  expect(await balanceOf(chain, to)).toBe(0n)
})

test('a lagging node is some slots behind in every response', async () => {
  const chain = shared()
  await chain.advance(50)
  const { url } = await chain.call('localnet_openNode', {
    rules: [{ fault: 'lag', slots: 20 }],
  })
  const behind = rpcAt(url)
  const { payer, to, wire, signature } = await prepare(chain)
  await chain.call('sendTransaction', wire, checked)
  const now = { commitment: 'processed' }
  const slot = await chain.call('getSlot', now)
  expect(await behind.call('getSlot', now)).toBe(slot - 20)
  expect(await statusOf(behind, signature)).toBeNull()
  expect(await balanceOf(behind, to)).toBe(0n)
  expect(await behind.request('getBalance', to, { ...now, minContextSlot: slot })).toMatchObject({
    error: { code: -32016, data: { contextSlot: slot - 20 } },
  })
  // It does not know the newest blockhash, but forwards transactions without preflight.
  const next = await signTransfer(chain, { payer, to })
  expect(await behind.request('sendTransaction', next.wire, checked)).toMatchObject({
    error: { code: -32002, data: { err: 'BlockhashNotFound' } },
  })
  await behind.call('sendTransaction', next.wire, unchecked)
  expect(await balanceOf(chain, to)).toBe(2_000_000n)

  await chain.advance(20)
  expect(await statusOf(behind, signature)).toMatchObject({ confirmationStatus: 'processed' })
  expect(await balanceOf(behind, to)).toBe(2_000_000n)
  await setFaults(behind, { match: { any: true }, fault: 'lag', slots: 129 })
  expect(await behind.request('getHealth')).toMatchObject({
    error: { code: -32005, message: 'Node is behind by 129 slots', data: { numSlotsBehind: 129 } },
  })
  expect(await chain.call('getHealth')).toBe('ok')
})

test('a node that forgets a transaction hides it, while other nodes return it', async () => {
  const chain = shared()
  const { url, port } = await chain.call('localnet_openNode', {})
  const forgetful = rpcAt(url)
  const { to, payer, wire, signature } = await prepare(chain, 'unseen')
  await setFaults(forgetful, { match: { memo: 'unseen' }, fault: 'forget' })
  await forgetful.call('sendTransaction', wire, checked)
  await chain.advance(32)
  const options = { maxSupportedTransactionVersion: 0 }
  const visible = async (node: typeof forgetful) => ({
    status: (await statusOf(node, signature, true)) !== null,
    transaction: (await node.call('getTransaction', signature, options)) !== null,
    listed: (await node.call('getSignaturesForAddress', payer.address)).some(
      (line: { signature: string }) => line.signature === signature,
    ),
  })
  expect(await visible(forgetful)).toEqual({ status: false, transaction: false, listed: false })
  expect(await visible(chain)).toEqual({ status: true, transaction: true, listed: true })
  expect(await balanceOf(forgetful, to)).toBe(1_000_000n)
  expect(await chain.call('localnet_closeNode', { port })).toBe(true)
  await expect(forgetful.call('getSlot')).rejects.toThrow('fetch failed')
})

test('invalid rules are refused', async () => {
  const chain = shared()
  const wrong = [
    { match: { any: true }, fault: 'explode' },
    { match: {}, fault: 'drop' },
    { match: { account: 'xyz' }, fault: 'drop' },
    { fault: 'lag', slots: 1_000 },
  ]
  for (const rule of wrong)
    expect((await chain.request('localnet_setFaults', [rule])).error?.code).toBe(-32602)
})
