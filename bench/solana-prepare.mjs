/**
 * Payouts per second that the Solana rail signs, to known wallets and to wallets whose token account
 * it must look up first; then how many it sends to the embedded chain.
 *
 *   node bench/solana-prepare.mjs [payouts]
 */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base58 } from '@scure/base'
import { buildWhenNeeded } from '../bin/build-when-needed.mjs'

await buildWhenNeeded()
const { startLocalnet } = await import('../dist/simulation/localnet/start.js')
const { createSolanaRail } = await import('../dist/rails/solana/rail.js')
const { createKeySigner } = await import('../dist/rails/solana/keys/signer.js')
const { createLogger } = await import('../dist/base/log.js')
const { Secret } = await import('../dist/base/secret.js')
const { systemClock } = await import('../dist/base/clock.js')

const count = Number(process.argv[2] ?? 10_000)
const batch = 256

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  return Buffer.concat([seed, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])
}

let numbers = 0
function newInstructions(wallets) {
  return wallets.map((address) => {
    numbers += 1
    const reference = `ctr_${String(numbers).padStart(20, '0')}`
    return { asset: 'USDC', amount: 1n, destination: { kind: 'wallet', address }, reference }
  })
}

async function measure(name, items, run) {
  const groups = []
  for (let first = 0; first < items.length; first += batch)
    groups.push(items.slice(first, first + batch))
  const cpu = process.cpuUsage()
  const started = performance.now()
  const results = []
  for (const group of groups) results.push(...((await run(group)) ?? []))
  const milliseconds = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const rate = Math.round((items.length / milliseconds) * 1_000)
  const each = Math.round((user + system) / items.length)
  console.log(
    `${name.padEnd(36)} ${String(rate).padStart(7)} /s ${String(each).padStart(6)} µs CPU`,
  )
  return results
}

const folder = mkdtempSync(join(tmpdir(), 'solana-bench-'))
const chain = await startLocalnet({ folder, slotMs: 100 })
const signer = createKeySigner(new Secret(base58.encode(newKey())))
const rail = await createSolanaRail({
  endpoints: [chain.url],
  signer,
  clock: systemClock,
  logger: createLogger('warn'),
  isEmbedded: true,
  network: 'not-mainnet',
  openPayouts: { sum: async () => 0n, list: async () => ({ total: 0n, largest: [] }) },
})
const call = (method, ...params) =>
  fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
await call('requestAirdrop', signer.address, 1_000_000_000_000)
await call('localnet_mint', { owner: signer.address, mint, amount: '1000000000000', key: 'bench' })

try {
  const wallets = Array.from({ length: count }, () => base58.encode(newKey().subarray(32)))
  await measure('prepared, unknown wallets', newInstructions(wallets), rail.prepare)
  const known = newInstructions(wallets)
  const prepared = await measure('prepared, known wallets', known, rail.prepare)
  const attempts = prepared.map((each, index) => ({ ...known[index], ...each }))
  await measure('sent, fresh wallets', attempts, rail.send)
  await measure('inspected, not cached', newInstructions(wallets), rail.inspect)
  await measure('inspected, cached', newInstructions(wallets), rail.inspect)
  await measure('checked', attempts, rail.check)
} finally {
  await rail.stop()
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
}
