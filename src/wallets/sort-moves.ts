import type { TokenTransaction } from '../collections/ports.js'

/**
 * Sorts the transactions of each slot so that each starts at the balance the previous one left:
 * some nodes list them in another order than the chain. If no such order exists, they keep the
 * listed order, and the hole becomes visible. All valid orders end with the same balance.
 */
export function sortMoves(start: bigint, listed: TokenTransaction[]): TokenTransaction[] {
  const sorted: TokenTransaction[] = []
  let first = 0
  while (first < listed.length) {
    const { slot } = listed[first]!
    const end = listed.findIndex((move, index) => index > first && move.slot !== slot)
    const group = listed.slice(first, end === -1 ? listed.length : end)
    sorted.push(...sortSlot(sorted.at(-1)?.left ?? start, group))
    first += group.length
  }
  return sorted
}

function sortSlot(start: bigint, group: TokenTransaction[]): TokenTransaction[] {
  if (isConnected(start, group)) return group
  const path = findPath(start, group)
  return path.length === group.length && isConnected(start, path) ? path : group
}

function balanceBefore({ left, change }: TokenTransaction): bigint {
  return left - change
}

function isConnected(start: bigint, moves: TokenTransaction[]): boolean {
  return moves.every((move, index) => balanceBefore(move) === (moves[index - 1]?.left ?? start))
}

/** An Eulerian path (Hierholzer): balances are the vertices, transactions the edges. */
function findPath(start: bigint, group: TokenTransaction[]): TokenTransaction[] {
  const unused = new Map<bigint, TokenTransaction[]>()
  for (const move of group.toReversed())
    unused.set(balanceBefore(move), [...(unused.get(balanceBefore(move)) ?? []), move])
  const stack: { balance: bigint; move: TokenTransaction | undefined }[] = [
    { balance: start, move: undefined },
  ]
  const path: TokenTransaction[] = []
  while (stack.length > 0) {
    const { balance, move } = stack.at(-1)!
    const next = unused.get(balance)?.pop()
    if (next) stack.push({ balance: next.left, move: next })
    else {
      stack.pop()
      if (move) path.push(move)
    }
  }
  return path.reverse()
}
