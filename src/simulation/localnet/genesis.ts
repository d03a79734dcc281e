import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { makeKeyBytes } from '../../rails/ed25519.js'
import { type Keypair, openKeypair } from './keypair.js'
import { type Key, keyBytesOf, keyFrom, keyOf, textOf } from './keys.js'
import { loadedPrograms, mints } from './programs.js'
import type { AccountState } from './vm.js'

/** What a chain begins with; fixed by its folder, so that no two chains are ever taken for one. */
export type Genesis = { hash: Key; faucet: Keypair; accounts: Map<Key, AccountState> }

/** Nine million SOL: more would not fit the integers that JSON readers agree on. */
const faucetLamports = 9_000_000_000_000_000n
const mintLamports = 1_461_600n
/** Of both coins, as on mainnet. */
export const decimals = 6

/** Opens the chain of a folder, or begins one there. A journal without its genesis is refused. */
export function openGenesis(folder: string): Genesis {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'genesis.json')
  if (!fs.existsSync(file)) beginChain(folder, file)
  const { genesisHash, faucet: secret } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const faucet = openKeypair(Buffer.from(secret))
  return { hash: keyFrom(genesisHash), faucet, accounts: firstAccounts(faucet.key) }
}

/** The faucet's key is written in the form that Solana's own tools read. */
function beginChain(folder: string, file: string): void {
  if (fs.existsSync(join(folder, 'journal')))
    throw new Error(`${folder} holds the journal of a chain, but not its genesis.json`)
  const genesisHash = textOf(keyOf(randomBytes(32)))
  const secret = makeKeyBytes()
  // Whole or not at all: a chain whose genesis is half written could never be opened again.
  fs.writeFileSync(`${file}.new`, JSON.stringify({ genesisHash, faucet: [...secret] }), {
    mode: 0o600,
  })
  fs.renameSync(`${file}.new`, file)
}

function firstAccounts(faucet: Key): Map<Key, AccountState> {
  const mint = {
    lamports: mintLamports,
    owner: loadedPrograms.token,
    executable: false,
    data: mintData(faucet),
  }
  const purse = {
    ...mint,
    lamports: faucetLamports,
    owner: loadedPrograms.system,
    data: Buffer.alloc(0),
  }
  return new Map<Key, AccountState>([
    [faucet, purse],
    [keyFrom(mints.USDC), mint],
    [keyFrom(mints.USDT), mint],
  ])
}

/** Minted and, as the issuers of the real coins can, frozen by the faucet. */
function mintData(authority: Key): Buffer {
  const data = Buffer.alloc(82)
  data.writeUInt32LE(1, 0)
  data.set(keyBytesOf(authority), 4)
  data[44] = decimals
  data[45] = 1
  data.writeUInt32LE(1, 46)
  data.set(keyBytesOf(authority), 50)
  return data
}
