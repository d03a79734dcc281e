import { writeAuditLine } from '../../audit/write-line.js'
import { Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/tx.js'
import { forgetGuesses } from '../../team/guesses.js'
import {
  findInvitation,
  type Invitation,
  revokeResets,
  takeInvitation,
} from '../../team/invitations.js'
import { addMember } from '../../team/members.js'
import { savePassword } from '../../team/passwords.js'
import {
  findUserByEmail,
  getFactors,
  getUser,
  hasSecondFactor,
  makeOperator,
  type User,
} from '../../team/people.js'
import { endSessionsOf, type SignedIn } from '../../team/sessions.js'
import { createUser } from '../../team/users.js'
import type { ApiParts } from '../api-parts.js'
import { checkPassword } from './own-account.js'
import { enter } from './sign-in.js'
import { auditPerson, type Visit } from './visit.js'

/** What a link asks of the person who opens it. */
export type Join =
  /** No user has this e-mail address yet: a name and a password. */
  | { kind: 'new'; invitation: Invitation }
  /** A user has it, who must be signed in: the inviter could open the link, too. */
  | { kind: 'existing'; invitation: Invitation; user: User; isSignedIn: boolean }
  | { kind: 'reset'; invitation: Invitation; user: User }

/** Undefined for a link that does not work, or no longer. Changes nothing. */
export async function findJoin(
  { db }: ApiParts,
  visit: Visit,
  { token, signedIn }: { token: string; signedIn: SignedIn | undefined },
): Promise<Join | undefined> {
  const invitation = await findInvitation(db, visit.now, token)
  if (!invitation) return undefined
  if (invitation.purpose.kind === 'reset') {
    const user = await getUser(db, invitation.purpose.userId)
    return user.isDisabled ? undefined : { kind: 'reset', invitation, user }
  }
  const user = await findUserByEmail(db, invitation.email)
  if (!user) return { kind: 'new', invitation }
  if (user.isDisabled) return undefined
  return { kind: 'existing', invitation, user, isSignedIn: signedIn?.userId === user.id }
}

type Given = { name: string; password: string }

/** Uses the link up. Returns the token of a new session; undefined if the person must sign in. */
export async function join(
  api: ApiParts,
  visit: Visit,
  { to, given }: { to: Join; given: Given },
): Promise<string | undefined> {
  if (to.kind === 'existing') {
    if (!to.isSignedIn) throw mustSignIn(to.user.email)
    await api.db.transaction((tx) => admit(api, tx, visit, to))
    api.sessions.forgetAll()
    return undefined
  }
  return to.kind === 'new' ? joinAsNewUser(api, visit, to, given) : reset(api, visit, to, given)
}

async function joinAsNewUser(
  api: ApiParts,
  visit: Visit,
  { invitation }: Join & { kind: 'new' },
  given: Given,
): Promise<string> {
  const { email } = invitation
  const name = readName(given.name)
  checkPassword(given.password, { email, name })
  const hashed = await api.passwords.hash(given.password)
  const { now } = visit
  const work = async (tx: Tx) => {
    const id = createUser(tx, now, { email, name, isOperator: false })
    const user = { id, email, name, isOperator: false, isDisabled: false }
    savePassword(tx, now, id, hashed)
    await admit(api, tx, visit, { invitation, user })
    const isOperator = invitation.purpose.kind === 'operator'
    return enter(api, tx, visit, { user: { ...user, isOperator }, factors: ['password'] })
  }
  return api.db.transaction(work).catch((error: { constraint?: string }) => {
    if (error.constraint === 'one_user_per_email') throw mustSignIn(email)
    throw error
  })
}

async function reset(
  api: ApiParts,
  visit: Visit,
  { invitation, user }: Join & { kind: 'reset' },
  { password }: Given,
): Promise<string | undefined> {
  const { now } = visit
  checkPassword(password, user)
  const hashed = await api.passwords.hash(password)
  const factors = await getFactors(api.db, user.id)
  const token = await api.db.transaction(async (tx) => {
    if (!(await takeInvitation(tx, now, invitation.id))) throw linkEnded()
    savePassword(tx, now, user.id, hashed)
    endSessionsOf(tx, now, user.id)
    revokeResets(tx, now, user.id)
    forgetGuesses(tx, user.email)
    auditPerson(tx, visit, { email: user.email, action: 'password.reset' })
    // The link stands for the password, not for the second factor.
    if (hasSecondFactor(factors)) return undefined
    return enter(api, tx, visit, { user, factors: ['password'] })
  })
  api.sessions.forgetAll()
  return token
}

/** Gives the invited person what the invitation promises. */
async function admit(
  { sessions }: ApiParts,
  tx: Tx,
  visit: Visit,
  { invitation, user }: { invitation: Invitation; user: User },
): Promise<void> {
  const { now, address, requestId } = visit
  if (!(await takeInvitation(tx, now, invitation.id))) throw linkEnded()
  const { purpose } = invitation
  if (purpose.kind === 'operator') {
    makeOperator(tx, user.id)
    // Sessions of operators are shorter.
    endSessionsOf(tx, now, user.id)
    auditPerson(tx, visit, { email: user.email, action: 'operator.join' })
  } else if (purpose.kind === 'member') {
    const { merchantId, role, maySeeLive } = purpose
    await addMember(tx, now, { merchantId, userId: user.id, role, maySeeLive })
    writeAuditLine(tx, now, {
      actor: user.email,
      action: 'team.join',
      merchantId,
      log: 'merchant',
      details: { email: user.email, role, maySeeLive },
      address,
      requestId,
    })
  }
  tx.afterCommit(() => sessions.forgetAll())
}

function readName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 100 && !/\p{C}/u.test(name)) return name
  throw new Refusal('validation_failed', {
    message: 'The name needs 1 to 100 visible characters.',
    details: [{ field: 'name', issue: 'needs 1 to 100 visible characters' }],
  })
}

export function linkEnded(): Refusal {
  return new Refusal('not_found', { message: 'This link was used, replaced or has expired.' })
}

function mustSignIn(email: string): Refusal {
  return new Refusal('forbidden', {
    message: `Sign in as ${email} first, then open the link again.`,
  })
}
