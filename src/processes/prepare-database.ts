import pg from 'pg'
import { type Config, usesSandbox } from '../base/config.js'
import { createSeal } from '../base/sealed.js'
import { type MigrationPlan, migrate, planMigrations } from '../postgres/migrations/migrate.js'
import type { Scope } from '../postgres/migrations/migration-files.js'
import { sql } from '../postgres/sql.js'
import { inTransaction, type Tx } from '../postgres/transactions/tx.js'
import { connect } from '../postgres/wire/connection.js'

type Secrets = Pick<Config, 'secret' | 'otherSecrets'>
type DatabaseConfig = Secrets & Pick<Config, 'bank'> & Partial<Pick<Config, 'databaseUrl'>>

/**
 * Applies missing migrations and returns their names. Refuses a database that was created with
 * another secret, before it changes anything. The first process that starts with a new secret and
 * the old one begins a rotation.
 */
export async function prepareDatabase(
  url: string,
  config: DatabaseConfig,
  scope: Scope = { simulation: usesSandbox(config.bank) },
): Promise<string[]> {
  return explained(url, config, () => prepare(url, config, scope))
}

/** What `prepareDatabase` would apply. Refuses what it refuses, and changes nothing. */
export function planPreparation(url: string, config: DatabaseConfig): Promise<MigrationPlan> {
  return explained(url, config, async () => {
    await checkSecrets(url, config)
    return planMigrations(url, { simulation: usesSandbox(config.bank) })
  })
}

async function explained<Result>(
  url: string,
  { databaseUrl }: DatabaseConfig,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw databaseUrl ? explainDatabaseError(error, url) : error
  }
}

/** Names the variable and what to do, for an operator who has mistyped something. */
function explainDatabaseError(error: unknown, url: string): unknown {
  const { code = '', message } = error as { code?: string; message: string }
  // As the driver reads it: a socket has no host that `URL` would find.
  const { host, port, database } = new pg.Client({ connectionString: url })
  const address = host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`
  const advice = adviceByCode[code] ?? (/timeout/i.test(message) ? unreachable : undefined)
  if (advice === undefined) return error
  const where =
    advice === unreachable ? `${address} (${code || 'timeout'})` : `"${database}" at ${address}`
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
  await checkSecrets(url, secrets)
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

/** Changes nothing, and accepts a database of any version: an empty one has no secret yet. */
async function checkSecrets(url: string, secrets: Secrets): Promise<void> {
  const client = await connect(url, 'manilla start')
  try {
    const { rows: tables } = await client.query(`select to_regclass('installation') as found`)
    if (!tables[0].found) return
    const { rows } = await client.query('select * from installation')
    const [row] = rows as { secret_fingerprint: Buffer; old_secret_fingerprint?: Buffer | null }[]
    if (!row) return
    const current = row.secret_fingerprint
    const old = row.old_secret_fingerprint ?? null
    const { problem } = judgeSecrets({ current, old }, fingerprintsOf(secrets))
    if (problem) throw new Error(problem)
  } finally {
    await client.end()
  }
}

/** Returns what is wrong, if anything. */
async function matchSecrets(tx: Tx, secrets: Secrets): Promise<string | undefined> {
  const fingerprints = fingerprintsOf(secrets)
  tx.write(sql`
    insert into installation (secret_fingerprint) values (${fingerprints.own})
    on conflict do nothing`)
  const [installation] = await tx.rows(sql<Installation>`
    select secret_fingerprint as current, old_secret_fingerprint as old from installation
    for update`)
  const { problem, isReplaced } = judgeSecrets(installation!, fingerprints)
  if (isReplaced)
    tx.write(sql`
      update installation
      set secret_fingerprint = ${fingerprints.own}, old_secret_fingerprint = ${fingerprints.old}`)
  return problem
}

type Installation = { current: Buffer; old: Buffer | null }
type Fingerprints = { own: Buffer; old: Buffer | undefined; next: Buffer | undefined }

function fingerprintsOf({ secret, otherSecrets: { old, next } = {} }: Secrets): Fingerprints {
  return {
    own: createSeal(secret).fingerprint,
    old: old && createSeal(old).fingerprint,
    next: next && createSeal(next).fingerprint,
  }
}

/** A process must know every secret that is in use. */
function judgeSecrets(
  installation: Installation,
  { own, old, next }: Fingerprints,
): { problem?: string; isReplaced?: boolean } {
  const known = [own, old, next].filter((fingerprint) => fingerprint !== undefined)
  const knows = (fingerprint: Buffer) => known.some((mine) => mine.equals(fingerprint))

  if (!knows(installation.current))
    return { problem: installation.old ? needsNewSecret : otherSecret }
  // A new secret, or the old one again: a rotation can be turned back.
  if (old?.equals(installation.current) && (!installation.old || installation.old.equals(own)))
    return { isReplaced: true }
  if (installation.old && !knows(installation.old)) return { problem: needsOldSecret }
  const isInUse = own.equals(installation.current) || installation.old?.equals(own)
  return isInUse ? {} : { problem: otherSecret }
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
