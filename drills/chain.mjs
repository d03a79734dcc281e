import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { makeKeyBytes } from '../dist/rails/ed25519.js'
import { makeMnemonic } from '../dist/rails/solana/keys/seed.js'
import { openKeyFile } from '../dist/rails/solana/keys/signer.js'
import { mainnetMints } from '../dist/rails/solana/programs.js'
import { callLocalnet, createCoinMint, giveLamports } from '../dist/simulation/embedded-chain.js'
import { startLocalnet } from '../dist/simulation/localnet/start.js'
import { waitUntil } from './wait-until.mjs'

const finalMs = 60_000
/** A blockhash lives for 150 blocks: 30 seconds, so that some payouts need a new signature. */
const slotMs = 200
const pageSize = 1_000
/** The chain writes it into the memo of the transaction that mints. */
const mintKey = 'minted-for-the-drill'

/** The chain of test mode in its own process, outside the database that fails. */
export async function startChain(site) {
  const folder = path.join(site.folder, 'chain')
  mkdirSync(folder)
  const localnet = await startLocalnet({ folder, slotMs })
  const keyFile = path.join(site.folder, 'treasury.json')
  writeFileSync(keyFile, JSON.stringify([...makeKeyBytes()]), { mode: 0o600 })
  const seedFile = path.join(site.folder, 'seed.txt')
  writeFileSync(seedFile, `${makeMnemonic().reveal()}\n`, { mode: 0o600 })
  const treasuryAddress = openKeyFile(keyFile).address
  await giveLamports(localnet.url, treasuryAddress)
  return new Chain(localnet, { keyFile, seedFile, treasuryAddress })
}

class Chain {
  #localnet
  #treasuryAddress

  constructor(localnet, { keyFile, seedFile, treasuryAddress }) {
    this.#localnet = localnet
    this.#treasuryAddress = treasuryAddress
    this.env = {
      SOLANA_TEST_RPC_URLS: localnet.url,
      SOLANA_TEST_KEY_FILE: keyFile,
      SOLANA_TEST_SEED_FILE: seedFile,
    }
  }

  /** Puts USDC into the hot wallet, in its smallest unit. */
  async mint(amount) {
    const rail = { treasuryAddress: this.#treasuryAddress }
    const mint = createCoinMint(this.#localnet.url, rail, { waitsForBlock: true })
    await mint.mintAll([{ key: mintKey, asset: 'USDC', amount }])
  }

  /** USDC in the hot wallet, in its smallest unit. */
  async readTreasury() {
    const account = await this.#tokenAccount()
    const { value } = await this.#call('getTokenAccountBalance', account)
    return BigInt(value.amount)
  }

  /** Memos of every transaction that moved USDC of the hot wallet, except the one that minted it. */
  async listMemos(commitment = 'confirmed') {
    const account = await this.#tokenAccount()
    const memos = []
    for (let before; ; ) {
      const options = { commitment, limit: pageSize, ...(before && { before }) }
      const lines = await this.#call('getSignaturesForAddress', account, options)
      const landed = lines.filter(({ err }) => err === null)
      memos.push(...landed.map(({ memo }) => memo?.replace(/^\[\d+\] /, '') ?? 'no memo'))
      if (lines.length < pageSize) return memos.filter((memo) => memo !== mintKey)
      before = lines.at(-1).signature
    }
  }

  /** `reconcile` compares what is final: 32 blocks later. */
  async waitUntilFinal() {
    await waitUntil('every transaction is final', finalMs, async () => {
      const final = new Set(await this.listMemos('finalized'))
      return (await this.listMemos()).every((memo) => final.has(memo))
    })
  }

  async #tokenAccount() {
    const [account] = await findAssociatedTokenPda({
      owner: address(this.#treasuryAddress),
      mint: address(mainnetMints.USDC),
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    })
    return account
  }

  #call(method, ...params) {
    return callLocalnet(this.#localnet.url, method, params)
  }

  stop() {
    return this.#localnet.stop()
  }
}
