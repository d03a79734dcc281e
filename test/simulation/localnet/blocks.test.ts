import { expect, test } from 'vitest'
import { startChain } from './localnet.js'
import {
  balanceOf,
  checked,
  lifetime,
  newPayer,
  newWallet,
  signTransfer,
  statusOf,
  unchecked,
} from './transfers.js'

test('a blockhash is valid for exactly 150 blocks', async () => {
  const chain = await startChain()
  const payer = await newPayer(chain)
  const [first, second] = [await newWallet(), await newWallet()]
  const at = await lifetime(chain)
  const now = { commitment: 'processed' }
  const height = await chain.call('getBlockHeight', now)
  expect(at.lastValidBlockHeight).toBe(height + 150)
  const inTime = await signTransfer(chain, { payer, to: first, at })
  const late = await signTransfer(chain, { payer, to: second, at })

  await chain.advance(150)
  await chain.call('sendTransaction', inTime.wire, checked)
  expect(await balanceOf(chain, first)).toBe(1_000_000n)

  await chain.advance(1)
  expect((await chain.call('isBlockhashValid', at.blockhash, now)).value).toBe(false)
  const { error } = await chain.request('sendTransaction', late.wire, checked)
  expect(error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: Blockhash not found',
    data: { err: 'BlockhashNotFound', logs: [] },
  })
  // Without preflight the node cannot know: it accepts the transaction, which never lands.
  expect(await chain.call('sendTransaction', late.wire, unchecked)).toBe(late.signature)
  expect(await statusOf(chain, late.signature, true)).toBeNull()
  expect(await balanceOf(chain, second)).toBe(0n)
})

test('a transaction and its effects are processed, then confirmed, then finalized', async () => {
  const chain = await startChain()
  const payer = await newPayer(chain)
  await chain.advance(40)
  const to = await newWallet()
  const { wire, signature } = await signTransfer(chain, { payer, to })
  await chain.call('sendTransaction', wire, checked)

  const read = async () => ({
    status: (await statusOf(chain, signature)).confirmationStatus,
    processed: await balanceOf(chain, to, 'processed'),
    confirmed: await balanceOf(chain, to, 'confirmed'),
    finalized: await balanceOf(chain, to, 'finalized'),
  })
  const paid = 1_000_000n
  expect(await read()).toEqual({
    status: 'processed',
    processed: paid,
    confirmed: 0n,
    finalized: 0n,
  })
  await chain.advance(1)
  expect(await read()).toEqual({
    status: 'confirmed',
    processed: paid,
    confirmed: paid,
    finalized: 0n,
  })
  await chain.advance(30)
  expect((await read()).finalized).toBe(0n)
  await chain.advance(1)
  expect(await read()).toEqual({
    status: 'finalized',
    processed: paid,
    confirmed: paid,
    finalized: paid,
  })
})

test('history is read at the requested commitment', async () => {
  const chain = await startChain()
  const payer = await newPayer(chain)
  const { wire, signature } = await signTransfer(chain, { payer, to: await newWallet() })
  await chain.call('sendTransaction', wire, checked)
  const options = { encoding: 'base64', maxSupportedTransactionVersion: 0 }
  const read = (commitment: string) =>
    chain.call('getTransaction', signature, { ...options, commitment })
  const listed = async (commitment: string) =>
    (await chain.call('getSignaturesForAddress', payer.address, { commitment })).map(
      (line: { signature: string }) => line.signature,
    )

  await expect(read('processed')).rejects.toMatchObject({ code: -32602 })
  expect(await read('confirmed')).toBeNull()
  expect(await listed('confirmed')).not.toContain(signature)
  await chain.advance(1)
  expect(await read('confirmed')).toMatchObject({ transaction: [wire, 'base64'] })
  expect(await listed('confirmed')).toContain(signature)
  expect(await read('finalized')).toBeNull()
  await chain.advance(31)
  expect(await read('finalized')).toMatchObject({ transaction: [wire, 'base64'] })
  expect(await listed('finalized')).toContain(signature)
})

test('an old status is found only with searchTransactionHistory', async () => {
  const chain = await startChain()
  const payer = await newPayer(chain)
  const { wire, signature } = await signTransfer(chain, { payer, to: await newWallet() })
  await chain.call('sendTransaction', wire, unchecked)
  await chain.advance(300)
  expect(await statusOf(chain, signature)).toMatchObject({ confirmationStatus: 'finalized' })
  await chain.advance(1)
  expect(await statusOf(chain, signature)).toBeNull()
  expect(await statusOf(chain, signature, true)).toMatchObject({ err: null, confirmations: null })
})

// Twenty-six copies, single and in batches, at different heights: the money moves once.
test('the same signed bytes land once, however often they are sent', async () => {
  const chain = await startChain()
  const payer = await newPayer(chain)
  const to = await newWallet()
  const { wire, signature } = await signTransfer(chain, { payer, to })
  const send = { jsonrpc: '2.0', method: 'sendTransaction', params: [wire, unchecked] }
  await chain.post(Array.from({ length: 20 }, (_, id) => ({ ...send, id })))
  for (let copy = 0; copy < 6; copy++) {
    await chain.advance(20)
    expect(await chain.call('sendTransaction', wire, unchecked)).toBe(signature)
  }
  expect(await balanceOf(chain, to)).toBe(1_000_000n)
  const { error } = await chain.request('sendTransaction', wire, checked)
  expect(error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: This transaction has already been processed',
    data: { err: 'AlreadyProcessed' },
  })
})

test('a chain with a block time makes blocks by itself', async () => {
  const chain = await startChain({ slotMs: 10 })
  const height = () => chain.call<number>('getBlockHeight', { commitment: 'processed' })
  const first = await height()
  await expect.poll(height, { interval: 5, timeout: 20_000 }).toBeGreaterThan(first + 3)
})
