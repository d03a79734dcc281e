import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import Type from 'typebox'
import { after } from '../../base/clock.js'
import { fromReference, prefixes, toReference, unusedId } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { visible } from '../../merchants/settings/settings-document.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { takeChallenge } from '../../team/challenges.js'
import { signInLimits } from '../../team/limits.js'
import {
  askForNewPasskey,
  deletePasskey,
  listPasskeys,
  readNewPasskey,
  savePasskey,
} from '../../team/passkeys.js'
import {
  deleteRecoveryCodes,
  newRecoveryCodes,
  saveRecoveryCodes,
} from '../../team/recovery-codes.js'
import { endSessionsOf, noteProof, type SignedIn } from '../../team/sessions.js'
import {
  deleteTotpSecret,
  newTotpSecret,
  saveTotpSecret,
  stepOf,
  totpUri,
} from '../../team/totp.js'
import { getFactors, hasSecondFactor } from '../../team/users.js'
import { drawQrFile } from '../checkout-page/draw-qr.js'
import { closed, inPath } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'
import { checkMayChangeFactors, checkOpenSession, code, ownBase } from './own-account.js'
import { passkeyAnswer } from './sign-in-routes.js'
import { auditUser, type Visit, visitOf } from './visit.js'

const path = '/console/session'

/** Second factors of the user who is signed in. */
export function ownFactorRoutes(api: ApiParts): Route[] {
  return [
    readFactors(api),
    addTotp(api),
    removeTotp(api),
    askForNew(api),
    addPasskey(api),
    removePasskey(api),
    renewCodes(api),
  ]
}

const readFactors = ({ db }: ApiParts) =>
  route({
    ...ownBase,
    method: 'GET',
    path: `${path}/factors`,
    operation: 'getOwnFactors',
    summary: 'Retrieve your factors',
    description: 'Your passkeys, and whether you have a password, a code and recovery codes.',
    async handle({ signedIn }) {
      const { userId } = signedIn!
      const { hasPassword, hasTotp, recoveryCodes } = await getFactors(db, userId)
      const passkeys = (await listPasskeys(db, userId)).map((passkey) => ({
        id: toReference(prefixes.passkey, passkey.id),
        name: passkey.name,
        createdAt: passkey.createdAt,
        lastUsedAt: passkey.lastUsedAt,
      }))
      return success(200, 'Factors', { hasPassword, hasTotp, recoveryCodes, passkeys })
    },
  })

/** What a browser keeps while the user scans the code; nothing is stored until it is confirmed. */
type Enrolment = { userId: string; secret: string; untilMs: number }

export type TotpOffer = { secret: string; uri: string; enrolment: string }

export function offerTotp({ seal }: ApiParts, now: Date, { userId, email }: SignedIn): TotpOffer {
  const secret = newTotpSecret()
  const untilMs = after(now, signInLimits.enrolmentMs).getTime()
  const enrolment = seal.seal(JSON.stringify({ userId, secret, untilMs } satisfies Enrolment))
  return { secret, uri: totpUri(secret, email), enrolment }
}

/** The offer that a browser sends back, while it is valid. */
export function readOffer(
  { seal }: ApiParts,
  now: Date,
  { enrolment, signedIn }: { enrolment: string; signedIn: SignedIn },
): TotpOffer | undefined {
  let offered: Enrolment
  try {
    offered = JSON.parse(seal.open(enrolment)) as Enrolment
  } catch {
    return undefined // not one of ours
  }
  const { userId, secret, untilMs } = offered
  if (userId !== signedIn.userId || now.getTime() >= untilMs) return undefined
  return { secret, uri: totpUri(secret, signedIn.email), enrolment }
}

/** False if the code is wrong. The present session then has a second factor. */
export async function confirmTotp(
  api: ApiParts,
  visit: Visit,
  { signedIn, offer, code }: { signedIn: SignedIn; offer: TotpOffer; code: string },
): Promise<string[] | undefined> {
  const { now } = visit
  const { userId, email, sessionId } = signedIn
  const step = stepOf(offer.secret, code.replace(/\s/g, ''), now)
  if (step === undefined) return undefined
  const sealed = api.seal.seal(offer.secret)
  const codes = await api.db.transaction(async (tx) => {
    await checkOpenSession(tx, signedIn)
    saveTotpSecret(tx, now, { userId, sealed, step })
    noteProof(tx, now, { sessionId, isSecondFactor: true })
    endSessionsOf(tx, now, userId, sessionId)
    auditUser(tx, visit, { by: signedIn, email, action: 'totp.add' })
    const { recoveryCodes } = await getFactors(tx, userId)
    return recoveryCodes > 0 ? [] : makeCodes(tx, visit, signedIn)
  })
  api.sessions.forgetAll()
  return codes
}

function makeCodes(tx: Tx, visit: Visit, signedIn: SignedIn): string[] {
  const { userId, email } = signedIn
  const codes = newRecoveryCodes()
  saveRecoveryCodes(tx, visit.now, userId, codes)
  auditUser(tx, visit, { by: signedIn, email, action: 'recovery_codes.create' })
  return codes
}

const addTotp = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/own-totp`,
    operation: 'addOwnTotp',
    summary: 'Add an authenticator app',
    description:
      'Without a body: a new secret as text and QR code. Then with its `enrolment` and a `code` of the app.',
    body: closed({
      enrolment: Type.Optional(Type.String({ maxLength: 1_000 })),
      code: Type.Optional(code),
    }),
    async handle(request) {
      const { now, body } = request
      const signedIn = request.signedIn!
      await checkMayChangeFactors(api, signedIn, now)
      if (body.enrolment === undefined) {
        const offer = offerTotp(api, now, signedIn)
        return success(200, 'Secret', { ...offer, qr: drawQrFile(offer.uri) })
      }
      const offer = readOffer(api, now, { enrolment: body.enrolment, signedIn })
      const visit = visitOf(api, request)
      const given = { signedIn, code: body.code ?? '' }
      const recoveryCodes = offer && (await confirmTotp(api, visit, { ...given, offer }))
      if (!recoveryCodes) throw refuseCode()
      return success(200, 'Authenticator app added', { recoveryCodes })
    },
  })

function refuseCode(): Refusal {
  return new Refusal('validation_failed', {
    message: 'This code does not match. Check the time of your device, and send the next code.',
    details: [{ field: 'code', issue: 'does not match' }],
  })
}

const removeTotp = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'DELETE',
    path: `${path}/own-totp`,
    operation: 'removeOwnTotp',
    summary: 'Remove your authenticator app',
    description: 'Ends your other sessions.',
    async handle(request) {
      const signedIn = request.signedIn!
      const { userId, email, sessionId } = signedIn
      const visit = visitOf(api, request)
      await checkMayChangeFactors(api, signedIn, visit.now)
      await api.db.transaction(async (tx) => {
        await checkOpenSession(tx, signedIn)
        if (!(await deleteTotpSecret(tx, userId))) throw notFound('authenticator app', 'own-totp')
        endSessionsOf(tx, visit.now, userId, sessionId)
        await dropUselessCodes(tx, userId)
        auditUser(tx, visit, { by: signedIn, email, action: 'totp.remove' })
      })
      api.sessions.forgetAll()
      return success(200, 'Authenticator app removed', {})
    },
  })

/** Recovery codes stand for a second factor, so they end with the last one. */
async function dropUselessCodes(tx: Tx, userId: string): Promise<void> {
  if (!hasSecondFactor(await getFactors(tx, userId))) deleteRecoveryCodes(tx, userId)
}

const askForNew = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/passkeys/options`,
    operation: 'askForNewPasskey',
    summary: 'Ask for a new passkey',
    description: 'What the browser needs to make one.',
    async handle(request) {
      const { now, site } = visitOf(api, request)
      const { userId, email, name } = request.signedIn!
      await checkMayChangeFactors(api, request.signedIn!, now)
      const known = await listPasskeys(api.db, userId)
      const options = await askForNewPasskey(
        { seal: api.seal, now, site },
        { userId, email, name },
        known,
      )
      return success(200, 'Options', options)
    },
  })

const addPasskey = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/passkeys`,
    operation: 'addPasskey',
    summary: 'Add a passkey',
    description: 'The present session then has a second factor.',
    body: closed({
      name: Type.String({ minLength: 1, maxLength: 100, ...visible }),
      passkey: passkeyAnswer,
    }),
    async handle(request) {
      const { body } = request
      const signedIn = request.signedIn!
      const { userId, email, sessionId } = signedIn
      const visit = visitOf(api, request)
      const { now, site } = visit
      await checkMayChangeFactors(api, signedIn, now)
      const response = body.passkey as unknown as RegistrationResponseJSON
      const made = await readNewPasskey({ seal: api.seal, now, site }, userId, response)
      if (!made)
        throw new Refusal('validation_failed', {
          message: 'This passkey was not accepted. Try again, or use another device.',
        })
      await api.db.transaction(async (tx) => {
        await checkOpenSession(tx, signedIn)
        const isFresh = await takeChallenge(tx, now, made.challenge)
        if (!isFresh || !(await savePasskey(tx, now, { ...made, userId, name: body.name })))
          throw new Refusal('validation_failed', {
            reason: 'too_many',
            message: `This passkey exists already, or you have ${signInLimits.passkeysMax} of them.`,
          })
        noteProof(tx, now, { sessionId, isSecondFactor: true })
        auditUser(tx, visit, {
          by: signedIn,
          email,
          action: 'passkey.add',
          details: { name: body.name },
        })
      })
      api.sessions.forgetAll()
      return success(200, 'Passkey added', {})
    },
  })

const removePasskey = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'DELETE',
    path: `${path}/passkeys/:id`,
    operation: 'removePasskey',
    summary: 'Remove a passkey',
    description: 'Ends your other sessions.',
    params: inPath('id', 'psk_01h455vb4pex5vsknk084sn02q'),
    async handle(request) {
      const { params } = request
      const signedIn = request.signedIn!
      const { userId, email, sessionId } = signedIn
      const visit = visitOf(api, request)
      const factors = await checkMayChangeFactors(api, signedIn, visit.now)
      if (!factors.hasPassword && factors.passkeys === 1)
        throw new Refusal('forbidden', {
          reason: 'invalid_state',
          message: 'This is your only way to sign in. Set a password or add another passkey first.',
        })
      const id = fromReference(prefixes.passkey, params.id) ?? unusedId
      await api.db.transaction(async (tx) => {
        await checkOpenSession(tx, signedIn)
        if (!(await deletePasskey(tx, { userId, id }))) throw notFound('passkey', params.id)
        endSessionsOf(tx, visit.now, userId, sessionId)
        await dropUselessCodes(tx, userId)
        auditUser(tx, visit, {
          by: signedIn,
          email,
          action: 'passkey.remove',
          details: { passkey: params.id },
        })
      })
      api.sessions.forgetAll()
      return success(200, 'Passkey removed', {})
    },
  })

const renewCodes = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'POST',
    path: `${path}/recovery-codes`,
    operation: 'createRecoveryCodes',
    summary: 'Create recovery codes',
    description: 'Ten codes, each of which replaces the second factor once. Earlier ones end.',
    async handle(request) {
      const signedIn = request.signedIn!
      const visit = visitOf(api, request)
      const factors = await checkMayChangeFactors(api, signedIn, visit.now)
      if (!hasSecondFactor(factors))
        throw new Refusal('forbidden', {
          reason: 'invalid_state',
          message: 'Add an authenticator app or a passkey first.',
        })
      const codes = await api.db.transaction(async (tx) => {
        await checkOpenSession(tx, signedIn)
        return makeCodes(tx, visit, signedIn)
      })
      return success(200, 'Recovery codes', { recoveryCodes: codes })
    },
  })
