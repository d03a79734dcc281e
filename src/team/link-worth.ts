import type { RealTime } from '../base/clock.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import {
  type Invitation,
  type LinkPurpose,
  listInvitationsBy,
  revokeInvitations,
  takeInvitation,
} from './invitations.js'
import { type Gift, whyNotGive } from './may-give.js'
import { belongsElsewhere, findGiver, findMember, lockMembers } from './members.js'
import type { Role } from './permissions.js'
import { lockUsers } from './users.js'

type Link = Pick<Invitation, 'makerId' | 'purpose'>

/**
 * Whether the maker of a link may give now what it gives. A password link made at a merchant works
 * only for a member of that merchant alone: it would open everything else, too.
 */
export async function isWorthGiving(db: Queryable, link: Link): Promise<boolean> {
  const gift = await findGift(db, link.purpose)
  if (!gift) return false
  if (link.makerId === null) return true
  const merchantId = merchantOf(link.purpose)
  const giver = await findGiver(db, { merchantId, userId: link.makerId })
  return whyNotGive(giver, gift) === undefined
}

/** The merchant at which the maker of a link needs a right. */
function merchantOf(purpose: LinkPurpose): string | null {
  if (purpose.kind === 'operator') return null
  return purpose.kind === 'member' ? purpose.merchantId : purpose.madeInMerchantId
}

/** Undefined if a password link is for a user for whom it cannot be made. */
async function findGift(db: Queryable, purpose: LinkPurpose): Promise<Gift | undefined> {
  if (purpose.kind === 'operator') return purpose
  if (purpose.kind === 'member') {
    const { role, maySeeLive } = purpose
    return { kind: 'membership', role, maySeeLive }
  }
  const { userId, madeInMerchantId: merchantId } = purpose
  if (merchantId === null) return { kind: 'operator' }
  const member = await findMember(db, { merchantId, userId })
  if (!member || member.disabledAt || (await belongsElsewhere(db, { merchantId, userId })))
    return undefined
  const { role, maySeeLive } = member
  return { kind: 'membership', role, maySeeLive }
}

/**
 * Uses a link up for a user. False if it ended in the meantime, or its maker may no longer give
 * what it gives. The locks make changes of the maker and of the user wait until it is used.
 */
export async function takeLink(
  tx: Tx,
  now: RealTime,
  { link, userId }: { link: Invitation; userId: string },
): Promise<boolean> {
  const merchantId = merchantOf(link.purpose)
  if (merchantId !== null) await lockMembers(tx, merchantId)
  await lockUsers(tx, link.makerId === null ? [userId] : [userId, link.makerId])
  if (!(await isWorthGiving(tx, link))) return false
  return takeInvitation(tx, now, link.id)
}

/**
 * Ends the links of a member who may no longer give what they give. Returns their ids. Called after
 * the member was changed.
 */
export async function revokeUnworthyLinks(
  tx: Tx,
  now: RealTime,
  maker: { merchantId: string; makerId: string },
): Promise<string[]> {
  const links = await listInvitationsBy(tx, now, maker)
  const unworthy: string[] = []
  for (const link of links) if (!(await isWorthGiving(tx, link))) unworthy.push(link.id)
  revokeInvitations(tx, now, unworthy)
  return unworthy
}

/** The role that a link gives, or opens by a new password; undefined if it opens none. */
export async function findRoleOf(db: Queryable, { purpose }: Link): Promise<Role | undefined> {
  const gift = await findGift(db, purpose)
  return gift?.kind === 'membership' ? gift.role : undefined
}
