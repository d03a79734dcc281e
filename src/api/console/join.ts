import { writeAuditLine } from '../../audit/write-line.js'
import { Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { forgetGuesses } from '../../team/guesses.js'
import { findInvitation, type Invitation, revokeResets } from '../../team/invitations.js'
import { isWorthGiving, takeLink } from '../../team/link-worth.js'
import { addMember } from '../../team/members.js'
import { savePassword } from '../../team/passwords.js'
import { endSessionsOf, type SignedIn } from '../../team/sessions.js'
import {
  createUser,
  findUserByEmail,
  getFactors,
  getUser,
  hasSecondFactor,
  makeOperator,
  type User,
} from '../../team/users.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { checkPassword } from './own-account.js'
import { enter, signInFailed, signInWithPassword } from './sign-in.js'
import { auditUser, type Visit } from './visit.js'

/** What a link asks of the user who opens it. */
export type Join =
  /**
   * A name and a password. The page is the same whether or not a user has the address: the inviter
   * must not learn it by opening the link.
   */
  | { kind: 'join'; invitation: Invitation }
  /** The invited user is signed in: one button. */
  | { kind: 'accept'; invitation: Invitation; userId: string }
  | { kind: 'reset'; invitation: Invitation; userId: string }

/** Undefined for a link that does not work, or no longer. Changes nothing. */
export async function findJoin(
  { db }: ApiParts,
  visit: Visit,
  { token, signedIn }: { token: string; signedIn: SignedIn | undefined },
): Promise<Join | undefined> {
  const invitation = await findInvitation(db, visit.now, token)
  if (!invitation || !(await isWorthGiving(db, invitation))) return undefined
  const { purpose, email } = invitation
  if (purpose.kind === 'reset') {
    const { id: userId, isDisabled } = await getUser(db, purpose.userId)
    return isDisabled ? undefined : { kind: 'reset', invitation, userId }
  }
  if (signedIn?.email === email) return { kind: 'accept', invitation, userId: signedIn.userId }
  return { kind: 'join', invitation }
}

type Given = { name: string; password: string }

/** What the browser gets and where it goes next. */
export type Joined =
  /** Signed in as a new user, or with a new password. */
  | { kind: 'signed_in'; token: string }
  /** Signed in to the account that the address has; the invitation is still to be accepted. */
  | { kind: 'accept_next'; token: string }
  /** The password was right, and the account has a second factor. */
  | { kind: 'code_next'; stepToken: string }
  /** The password is set; the second factor is asked for by the sign-in. */
  | { kind: 'sign_in_next' }
  | { kind: 'joined' }

export async function join(
  api: ApiParts,
  visit: Visit,
  { to, given }: { to: Join; given: Given },
): Promise<Joined> {
  if (to.kind === 'join') return joinWithPassword(api, visit, to, given)
  if (to.kind === 'reset') return reset(api, visit, to, given)
  await api.db.transaction(async (tx) => {
    const user = await takeFor(tx, visit, to)
    await admit(api, tx, visit, { invitation: to.invitation, user })
  })
  return { kind: 'joined' }
}

/** Uses the link up for a user who exists. Refuses if it ended or the user is disabled. */
async function takeFor(
  tx: Tx,
  { now }: Visit,
  { invitation, userId }: { invitation: Invitation; userId: string },
): Promise<User> {
  if (!(await takeLink(tx, now, { link: invitation, userId }))) throw linkEnded()
  const user = await getUser(tx, userId)
  if (user.isDisabled) throw linkEnded()
  return user
}

/**
 * Makes a new user. If the address has one, its password is needed, with the limits of a sign-in:
 * the inviter could send the form, too. Both answer alike until the password is right.
 */
async function joinWithPassword(
  api: ApiParts,
  visit: Visit,
  { invitation }: Join & { kind: 'join' },
  given: Given,
): Promise<Joined> {
  const { email } = invitation
  const name = readName(given.name)
  checkPassword(given.password, { email, name })
  if (await findUserByEmail(api.db, email)) return signInToJoin(api, visit, email, given.password)
  const hashed = await api.passwords.hash(given.password)
  const { now } = visit
  const work = async (tx: Tx): Promise<Joined> => {
    const id = createUser(tx, now, { email, name, isOperator: false })
    savePassword(tx, now, id, hashed)
    if (!(await takeLink(tx, now, { link: invitation, userId: id }))) throw linkEnded()
    const user = { id, email, name, isOperator: false, isDisabled: false }
    await admit(api, tx, visit, { invitation, user })
    const isOperator = invitation.purpose.kind === 'operator'
    const entering = { user: { ...user, isOperator }, factors: ['password' as const] }
    const token = await enter(api, tx, visit, entering)
    return { kind: 'signed_in', token }
  }
  return api.db.transaction(work).catch((error: { constraint?: string }) => {
    if (error.constraint === 'one_user_per_email')
      return signInToJoin(api, visit, email, given.password)
    throw error
  })
}

async function signInToJoin(
  api: ApiParts,
  visit: Visit,
  email: string,
  password: string,
): Promise<Joined> {
  const result = await signInWithPassword(api, visit, { email, password }).catch((error) => {
    if (!(error instanceof Refusal) || error.code !== 'authentication_failed') throw error
    throw signInFailed('If you already have an account, enter its password, or sign in below.')
  })
  return result.isSignedIn
    ? { kind: 'accept_next', token: result.token }
    : { kind: 'code_next', stepToken: result.stepToken }
}

async function reset(
  api: ApiParts,
  visit: Visit,
  to: Join & { kind: 'reset' },
  { password }: Given,
): Promise<Joined> {
  const { now, address, requestId } = visit
  const { invitation } = to
  checkPassword(password, await getUser(api.db, to.userId))
  const hashed = await api.passwords.hash(password)
  const joined = await api.db.transaction(async (tx): Promise<Joined> => {
    const user = await takeFor(tx, visit, to)
    const { id, email } = user
    savePassword(tx, now, id, hashed)
    endSessionsOf(tx, now, id)
    revokeResets(tx, now, id)
    forgetGuesses(tx, email)
    auditUser(tx, visit, { email, action: 'password.reset' })
    const { purpose, createdBy } = invitation
    if (purpose.kind === 'reset' && purpose.madeInMerchantId !== null)
      writeAuditLine(tx, now, {
        actor: email,
        action: 'team.password_reset',
        merchantId: purpose.madeInMerchantId,
        log: 'merchant',
        details: { email, linkMadeBy: createdBy },
        address,
        requestId,
      })
    // The link stands for the password, not for the second factor.
    if (hasSecondFactor(await getFactors(tx, id))) return { kind: 'sign_in_next' }
    const token = await enter(api, tx, visit, { user, factors: ['password'] })
    return { kind: 'signed_in', token }
  })
  api.sessions.forgetAll()
  return joined
}

/** Gives the invited user what the invitation promises. Its link was used up. */
async function admit(
  { sessions }: ApiParts,
  tx: Tx,
  visit: Visit,
  { invitation, user }: { invitation: Invitation; user: User },
): Promise<void> {
  const { now, address, requestId } = visit
  const { purpose } = invitation
  // Password links do not reach what the user gets now.
  revokeResets(tx, now, user.id)
  if (purpose.kind === 'operator') {
    makeOperator(tx, user.id)
    // Sessions of operators are shorter.
    endSessionsOf(tx, now, user.id)
    auditUser(tx, visit, { email: user.email, action: 'operator.join' })
  } else if (purpose.kind === 'member') {
    const { merchantId, role, maySeeLive } = purpose
    const isNew = await addMember(tx, now, {
      merchantId,
      userId: user.id,
      role,
      maySeeLive,
      addedBy: invitation.makerId,
    })
    if (!isNew) throw new Refusal('forbidden', { message: 'You belong to this team already.' })
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
