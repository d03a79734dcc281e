import Type from 'typebox'
import { writeAuditLine } from '../../../audit/write-line.js'
import { emailPattern } from '../../../base/contact-patterns.js'
import type { Environment } from '../../../base/environment.js'
import { fromReference, prefixes, toReference, unusedId } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { notFound, Refusal } from '../../../base/refusal.js'
import { formatMailTime } from '../../../mail/content.js'
import { queueMails } from '../../../mail/queue-mails.js'
import { type KeyOfMember, listKeysOfMembers } from '../../../merchants/keys/api-keys.js'
import type { Tx } from '../../../postgres/transactions/tx.js'
import type { UserActor } from '../../../team/actor.js'
import {
  createInvitation,
  type Invitation,
  listInvitations,
  revokeInvitations,
  revokeInvitationsTo,
  revokeResets,
} from '../../../team/invitations.js'
import { signInLimits } from '../../../team/limits.js'
import { findRoleOf, revokeUnworthyLinks } from '../../../team/link-worth.js'
import { type Gift, type Giver, giftOfChange, whyNotGive } from '../../../team/may-give.js'
import {
  belongsElsewhere,
  changeMember,
  findGiver,
  findMember,
  listMembers,
  lockMembers,
  type Member,
} from '../../../team/members.js'
import { type Role, roles } from '../../../team/permissions.js'
import { endSessionsAt } from '../../../team/sessions.js'
import { findUserByEmail, lockUsers, normalizeEmail } from '../../../team/users.js'
import { drawQrFile } from '../../checkout-page/draw-qr.js'
import { closed, inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const base = { access: 'user', tag: 'Console', answers: { 200: Type.Any() } } as const
const change = { ...base, permission: 'team.change', stepUp: 'always' } as const
const inUserPath = inPath('id', 'usr_01h455vb4pex5vsknk084sn02q')
const role = Type.Enum([...roles])

/** The members of a merchant. Every change needs a fresh proof of a factor. */
export function teamRoutes(api: ApiParts): Route[] {
  return [
    listTeam(api),
    changeOne(api),
    endSessions(api),
    makeResetLink(api),
    listOpen(api),
    invite(api),
    revoke(api),
  ]
}

/** A member of the merchant who acts on others. */
type Acting = {
  merchantId: string
  userId: string
  email: string
  reference: string
  isOwner: boolean
  /** Real time: a team has no test clock. */
  now: Date
  audit(tx: Tx, action: string, details: Record<string, unknown>): void
}

function actingOf(request: RouteRequest<unknown, unknown, unknown>): Acting {
  const { environment, signedIn, address, requestId } = request
  const actor = request.actor as UserActor
  const { merchantId } = environment
  const { userId, email, memberships } = signedIn!
  const own = memberships.find((membership) => membership.merchantId === merchantId)
  const { realNow: now } = request
  return {
    merchantId,
    userId,
    email,
    reference: toReference(prefixes.user, userId),
    isOwner: own?.role === 'owner',
    now,
    audit(tx, action, details) {
      writeAuditLine(tx, now, { actor, action, merchantId, details, address, requestId })
    },
  }
}

const listTeam = ({ db }: ApiParts) =>
  route({
    ...base,
    permission: 'team.see',
    method: 'GET',
    path: '/v1/team/users',
    operation: 'listTeam',
    summary: 'List the team',
    description:
      'Members of the merchant, former ones last. Those who may change the team also see which working API keys each member created. Owners see who has no second factor.',
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const members = await listMembers(db, merchantId)
      const maySeeKeys = (request.actor as UserActor).permissions.has('team.change')
      const keys = maySeeKeys ? await listKeysOfMembers(db, now, merchantId) : []
      const items = members.map((member) => ({
        ...showMember(member, acting),
        keys: keys.filter((key) => key.userId === member.userId).map(showKeyOfMember),
      }))
      return success(200, 'Team', { items })
    },
  })

function showKeyOfMember({ id, name, mode }: KeyOfMember) {
  return { id: toReference(prefixes.apiKey, id), name, mode }
}

/** A member without a second factor is easier to take over: only owners see it of others. */
function showMember(member: Member, { userId, isOwner }: Pick<Acting, 'userId' | 'isOwner'>) {
  const isYou = member.userId === userId
  return {
    id: toReference(prefixes.user, member.userId),
    isYou,
    name: member.name,
    email: member.email,
    role: member.role,
    maySeeLive: member.maySeeLive,
    isDisabled: member.disabledAt !== null,
    hasSecondFactor: isOwner || isYou ? member.hasSecondFactor : null,
    lastSeenAt: member.lastSeenAt,
    createdAt: member.createdAt,
  }
}

/** Locks the team, and returns what the acting member may give now, not when the request began. */
async function lockGiver(tx: Tx, { merchantId, userId }: Acting, others: string[] = []) {
  await lockMembers(tx, merchantId)
  await lockUsers(tx, [userId, ...others])
  return findGiver(tx, { merchantId, userId })
}

/** The member that a request names, if the acting member may change it. */
async function lockOther(
  tx: Tx,
  acting: Acting,
  reference: string,
): Promise<{ member: Member; giver: Giver }> {
  const { merchantId } = acting
  const userId = fromReference(prefixes.user, reference) ?? unusedId
  const giver = await lockGiver(tx, acting, [userId])
  const member = await findMember(tx, { merchantId, userId })
  if (!member) throw notFound('member', reference)
  if (member.userId === acting.userId)
    throw refuse('You cannot change your own membership. Ask another owner or admin.')
  checkMayChange(giver, member.role)
  return { member, giver }
}

function checkMayGive(giver: Giver, gift: Gift): void {
  const reason = whyNotGive(giver, gift)
  if (reason !== undefined) throw refuse(reason)
}

/** Members change and withdraw only what has a role that they could give. */
function checkMayChange(giver: Giver, role: Role): void {
  checkMayGive(giver, { kind: 'membership', role, maySeeLive: false })
}

function refuse(message: string): Refusal {
  return new Refusal('forbidden', { reason: 'role', message })
}

const changeOne = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: '/v1/team/users/:id',
    operation: 'changeMember',
    summary: 'Change a member',
    description:
      'Role, access to live mode, or whether the member is disabled. You give only what you have. Ends their sessions at this merchant, their password links, and the links that they may no longer give.',
    params: inUserPath,
    body: closed({
      role: Type.Optional(role),
      maySeeLive: Type.Optional(Type.Boolean()),
      isDisabled: Type.Optional(Type.Boolean()),
    }),
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const { body, params } = request
      const changed = await api.db.transaction(async (tx) => {
        const { member, giver } = await lockOther(tx, acting, params.id)
        const { userId, email } = member
        const before = describeAccess(member)
        const wanted = {
          role: body.role ?? before.role,
          maySeeLive: body.maySeeLive ?? before.maySeeLive,
          isDisabled: body.isDisabled ?? before.isDisabled,
        }
        const gift = giftOfChange(before, wanted)
        if (gift) checkMayGive(giver, gift)
        await changeMember(tx, now, {
          merchantId,
          userId,
          change: wanted,
          changedBy: acting.userId,
        })
        await endSessionsAt(tx, now, { merchantId, userId })
        revokeResets(tx, now, userId)
        revokeInvitationsTo(tx, now, { merchantId, email })
        const ended = await revokeUnworthyLinks(tx, now, { merchantId, makerId: userId })
        acting.audit(tx, 'team.change', {
          user: params.id,
          email,
          before,
          after: wanted,
          ...(ended.length > 0 && {
            endedLinks: ended.map((id) => toReference(prefixes.invitation, id)),
          }),
        })
        return findMember(tx, { merchantId, userId })
      })
      api.sessions.forgetAll()
      return success(200, 'Member changed', showMember(changed!, acting))
    },
  })

function describeAccess({ role, maySeeLive, disabledAt }: Member) {
  return { role, maySeeLive, isDisabled: disabledAt !== null }
}

const endSessions = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: '/v1/team/users/:id/end-sessions',
    operation: 'endSessionsOfMember',
    summary: 'Sign a member out',
    description: 'Ends the sessions of the member at this merchant.',
    params: inUserPath,
    async handle(request) {
      const acting = actingOf(request)
      await api.db.transaction(async (tx) => {
        const { member } = await lockOther(tx, acting, request.params.id)
        const { userId, email } = member
        await endSessionsAt(tx, acting.now, { merchantId: acting.merchantId, userId })
        acting.audit(tx, 'team.end_sessions', { user: request.params.id, email })
      })
      api.sessions.forgetAll()
      return success(200, 'Sessions ended', {})
    },
  })

const makeResetLink = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: '/v1/team/users/:id/link',
    hidesBodies: true,
    operation: 'createPasswordLink',
    summary: 'Make a link for a new password',
    description:
      'Shown once. Only for members who belong to this merchant alone and may do nothing that you may not. Ends when they join another merchant, are changed, or you lose the right to make it.',
    params: inUserPath,
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const made = await api.db.transaction(async (tx) => {
        const { member, giver } = await lockOther(tx, acting, request.params.id)
        const { userId, email, role, maySeeLive } = member
        if (member.disabledAt) throw refuse('This member is disabled.')
        // The holder of the link can do what the member can.
        checkMayGive(giver, { kind: 'membership', role, maySeeLive })
        // The link would open the other merchant, too.
        if (await belongsElsewhere(tx, { merchantId, userId }))
          throw refuse('This member also belongs to others. Ask the operator for a link.')
        acting.audit(tx, 'team.password_link', { user: request.params.id, email })
        const purpose = { kind: 'reset', userId, madeInMerchantId: merchantId } as const
        return createInvitation(tx, now, { email, purpose, ...makerOf(acting) })
      })
      return success(200, 'Link', showLink(api, made))
    },
  })

function makerOf({ userId, reference }: Acting) {
  return { makerId: userId, createdBy: reference }
}

/** The only answer that shows the link. */
function showLink(api: ApiParts, { token, expiresAt }: { token: string; expiresAt: Date }) {
  const url = linkTo(api, { token })
  return { url, qr: drawQrFile(url), expiresAt }
}

function linkTo({ consoleUrl, baseUrl }: ApiParts, { token }: { token: string }): string {
  return `${consoleUrl ?? baseUrl()}/console/join/${token}`
}

type MailedInvitation = {
  invitation: { id: string; expiresAt: Date }
  email: string
  role: Role
  environment: Environment
  invitedBy: string
  url: string
}

/** Also sent when the inviting member works in test mode: the invited person is real. */
function mailInvitation(tx: Tx, now: Date, mailed: MailedInvitation): void {
  const { invitation, email, role, environment, invitedBy, url } = mailed
  const { merchantName } = environment
  queueMails(tx, now, [
    {
      environmentId: environment.id,
      mode: 'live',
      kind: 'invitation',
      causeId: invitation.id,
      recipient: email,
      content: {
        subject: `Invitation to the team of ${merchantName}`,
        sender: null,
        heading: `Join ${merchantName}`,
        blocks: [
          {
            type: 'paragraph',
            text: `${invitedBy} invites you to the team of ${merchantName} in the Manilla console, as ${role}.`,
          },
          { type: 'button', label: 'See the invitation', url, isSecret: true },
          {
            type: 'note',
            text: `The link works once, until ${formatMailTime(invitation.expiresAt)}. It opens a page on which you choose a password, or sign in. Do not pass it on.`,
          },
        ],
        reason: `Sent on behalf of ${merchantName}, because a member of its team entered this address. If you do not know them, ignore this mail.`,
      },
    },
  ])
}

const listOpen = ({ db }: ApiParts) =>
  route({
    ...base,
    permission: 'team.change',
    method: 'GET',
    path: '/v1/team/invitations',
    operation: 'listInvitations',
    summary: 'List open invitations and password links',
    description: 'Newest first, without the links themselves.',
    async handle(request) {
      const { merchantId, now } = actingOf(request)
      const [open, members] = await Promise.all([
        listInvitations(db, now, merchantId),
        listMembers(db, merchantId),
      ])
      const names = new Map(members.map(({ userId, name }) => [userId, name]))
      const items = open.map((invitation) => ({
        ...showInvitation(invitation, members),
        createdByName: (invitation.makerId && names.get(invitation.makerId)) ?? null,
      }))
      return success(200, 'Invitations', { items })
    },
  })

/** A password link opens what its member may do. */
function showInvitation(
  { id, email, purpose, createdBy, createdAt, expiresAt }: Invitation,
  members: Member[],
) {
  const isReset = purpose.kind === 'reset'
  const given = isReset
    ? members.find(({ userId }) => userId === purpose.userId)
    : purpose.kind === 'member' && purpose
  return {
    id: toReference(prefixes.invitation, id),
    kind: isReset ? 'password_link' : 'invitation',
    email,
    role: given ? given.role : null,
    maySeeLive: given ? given.maySeeLive : false,
    createdBy,
    createdAt,
    expiresAt,
  }
}

const invite = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: '/v1/team/invitations',
    hidesBodies: true,
    operation: 'createInvitation',
    summary: 'Invite a person',
    description:
      'Answers with a link that works once, for 72 hours, and sends it by e-mail if the service has a mail relay. It is shown only here. You give only what you have, and the link works only while you have it.',
    body: closed({
      email: Type.String({ pattern: emailPattern, maxLength: limits.checkout.emailLengthMax }),
      role,
      maySeeLive: Type.Boolean(),
    }),
    answers: { 201: Type.Any() },
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const { role, maySeeLive } = request.body
      const email = normalizeEmail(request.body.email)
      const made = await api.db.transaction(async (tx) => {
        const giver = await lockGiver(tx, acting)
        checkMayGive(giver, { kind: 'membership', role, maySeeLive })
        await checkMayInvite(tx, { merchantId, email, now, giver })
        acting.audit(tx, 'team.invite', { email, role, maySeeLive })
        const purpose = { kind: 'member', merchantId, role, maySeeLive } as const
        const invitation = createInvitation(tx, now, { email, purpose, ...makerOf(acting) })
        mailInvitation(tx, now, {
          invitation,
          email,
          role,
          environment: request.environment,
          invitedBy: acting.email,
          url: linkTo(api, invitation),
        })
        return invitation
      })
      const id = toReference(prefixes.invitation, made.id)
      return success(201, 'Invitation', { id, email, role, maySeeLive, ...showLink(api, made) })
    },
  })

async function checkMayInvite(
  tx: Tx,
  { merchantId, email, now, giver }: { merchantId: string; email: string; now: Date; giver: Giver },
): Promise<void> {
  const user = await findUserByEmail(tx, email)
  const member = user && (await findMember(tx, { merchantId, userId: user.id }))
  if (member && member.disabledAt === null)
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: `${email} belongs to the team already.`,
      details: [{ field: 'email', issue: 'belongs to the team already' }],
    })
  const links = await listInvitations(tx, now, merchantId)
  const open = links.filter(({ purpose }) => purpose.kind === 'member')
  // The new invitation replaces an earlier one, which only those may withdraw who could make it.
  for (const { purpose } of open.filter((invitation) => invitation.email === email))
    if (purpose.kind === 'member') checkMayChange(giver, purpose.role)
  if (open.length >= signInLimits.invitationsOpenMax)
    throw new Refusal('validation_failed', {
      reason: 'too_many',
      message: `There are ${signInLimits.invitationsOpenMax} open invitations. Withdraw one first.`,
    })
}

const revoke = (api: ApiParts) =>
  route({
    ...change,
    method: 'DELETE',
    path: '/v1/team/invitations/:id',
    operation: 'revokeInvitation',
    summary: 'Withdraw an invitation or a password link',
    description: 'Its link stops working.',
    params: inPath('id', 'inv_01h455vb4pex5vsknk084sn02q'),
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const id = fromReference(prefixes.invitation, request.params.id) ?? unusedId
      await api.db.transaction(async (tx) => {
        const giver = await lockGiver(tx, acting)
        const links = await listInvitations(tx, now, merchantId)
        const link = links.find((open) => open.id === id)
        if (!link) throw notFound('open invitation', request.params.id)
        const role = await findRoleOf(tx, link)
        if (role !== undefined) checkMayChange(giver, role)
        revokeInvitations(tx, now, [id])
        const action = link.purpose.kind === 'reset' ? 'team.withdraw_link' : 'team.withdraw'
        acting.audit(tx, action, { invitation: request.params.id, email: link.email, role })
      })
      return success(200, 'Invitation withdrawn', {})
    },
  })
