import type { Rpc } from '../simulation/localnet/localnet.js'
import { tokenAccountOf, usdc, usdt } from '../simulation/localnet/transfers.js'
import type { Payers } from './deposit-payers.js'
import type { Coin, PlannedWallet } from './deposit-shops.js'

/** What any JSON-RPC client can learn about wallets and their payers. */

const mints: Record<Coin, string> = { USDC: usdc, USDT: usdt }
const coins = ['USDC', 'USDT'] as const
const atOnce = 50

export type Deposit = {
  /** Signature and token account: one transaction may pay several. */
  id: string
  signature: string
  wallet: string
  asset: Coin
  amount: bigint
}

export type Chained = {
  deposits: Deposit[]
  /** Coins that left a wallet, with their transaction. */
  swept: Deposit[]
  /** Number of deposits to token accounts that had been swept before. */
  afterSweep: number
  /** Balances of a wallet's token accounts. */
  held: Map<string, bigint>
  treasury: Record<Coin, bigint>
}

type Line = { signature: string; err: unknown; slot: number }
type Balance = { accountIndex: number; mint: string; owner: string; uiTokenAmount: Amount }
type Amount = { amount: string }
type Shown = {
  slot: number
  meta: { err: unknown; preTokenBalances: Balance[]; postTokenBalances: Balance[] }
  transaction: { message: { accountKeys: string[] } }
}

type Scene = { payers: Payers; planned: PlannedWallet[] }

/** Read from the histories of payers and treasury, without calling the service. */
export async function readChain(chain: Rpc, { payers, planned }: Scene): Promise<Chained> {
  const wallets = new Set(planned.map(({ address }) => address))
  const faucet = await findFaucet(chain, payers)
  const senders = [faucet, ...payers.own.map(({ address }) => address)]
  const changes = await readChanges(chain, { owners: senders, wallets })
  const deposits = changes.filter(({ amount }) => amount > 0n)
  const accounts = await Promise.all(
    [...wallets].flatMap((wallet) => coins.map((coin) => tokenAccountOf(wallet, mints[coin]))),
  )
  const moves = (await readHistories(chain, accounts)).flatMap((each) => changesIn(each, wallets))
  const unique = [...new Map(moves.map((move) => [move.id, move])).values()]
  const swept = unique.filter(({ amount }) => amount < 0n)
  const treasury = await findTreasury(chain, { signature: swept[0]?.signature, wallets })
  return {
    deposits,
    afterSweep: countAfterSweep(unique),
    swept: swept.map((each) => ({ ...each, amount: -each.amount })),
    held: await readHeld(chain, accounts),
    treasury: await readTreasury(chain, treasury),
  }
}

/** The signer of the first transaction. */
async function findFaucet(chain: Rpc, { answers }: Payers): Promise<string> {
  const [first] = answers.values()
  const { signature } = JSON.parse(first!.text).data
  const { transaction } = await readTransaction(chain, signature)
  return transaction.message.accountKeys[0]!
}

/** The receiver of swept coins. */
async function findTreasury(
  chain: Rpc,
  { signature, wallets }: { signature: string | undefined; wallets: Set<string> },
): Promise<string | undefined> {
  if (!signature) return undefined
  const { meta } = await readTransaction(chain, signature)
  return meta.postTokenBalances.find(({ owner }) => !wallets.has(owner))?.owner
}

async function readTreasury(chain: Rpc, owner: string | undefined) {
  const read = async (coin: Coin) => {
    if (!owner) return 0n
    const account = await tokenAccountOf(owner, mints[coin])
    const held = await readHeld(chain, [account])
    return held.get(account) ?? 0n
  }
  return { USDC: await read('USDC'), USDT: await read('USDT') }
}

async function readChanges(
  chain: Rpc,
  { owners, wallets }: { owners: string[]; wallets: Set<string> },
): Promise<Deposit[]> {
  const accounts = await Promise.all(
    owners.flatMap((owner) => coins.map((coin) => tokenAccountOf(owner, mints[coin]))),
  )
  const transactions = await readHistories(chain, accounts)
  return transactions.flatMap((each) => changesIn(each, wallets))
}

type Landed = { signature: string; shown: Shown }

/** Each transaction once, oldest slot first. */
async function readHistories(chain: Rpc, accounts: string[]): Promise<Landed[]> {
  const lists = await inTurns(accounts, (account) => listAll(chain, account))
  const signatures = [...new Set(lists.flatMap((lines) => lines.toReversed()))]
  const read = await inTurns(signatures, async (signature) => ({
    signature,
    shown: await readTransaction(chain, signature),
  }))
  return read.sort((one, other) => one.shown.slot - other.shown.slot)
}

async function listAll(chain: Rpc, account: string): Promise<string[]> {
  const signatures: string[] = []
  for (let before: string | undefined; ; before = signatures.at(-1)!) {
    const options = { commitment: 'confirmed', ...(before && { before }) }
    const lines = await chain.call<Line[]>('getSignaturesForAddress', account, options)
    signatures.push(...lines.map(({ signature }) => signature))
    if (lines.length === 0) return signatures
  }
}

function readTransaction(chain: Rpc, signature: string): Promise<Shown> {
  const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
  return chain.call('getTransaction', signature, options)
}

/** Balance changes of these wallets' token accounts by a successful transaction. */
function changesIn({ signature, shown }: Landed, wallets: Set<string>): Deposit[] {
  const { meta, transaction } = shown
  if (meta.err !== null) return []
  const found = new Map<string, Deposit>()
  const note = ({ accountIndex, mint, owner, uiTokenAmount }: Balance, sign: bigint) => {
    const asset = coins.find((coin) => mints[coin] === mint)
    if (!asset || !wallets.has(owner)) return
    const id = `${signature}:${transaction.message.accountKeys[accountIndex]}`
    const before = found.get(id)?.amount ?? 0n
    const amount = before + sign * BigInt(uiTokenAmount.amount)
    found.set(id, { id, signature, wallet: owner, asset, amount })
  }
  for (const each of meta.preTokenBalances) note(each, -1n)
  for (const each of meta.postTokenBalances) note(each, 1n)
  return [...found.values()].filter(({ amount }) => amount !== 0n)
}

function countAfterSweep(moves: Deposit[]): number {
  const swept = new Set<string>()
  let count = 0
  for (const { id, amount } of moves) {
    const account = id.split(':')[1]!
    if (amount < 0n) swept.add(account)
    else if (swept.has(account)) count += 1
  }
  return count
}

async function readHeld(chain: Rpc, accounts: string[]): Promise<Map<string, bigint>> {
  const amounts = await inTurns(accounts, async (account) => {
    const { result } = await chain.request('getTokenAccountBalance', account)
    return BigInt(result?.value.amount ?? 0)
  })
  return new Map(accounts.map((account, index) => [account, amounts[index]!]))
}

async function inTurns<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))))
  return results
}
