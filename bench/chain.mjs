import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { base58 } from '@scure/base'
import { callLocalnet, createCoinMint, giveLamports } from '../dist/simulation/embedded-chain.js'
import { startLocalnet } from '../dist/simulation/localnet/start.js'

/** A localnet with a funded treasury and a recipient. */
export async function openChain(folder) {
  const chainFolder = path.join(folder, 'chain')
  mkdirSync(chainFolder, { recursive: true })
  const localnet = await startLocalnet({ folder: chainFolder, slotMs: 100 })
  const { seed, publicKey } = makeKey()
  const keyFile = path.join(folder, 'treasury.json')
  writeFileSync(keyFile, JSON.stringify([...seed, ...publicKey]), { mode: 0o600 })
  const treasuryAddress = base58.encode(publicKey)
  await giveLamports(localnet.url, treasuryAddress)
  const mint = createCoinMint(localnet.url, { treasuryAddress })
  await mint.mintAll([{ key: randomUUID(), asset: 'USDC', amount: 10n ** 15n }])
  // A wallet with a token account, as most recipients have; the stub chain could not create one.
  const wallet = base58.encode(makeKey().publicKey)
  const walletMint = createCoinMint(localnet.url, { treasuryAddress: wallet })
  await walletMint.mintAll([{ key: randomUUID(), asset: 'USDC', amount: 1n }])
  const countLanded = async () =>
    (await callLocalnet(localnet.url, 'getEpochInfo', [])).transactionCount
  return {
    ...localnet,
    wallet,
    countLanded,
    /** Configuration of a server that uses this treasury through the given endpoint. */
    configFor: (url) => ({ SOLANA_TEST_RPC_URLS: url, SOLANA_TEST_KEY_FILE: keyFile }),
    async waitUntilIdle() {
      for (let before = -1, now = 0; now !== before; ) {
        before = now
        await sleep(300)
        now = await countLanded()
      }
    },
  }
}

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    seed: privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  }
}
