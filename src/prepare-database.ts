import { type Config, usesSandbox } from './base/config.js'
import { createSeal } from './base/sealed.js'
import { connect } from './postgres/connection.js'
import { migrate, type Scope } from './postgres/migrate.js'
import { sql } from './postgres/sql.js'
import { inTransaction, type Tx } from './postgres/tx.js'

type Secrets = Pick<Config, 'secret' | 'otherSecrets'>

/**
 * Applies missing migrations and returns their names. Refuses a database that was created with
 * another secret. The first process that starts with a new secret and the old one begins a rotation.
 */
export async function prepareDatabase(
  url: string,
  { bank, ...secrets }: Secrets & Pick<Config, 'bank'>,
  scope: Scope = { simulation: usesSandbox(bank) },
): Promise<string[]> {
  const applied = await migrate(url, scope)
  const client = await connect(url, 'manilla start')
  try {
    const problem = await inTransaction(client, (tx) => matchSecrets(tx, secrets))
    if (problem) throw new Error(problem)
    return applied
  } finally {
    await client.end()
  }
}

type Installation = { current: Buffer; old: Buffer | null }

/** Returns what is wrong, if anything. A process must know every secret that is in use. */
async function matchSecrets(tx: Tx, secrets: Secrets): Promise<string | undefined> {
  const { secret, otherSecrets: { old, next } = {} } = secrets
  const ownFingerprint = createSeal(secret).fingerprint
  const oldFingerprint = old && createSeal(old).fingerprint
  const nextFingerprint = next && createSeal(next).fingerprint
  tx.write(sql`
    insert into installation (secret_fingerprint) values (${ownFingerprint})
    on conflict do nothing`)
  const [row] = await tx.rows(sql<Installation>`
    select secret_fingerprint as current, old_secret_fingerprint as old from installation
    for update`)
  const installation = row!
  const known = [ownFingerprint, oldFingerprint, nextFingerprint].filter((one) => one !== undefined)
  const knows = (fingerprint: Buffer) => known.some((one) => one.equals(fingerprint))

  if (!knows(installation.current)) return installation.old ? needsNewSecret : otherSecret
  // A new secret, or the old one again: a rotation can be turned back.
  const isReplaced = oldFingerprint?.equals(installation.current)
  if (isReplaced && (!installation.old || installation.old.equals(ownFingerprint))) {
    tx.write(sql`
      update installation
      set secret_fingerprint = ${ownFingerprint}, old_secret_fingerprint = ${oldFingerprint}`)
    return undefined
  }
  if (installation.old && !knows(installation.old)) return needsOldSecret
  const isCurrent = ownFingerprint.equals(installation.current)
  return isCurrent || installation.old?.equals(ownFingerprint) ? undefined : otherSecret
}

const otherSecret =
  'This database belongs to another secret: its API keys cannot be checked with this one. ' +
  'Set the MANILLA_SECRET it was created with, or restore the file `secret` in MANILLA_HOME. ' +
  'To replace the secret, also set MANILLA_SECRET_OLD to the former one.'

const needsNewSecret =
  'The secret of this database is being rotated, and the new one is missing. ' +
  'Set MANILLA_SECRET to the new secret and MANILLA_SECRET_OLD to the former one.'

const needsOldSecret =
  'The secret of this database is being rotated, and API keys still depend on the old one. ' +
  'Set MANILLA_SECRET_OLD until `manilla secret rotate` reports that nothing depends on it.'
