import { TOTP, Secret as TotpSecret } from 'otpauth'
import type { RealTime } from '../base/clock.js'
import type { Seal } from '../base/sealed.js'
import { sql } from '../postgres/sql.js'
import { upsert } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

const period = 30

/** A new secret in base 32, as authenticator apps read it. */
export function newTotpSecret(): string {
  return new TotpSecret({ size: 20 }).base32
}

/** For a QR code. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString()
}

function totpOf(secret: string, email = ''): TOTP {
  return new TOTP({
    issuer: 'Manilla',
    label: email,
    secret: TotpSecret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period,
  })
}

/** The step that a code belongs to: this one, or a neighbour for clocks that differ. */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = totpOf(secret).validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : TOTP.counter({ period, timestamp }) + delta
}

/** The secret that a user has confirmed. */
export async function findTotpSecret(
  db: Queryable,
  seal: Seal,
  userId: string,
): Promise<string | undefined> {
  const [row] = await db.rows(sql<{ sealed: string }>`
    select sealed_secret as sealed from totp_secrets where user_id = ${userId}`)
  return row && seal.open(row.sealed)
}

/** `step` is that of the code which confirmed the secret. */
export function saveTotpSecret(
  tx: Tx,
  now: RealTime,
  { userId, sealed, step }: { userId: string; sealed: string; step: number },
): void {
  const saved = { sealedSecret: sealed, createdAt: now, lastStep: step }
  tx.write(upsert('totp_secrets', { userId }, saved))
}

/** False if this step, or a later one, was used before. */
export async function takeStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const count = await tx.count(sql`
    update totp_secrets set last_step = ${step} where user_id = ${userId} and last_step < ${step}`)
  return count > 0
}

export async function deleteTotpSecret(tx: Tx, userId: string): Promise<boolean> {
  return (await tx.count(sql`delete from totp_secrets where user_id = ${userId}`)) > 0
}

/** Seals every secret with the present secret of the installation. */
export async function resealTotpSecrets(db: Queryable, seal: Seal): Promise<number> {
  const rows = await db.rows(sql<{ userId: string; sealed: string }>`
    select user_id, sealed_secret as sealed from totp_secrets`)
  let count = 0
  for (const { userId, sealed } of rows) {
    const fresh = seal.reseal(sealed)
    if (fresh === undefined) continue
    await db.rows(sql`update totp_secrets set sealed_secret = ${fresh}
      where user_id = ${userId} and sealed_secret = ${sealed}`)
    count += 1
  }
  return count
}
