import { isDeepStrictEqual } from 'node:util'
import {
  type Approvals,
  assetsWithRules,
  controlNames,
} from '../../merchants/settings/settings-document.js'
import { parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'

/** The limits of one asset, in its smallest unit. */
export type ApprovalLimits = { each: bigint; perDay: bigint | null }

export function limitsOf(approvals: Approvals, asset: Asset): ApprovalLimits | null {
  const found = approvals[asset]
  if (found === null) return null
  const { each, perDay } = found
  return { each: toUnits(each, asset), perDay: perDay === null ? null : toUnits(perDay, asset) }
}

/** A limit in the smallest unit of its asset. */
export function toUnits(amount: number | string, asset: Asset): bigint {
  if (typeof amount === 'number') return BigInt(amount)
  const parsed = parseDecimal(amount, asset)
  if (typeof parsed !== 'bigint') throw new Error(`the limit ${amount} ${parsed.issue}`)
  return parsed
}

/**
 * Whether a payout waits for a second member. `sentInWindow` is what its creator has sent lately
 * without approval, so that splitting an amount does not avoid the rule.
 */
export function needsApproval(
  limits: ApprovalLimits | null,
  { amount, sentInWindow }: { amount: bigint; sentInWindow: bigint },
): boolean {
  if (limits === null) return false
  if (amount > limits.each) return true
  return limits.perDay !== null && sentInWindow + amount > limits.perDay
}

/**
 * Whether a rule lets payouts pass that waited before. The database decides the same with
 * `is_looser_rule`.
 */
export function isLooserRule(before: Approvals, after: Approvals): boolean {
  const hadLimits = assetsWithRules.some((asset) => before[asset] !== null)
  if (hadLimits && before.appliesTo === 'all' && after.appliesTo !== 'all') return true
  if (controlNames.some((name) => isPartChanged(before.controls?.[name], after.controls?.[name])))
    return true
  return assetsWithRules.some((asset) => {
    const [old, next] = [limitsOf(before, asset), limitsOf(after, asset)]
    if (old === null) return false
    if (next === null || next.each > old.each) return true
    return old.perDay !== null && (next.perDay === null || next.perDay > old.perDay)
  })
}

/** A control that is set is changed with a second member, whatever the change. */
function isPartChanged(before: unknown, after: unknown): boolean {
  return !!before && !isDeepStrictEqual(before, after ?? null)
}
