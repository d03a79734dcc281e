import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, type Rpc, startChain } from './localnet.js'
import {
  balanceOf,
  checked,
  newPayer,
  newWallet,
  type Signed,
  signTransfer,
  statusOf,
  unchecked,
  usdc,
} from './transfers.js'

const journalOf = (folder: string) => path.join(folder, 'journal')

async function signMany(rpc: Rpc, count: number): Promise<(Signed & { to: string })[]> {
  const payer = await newPayer(rpc)
  const signed: (Signed & { to: string })[] = []
  for (let made = 0; made < count; made++) {
    const to = await newWallet()
    signed.push({ ...(await signTransfer(rpc, { payer, to })), to })
  }
  return signed
}

// The process is killed in the middle of a burst. Acknowledged transactions must have landed after
// a restart and must not land a second time.
test('acknowledged transactions survive kill -9 and cannot land again', async () => {
  const chain = await startChain()
  const signed = await signMany(chain, 40)
  const acknowledged = new Set<string>()
  const sends = signed.map(async ({ wire, signature }, index) => {
    await chain.call('sendTransaction', wire, unchecked)
    acknowledged.add(signature)
    if (index === 20) await chain.kill()
  })
  await Promise.allSettled(sends)
  await chain.ended
  expect(acknowledged.size).toBeGreaterThan(0)

  const again = await startChain({ folder: chain.folder })
  expect(again.genesisHash).toBe(chain.genesisHash)
  for (const { to, wire, signature } of signed) {
    const before = await balanceOf(again, to)
    if (acknowledged.has(signature)) expect(before).toBe(1_000_000n)
    const status = await statusOf(again, signature, true)
    expect(status !== null).toBe(before === 1_000_000n)
    await again.call('sendTransaction', wire, unchecked)
    // Landed once, before the crash or now.
    expect(await balanceOf(again, to)).toBe(1_000_000n)
  }
})

test('a restart keeps balances, history and rent, and heights only increase', async () => {
  const chain = await startChain()
  const [one] = await signMany(chain, 1)
  await chain.call('sendTransaction', one!.wire, checked)
  await chain.advance(40)
  const options = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 }
  const readState = async (rpc: Rpc) => ({
    transaction: await rpc.call('getTransaction', one!.signature, options),
    lines: await rpc.call('getSignaturesForAddress', usdc),
    accounts: (await rpc.call('getTokenAccountsByOwner', one!.to, { mint: usdc }, options)).value,
    supply: (await rpc.call('getTokenSupply', usdc)).value,
    genesis: await rpc.call('getGenesisHash'),
  })
  const before = await readState(chain)
  const height = await chain.call('getBlockHeight', { commitment: 'processed' })
  expect(before.accounts).toHaveLength(1)

  await chain.kill()
  const crashed = await startChain({ folder: chain.folder })
  expect(await readState(crashed)).toEqual(before)
  const higher = await crashed.call('getBlockHeight', { commitment: 'processed' })
  expect(higher).toBeGreaterThan(height)

  await crashed.stop()
  const stopped = await startChain({ folder: chain.folder })
  expect(await readState(stopped)).toEqual(before)
  expect(await stopped.call('getBlockHeight', { commitment: 'processed' })).toBe(higher + 1)
})

test('heights and blockhashes never repeat after crashes', async () => {
  const folder = newFolder()
  const seen: string[] = []
  let last = 0
  for (let run = 0; run < 3; run++) {
    const chain = await startChain({ folder })
    for (let block = 0; block < 3; block++) {
      await chain.advance()
      const { value } = await chain.call('getLatestBlockhash', { commitment: 'processed' })
      expect(value.lastValidBlockHeight).toBeGreaterThan(last)
      last = value.lastValidBlockHeight
      seen.push(value.blockhash)
    }
    await chain.kill()
  }
  expect(new Set(seen).size).toBe(9)
})

test('a record that was cut short by a crash is truncated', async () => {
  const chain = await startChain()
  const [kept, torn] = await signMany(chain, 2)
  await chain.call('sendTransaction', kept!.wire, unchecked)
  const whole = statSync(journalOf(chain.folder)).size
  await chain.call('sendTransaction', torn!.wire, unchecked)
  await chain.kill()
  truncateSync(journalOf(chain.folder), statSync(journalOf(chain.folder)).size - 7)

  const again = await startChain({ folder: chain.folder })
  expect(await balanceOf(again, kept!.to)).toBe(1_000_000n)
  expect(await balanceOf(again, torn!.to)).toBe(0n)
  // The same bytes can land now, and the journal continues from there.
  await again.call('sendTransaction', torn!.wire, checked)
  await again.kill()
  expect(statSync(journalOf(chain.folder)).size).toBeGreaterThan(whole)
  const third = await startChain({ folder: chain.folder })
  expect(await balanceOf(third, torn!.to)).toBe(1_000_000n)
})

test('zeros after a power cut are truncated; damage before the end is refused', async () => {
  const chain = await startChain()
  const [one] = await signMany(chain, 1)
  await chain.call('sendTransaction', one!.wire, unchecked)
  await chain.kill()
  const journal = journalOf(chain.folder)
  appendFileSync(journal, Buffer.alloc(4_096))
  const again = await startChain({ folder: chain.folder })
  expect(await balanceOf(again, one!.to)).toBe(1_000_000n)
  await again.kill()

  const bytes = readFileSync(journal)
  bytes[100]! ^= 0xff
  writeFileSync(journal, bytes)
  await expect(startChain({ folder: chain.folder })).rejects.toThrow(/did not start/)
})

test('a folder is locked by one process, and its key file is private', async () => {
  const chain = await startChain()
  await expect(startChain({ folder: chain.folder })).rejects.toThrow(/did not start/)
  expect(statSync(path.join(chain.folder, 'genesis.json')).mode & 0o777).toBe(0o600)
  const other = await startChain()
  expect(other.genesisHash).not.toBe(chain.genesisHash)
})
