import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import { describe, expect, test } from 'vitest'
import { shareChain } from './localnet.js'
import {
  checked,
  lifetime,
  newPayer,
  newWallet,
  sign,
  signTransfer,
  statusOf,
  tokenAccountOf,
  unchecked,
  usdc,
} from './transfers.js'

/** Clients depend on Agave's formats, codes and messages. */

const now = { commitment: 'processed' }
const unknown = '5'.repeat(88)
const shared = shareChain()

describe('errors', () => {
  test('caller errors have the codes of Agave', async () => {
    const chain = shared()
    const wallet = await newWallet()
    const cases: [string, unknown[], object][] = [
      ['noSuchMethod', [], { code: -32601, message: 'Method not found' }],
      ['getBalance', ['xyz'], { code: -32602, message: 'Invalid param: WrongSize' }],
      ['getBalance', ['0OIl'], { code: -32602, message: 'Invalid param: Invalid' }],
      ['getBalance', [], { code: -32602 }],
      ['getBalance', [wallet, { commitment: 'sure' }], { code: -32602 }],
      ['getTransaction', [wallet], { code: -32602, message: 'Invalid param: WrongSize' }],
      ['getTokenAccountBalance', [wallet], { message: 'Invalid param: could not find account' }],
      ['getTokenAccountBalance', [usdc], { message: 'Invalid param: not a Token account' }],
      ['getMultipleAccounts', [Array(101).fill(wallet)], { code: -32602 }],
      ['getSignatureStatuses', [Array(257).fill(unknown)], { code: -32602 }],
      ['getSignaturesForAddress', [wallet, { limit: 1_001 }], { code: -32602 }],
      ['getSlot', [{ minContextSlot: 1e9 }], { code: -32016 }],
      ['sendTransaction', ['AAAA', { encoding: 'base64' }], { code: -32602 }],
      ['sendTransaction', ['A'.repeat(1_648), { encoding: 'base64' }], { code: -32602 }],
      ['sendTransaction', ['AAAA', { encoding: 'hex' }], { code: -32602 }],
    ]
    for (const [method, params, error] of cases)
      expect(await chain.request(method, ...params)).toMatchObject({ error })
  })

  test('a failed preflight returns the reason and logs, and nothing lands', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const to = await newWallet()
    const over = await signTransfer(chain, { payer, to, amount: 10n ** 12n })
    const err = { InstructionError: [2, { Custom: 1 }] }
    const { error } = await chain.request('sendTransaction', over.wire, checked)
    expect(error).toMatchObject({
      code: -32002,
      message:
        'Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1',
      data: { err, accounts: null, returnData: null },
    })
    expect(error?.data?.logs).toContain('Program log: Error: insufficient funds')
    expect(error?.data?.unitsConsumed).toBeGreaterThan(0)
    expect(await statusOf(chain, over.signature)).toBeNull()

    // Without preflight, the same bytes land as a failure and pay their fee.
    await chain.call('sendTransaction', over.wire, unchecked)
    expect(await statusOf(chain, over.signature)).toMatchObject({ err, status: { Err: err } })
  })

  test('a forged signature is refused, and never lands without preflight', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const { wire } = await signTransfer(chain, { payer, to: await newWallet() })
    const bytes = Buffer.from(wire, 'base64')
    bytes[5]! ^= 1
    const forged = bytes.toString('base64')
    expect(await chain.request('sendTransaction', forged, checked)).toMatchObject({
      error: { code: -32003, message: 'Transaction signature verification failure' },
    })
    const signature = await chain.call('sendTransaction', forged, unchecked)
    expect(await statusOf(chain, signature, true)).toBeNull()
    const simulate = (options: object) =>
      chain.request('simulateTransaction', forged, { encoding: 'base64', ...now, ...options })
    expect(await simulate({ sigVerify: true })).toMatchObject({ error: { code: -32003 } })
    expect(await simulate({})).toMatchObject({ result: { value: { err: null } } })
  })

  test('version 0 requires maxSupportedTransactionVersion', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const { wire, signature } = await signTransfer(chain, { payer, to: await newWallet() })
    await chain.call('sendTransaction', wire, unchecked)
    await chain.advance(32)
    expect(await chain.request('getTransaction', signature)).toMatchObject({
      error: { code: -32015, message: expect.stringContaining('Transaction version (0)') },
    })
  })
})

describe('HTTP', () => {
  test('invalid bodies get specific errors, and batches keep their order', async () => {
    const chain = shared()
    const post = async (body: unknown) => (await chain.post(body)).json()
    const text = await fetch(chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    })
    expect(await text.json()).toMatchObject({ error: { code: -32700 }, id: null })
    expect(await post([])).toMatchObject({ error: { code: -32600 } })
    const calls = ['getHealth', 'nothing', 'getGenesisHash'].map((method, id) => {
      return { jsonrpc: '2.0', id, method }
    })
    expect(await post(calls)).toEqual([
      { jsonrpc: '2.0', id: 0, result: 'ok' },
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 2, result: chain.genesisHash },
    ])
    expect((await chain.post(calls, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await fetch(chain.url)).status).toBe(405)
    expect((await fetch(`${chain.url}/health`)).status).toBe(200)
  })
})

describe('shapes', () => {
  test('a transfer includes balances before and after, fee and memo', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const to = await newWallet()
    const account = await tokenAccountOf(to)
    const { wire, signature } = await signTransfer(chain, { payer, to, memo: 'ref 1' })
    await chain.call('sendTransaction', wire, checked)
    await chain.advance(32)
    const [line] = await chain.call('getSignaturesForAddress', account)
    expect(line).toEqual({
      signature,
      err: null,
      memo: '[5] ref 1',
      confirmationStatus: 'finalized',
      slot: expect.any(Number),
      blockTime: expect.any(Number),
    })
    const options = { maxSupportedTransactionVersion: 0 }
    const { meta, transaction, version, slot } = await chain.call(
      ...(['getTransaction', signature, options] as const),
    )
    expect({ version, slot }).toEqual({ version: 0, slot: line.slot })
    expect(transaction.signatures).toEqual([signature])
    const { accountKeys, header } = transaction.message
    expect(header.numRequiredSignatures).toBe(1)
    expect(accountKeys[0]).toBe(payer.address)
    const index = accountKeys.indexOf(account)
    expect(meta.preBalances[index]).toBe(0)
    expect(meta.postBalances[index]).toBe(2_039_280)
    expect(meta.preBalances[0] - meta.postBalances[0]).toBe(2_039_280 + 5_000)
    const amounts = (list: { accountIndex: number; uiTokenAmount: { amount: string } }[]) =>
      list.map(({ accountIndex, uiTokenAmount }) => [
        accountKeys[accountIndex],
        uiTokenAmount.amount,
      ])
    const source = await tokenAccountOf(payer.address)
    expect(amounts(meta.preTokenBalances)).toEqual([[source, '1000000000']])
    expect(amounts(meta.postTokenBalances)).toEqual(
      expect.arrayContaining([
        [source, '999000000'],
        [account, '1000000'],
      ]),
    )
    expect(meta).toMatchObject({ err: null, status: { Ok: null }, fee: 5_000, rewards: [] })
    expect(meta.loadedAddresses).toEqual({ writable: [], readonly: [] })
  })

  test('accounts are returned in every encoding, with an exact rentEpoch', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const account = await tokenAccountOf(payer.address)
    const show = async (encoding: string) =>
      (await chain.call('getAccountInfo', account, { ...now, encoding })).value
    const raw = await show('base64')
    expect(raw).toMatchObject({ lamports: 2_039_280, executable: false, space: 165 })
    expect(Buffer.from(raw.data[0], 'base64').readBigUInt64LE(64)).toBe(1_000_000_000n)
    expect((await show('jsonParsed')).data.parsed).toMatchObject({
      type: 'account',
      info: { mint: usdc, owner: payer.address, state: 'initialized', isNative: false },
    })
    expect((await chain.request('getAccountInfo', account, now)).error?.code).toBe(-32600)
    const slice = { ...now, encoding: 'base58', dataSlice: { offset: 32, length: 32 } }
    const cut = await chain.call('getAccountInfo', account, slice)
    expect(cut.value.data).toEqual([payer.address, 'base58'])
    const body = { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [account, slice] }
    expect(await (await chain.post(body)).text()).toContain('"rentEpoch":18446744073709551615')
    const two = [usdc, await newWallet()]
    const parsed = { ...now, encoding: 'jsonParsed' }
    const { value } = await chain.call('getMultipleAccounts', two, parsed)
    expect(value[0].data.parsed).toMatchObject({ type: 'mint', info: { decimals: 6 } })
    expect(value[1]).toBeNull()
  })

  test('fees equal those the VM charges, priority fees included', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const to = await newWallet()
    const { wire, signature } = await sign(payer, await lifetime(chain), [
      getSetComputeUnitLimitInstruction({ units: 10_001 }),
      getSetComputeUnitPriceInstruction({ microLamports: 1_234_567 }),
      getTransferSolInstruction({ source: payer, destination: to, amount: 5_000_000 }),
    ])
    const message = Buffer.from(wire, 'base64').subarray(65).toString('base64')
    const expected = 5_000 + Math.ceil((10_001 * 1_234_567) / 1_000_000)
    expect((await chain.call('getFeeForMessage', message, now)).value).toBe(expected)
    await chain.call('sendTransaction', wire, checked)
    const { value } = await chain.call('getBalance', payer.address, now)
    expect(value).toBe(1_000_000_000 - 5_000_000 - expected)
    await chain.advance(32)
    const options = { maxSupportedTransactionVersion: 0 }
    expect((await chain.call('getTransaction', signature, options)).meta.fee).toBe(expected)
  })

  test('a simulation can replace the blockhash and return accounts, without effect', async () => {
    const chain = shared()
    const payer = await newPayer(chain)
    const to = await newWallet()
    const account = await tokenAccountOf(to)
    const { wire, signature } = await signTransfer(chain, { payer, to })
    await chain.advance(151)
    const simulate = async (options: object) =>
      (await chain.call('simulateTransaction', wire, { encoding: 'base64', ...now, ...options }))
        .value
    expect((await simulate({})).err).toBe('BlockhashNotFound')
    const accounts = { addresses: [account], encoding: 'jsonParsed' }
    const value = await simulate({ replaceRecentBlockhash: true, accounts })
    expect(value).toMatchObject({ err: null, logs: expect.any(Array) })
    expect(value.replacementBlockhash.blockhash).not.toBe(value.blockhash)
    expect(value.accounts[0].data.parsed.info.tokenAmount.amount).toBe('1000000')
    expect(await statusOf(chain, signature)).toBeNull()
    expect((await chain.call('getAccountInfo', account, now)).value).toBeNull()
  })

  test('the history of an address is paged, newest first', async () => {
    const chain = shared()
    const to = await newWallet()
    const sent: string[] = []
    for (let airdrop = 0; airdrop < 5; airdrop++)
      sent.push(await chain.call('requestAirdrop', to, 2e6))
    await chain.advance(32)
    const list = async (options: object) =>
      (await chain.call('getSignaturesForAddress', to, options)).map(
        (line: { signature: string }) => sent.indexOf(line.signature),
      )
    expect(await list({})).toEqual([4, 3, 2, 1, 0])
    expect(await list({ limit: 2 })).toEqual([4, 3])
    expect(await list({ limit: 2, before: sent[3] })).toEqual([2, 1])
    expect(await list({ until: sent[1] })).toEqual([4, 3, 2])
    expect(await list({ before: sent[4], until: sent[1] })).toEqual([3, 2])
    expect(await list({ before: unknown })).toEqual([])
  })

  test('small methods return the right format', async () => {
    const chain = shared()
    expect(await chain.call('getVersion')).toHaveProperty('solana-core')
    expect(await chain.call('getMinimumBalanceForRentExemption', 165)).toBe(2_039_280)
    const fees = await chain.call('getRecentPrioritizationFees', [usdc])
    expect(fees.at(-1)).toEqual({ slot: await chain.call('getSlot', now), prioritizationFee: 0 })
    expect(await chain.call('getFirstAvailableBlock')).toBe(0)
    const epoch = await chain.call('getEpochInfo', now)
    expect(epoch.blockHeight).toBe(await chain.call('getBlockHeight', now))
    expect(epoch.absoluteSlot).toBe(await chain.call('getSlot', now))
    expect(epoch.blockHeight).toBeLessThan(epoch.absoluteSlot)
  })
})
