import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import Type from 'typebox'
import { fromReference, prefixes, toReference, unusedId } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { takeChallenge } from '../../team/challenges.js'
import { countProof, takeBackProof } from '../../team/guesses.js'
import { revokeResets } from '../../team/invitations.js'
import { judgePassword } from '../../team/judge-password.js'
import { signInLimits } from '../../team/limits.js'
import { endOwnSession, listOwnSessions } from '../../team/list-sessions.js'
import { findPasskey, noteUse, readProof } from '../../team/passkeys.js'
import { findPassword, savePassword } from '../../team/passwords.js'
import {
  endSession,
  endSessionsOf,
  hasStepUp,
  lockOpenSession,
  noteProof,
  type SignedIn,
} from '../../team/sessions.js'
import { type Factors, getFactors, hasSecondFactor } from '../../team/users.js'
import { closed, inPath } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'
import { describeBrowser } from './describe-browser.js'
import { type Factor, signInFailed, takeCode, wrongCode } from './sign-in.js'
import { passkeyAnswer } from './sign-in-routes.js'
import { auditUser, type Visit, visitOf } from './visit.js'

const path = '/console/session'
const password = Type.String({ minLength: 1, maxLength: signInLimits.passwordLengthMax })
export const code = Type.String({ minLength: 6, maxLength: 40 })
export const ownBase = { access: 'any_user', tag: 'Console', answers: { 200: Type.Any() } } as const

/** What users do with their own account, without a merchant. */
export function ownAccountRoutes(api: ApiParts): Route[] {
  return [stepUp(api), listSessions(api), endOne(api), setPassword(api)]
}

const stepUp = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/step-up`,
    operation: 'confirmPerson',
    summary: 'Confirm that it is you',
    description:
      'Send `passkey`, `totp` (or a recovery code) or `password`. A password confirms only users without a second factor.',
    body: closed({
      passkey: Type.Optional(passkeyAnswer),
      totp: Type.Optional(code),
      password: Type.Optional(password),
    }),
    async handle(request) {
      const visit = visitOf(api, request)
      const signedIn = request.signedIn!
      const { body } = request
      const factors = await getFactors(api.db, signedIn.userId)
      if (body.passkey !== undefined)
        await provePasskey(api, visit, {
          signedIn,
          response: body.passkey as unknown as AuthenticationResponseJSON,
        })
      else if (body.totp !== undefined) await proveCode(api, visit, { signedIn, code: body.totp })
      else await provePassword(api, visit, { signedIn, factors, password: body.password ?? '' })
      api.sessions.forgetAll()
      return success(200, 'Confirmed', {})
    },
  })

async function provePasskey(
  api: ApiParts,
  visit: Visit,
  { signedIn, response }: { signedIn: SignedIn; response: AuthenticationResponseJSON },
): Promise<void> {
  const { userId, sessionId, email } = signedIn
  const { now, site } = visit
  const passkey = await findPasskey(api.db, response.id)
  const purpose = { act: 'step_up', sessionId } as const
  const proof =
    passkey?.userId === userId
      ? await readProof({ seal: api.seal, now, site }, { purpose, passkey }, response)
      : undefined
  const isProven = await api.db.transaction(async (tx) => {
    if (!passkey || !proof || !(await takeChallenge(tx, now, proof.challenge))) return false
    if (!(await noteUse(tx, now, { id: passkey.id, counter: proof.counter }))) return false
    noteProof(tx, now, { sessionId, isSecondFactor: true })
    auditUser(tx, visit, {
      by: signedIn,
      email,
      action: 'step_up',
      details: { factor: 'passkey' },
    })
    return true
  })
  if (isProven) return
  await api.db.transaction(async (tx) =>
    auditUser(tx, visit, {
      by: signedIn,
      email,
      action: 'step_up.fail',
      details: { factor: 'passkey' },
    }),
  )
  throw signInFailed('This passkey was not accepted. Try again.')
}

async function proveCode(
  api: ApiParts,
  visit: Visit,
  { signedIn, code }: { signedIn: SignedIn; code: string },
): Promise<void> {
  const { userId, sessionId, email } = signedIn
  const proof = await startProof(api, visit, signedIn)
  const isProven = await api.db.transaction(async (tx) => {
    const factor = await takeCode(api, tx, { visit, userId, code })
    if (!factor) return false
    takeBackProof(tx, sessionId)
    noteProof(tx, visit.now, { sessionId, isSecondFactor: true })
    auditUser(tx, visit, { by: signedIn, email, action: 'step_up', details: { factor } })
    return true
  })
  if (isProven) return
  await noteWrongProof(api, visit, { signedIn, factor: 'totp', proof })
  throw wrongCode()
}

async function provePassword(
  api: ApiParts,
  visit: Visit,
  given: { signedIn: SignedIn; factors: Factors; password: string },
): Promise<void> {
  const { signedIn } = given
  const { userId, sessionId, email } = signedIn
  if (hasSecondFactor(given.factors))
    throw signInFailed('Use your passkey, or a code of your authenticator app.')
  if (!given.factors.hasPassword)
    throw signInFailed(
      'You have no password, code or passkey yet. Add one under "You", or open a new start link with `npx manilla console`.',
    )
  const proof = await startProof(api, visit, signedIn)
  const stored = await findPassword(api.db, userId)
  if (!(await api.passwords.isRight(given.password, stored))) {
    await noteWrongProof(api, visit, { signedIn, factor: 'password', proof })
    throw signInFailed('The password is wrong.')
  }
  await api.db.transaction(async (tx) => {
    takeBackProof(tx, sessionId)
    noteProof(tx, visit.now, { sessionId, isSecondFactor: false })
    auditUser(tx, visit, {
      by: signedIn,
      email,
      action: 'step_up',
      details: { factor: 'password' },
    })
  })
}

type Proof = { isLast: boolean }

async function startProof(api: ApiParts, visit: Visit, signedIn: SignedIn): Promise<Proof> {
  const { sessionId } = signedIn
  const proof = await api.db.transaction(async (tx) => {
    const counted = await countProof(tx, sessionId)
    if (!counted) endSession(tx, visit.now, sessionId)
    return counted
  })
  if (proof) return proof
  api.sessions.forgetAll()
  throw tooManyProofs()
}

/** The last wrong proof that a session may have ends it. */
async function noteWrongProof(
  api: ApiParts,
  visit: Visit,
  { signedIn, factor, proof }: { signedIn: SignedIn; factor: Factor; proof: Proof },
): Promise<void> {
  const { sessionId, email } = signedIn
  const by = { by: signedIn, email }
  await api.db.transaction(async (tx) => {
    auditUser(tx, visit, { ...by, action: 'step_up.fail', details: { factor } })
    if (!proof.isLast) return
    endSession(tx, visit.now, sessionId)
    auditUser(tx, visit, { ...by, action: 'step_up.lock_out' })
  })
  if (!proof.isLast) return
  api.sessions.forgetAll()
  throw tooManyProofs()
}

function tooManyProofs(): Refusal {
  return new Refusal('authentication_failed', {
    reason: 'session_expired',
    message: 'Too many failed attempts. You are signed out; sign in again.',
  })
}

/** Refuses if the session ended a moment ago: a new password or factor must be its user's own. */
export async function checkOpenSession(tx: Tx, signedIn: SignedIn): Promise<void> {
  if (await lockOpenSession(tx, signedIn)) return
  throw new Refusal('authentication_failed', {
    reason: 'session_expired',
    message: 'You are signed out. Sign in to the console again.',
  })
}

/**
 * Changing a factor needs a fresh proof of one; the first one of a user who has none does not. A
 * user with a second factor must have signed in with it.
 */
export async function checkMayChangeFactors(
  { db }: ApiParts,
  signedIn: SignedIn,
  now: Date,
): Promise<Factors> {
  const factors = await getFactors(db, signedIn.userId)
  const isStrong = hasSecondFactor(factors)
  const needsProof = isStrong || factors.hasPassword
  const isProven = hasStepUp(signedIn, now) && (signedIn.hasSecondFactor || !isStrong)
  if (!needsProof || isProven) return factors
  throw new Refusal('forbidden', {
    reason: 'step_up_required',
    message: 'Confirm that it is you: use your passkey, code or password.',
  })
}

const listSessions = ({ db }: ApiParts) =>
  route({
    ...ownBase,
    method: 'GET',
    path: `${path}/sessions`,
    operation: 'listOwnSessions',
    summary: 'List your sessions',
    description: 'Browsers in which you are signed in, the latest used first.',
    async handle({ signedIn, realNow: now }) {
      const sessions = await listOwnSessions(db, now, signedIn!.userId)
      const items = sessions.map((session) => ({
        id: toReference(prefixes.userSession, session.id),
        isCurrent: session.id === signedIn!.sessionId,
        address: session.address,
        browser: describeBrowser(session.browser),
        hasSecondFactor: session.hasSecondFactor,
        createdAt: session.createdAt,
        lastSeenAt: session.lastSeenAt,
        expiresAt: session.expiresAt,
      }))
      return success(200, 'Sessions', { items })
    },
  })

const endOne = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'DELETE',
    path: `${path}/sessions/:id`,
    operation: 'endOwnSession',
    summary: 'End one of your sessions',
    description: 'The browser is signed out within a second.',
    params: inPath('id', 'ses_01h455vb4pex5vsknk084sn02q'),
    async handle(request) {
      const { signedIn, realNow: now, params } = request
      const { userId, email } = signedIn!
      const id = fromReference(prefixes.userSession, params.id) ?? unusedId
      await api.db.transaction(async (tx) => {
        if (!(await endOwnSession(tx, now, { userId, id }))) throw notFound('session', params.id)
        const details = { session: params.id }
        auditUser(tx, visitOf(api, request), {
          by: signedIn,
          email,
          action: 'session.end',
          details,
        })
      })
      api.sessions.forgetAll()
      return success(200, 'Session ended', {})
    },
  })

const setPassword = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/own-password`,
    operation: 'setOwnPassword',
    summary: 'Set your password',
    description: 'Ends your other sessions.',
    body: closed({ password: Type.String({ maxLength: 1_000 }) }),
    async handle(request) {
      const { signedIn, realNow: now, body } = request
      const { userId, email, name, sessionId } = signedIn!
      await checkMayChangeFactors(api, signedIn!, now)
      checkPassword(body.password, { email, name })
      const hashed = await api.passwords.hash(body.password)
      await api.db.transaction(async (tx) => {
        await checkOpenSession(tx, signedIn!)
        savePassword(tx, now, userId, hashed)
        endSessionsOf(tx, now, userId, sessionId)
        revokeResets(tx, now, userId)
        auditUser(tx, visitOf(api, request), { by: signedIn, email, action: 'password.change' })
      })
      api.sessions.forgetAll()
      return success(200, 'Password set', {})
    },
  })

/** Refuses a password that is short or easy to guess. */
export function checkPassword(text: string, owner: { email: string; name: string }): void {
  const issue = judgePassword(text, owner)
  if (issue === undefined) return
  throw new Refusal('validation_failed', {
    reason: 'weak_password',
    message: `The password ${issue}.`,
    details: [{ field: 'password', issue }],
  })
}
