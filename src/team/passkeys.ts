import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import { sql } from '../postgres/sql.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type ChallengePurpose, isOwnChallenge, newChallenge } from './challenges.js'
import { signInLimits } from './limits.js'

/** Where the console is, as browsers see it. Passkeys belong to its host. */
export type ConsoleSite = { origins: string[]; host: string }

const passkeys = new Table('passkeys', {
  id: column.uuid(),
  userId: column.uuid(),
  credentialId: column.text(),
  publicKey: column.bytea(),
  counter: column.int8(),
  transports: column.texts(),
  name: column.text(),
  createdAt: column.time(),
  lastUsedAt: column.time().orNull(),
})

export type Passkey = typeof passkeys.row

type PasskeyDependencies = { seal: Seal; now: Date; site: ConsoleSite }

/** 25 packages, which most processes never need. */
const library = () => import('@simplewebauthn/server')

/** Lets the browser offer every passkey that it has for this site, or those of one user. */
export async function askForPasskey(
  { seal, now, site }: PasskeyDependencies,
  purpose: ChallengePurpose,
  passkeys: Passkey[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: site.host,
    challenge: newChallenge(seal, now, purpose),
    allowCredentials: passkeys.map(toDescriptor),
    userVerification: 'required',
    timeout: signInLimits.challengeMs,
  })
}

export async function askForNewPasskey(
  { seal, now, site }: PasskeyDependencies,
  user: { userId: string; email: string; name: string },
  passkeys: Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Manilla',
    rpID: site.host,
    userID: new Uint8Array(Buffer.from(user.userId.replaceAll('-', ''), 'hex')),
    userName: user.email,
    userDisplayName: user.name,
    challenge: newChallenge(seal, now, { act: 'enrol', userId: user.userId }),
    attestationType: 'none',
    excludeCredentials: passkeys.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: signInLimits.challengeMs,
  })
}

function toDescriptor({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: transports }
}

/** A passkey as the browser made it, and the challenge that it signed. */
export type MadePasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> & {
  challenge: string
}

/** Undefined for what another site, another request or a device without user verification made. */
export async function readNewPasskey(
  { seal, now, site }: PasskeyDependencies,
  userId: string,
  response: RegistrationResponseJSON,
): Promise<MadePasskey | undefined> {
  const { verifyRegistrationResponse } = await library()
  let challenge = ''
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: (signed) => {
      challenge = signed
      return isOwnChallenge(seal, now, { challenge, purpose: { act: 'enrol', userId } })
    },
    expectedOrigin: site.origins,
    expectedRPID: site.host,
    requireUserVerification: true,
  }).catch(() => undefined) // the library throws for every mismatch
  if (!verified?.verified) return undefined
  const { credential } = verified.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: BigInt(credential.counter),
    transports: (credential.transports ?? []).slice(0, 10),
    challenge,
  }
}

/** What the passkey signed, and its counter after it. Undefined if anything does not match. */
export async function readProof(
  { seal, now, site }: PasskeyDependencies,
  { purpose, passkey }: { purpose: ChallengePurpose; passkey: Passkey },
  response: AuthenticationResponseJSON,
): Promise<{ challenge: string; counter: bigint } | undefined> {
  const { verifyAuthenticationResponse } = await library()
  let challenge = ''
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (signed) => {
      challenge = signed
      return isOwnChallenge(seal, now, { challenge, purpose })
    },
    expectedOrigin: site.origins,
    expectedRPID: site.host,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: Number(passkey.counter),
      transports: passkey.transports,
    },
  }).catch(() => undefined) // the library throws for every mismatch
  if (!verified?.verified) return undefined
  return { challenge, counter: BigInt(verified.authenticationInfo.newCounter) }
}

export function wrongPasskey(): Refusal {
  return new Refusal('authentication_failed', {
    reason: 'sign_in_failed',
    message: 'This passkey was not accepted. Try again, or use another way to sign in.',
  })
}

export async function findPasskey(
  db: Queryable,
  credentialId: string,
): Promise<Passkey | undefined> {
  const [row] = await db.rows(sql<Passkey>`
    select ${passkeys.columns} from passkeys where credential_id = ${credentialId}`)
  return row
}

export function listPasskeys(db: Queryable, userId: string): Promise<Passkey[]> {
  return db.rows(sql<Passkey>`
    select ${passkeys.columns} from passkeys where user_id = ${userId} order by created_at, id
    limit ${signInLimits.passkeysMax}`)
}

/** False if a user has this passkey already, or this user has too many. */
export async function savePasskey(
  tx: Tx,
  now: RealTime,
  passkey: { userId: string; name: string } & MadePasskey,
): Promise<boolean> {
  await tx.rows(sql`select from users where id = ${passkey.userId} for no key update`)
  const count = await tx.count(sql`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name,
      created_at)
    select ${newId(now)}, ${passkey.userId}, ${passkey.credentialId}, ${passkey.publicKey},
      ${passkey.counter}, ${passkey.transports}, ${passkey.name}, ${now}
    where (select count(*) from passkeys where user_id = ${passkey.userId})
      < ${signInLimits.passkeysMax}
    on conflict (credential_id) do nothing`)
  return count > 0
}

/**
 * False if the counter did not grow: a copy of the passkey may exist. Passkeys that are
 * synchronized between devices always send zero.
 */
export async function noteUse(
  tx: Tx,
  now: RealTime,
  { id, counter }: { id: string; counter: bigint },
): Promise<boolean> {
  const count = await tx.count(sql`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`)
  return count > 0
}

export async function deletePasskey(
  tx: Tx,
  { userId, id }: { userId: string; id: string },
): Promise<boolean> {
  return (await tx.count(sql`delete from passkeys where user_id = ${userId} and id = ${id}`)) > 0
}
