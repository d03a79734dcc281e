import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { takeChallenge } from '../../team/challenges.js'
import { countGuess, forgetGuesses, type Guess, takeBack } from '../../team/guesses.js'
import { findPasskey, noteUse, readProof, wrongPasskey } from '../../team/passkeys.js'
import { findPassword } from '../../team/passwords.js'
import { isRecoveryCode, takeRecoveryCode } from '../../team/recovery-codes.js'
import { createSession, endSessionOfToken } from '../../team/sessions.js'
import { findStep, startStep, takeStepToken } from '../../team/sign-in-steps.js'
import { findTotpSecret, stepOf, takeStep } from '../../team/totp.js'
import {
  findUserByEmail,
  getFactors,
  getUser,
  hasSecondFactor,
  normalizeEmail,
  type User,
} from '../../team/users.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { alertOfNewPlace } from './sign-in-alert.js'
import { auditUser, type Visit } from './visit.js'

export type Factor = 'password' | 'totp' | 'recovery_code' | 'passkey'

/** Signed in, or a second factor is still to come. Tokens are for cookies. */
export type SignInResult =
  | { isSignedIn: true; token: string }
  | { isSignedIn: false; stepToken: string; hasTotp: boolean; hasPasskeys: boolean }

/**
 * Unknown and disabled users get the answer of a wrong password after the same work. Users who
 * have a second factor are not signed in without it.
 */
export async function signInWithPassword(
  api: ApiParts,
  visit: Visit,
  { email, password }: { email: string; password: string },
): Promise<SignInResult> {
  const { db } = api
  const address = normalizeEmail(email)
  const guess = await startGuess(api, visit, address)
  const user = await findUserByEmail(db, address)
  const stored = await findPassword(db, user?.id)
  const isRight = await api.passwords.isRight(password, stored)
  if (!isRight || !user || user.isDisabled) {
    await noteFailure(api, visit, { email: address, guess, factor: 'password' })
    throw signInFailed('The email address or the password is wrong.')
  }
  const factors = await getFactors(db, user.id)
  return db.transaction(async (tx) => {
    takeBack(tx, guess)
    if (hasSecondFactor(factors)) {
      const stepToken = startStep(tx, visit.now, user.id)
      const { hasTotp, passkeys } = factors
      return { isSignedIn: false, stepToken, hasTotp, hasPasskeys: passkeys > 0 }
    }
    const token = await enter(api, tx, visit, { user, factors: ['password'] })
    return { isSignedIn: true, token }
  })
}

/** The second factor after a password: a code of an authenticator app, or a recovery code. */
export async function signInWithCode(api: ApiParts, visit: Visit, code: string): Promise<string> {
  const { stepToken = '' } = visit
  const user = await getUserOfStep(api, visit)
  const guess = await startGuess(api, visit, user.email)
  const token = await api.db.transaction(async (tx) => {
    const factor = await takeCode(api, tx, { visit, userId: user.id, code })
    if (!factor || !(await takeStepToken(tx, visit.now, stepToken))) return undefined
    return enter(api, tx, visit, { user, factors: ['password', factor] })
  })
  if (token !== undefined) return token
  await noteFailure(api, visit, { email: user.email, guess, factor: 'totp' })
  throw wrongCode()
}

/** The user whose password was right a moment ago. */
export async function getUserOfStep({ db }: ApiParts, { now, stepToken }: Visit): Promise<User> {
  const step = stepToken === undefined ? undefined : await findStep(db, now, stepToken)
  const user = step && (await getUser(db, step.userId))
  if (user && !user.isDisabled) return user
  throw signInFailed('It took too long. Start again with your password.')
}

/** A passkey alone suffices: it proves possession, and the device has verified the user. */
export async function signInWithPasskey(
  api: ApiParts,
  visit: Visit,
  response: AuthenticationResponseJSON,
): Promise<string> {
  const passkey = await findPasskey(api.db, response.id)
  if (!passkey) throw wrongPasskey()
  const user = await getUser(api.db, passkey.userId)
  const purpose = { act: 'sign_in' } as const
  const { seal } = api
  const { now, site } = visit
  const proof = await readProof({ seal, now, site }, { purpose, passkey }, response)
  const token = await api.db.transaction(async (tx) => {
    if (!proof || user.isDisabled || !(await takeChallenge(tx, now, proof.challenge)))
      return undefined
    if (!(await noteUse(tx, now, { id: passkey.id, counter: proof.counter }))) return undefined
    return enter(api, tx, visit, { user, factors: ['passkey'] })
  })
  if (token !== undefined) return token
  await noteFailure(api, visit, { email: user.email, factor: 'passkey' })
  throw wrongPasskey()
}

/** Uses up a code that is right. Undefined if it is wrong, or was used before. */
export async function takeCode(
  { seal }: ApiParts,
  tx: Tx,
  { visit, userId, code }: { visit: Visit; userId: string; code: string },
): Promise<'totp' | 'recovery_code' | undefined> {
  const { now } = visit
  if (isRecoveryCode(code))
    return (await takeRecoveryCode(tx, now, { userId, code })) ? 'recovery_code' : undefined
  const secret = await findTotpSecret(tx, seal, userId)
  const step = secret && stepOf(secret, code.replace(/\s/g, ''), now)
  return step && (await takeStep(tx, userId, step)) ? 'totp' : undefined
}

export async function startGuess(api: ApiParts, visit: Visit, email: string): Promise<Guess> {
  const { now, network } = visit
  const guess = await api.db.transaction((tx) => countGuess(tx, now, { email, network }))
  if (guess instanceof Refusal) throw guess
  return guess
}

type Failure = { email: string; guess?: Guess; factor: Factor }

/** The fifth failure locks the user out for a while. */
export async function noteFailure(
  { db }: ApiParts,
  visit: Visit,
  { email, guess, factor }: Failure,
): Promise<void> {
  // Users type passwords into the wrong field.
  const shown = email.includes('@') ? email.slice(0, 254) : '[not an e-mail address]'
  await db.transaction(async (tx) => {
    auditUser(tx, visit, { email: shown, action: 'sign_in.fail', details: { factor } })
    if (guess?.isLastOfUser) auditUser(tx, visit, { email: shown, action: 'sign_in.lock_out' })
  })
}

/** Starts a new session in place of the one that the browser may have, under a new token. */
export async function enter(
  { sessions }: ApiParts,
  tx: Tx,
  visit: Visit,
  { user, factors }: { user: User; factors: Factor[] },
): Promise<string> {
  const { now, address, browser, sessionToken } = visit
  await alertOfNewPlace(tx, visit, user)
  if (sessionToken !== undefined) endSessionOfToken(tx, now, sessionToken)
  forgetGuesses(tx, user.email)
  const isStrong = factors.some((factor) => factor !== 'password')
  const token = createSession(tx, now, {
    userId: user.id,
    isOperator: user.isOperator,
    hasSecondFactor: isStrong,
    address,
    browser,
  })
  auditUser(tx, visit, { email: user.email, action: 'sign_in', details: { factors } })
  tx.afterCommit(() => sessions.forgetAll())
  return token
}

export function signInFailed(message: string): Refusal {
  return new Refusal('authentication_failed', { reason: 'sign_in_failed', message })
}

export function wrongCode(): Refusal {
  return signInFailed('This code is wrong or was used before. Wait for the next one.')
}
