import type { Mode } from '../base/environment.js'
import { type Permission, permissionsOf, type Role, rolesWith } from './permissions.js'

/** The rights that a user has now, at the merchant in question and at the installation. */
export type Giver = {
  isDisabled: boolean
  isOperator: boolean
  /** Null for a user who does not belong to the merchant, or no longer does. */
  membership: MemberAccess | null
}

export type MemberAccess = { role: Role; maySeeLive: boolean }

/** What an invitation, a change of a member, a password link or an API key gives. */
export type Gift =
  | ({ kind: 'membership' } & MemberAccess)
  | { kind: 'operator' }
  /** An unrestricted key has every permission that a key can have. */
  | { kind: 'key'; mode: Mode; permissions: readonly Permission[] }

/**
 * Users give only what they have at this moment: checked when a link is made, and again when it is
 * used. Returns why the user may not give it, or undefined if they may. The trigger
 * `link_is_worth_what_its_maker_may_give` holds the same rule.
 */
export function whyNotGive(giver: Giver, gift: Gift): string | undefined {
  if (giver.isDisabled) return 'Your account is disabled.'
  if (gift.kind === 'operator')
    return giver.isOperator ? undefined : 'Only operators may make operators.'
  if (!giver.membership) return 'You do not belong to this merchant.'
  return gift.kind === 'key'
    ? whyNotGiveKey(giver.membership, gift)
    : whyNotGiveAccess(giver.membership, gift)
}

function whyNotGiveAccess(own: MemberAccess, given: MemberAccess): string | undefined {
  if (!permissionsOf(own.role, 'test').includes('team.change'))
    return `Only these roles may change the team: ${rolesWith('team.change', 'test').join(', ')}.`
  if (given.role === 'owner' && own.role !== 'owner')
    return 'Only owners may change owners, or make one.'
  if (given.maySeeLive && !own.maySeeLive)
    return 'You may see test mode only, so you cannot give access to live mode.'
  return undefined
}

/**
 * In test mode, every role that may create keys creates unrestricted ones: the quick start needs
 * one, and a test key reaches no money and no payer.
 */
function whyNotGiveKey(own: MemberAccess, key: Gift & { kind: 'key' }): string | undefined {
  if (key.mode === 'live' && !own.maySeeLive)
    return 'You may see test mode only, so you cannot create live keys.'
  const has = permissionsOf(own.role, key.mode)
  if (!has.includes('keys.change'))
    return `The role ${own.role} does not create keys in ${key.mode} mode.`
  const missing = key.permissions.find((permission) => !has.includes(permission))
  if (key.mode === 'live' && missing !== undefined)
    return `The role ${own.role} does not have ${missing}, so its keys cannot have it.`
  return undefined
}

type State = MemberAccess & { isDisabled: boolean }

/** What a change of a member gives; undefined if it only takes access away, or nothing changes. */
export function giftOfChange(before: State, after: State): Gift | undefined {
  const isSameRole = after.role === before.role
  const isLiveGiven = after.maySeeLive && !before.maySeeLive
  const isEnabled = before.isDisabled && !after.isDisabled
  if (isSameRole && !isLiveGiven && !isEnabled) return undefined
  return { kind: 'membership', role: after.role, maySeeLive: after.maySeeLive }
}
