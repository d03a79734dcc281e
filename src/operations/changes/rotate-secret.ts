import { writeAuditLine } from '../../audit/write-line.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { resealAnswers } from '../../idempotency/reseal-answers.js'
import { resealMails } from '../../mail/store-mails.js'
import { revokeKey } from '../../merchants/keys/api-keys.js'
import {
  countKeysOfOldSecret,
  type KeyOfOldSecret,
  listKeysOfOldSecret,
} from '../../merchants/keys/keys-of-old-secret.js'
import { resealMerchants } from '../../merchants/reseal-merchants.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { resealTotpSecrets } from '../../team/totp.js'
import { resealEndpoints } from '../../webhooks/endpoints/reseal-endpoints.js'

export type RotationProgress = {
  endpoints: number
  answers: number
  /** Test keys that are kept, and KYC. */
  merchantValues: number
  revoked: KeyOfOldSecret[]
  /** Valid keys that still have the hash of the old secret. */
  waitingCount: number
  /** Some of them, the latest used first. */
  waiting: KeyOfOldSecret[]
  isFinished: boolean
}

type Rotation = {
  seal: Seal
  now: Date
  actor: string
  /** Revokes the waiting keys that were neither created nor used since then. */
  revokeUnusedSince?: Date | undefined
}

/**
 * Continues the rotation of the installation's secret: seals stored secrets with the new one, and
 * ends the rotation when no key depends on the old one. Safe to repeat.
 */
export async function rotateServiceSecret(
  db: Database,
  { seal, now, actor, revokeUnusedSince }: Rotation,
): Promise<RotationProgress> {
  if (!seal.oldFingerprint) throw notRotating()
  const endpoints = await resealEndpoints(db, seal)
  const answers = await resealAnswers(db, seal)
  await resealTotpSecrets(db, seal)
  await resealMails(db, seal)
  const merchantValues = await resealMerchants(db, seal)
  const revoked = revokeUnusedSince
    ? await revokeWaiting(db, { seal, now, actor }, revokeUnusedSince)
    : []
  const isFinished = await finish(db, { seal, now, actor })
  return {
    endpoints,
    answers,
    merchantValues,
    revoked,
    isFinished,
    waitingCount: isFinished ? 0 : await countKeysOfOldSecret(db, now, seal),
    waiting: isFinished ? [] : await listKeysOfOldSecret(db, now, seal),
  }
}

function notRotating(): Refusal {
  return new Refusal('validation_failed', {
    message:
      'Set MANILLA_SECRET to the new secret and MANILLA_SECRET_OLD to the present one for every process ' +
      'and for this command, restart the processes, then run this command again.',
  })
}

/** Whether nothing depends on the old secret any more. */
async function finish(
  db: Database,
  { seal, now, actor }: Omit<Rotation, 'revokeUnusedSince'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.rows(sql`select from installation for update`)
    if ((await countKeysOfOldSecret(tx, now, seal)) > 0) return false
    const ended = await tx.rows(sql`
      update installation set old_secret_fingerprint = null
      where secret_fingerprint = ${seal.fingerprint} and old_secret_fingerprint is not null
      returning is_only`)
    if (ended.length > 0)
      writeAuditLine(tx, now, { actor, action: 'secret.rotate', details: { isFinished: true } })
    return true
  })
}

async function revokeWaiting(
  db: Database,
  { seal, now, actor }: Omit<Rotation, 'revokeUnusedSince'>,
  unusedSince: Date,
): Promise<KeyOfOldSecret[]> {
  const revoked: KeyOfOldSecret[] = []
  for (;;) {
    const keys = await listKeysOfOldSecret(db, now, seal, unusedSince)
    await db.transaction(async (tx) => {
      for (const { environmentId, id, merchantId, hint } of keys) {
        await revokeKey(tx, now, { environmentId, id })
        const details = { key: toReference(prefixes.apiKey, id), hint, why: 'secret rotated' }
        writeAuditLine(tx, now, { actor, action: 'key.revoke', merchantId, environmentId, details })
      }
    })
    revoked.push(...keys)
    if (keys.length < limits.operator.rowsListedMax) return revoked
  }
}
