import type { Clock } from '../../base/clock.js'
import type { Seal } from '../../base/sealed.js'
import { countKeysOfOldSecret } from '../../merchants/keys/keys-of-old-secret.js'
import type { Database } from '../../postgres/database.js'
import { type AppliedMigration, findUntolerated } from '../../postgres/migrations/migrate.js'
import { listMigrations, numberOf } from '../../postgres/migrations/migration-files.js'
import { describeProcess, findRunning } from '../../postgres/migrations/running-processes.js'
import { sql } from '../../postgres/sql.js'
import { doctorLimits } from '../limits.js'
import { type CheckResult, failure, ok, warning } from './check-result.js'

type DatabaseDependencies = {
  db: Database
  clock: Clock
  seal: Seal
  simulation: boolean
  /** The file that holds the secret, if no variable does. */
  secretFile?: string | undefined
}

const versionMin = 150_000

export async function examineDatabase(dependencies: DatabaseDependencies): Promise<CheckResult[]> {
  return [
    await examineVersion(dependencies),
    ...(await examineMigrations(dependencies)),
    ...(await examineDurability(dependencies)),
    await examineClock(dependencies),
  ]
}

async function examineVersion({ db }: DatabaseDependencies): Promise<CheckResult> {
  const [row] = await db.rows(sql<{ number: number; name: string }>`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as name`)
  const { number, name } = row!
  return number >= versionMin
    ? ok('Database', `PostgreSQL ${name}`)
    : failure('Database', `PostgreSQL ${name} is too old`, 'Upgrade to PostgreSQL 15 or newer.')
}

/** Whether the schema matches this version, and the database belongs to this secret. */
async function examineMigrations(dependencies: DatabaseDependencies): Promise<CheckResult[]> {
  const { db, simulation } = dependencies
  const core = await listMigrations({ simulation: false })
  const known = await listMigrations({ simulation: true })
  const wanted = simulation ? known : core
  const [table] = await db.rows(sql<{ there: boolean }>`
    select to_regclass('migrations') is not null as there`)
  const applied = table!.there
    ? await db.rows(sql<AppliedMigration>`
        select name, to_jsonb(m) ->> 'known_min' as known_min from migrations m`)
    : []
  const names = new Set(applied.map(({ name }) => name))
  const missing = wanted.filter((name) => !names.has(name))
  const unknown = await findUntolerated(applied)
  if (unknown.length > 0)
    return [
      failure(
        'Schema',
        `newer than this version of Manilla: ${unknown.join(', ')}`,
        'Run the newer version of Manilla.',
      ),
    ]
  if (missing.length > 0 && missing.every((name) => !core.includes(name)))
    return [
      warning(
        'Schema',
        `the tables of the sandbox bank are missing: ${missing.join(', ')}`,
        'Start the service, or set BANK_TEST=none here as for the service.',
      ),
    ]
  if (missing.length > 0)
    return [
      failure(
        'Schema',
        `missing migrations: ${missing.join(', ')}`,
        'Run `npx manilla migrate`, or start the service.',
      ),
    ]
  const schema = ok('Schema', `all ${wanted.length} migrations applied`)
  return [schema, ...(await examineVersions(db, names)), ...(await examineSecret(dependencies))]
}

/** During an upgrade side by side, processes of two versions run. It should not take long. */
async function examineVersions(db: Database, applied: Set<string>): Promise<CheckResult[]> {
  const newest = [...applied].map(numberOf).sort().at(-1) ?? ''
  const running = await findRunning((statement) => db.rows(statement))
  const older = running.filter(({ newestKnown = '' }) => newestKnown < newest)
  if (older.length === 0) return []
  return [
    warning(
      'Versions',
      `of an older version: ${older.map(describeProcess).join(', ')}`,
      'Stop them when the new version serves; see docs/operating/upgrade.md.',
    ),
  ]
}

/** Whether the database belongs to this secret, and what depends on the old one. */
async function examineSecret({
  db,
  clock,
  seal,
  secretFile,
}: DatabaseDependencies): Promise<CheckResult[]> {
  const current = secretFile ?? 'MANILLA_SECRET'
  const former = secretFile ? `${secretFile}.old` : 'MANILLA_SECRET_OLD'
  const [stored] = await db.rows(sql<{ current: Buffer; old: Buffer | null }>`
    select secret_fingerprint as current, old_secret_fingerprint as old from installation`)
  if (stored?.current.equals(seal.fingerprint)) {
    if (!stored.old) return []
    const count = await countKeysOfOldSecret(db, clock.now(), seal)
    return [
      warning(
        'Secret',
        `being rotated: ${count} API keys still depend on the old secret`,
        `Run \`npx manilla secret rotate\`. Keep ${former} until it reports the end.`,
      ),
    ]
  }
  if (stored?.old?.equals(seal.fingerprint) || stored?.current.equals(seal.oldFingerprint ?? none))
    return [
      warning(
        'Secret',
        'being rotated: not every process uses the new secret',
        `Set ${current} to the new secret and ${former} to the old one, and restart.`,
      ),
    ]
  const fix = secretFile
    ? `Restore the ${secretFile} that this database was created with.`
    : 'Set the MANILLA_SECRET that this database was created with.'
  return [failure('Secret', 'does not match this database, so no API key works', fix)]
}

const none = Buffer.alloc(0)

/** Settings without which an acknowledged payment can be lost. */
async function examineDurability({ db }: DatabaseDependencies): Promise<CheckResult[]> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes']
  const rows = await db.rows(sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name = any(${names})`)
  const off = rows.filter(({ setting }) => setting === 'off').map(({ name }) => name)
  if (off.length === 0) return [ok('Durability', 'every commit is on disk')]
  const message = `${off.join(', ')} off: a power failure can lose acknowledged payments`
  const fix = off.map((name) => `alter system set ${name} = on`).join('; ')
  return [failure('Durability', message, `${fix}; then reload PostgreSQL.`)]
}

async function examineClock({ db, clock }: DatabaseDependencies): Promise<CheckResult> {
  const before = clock.now().getTime()
  const [row] = await db.rows(sql<{ at: Date }>`select clock_timestamp() as at`)
  const after = clock.now().getTime()
  const at = row!.at.getTime()
  const offMs = Math.round(at < before ? before - at : Math.max(at - after, 0))
  return offMs <= doctorLimits.clockSkewMaxMs
    ? ok('Clock', 'in sync with the database')
    : warning('Clock', `${offMs} ms off the database's clock`, 'Synchronize both with NTP.')
}
