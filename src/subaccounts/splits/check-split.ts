import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { formatPercent } from '../../money/percent.js'
import { type SplitLine, wantedBy } from './compute-split.js'

/** What is wrong with a field of a split; `issue` completes the sentence that its name begins. */
export type SplitIssue = { field: string; issue: string }

/** Finds lines that contradict themselves or each other, whatever is paid. */
export function checkLines(lines: readonly SplitLine[], asset: Asset | null): SplitIssue[] {
  return [
    ...lines.flatMap((line, index) => checkBounds(line, index, asset)),
    ...checkRemainders(lines),
    ...checkPercentages(lines),
  ]
}

function checkBounds(line: SplitLine, index: number, asset: Asset | null): SplitIssue[] {
  const { flat, min, max } = line
  // Amounts of a split without an asset are refused when they are read.
  if (asset === null) return []
  if (min !== null && max !== null && min > max)
    return [issueOf(index, 'min', `must be at most \`max\`, ${formatMoney(max, asset)}`)]
  if (flat !== null && min !== null && flat < min)
    return [issueOf(index, 'flat', `must be at least \`min\`, ${formatMoney(min, asset)}`)]
  if (flat !== null && max !== null && flat > max)
    return [issueOf(index, 'flat', `must be at most \`max\`, ${formatMoney(max, asset)}`)]
  return []
}

/** Lines apply in order, so a line after the remainder would never get anything. */
function checkRemainders(lines: readonly SplitLine[]): SplitIssue[] {
  const indexes = lines.flatMap((line, index) => (isRemainder(line) ? [index] : []))
  const [first, ...others] = indexes
  if (first === undefined) return []
  if (others.length > 0)
    return others.map((index) =>
      issueOf(index, 'remainder', `can be in one line only; lines.${first} has it, too`),
    )
  if (first === lines.length - 1) return []
  return [issueOf(first, 'remainder', 'must be in the last line: it takes what the others leave')]
}

function isRemainder({ flat, basisPoints }: SplitLine): boolean {
  return flat === null && basisPoints === null
}

function checkPercentages(lines: readonly SplitLine[]): SplitIssue[] {
  let total = 0
  for (const [index, { basisPoints }] of lines.entries()) {
    total += basisPoints ?? 0
    if (total <= 10_000) continue
    const issue = `brings all percentages to ${formatPercent(total)}; they must not exceed 100`
    return [issueOf(index, 'percent', issue)]
  }
  return []
}

/** An amount that is expected, and the part of it that is set aside before lines are applied. */
export type ExpectedPayment = { amount: bigint; asset: Asset; fee: bigint }

/**
 * Finds the first line that an expected payment cannot give what it names. A fee that the merchant
 * bears is set aside first: a fixed amount must fit into the rest, while percentages get at most
 * what is left. A payment of another amount is still split: then a line gets at most what the lines
 * before it left.
 */
export function checkExpected(
  lines: readonly SplitLine[],
  { amount, asset, fee }: ExpectedPayment,
): SplitIssue[] {
  const money = (sum: bigint) => formatMoney(sum, asset)
  let left = amount
  for (const [index, line] of lines.entries()) {
    const wanted = wantedBy(line, amount)
    if (wanted === undefined) return []
    const name = nameOf(line, wanted)
    if (wanted > left) {
      const issue =
        left === amount
          ? `takes ${money(wanted)}, which is more than the amount of ${money(amount)}`
          : `takes ${money(wanted)}, but the lines before it leave ${money(left)} of ${money(amount)}; use \`remainder\` for what is left`
      return [issueOf(index, name, issue)]
    }
    if (name !== 'percent' && wanted > left - fee) {
      const issue = `takes ${money(wanted)}, but the fee of ${money(fee)}, which you bear, leaves ${money(left > fee ? left - fee : 0n)}; use \`remainder\`, or another \`feeBearer\``
      return [issueOf(index, name, issue)]
    }
    left -= wanted
  }
  return []
}

/** The field that decides what a line takes. */
function nameOf({ flat, min }: SplitLine, wanted: bigint): string {
  if (flat !== null) return 'flat'
  return wanted === min ? 'min' : 'percent'
}

function issueOf(index: number, name: string, issue: string): SplitIssue {
  return { field: `lines.${index}.${name}`, issue }
}
