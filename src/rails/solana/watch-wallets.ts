import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { WalletRail } from '../../collections/ports.js'
import {
  accountOptions,
  type ChainAccount,
  type RpcAccount,
  readAccountsAt,
  readTokenFields,
  toChainAccount,
  tokenAccountBytes,
} from './accounts.js'
import { bytesOf, deriveTokenAccount } from './addresses.js'
import type { RpcEndpoint } from './endpoint.js'
import { type Endpoints, inGroups, resultOf, Unavailable } from './endpoints.js'
import { type Mints, programs } from './programs.js'
import { askEach, findAgreed, majorityOf, orSilence } from './quorum.js'

const { accountsPerCall, requestsUnderWay, longAnswersPerRequest, staleSlots, awayMs } =
  limits.solana

type Parts = { endpoints: Endpoints; logger: Logger; clock: Clock }

type Read = { amounts: bigint[]; slot: bigint }

/** Finalized amounts as one endpoint says, and the oldest slot that they are of. */
async function readAmountsOf(endpoint: RpcEndpoint, tokenAccounts: string[]): Promise<Read> {
  const amounts: bigint[] = []
  let slot: bigint | undefined
  const groups = inGroups(tokenAccounts, accountsPerCall)
  for (const some of inGroups(groups, requestsUnderWay)) {
    const read = await Promise.all(
      some.map((group) => readAccountsAt(endpoint, group, 'finalized')),
    )
    const accounts = read.flatMap((each) => each.accounts)
    for (const [index, address] of some.flat().entries())
      amounts.push(amountIn(address, accounts[index] ?? null))
    for (const each of read) if (slot === undefined || each.slot < slot) slot = each.slot
  }
  return { amounts, slot: slot ?? 0n }
}

/** As a majority of the endpoints says; null where none does. */
function findAmounts(count: number, reads: Read[], endpoints: number): (bigint | null)[] {
  return Array.from({ length: count }, (_, index) => {
    const amounts = reads.map((read) => read.amounts[index]!)
    return findAgreed(amounts, majorityOf(endpoints), String) ?? null
  })
}

/** Throws when no endpoint answers. */
export function createReadAmounts({ endpoints, logger }: Parts): WalletRail['readAmounts'] {
  const { all } = endpoints
  return async (tokenAccounts) => {
    const read = await askEach(all, logger, (endpoint) => readAmountsOf(endpoint, tokenAccounts))
    if (read.length === 0) throw new Unavailable('no endpoint answers')
    return findAmounts(
      tokenAccounts.length,
      read.map(({ value }) => value),
      all.length,
    )
  }
}

/**
 * One endpoint a poll, in turn; the others only for what has changed. An endpoint that is behind
 * another one may hide a deposit: then the next is asked as well.
 */
export function createPollAmounts({ endpoints, logger, clock }: Parts): WalletRail['pollAmounts'] {
  const { all } = endpoints
  const slots = new Map<RpcEndpoint, bigint>()
  const awayUntil = new Map<RpcEndpoint, number>()
  let turn = 0

  const inTurn = () => {
    turn += 1
    // One further after each round: a wallet that every second poll includes would otherwise
    // always meet the same of two endpoints.
    const first = turn + Math.floor(turn / all.length)
    const order = all.map((_, index) => all[(first + index) % all.length]!)
    const isAway = (one: RpcEndpoint) => Number((awayUntil.get(one) ?? 0) > clock.elapsedMs())
    return order.sort((one, other) => isAway(one) - isAway(other))
  }
  const isBehind = (slot: bigint) =>
    [...slots.values()].some((other) => other > slot + BigInt(staleSlots))

  /** Of the endpoints that had to be asked to hear one that is not behind. */
  const poll = async (addresses: string[]) => {
    const reads = new Map<RpcEndpoint, Read>()
    for (const endpoint of inTurn()) {
      const read = await orSilence(logger, endpoint, readAmountsOf(endpoint, addresses))
      if (!read) {
        awayUntil.set(endpoint, clock.elapsedMs() + awayMs)
        continue
      }
      reads.set(endpoint, read)
      slots.set(endpoint, read.slot)
      if (!isBehind(read.slot)) break
      logger.warn({ host: endpoint.host }, 'an endpoint is far behind the others')
    }
    if (reads.size === 0) throw new Unavailable('no endpoint answers')
    return reads
  }

  return async (accounts) => {
    if (accounts.length === 0) return []
    const addresses = accounts.map(({ address }) => address)
    const polled = await poll(addresses)
    const isChanged = ({ amount }: { amount: bigint }, index: number) =>
      [...polled.values()].some(({ amounts }) => amounts[index] !== amount)
    const changed = accounts.flatMap((one, index) => (isChanged(one, index) ? [index] : []))
    const pick = <Value>(values: Value[]) => changed.map((index) => values[index]!)
    const others = all.filter((endpoint) => changed.length > 0 && !polled.has(endpoint))
    const read = await askEach(others, logger, (each) => readAmountsOf(each, pick(addresses)))
    const reads = [...polled.values()].map(({ amounts, slot }) => ({
      amounts: pick(amounts),
      slot,
    }))
    reads.push(...read.map(({ value }) => value))
    const agreed = findAmounts(changed.length, reads, all.length)
    const held: (bigint | null)[] = accounts.map(({ amount }) => amount)
    for (const [position, index] of changed.entries()) held[index] = agreed[position]!
    return held
  }
}

/** An account that is no longer the one which its address was derived for holds nothing of ours. */
function amountIn(address: string, account: ChainAccount | null): bigint {
  const isTokenAccount = account?.owner === programs.token && account.space === tokenAccountBytes
  if (!isTokenAccount) return 0n
  const { amount, owner, mint } = readTokenFields(account)
  if (amount === 0n) return 0n
  return deriveTokenAccount(bytesOf(owner), bytesOf(mint)).address === address ? amount : 0n
}

type Held = { value: { pubkey: string; account: RpcAccount }[] }

/** Whatever lies elsewhere than where a wallet's coins belong, under either token program. */
export function createFindStrayTokens(
  endpoints: Endpoints,
  mints: Mints,
): WalletRail['findStrayTokens'] {
  return async (wallets) => {
    const asked = wallets.flatMap((wallet) =>
      [programs.token, programs.token2022].map((programId) => ({ wallet, programId })),
    )
    const strays: Awaited<ReturnType<WalletRail['findStrayTokens']>> = []
    for (const group of inGroups(asked, longAnswersPerRequest)) {
      const answers = await endpoints.ask(group.map(callFor))
      for (const [index, answer] of answers.entries())
        strays.push(...straysIn(group[index]!.wallet, resultOf(answer), mints))
    }
    return strays
  }
}

function callFor({ wallet, programId }: { wallet: string; programId: string }) {
  const options = { commitment: 'finalized', ...accountOptions }
  return { method: 'getTokenAccountsByOwner', params: [wallet, { programId }, options] }
}

function straysIn(wallet: string, { value }: Held, mints: Mints) {
  const held = value.map(({ pubkey, account }) => {
    return { address: pubkey, ...readTokenFields(toChainAccount(account)) }
  })
  const known = Object.values(mints).map((mint) => {
    return deriveTokenAccount(bytesOf(wallet), bytesOf(mint)).address
  })
  return held
    .filter(({ address, amount }) => amount > 0n && !known.includes(address))
    .map(({ address, mint }) => ({ wallet, address, asset: mint }))
}
