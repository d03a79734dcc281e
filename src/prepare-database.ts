import { type Config, usesSandbox } from './base/config.js'
import { createSeal } from './base/sealed.js'
import { connect } from './postgres/connection.js'
import { migrate, type Scope } from './postgres/migrate.js'
import { sql } from './postgres/sql.js'
import { inTransaction, type Tx } from './postgres/tx.js'

type Secrets = Pick<Config, 'secret' | 'otherSecrets'>

/**
 * Applies missing migrations and returns their names. Refuses a database that was created with
 * another secret. The first process that starts with a new secret and the old one begins a
 * rotation.
 */
export async function prepareDatabase(
  url: string,
  config: Secrets & Pick<Config, 'bank'> & Partial<Pick<Config, 'databaseUrl'>>,
  scope: Scope = { simulation: usesSandbox(config.bank) },
): Promise<string[]> {
  try {
    return await prepare(url, config, scope)
  } catch (error) {
    throw config.databaseUrl ? explainDatabaseError(error, url) : error
  }
}

/** Names the variable and what to do, for an operator who has mistyped something. */
function explainDatabaseError(error: unknown, url: string): unknown {
  const { code = '', message } = error as { code?: string; message: string }
  const { host, pathname } = new URL(url)
  const advice = adviceByCode[code] ?? (/timeout/i.test(message) ? unreachable : undefined)
  if (advice === undefined) return error
  const database = pathname.slice(1)
  const where =
    advice === unreachable ? `${host} (${code || 'timeout'})` : `"${database}" at ${host}`
  return new Error(`DATABASE_URL: cannot open ${where}. ${advice}`)
}

const unreachable =
  'Check host and port, that PostgreSQL runs there, and that it accepts connections from here.'

const adviceByCode: Record<string, string> = {
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENOENT: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  ETIMEDOUT: unreachable,
  '28P01': 'The password is wrong. Encode special characters in it, such as @ as %40.',
  '28000': 'PostgreSQL refuses this user. Check the user name and pg_hba.conf.',
  '3D000': 'The database does not exist. Create it, or correct the name at the end of the address.',
  '42501': 'The user may not create tables there. Make it the owner of the database.',
  '53300': 'PostgreSQL has no free connections. Raise max_connections.',
}

async function prepare(url: string, secrets: Secrets, scope: Scope): Promise<string[]> {
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
