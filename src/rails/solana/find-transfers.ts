import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { type Coin, coins } from '../../money/assets.js'
import type { RpcAnswer } from './endpoint.js'
import { type Endpoints, inGroups } from './endpoints.js'
import { readMemos, type SignatureLine, walkHistory } from './history.js'
import { readTransaction, type ShownTransaction } from './read-transaction.js'
import { transactionCall } from './read-transactions.js'
import type { SolanaTreasury } from './treasury.js'

/** What the chain says that moved a token account of the treasury. */
export type TreasuryTransfer = {
  signature: string
  slot: bigint
  /** Null when there is none, or several. */
  memo: string | null
  hasFailed: boolean
  asset: Coin
  /** Below zero when coins came in; null when the node cannot show the transaction. */
  amountOut: bigint | null
}

/** Newest first. Not complete when there was more than may be walked at once. */
export type TreasuryHistory = { transfers: TreasuryTransfer[]; isComplete: boolean }

/** For reconciliation: all that moved the treasury's coins since a slot, with the memos. */
export function createFindTransfers(parts: {
  endpoints: Endpoints
  treasury: SolanaTreasury
  logger: Logger
}) {
  return async (since: bigint): Promise<TreasuryHistory> => {
    const histories = await Promise.all(coins.map((coin) => findOf(parts, coin, since)))
    return {
      transfers: histories.flatMap(({ transfers }) => transfers),
      isComplete: histories.every(({ isComplete }) => isComplete),
    }
  }
}

type Parts = { endpoints: Endpoints; treasury: SolanaTreasury; logger: Logger }

async function findOf(parts: Parts, coin: Coin, since: bigint): Promise<TreasuryHistory> {
  const { endpoints, treasury } = parts
  const { address } = treasury.sources[coin]
  const transfers: TreasuryTransfer[] = []
  const listPage = (account: string, range: object) =>
    endpoints.call<SignatureLine[]>('getSignaturesForAddress', account, {
      ...range,
      commitment: 'finalized',
    })
  const walk = walkHistory({ listPage, address, since })
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done) return { transfers, isComplete: step.value }
    const amounts = await readAmounts(parts, step.value, address)
    transfers.push(...step.value.map((line, index) => toTransfer(line, coin, amounts[index]!)))
  }
}

async function readAmounts(parts: Parts, lines: SignatureLine[], address: string) {
  const amounts: (bigint | null)[] = []
  for (const group of inGroups(lines, limits.solana.callsPerRequest)) {
    const answers = await parts.endpoints.ask(
      group.map(({ signature }) => transactionCall(signature)),
    )
    for (const [index, answer] of answers.entries())
      amounts.push(readAmount(parts.logger, group[index]!, { answer, address }))
  }
  return amounts
}

/** An unknown version of transactions hides money: that needs somebody's attention. */
function readAmount(
  logger: Logger,
  { signature }: SignatureLine,
  { answer, address }: { answer: RpcAnswer; address: string },
): bigint | null {
  if (answer.error) logger.error({ signature, error: answer.error }, 'a transaction cannot be read')
  const shown = answer.result as ShownTransaction | null | undefined
  const transaction = shown && readTransaction(shown)
  if (!transaction) return null
  const { before, after } = transaction.holdings.get(address) ?? { before: 0n, after: 0n }
  return before - after
}

function toTransfer(line: SignatureLine, asset: Coin, amountOut: bigint | null): TreasuryTransfer {
  const { signature, slot, err } = line
  const memos = readMemos(line)
  const memo = memos.length === 1 ? memos[0]! : null
  return { signature, slot: BigInt(slot), memo, hasFailed: err !== null, asset, amountOut }
}
