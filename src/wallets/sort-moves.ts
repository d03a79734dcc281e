import type { Move } from '../collections/ports.js'

/**
 * Puts the transactions of each slot in an order in which each begins where the one before it
 * ended: some nodes list those of one slot in another order than the chain took them. Where there
 * is no such order, they stay as they were listed, and the hole is seen. In whatever order they
 * lead on from the start, what is left in the end is the same.
 */
export function sortMoves(start: bigint, listed: Move[]): Move[] {
  const ordered: Move[] = []
  let first = 0
  while (first < listed.length) {
    const { slot } = listed[first]!
    const end = listed.findIndex((move, index) => index > first && move.slot !== slot)
    const group = listed.slice(first, end === -1 ? listed.length : end)
    ordered.push(...orderGroup(ordered.at(-1)?.left ?? start, group))
    first += group.length
  }
  return ordered
}

function orderGroup(start: bigint, group: Move[]): Move[] {
  if (isChain(start, group)) return group
  const trail = findPath(start, group)
  return trail.length === group.length && isChain(start, trail) ? trail : group
}

function beginning({ left, change }: Move): bigint {
  return left - change
}

function isChain(start: bigint, moves: Move[]): boolean {
  return moves.every((move, index) => beginning(move) === (moves[index - 1]?.left ?? start))
}

/** As one draws a figure without lifting the pen: on until there is no way, then the loops. */
function findPath(start: bigint, group: Move[]): Move[] {
  const ways = new Map<bigint, Move[]>()
  for (const move of group.toReversed())
    ways.set(beginning(move), [...(ways.get(beginning(move)) ?? []), move])
  const path: { at: bigint; by: Move | undefined }[] = [{ at: start, by: undefined }]
  const trail: Move[] = []
  while (path.length > 0) {
    const { at, by } = path.at(-1)!
    const next = ways.get(at)?.pop()
    if (next) path.push({ at: next.left, by: next })
    else {
      path.pop()
      if (by) trail.push(by)
    }
  }
  return trail.reverse()
}
