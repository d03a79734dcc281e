import Type from 'typebox'
import { writeAuditLine } from '../../audit/write-line.js'
import { after } from '../../base/clock.js'
import { emailPattern } from '../../base/contact-patterns.js'
import { fromReference, prefixes, toReference, unusedId } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { type KeyOfMember, listKeysOfMembers } from '../../merchants/api-keys.js'
import type { Tx } from '../../postgres/tx.js'
import type { UserActor } from '../../team/actor.js'
import {
  createInvitation,
  type Invitation,
  listInvitations,
  revokeInvitation,
  revokeInvitationsOf,
} from '../../team/invitations.js'
import {
  belongsElsewhere,
  changeMember,
  findMember,
  listMembers,
  lockMembers,
  type Member,
} from '../../team/members.js'
import { findUserByEmail, normalizeEmail } from '../../team/people.js'
import { type Role, roles } from '../../team/permissions.js'
import { endSessionsOf } from '../../team/sessions.js'
import type { ApiParts } from '../api-parts.js'
import { drawQrFile } from '../console/draw-qr-file.js'
import { success } from '../edge/envelope.js'
import { type Route, type RouteRequest, route } from '../edge/route.js'
import { closed, inPath } from '../edge/schemas.js'

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
  const own = memberships.find((one) => one.merchantId === merchantId)
  const now = after(request.now, -environment.clockOffsetMs)
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
      'Members of the merchant, former ones last. Those who may change the team also see which working API keys each member created.',
    async handle(request) {
      const { merchantId, userId, now } = actingOf(request)
      const members = await listMembers(db, merchantId)
      const maySeeKeys = (request.actor as UserActor).permissions.has('team.change')
      const keys = maySeeKeys ? await listKeysOfMembers(db, now, merchantId) : []
      const items = members.map((one) => ({
        ...showMember(one, userId),
        keys: keys.filter((key) => key.userId === one.userId).map(showKeyOfMember),
      }))
      return success(200, 'Team', { items })
    },
  })

function showKeyOfMember({ id, name, mode }: KeyOfMember) {
  return { id: toReference(prefixes.apiKey, id), name, mode }
}

function showMember(member: Member, ownId: string) {
  return {
    id: toReference(prefixes.user, member.userId),
    isYou: member.userId === ownId,
    name: member.name,
    email: member.email,
    role: member.role,
    maySeeLive: member.maySeeLive,
    isDisabled: member.disabledAt !== null,
    hasSecondFactor: member.hasSecondFactor,
    lastSeenAt: member.lastSeenAt,
    createdAt: member.createdAt,
  }
}

/** The member that a request names, if the caller may change it. */
async function lockOther(tx: Tx, acting: Acting, reference: string): Promise<Member> {
  const { merchantId } = acting
  await lockMembers(tx, merchantId)
  const userId = fromReference(prefixes.user, reference) ?? unusedId
  const member = await findMember(tx, { merchantId, userId })
  if (!member) throw notFound('member', reference)
  if (member.userId === acting.userId)
    throw refuse('You cannot change your own membership. Ask another owner or admin.')
  checkMayGive(acting, member.role)
  return member
}

/** Admins neither make nor change owners. */
function checkMayGive({ isOwner }: Acting, given: Role): void {
  if (given === 'owner' && !isOwner) throw refuse('Only owners may change owners, or make one.')
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
      'Role, access to live mode, or whether the member is disabled. Ends their sessions.',
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
        const member = await lockOther(tx, acting, params.id)
        const { userId, email } = member
        const wanted = {
          role: body.role ?? member.role,
          maySeeLive: body.maySeeLive ?? member.maySeeLive,
          isDisabled: body.isDisabled ?? member.disabledAt !== null,
        }
        checkMayGive(acting, wanted.role)
        await changeMember(tx, now, { merchantId, userId, change: wanted })
        endSessionsOf(tx, now, userId)
        const mayInvite = ['owner', 'admin'].includes(wanted.role) && !wanted.isDisabled
        if (!mayInvite) revokeInvitationsOf(tx, now, { merchantId, email, reference: params.id })
        acting.audit(tx, 'team.change', {
          user: params.id,
          email,
          before: describeAccess(member),
          after: wanted,
        })
        return findMember(tx, { merchantId, userId })
      })
      api.sessions.forgetAll()
      return success(200, 'Member changed', showMember(changed!, acting.userId))
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
    description: 'Ends all sessions of the member.',
    params: inUserPath,
    async handle(request) {
      const acting = actingOf(request)
      await api.db.transaction(async (tx) => {
        const { userId, email } = await lockOther(tx, acting, request.params.id)
        endSessionsOf(tx, acting.now, userId)
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
    description: 'Shown once. Only for people who belong to this merchant alone.',
    params: inUserPath,
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const made = await api.db.transaction(async (tx) => {
        const { userId, email, disabledAt } = await lockOther(tx, acting, request.params.id)
        if (disabledAt) throw refuse('This member is disabled.')
        // The link would open the other merchant, too.
        if (await belongsElsewhere(tx, { merchantId, userId }))
          throw refuse('This person also belongs to others. Ask the operator for a link.')
        acting.audit(tx, 'team.password_link', { user: request.params.id, email })
        const purpose = { kind: 'reset', userId } as const
        return createInvitation(tx, now, { email, purpose, createdBy: acting.reference })
      })
      return success(200, 'Link', showLink(api, made))
    },
  })

/** The only time that the link is shown. */
function showLink(
  { consoleUrl, baseUrl }: ApiParts,
  { token, expiresAt }: { token: string; expiresAt: Date },
) {
  const url = `${consoleUrl ?? baseUrl()}/console/join/${token}`
  return { url, qr: drawQrFile(url), expiresAt }
}

const listOpen = ({ db }: ApiParts) =>
  route({
    ...base,
    permission: 'team.change',
    method: 'GET',
    path: '/v1/team/invitations',
    operation: 'listInvitations',
    summary: 'List open invitations',
    description: 'Newest first, without their links.',
    async handle(request) {
      const { merchantId, now } = actingOf(request)
      const open = await listInvitations(db, now, merchantId)
      return success(200, 'Invitations', { items: open.map(showInvitation) })
    },
  })

function showInvitation(invitation: Invitation) {
  const { id, email, purpose, createdBy, createdAt, expiresAt } = invitation
  const member = purpose.kind === 'member' ? purpose : undefined
  return {
    id: toReference(prefixes.invitation, id),
    email,
    role: member?.role ?? null,
    maySeeLive: member?.maySeeLive ?? false,
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
    description: 'Answers with a link that works once, for 72 hours. It is shown only here.',
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
      checkMayGive(acting, role)
      const made = await api.db.transaction(async (tx) => {
        await lockMembers(tx, merchantId)
        await checkMayInvite(tx, { merchantId, email, now })
        acting.audit(tx, 'team.invite', { email, role, maySeeLive })
        const purpose = { kind: 'member', merchantId, role, maySeeLive } as const
        return createInvitation(tx, now, { email, purpose, createdBy: acting.reference })
      })
      const id = toReference(prefixes.invitation, made.id)
      return success(201, 'Invitation', { id, email, role, maySeeLive, ...showLink(api, made) })
    },
  })

async function checkMayInvite(
  tx: Tx,
  { merchantId, email, now }: { merchantId: string; email: string; now: Date },
): Promise<void> {
  const user = await findUserByEmail(tx, email)
  const member = user && (await findMember(tx, { merchantId, userId: user.id }))
  if (member && member.disabledAt === null)
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: `${email} belongs to the team already.`,
      details: [{ field: 'email', issue: 'belongs to the team already' }],
    })
  const open = await listInvitations(tx, now, merchantId)
  if (open.length >= limits.signIn.invitationsOpenMax)
    throw new Refusal('validation_failed', {
      reason: 'too_many',
      message: `There are ${limits.signIn.invitationsOpenMax} open invitations. Withdraw one first.`,
    })
}

const revoke = (api: ApiParts) =>
  route({
    ...change,
    method: 'DELETE',
    path: '/v1/team/invitations/:id',
    operation: 'revokeInvitation',
    summary: 'Withdraw an invitation',
    description: 'Its link stops working.',
    params: inPath('id', 'inv_01h455vb4pex5vsknk084sn02q'),
    async handle(request) {
      const acting = actingOf(request)
      const { merchantId, now } = acting
      const id = fromReference(prefixes.invitation, request.params.id) ?? unusedId
      await api.db.transaction(async (tx) => {
        const revoked = await revokeInvitation(tx, now, { merchantId, id })
        if (!revoked) throw notFound('open invitation', request.params.id)
        checkMayGive(acting, revoked.role)
        acting.audit(tx, 'team.withdraw', { invitation: request.params.id, ...revoked })
      })
      return success(200, 'Invitation withdrawn', {})
    },
  })
