import { after, hour } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Code } from '../../base/refusals.js'
import type { Controls } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { toUnits } from '../approvals/approval-rule.js'
import type { RecipientStatus } from './recipient.js'

/** What a merchant demands of recipients. */
export type RecipientRule = NonNullable<Controls['recipients']>

export type JudgedPayout = {
  /** Null: the destination is not saved. */
  recipient: {
    /** When it was saved, or enabled again. */
    savedAt: Date
    firstPaidAt: Date | null
    status: RecipientStatus
  } | null
  asset: Asset
  amount: bigint
  /** In the time of the environment. */
  at: Date
}

type RecipientRefusal =
  /** `upTo`: less may be sent without saving it. */
  | { reason: 'recipient_not_saved'; upTo?: string }
  | { reason: 'recipient_disabled'; recipientId?: string | null }
  | { reason: 'recipient_cooling_off'; allowedFrom: Date }

/**
 * Decides whether a payout may go to its recipient: `approve` lets it wait for other members, null
 * lets it pass. Above the amount of the cooling-off, a destination has to be saved: one that is not
 * would avoid it. Disabled recipients are refused without a rule, too.
 */
export function judgeRecipient(
  rule: RecipientRule | null,
  { recipient, asset, amount, at }: JudgedPayout,
): RecipientRefusal | 'approve' | null {
  if (recipient?.status === 'DISABLED') return { reason: 'recipient_disabled' }
  if (rule === null) return null
  const { coolingOff } = rule
  const isLarge = coolingOff !== null && isAbove(coolingOff.above[asset], { asset, amount })
  if (recipient === null) {
    if (rule.onlySaved) return { reason: 'recipient_not_saved' }
    if (coolingOff && isLarge) return notSavedAbove(coolingOff.above[asset], asset)
    return rule.approveFirst ? 'approve' : null
  }
  if (coolingOff && isLarge) {
    const allowedFrom = after(recipient.savedAt, coolingOff.hours * hour)
    if (at < allowedFrom) return { reason: 'recipient_cooling_off', allowedFrom }
  }
  return rule.approveFirst && recipient.firstPaidAt === null ? 'approve' : null
}

function notSavedAbove(above: number | string | null, asset: Asset): RecipientRefusal {
  const reason = 'recipient_not_saved'
  return above === null ? { reason } : { reason, upTo: formatMoney(toUnits(above, asset), asset) }
}

/** Null: of any amount. */
function isAbove(
  above: number | string | null,
  { asset, amount }: Pick<JudgedPayout, 'asset' | 'amount'>,
): boolean {
  return above === null || amount > toUnits(above, asset)
}

function describe(refused: RecipientRefusal): string {
  if (refused.reason === 'recipient_cooling_off')
    return `The recipient is new. It can get this amount from ${refused.allowedFrom.toISOString()}; until then, pay less.`
  if (refused.reason === 'recipient_disabled') {
    const { recipientId } = refused
    const name = recipientId ? ` ${toReference(prefixes.recipient, recipientId)}` : ''
    return `The recipient${name} is disabled. Enable it to pay it again.`
  }
  if (refused.upTo === undefined)
    return 'Your rule allows payouts to saved recipients only, and this destination is not saved. Save it, then pay it.'
  return `Your rule allows at most ${refused.upTo} to a destination that is not saved. Pay less, or save it; then it can get this amount after the cooling-off.`
}

/** Under the code of the operation. */
export function refuseRecipient(code: Code, refused: RecipientRefusal): Refusal {
  return new Refusal(code, { reason: refused.reason, message: describe(refused) })
}
