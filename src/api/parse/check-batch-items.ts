import type { NairaLimits } from '../../base/config.js'
import { formatWithKobo } from '../../money/amounts.js'
import { addressIssue, findAddressBytes } from '../../money/solana-address.js'
import { findReferenceIssue } from './metadata.js'

/** What is compared of an item. Absent: not sent, or refused for another reason. */
export type CheckedItem = {
  naira?: bigint | undefined
  address?: string | undefined
  merchantReference?: string | undefined
}

type Checks = {
  limits: NairaLimits
  /** Names the item of an index: a line of a file, or a place in the list. */
  nameOf: (index: number) => string
  report: (index: number, field: string, issue: string) => void
}

/**
 * Reports what a schema cannot: limits of amounts, addresses, and references that repeat or are
 * those of claims.
 */
export function checkBatchItems(
  items: CheckedItem[],
  { limits: { min, max }, nameOf, report }: Checks,
): void {
  const references = new Map<string, number>()
  for (const [index, { naira, address, merchantReference }] of items.entries()) {
    if (naira !== undefined && naira < min)
      report(index, 'amount', `must be at least ${formatWithKobo(min)}`)
    if (naira !== undefined && naira > max)
      report(index, 'amount', `must be at most ${formatWithKobo(max)}`)
    if (address !== undefined && !findAddressBytes(address))
      report(index, 'destinationAddress', addressIssue)
    if (merchantReference === undefined) continue
    const issue = findReferenceIssue(merchantReference)
    if (issue !== undefined) report(index, 'merchantReference', issue)
    const first = references.get(merchantReference)
    if (first === undefined) references.set(merchantReference, index)
    else report(index, 'merchantReference', `must be unique; ${nameOf(first)} has it, too`)
  }
}
