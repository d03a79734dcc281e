import * as crypto from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { makeKeyBytes, privateKeyOf, seedBytes } from '../../../rails/ed25519.js'
import { type Key, keyBytesOf, keyFrom, keyOf, textOf } from './keys.js'
import { loadedPrograms, mints } from './programs.js'
import type { AccountState } from './vm.js'

/** Signs synchronously: Kit's asynchronous signers cost ten times as much. */
type Keypair = { key: Key; sign(message: Uint8Array): Buffer }

/** The start of a chain, unique to its folder, so that two chains are never confused. */
export type Genesis = { hash: Key; faucet: Keypair; accounts: Map<Key, AccountState> }

/** Nine million SOL, within the safe integers of JSON readers. */
const faucetLamports = 9_000_000_000_000_000n
const mintLamports = 1_461_600n
/** Decimals of USDC and USDT, as on mainnet. */
export const decimals = 6

/** Opens or creates the chain of a folder. Refuses a journal without its genesis. */
export function openGenesis(folder: string): Genesis {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'genesis.json')
  if (!fs.existsSync(file)) createChain(folder, file)
  const { genesisHash, faucet: secret } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const faucet = openKeypair(Buffer.from(secret))
  return { hash: keyFrom(genesisHash), faucet, accounts: firstAccounts(faucet.key) }
}

/** Opens the 64 bytes of a Solana key file. */
function openKeypair(secret: Buffer): Keypair {
  const key = privateKeyOf(secret.subarray(0, seedBytes))
  return {
    key: keyOf(secret.subarray(seedBytes)),
    sign: (message) => crypto.sign(null, message, key),
  }
}

/** Stores the faucet's key in the format of Solana's tools. */
function createChain(folder: string, file: string): void {
  if (fs.existsSync(join(folder, 'journal')))
    throw new Error(
      `${folder} has a journal but no genesis.json: restore it, or move the journal away`,
    )
  const genesisHash = textOf(keyOf(crypto.randomBytes(32)))
  const secret = makeKeyBytes()
  // Written atomically: a chain with half a genesis could never be opened again.
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
  const faucetAccount = {
    ...mint,
    lamports: faucetLamports,
    owner: loadedPrograms.system,
    data: Buffer.alloc(0),
  }
  return new Map<Key, AccountState>([
    [faucet, faucetAccount],
    [keyFrom(mints.USDC), mint],
    [keyFrom(mints.USDT), mint],
  ])
}

/** The faucet is the mint and freeze authority, like the issuers of the real coins. */
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
