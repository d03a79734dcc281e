import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import { type Coin, coins } from '../../../money/assets.js'
import type { SolanaTreasury } from '../payouts/treasury.js'
import type { RpcAnswer } from '../rpc/node.js'
import { inGroups, type RpcNodes } from '../rpc/nodes.js'
import { readMemos, type SignatureInfo, walkHistory } from './history.js'
import { type RpcTransaction, toTransaction, transactionCall } from './read-transactions.js'

export type TreasuryTransfer = {
  signature: string
  slot: bigint
  /** Null when there is none, or several. */
  memo: string | null
  hasFailed: boolean
  asset: Coin
  /** Negative for incoming coins; null when the node cannot return the transaction. */
  amountOut: bigint | null
}

/** Newest first. Incomplete when the history exceeds the page limit. */
export type TreasuryHistory = { transfers: TreasuryTransfer[]; isComplete: boolean }

type HistoryDependencies = { nodes: RpcNodes; treasury: SolanaTreasury; logger: Logger }

/** For reconciliation: everything that moved the treasury's coins since a slot, with memos. */
export function createFindTransfers(dependencies: HistoryDependencies) {
  return async (since: bigint): Promise<TreasuryHistory> => {
    const histories = await Promise.all(
      coins.map((coin) => findTransfersOf(dependencies, coin, since)),
    )
    return {
      transfers: histories.flatMap(({ transfers }) => transfers),
      isComplete: histories.every(({ isComplete }) => isComplete),
    }
  }
}

async function findTransfersOf(
  dependencies: HistoryDependencies,
  coin: Coin,
  since: bigint,
): Promise<TreasuryHistory> {
  const { nodes, treasury } = dependencies
  const { address } = treasury.sources[coin]
  const transfers: TreasuryTransfer[] = []
  const listPage = (account: string, range: object) =>
    nodes.call<SignatureInfo[]>('getSignaturesForAddress', account, {
      ...range,
      commitment: 'finalized',
    })
  const walk = walkHistory({ listPage, address, since })
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done) return { transfers, isComplete: step.value }
    const amounts = await readAmounts(dependencies, step.value, address)
    transfers.push(...step.value.map((info, index) => toTransfer(info, coin, amounts[index]!)))
  }
}

async function readAmounts(
  { nodes, logger }: HistoryDependencies,
  page: SignatureInfo[],
  address: string,
) {
  const amounts: (bigint | null)[] = []
  for (const group of inGroups(page, limits.solana.callsPerRequestMax)) {
    const answers = await nodes.post(group.map(({ signature }) => transactionCall(signature)))
    for (const [index, answer] of answers.entries()) {
      // An unsupported transaction version can hide money: the operator must know.
      if (answer.error)
        logger.error(
          { signature: group[index]!.signature, error: answer.error },
          'a transaction cannot be read',
        )
      amounts.push(amountOutOf(answer, address))
    }
  }
  return amounts
}

function amountOutOf({ result }: RpcAnswer, address: string): bigint | null {
  const transaction = result ? toTransaction(result as RpcTransaction) : undefined
  if (!transaction) return null
  const { before, after } = transaction.holdings.get(address) ?? { before: 0n, after: 0n }
  return before - after
}

function toTransfer(info: SignatureInfo, asset: Coin, amountOut: bigint | null): TreasuryTransfer {
  const { signature, slot, err } = info
  const memos = readMemos(info)
  const memo = memos.length === 1 ? memos[0]! : null
  return { signature, slot: BigInt(slot), memo, hasFailed: err !== null, asset, amountOut }
}
