import type { Clock } from '../../../base/clock.js'
import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { WalletRail } from '../../../collections/ports.js'
import {
  type ChainAccount,
  readAccountsAt,
  readTokenFields,
  tokenAccountBytes,
} from '../accounts.js'
import { bytesOf, deriveTokenAccount } from '../addresses.js'
import { programs } from '../programs.js'
import { findAgreed, majorityOf } from '../rpc/majority.js'
import type { RpcNode } from '../rpc/node.js'
import { inGroups, type RpcNodes, Unavailable } from '../rpc/nodes.js'
import { orUndefined, queryEach } from '../rpc/quorum.js'

const { accountsPerCall, requestsInFlightMax, slotLagMax, failedNodeAvoidMs } = limits.solana

type AmountDependencies = { nodes: RpcNodes; logger: Logger; clock: Clock }

/** From one node; `slot` is the oldest of its answers. */
type NodeBalances = { amounts: bigint[]; slot: bigint }

async function readFinalized(node: RpcNode, tokenAccounts: string[]): Promise<NodeBalances> {
  const amounts: bigint[] = []
  let slot: bigint | undefined
  const groups = inGroups(tokenAccounts, accountsPerCall)
  for (const some of inGroups(groups, requestsInFlightMax)) {
    const reads = await Promise.all(some.map((group) => readAccountsAt(node, group, 'finalized')))
    const accounts = reads.flatMap((read) => read.accounts)
    for (const [index, address] of some.flat().entries())
      amounts.push(amountIn(address, accounts[index] ?? null))
    for (const read of reads) if (slot === undefined || read.slot < slot) slot = read.slot
  }
  return { amounts, slot: slot ?? 0n }
}

/** Per account, the amount that a majority of the nodes returned; null if there is none. */
function agreeOnAmounts(count: number, balances: NodeBalances[], nodes: number) {
  return Array.from({ length: count }, (_, index): bigint | null => {
    const amounts = balances.map((balance) => balance.amounts[index]!)
    return findAgreed(amounts, majorityOf(nodes), String) ?? null
  })
}

/** Throws when no node responds. */
export function createReadAmounts({
  nodes,
  logger,
}: AmountDependencies): WalletRail['readAmounts'] {
  const { all } = nodes
  return async (tokenAccounts) => {
    const balances = await queryEach(all, logger, (node) => readFinalized(node, tokenAccounts))
    if (balances.length === 0) throw new Unavailable('no RPC node answers')
    return agreeOnAmounts(tokenAccounts.length, balances, all.length)
  }
}

/**
 * Reads all accounts from one node per poll, in rotation, and only the changed ones from the
 * others. A node that is behind may hide a deposit, so the next one is read as well.
 */
export function createPollAmounts({
  nodes,
  logger,
  clock,
}: AmountDependencies): WalletRail['pollAmounts'] {
  const { all } = nodes
  const slots = new Map<RpcNode, bigint>()
  const awayUntil = new Map<RpcNode, number>()
  let polls = 0

  /** Nodes that failed lately come last. */
  const nextRotation = () => {
    polls += 1
    // Shifts by one more each round: otherwise, of two nodes, a wallet that is due at every
    // second poll would always get the same one.
    const first = polls + Math.floor(polls / all.length)
    const rotated = all.map((_, index) => all[(first + index) % all.length]!)
    const isAway = (node: RpcNode) => Number((awayUntil.get(node) ?? 0) > clock.elapsedMs())
    return rotated.sort((left, right) => isAway(left) - isAway(right))
  }
  const isBehind = (slot: bigint) =>
    [...slots.values()].some((other) => other > slot + BigInt(slotLagMax))

  /** Reads nodes until one is not behind; returns all that were read. */
  const pollOne = async (addresses: string[]) => {
    const polled = new Map<RpcNode, NodeBalances>()
    for (const node of nextRotation()) {
      const balances = await orUndefined(logger, node, readFinalized(node, addresses))
      if (!balances) {
        awayUntil.set(node, clock.elapsedMs() + failedNodeAvoidMs)
        continue
      }
      polled.set(node, balances)
      slots.set(node, balances.slot)
      if (!isBehind(balances.slot)) break
      logger.warn({ host: node.host }, 'RPC node is far behind the others')
    }
    if (polled.size === 0) throw new Unavailable('no RPC node answers')
    return polled
  }

  return async (accounts) => {
    if (accounts.length === 0) return []
    const addresses = accounts.map(({ address }) => address)
    const polled = await pollOne(addresses)
    const isChanged = ({ amount }: { amount: bigint }, index: number) =>
      [...polled.values()].some(({ amounts }) => amounts[index] !== amount)
    const changed = accounts.flatMap((account, index) => (isChanged(account, index) ? [index] : []))
    const pickChanged = <Value>(values: Value[]) => changed.map((index) => values[index]!)
    const others = all.filter((node) => changed.length > 0 && !polled.has(node))
    const balances = [
      ...[...polled.values()].map(({ amounts, slot }) => ({ amounts: pickChanged(amounts), slot })),
      ...(await queryEach(others, logger, (node) => readFinalized(node, pickChanged(addresses)))),
    ]
    const agreed = agreeOnAmounts(changed.length, balances, all.length)
    const amounts: (bigint | null)[] = accounts.map(({ amount }) => amount)
    for (const [position, index] of changed.entries()) amounts[index] = agreed[position]!
    return amounts
  }
}

/** Zero when the account's owner or mint is not the one that its address was derived from. */
function amountIn(address: string, account: ChainAccount | null): bigint {
  const isTokenAccount = account?.owner === programs.token && account.space === tokenAccountBytes
  if (!isTokenAccount) return 0n
  const { amount, owner, mint } = readTokenFields(account)
  if (amount === 0n) return 0n
  return deriveTokenAccount(bytesOf(owner), bytesOf(mint)).address === address ? amount : 0n
}
