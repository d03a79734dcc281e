/**
 * Measures transfers per second on the localnet: inside its process, and over HTTP in batches of
 * 100. Then measures a start that reads a long journal.
 *
 *   node bench/localnet.mjs [transfers]
 */
import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  randomFillSync,
  sign,
} from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base58 } from '@scure/base'
import { address, getAddressEncoder } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { buildWhenNeeded } from '../bin/build-when-needed.mjs'

await buildWhenNeeded()
const { LocalnetChain } = await import('../dist/simulation/localnet/chain/chain.js')
const { openGenesis } = await import('../dist/simulation/localnet/chain/genesis.js')
const { airdrop, mint } = await import('../dist/simulation/localnet/faucet.js')
const { readWire } = await import('../dist/simulation/localnet/server/wire.js')
const { writeLanded } = await import('../dist/simulation/localnet/chain/records.js')
const { verifySignatures } = await import('../dist/simulation/localnet/chain/verify-signatures.js')
const { startLocalnet } = await import('../dist/simulation/localnet/start.js')
const { systemClock } = await import('../dist/base/clock.js')

const count = Number(process.argv[2] ?? 2_000)
const usdc = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  associated: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
}

const bytesOf = (text) => Buffer.from(getAddressEncoder().encode(address(text)))

async function tokenAccountOf(owner) {
  const tokenProgram = TOKEN_PROGRAM_ADDRESS
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: usdc,
    tokenProgram,
  })
  return bytesOf(account)
}

/** Random addresses: recipients do not sign. */
async function makeWallets(howMany) {
  const wallets = []
  for (let made = 0; made < howMany; made++) {
    const key = randomBytes(32)
    wallets.push({ key, account: await tokenAccountOf(base58.encode(key)) })
  }
  return wallets
}

async function makePayer() {
  const pair = generateKeyPairSync('ed25519')
  const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' })
  const key = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const text = base58.encode(key)
  return { key, text, privateKey, account: await tokenAccountOf(text) }
}

const instruction = (program, accounts, data) =>
  Buffer.concat([Buffer.from([program, accounts.length, ...accounts, data.length]), data])

/** A payout like the rail's: memo, token account if missing, transfer. */
function signTransfer(payer, { key, account }, blockhash, amount) {
  const { system, token, associated, memo } = programs
  const others = [key, bytesOf(usdc), ...[system, token, associated, memo].map(bytesOf)]
  const keys = [payer.key, payer.account, account, ...others]
  const transfer = Buffer.alloc(10)
  transfer[0] = 12
  transfer.writeBigUInt64LE(BigInt(amount), 1)
  transfer[9] = 6
  const message = Buffer.concat(
    [
      Buffer.from([1, 0, others.length, keys.length]),
      ...keys,
      blockhash,
      Buffer.from([3]),
      instruction(8, [], Buffer.from(randomBytes(18).toString('base64'))),
      instruction(7, [0, 2, 3, 4, 5, 6], Buffer.from([1])),
      instruction(6, [1, 4, 2, 0], transfer),
    ].map((part) => Buffer.from(part)),
  )
  return Buffer.concat([Buffer.from([1]), sign(null, message, payer.privateKey), message])
}

/** Reports CPU time too: on a shared machine it says more than wall time. */
function stopwatch() {
  const used = process.cpuUsage()
  const started = performance.now()
  return (name, howMany) => {
    const rate = Math.round((howMany / (performance.now() - started)) * 1_000)
    const { user, system } = process.cpuUsage(used)
    const cost = Math.round((user + system) / howMany)
    console.log(`${name.padEnd(48)} ${String(rate).padStart(6)}/s, ${cost} µs CPU each`)
  }
}

/** Offsets of the recipient's token account and wallet in a transfer. */
const recipientOffsets = [65 + 4 + 2 * 32, 65 + 4 + 3 * 32]
let lastSignature

const payer = await makePayer()
const wallets = await makeWallets(count)
const fund = { owner: payer.text, mint: usdc, amount: 10n ** 15n, key: 'bench' }

async function verifyBatch(wires, first) {
  const batch = wires.slice(first, first + 100).map(readWire)
  const isSigned = await Promise.all(batch.map(verifySignatures))
  if (isSigned.includes(false)) throw new Error('a transfer has an invalid signature')
  return batch
}

async function inside(folder) {
  const chain = new LocalnetChain(folder, openGenesis(folder), systemClock)
  airdrop(chain, payer.text, 1_000_000_000_000)
  await mint(chain, [fund])
  for (const kind of ['fresh wallets', 'existing accounts']) {
    const blockhash = Buffer.from(chain.blocks.hashAt(chain.blocks.height), 'latin1')
    const wires = wallets.map((wallet, index) => signTransfer(payer, wallet, blockhash, index + 1))
    const before = chain.transactionCount
    const report = stopwatch()
    // As over HTTP, the next batch is verified while one lands.
    let next = verifyBatch(wires, 0)
    for (let first = 0; first < count; first += 100) {
      const batch = await next
      next = verifyBatch(wires, first + 100)
      for (const transaction of batch) chain.land(transaction, { isVerified: true })
      chain.commit()
    }
    report(`inside the process, ${kind}`, count)
    if (chain.transactionCount - before !== count) throw new Error('not all transfers landed')
    if (kind === 'fresh wallets') lastSignature = readWire(wires.at(-1)).signature
  }
  chain.close()
}

async function overHttp(folder) {
  const chain = await startLocalnet({ folder, slotMs: 100 })
  const call = async (body) => {
    const response = await fetch(chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const rpc = async (method, ...params) =>
    (await call({ jsonrpc: '2.0', id: 1, method, params })).result
  await rpc('requestAirdrop', payer.text, 1_000_000_000_000)
  await rpc('localnet_mint', { ...fund, amount: String(fund.amount) })
  for (const kind of ['fresh wallets', 'existing accounts']) {
    const { value } = await rpc('getLatestBlockhash', { commitment: 'confirmed' })
    const blockhash = Buffer.from(base58.decode(value.blockhash))
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }
    const calls = wallets.map((wallet, index) => {
      const wire = signTransfer(payer, wallet, blockhash, index + 1).toString('base64')
      return { jsonrpc: '2.0', id: index, method: 'sendTransaction', params: [wire, options] }
    })
    const before = (await rpc('getEpochInfo', {})).transactionCount
    const report = stopwatch()
    const batches = []
    for (let first = 0; first < count; first += 100) batches.push(calls.slice(first, first + 100))
    const workers = Array.from({ length: 4 }, async () => {
      for (let batch = batches.pop(); batch; batch = batches.pop()) await call(batch)
    })
    await Promise.all(workers)
    report(`over HTTP in batches of 100, ${kind}`, count)
    const landed = (await rpc('getEpochInfo', {})).transactionCount - before
    if (landed !== count) throw new Error(`${landed} of ${count} transfers landed`)
  }
  await chain.stop()
}

/** Writes copies of one transfer with random addresses: a long history in short time. */
function writeHistory(folder, howMany) {
  const chain = new LocalnetChain(folder, openGenesis(folder), systemClock)
  const pattern = chain.read(chain.find(lastSignature).ordinal)
  const { wire: bytes, slot, time, loaded, changes, hasFailed, meta } = pattern
  const same = { slot, time, loaded, changes, hasFailed, meta, requestKey: '' }
  for (let made = 0; made < howMany; made++) {
    const wire = Buffer.from(bytes)
    randomFillSync(wire, 1, 64)
    for (const offset of recipientOffsets) randomFillSync(wire, offset, 32)
    const owner = wire.subarray(recipientOffsets[1], recipientOffsets[1] + 32)
    for (const { index, state } of changes) if (index === 2) state.data.set(owner, 32)
    chain.journal.append(writeLanded({ ...same, wire }))
    if (made % 1_000 === 0) chain.journal.flush()
  }
  chain.close()
}

const folder = mkdtempSync(join(tmpdir(), 'localnet-bench-'))
const other = mkdtempSync(join(tmpdir(), 'localnet-bench-'))
try {
  await inside(folder)
  await overHttp(other)
  writeHistory(folder, 100_000)
  const megabytes = Math.round(statSync(join(folder, 'journal')).size / 1_000_000)
  const report = stopwatch()
  const chain = new LocalnetChain(folder, openGenesis(folder), systemClock)
  report(
    `start with ${chain.transactionCount} transactions (${megabytes} MB)`,
    chain.transactionCount,
  )
  chain.close()
} finally {
  for (const used of [folder, other]) rmSync(used, { recursive: true, force: true })
}
