import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import { listMigrations } from '../../postgres/migrate.js'
import { sql } from '../../postgres/sql.js'
import { type CheckResult, remark, well, wrong } from './finding.js'

type Tools = { db: Database; clock: Clock; seal: Seal; simulation: boolean }

const oldestVersion = 150_000

export async function examineDatabase(tools: Tools): Promise<CheckResult[]> {
  return [
    await examineVersion(tools),
    ...(await examineMigrations(tools)),
    ...(await examineDurability(tools)),
    await examineClock(tools),
  ]
}

async function examineVersion({ db }: Tools): Promise<CheckResult> {
  const [row] = await db.rows(sql<{ number: number; name: string }>`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as name`)
  const { number, name } = row!
  return number >= oldestVersion
    ? well('Database', `PostgreSQL ${name}`)
    : wrong('Database', `PostgreSQL ${name} is too old`, 'Upgrade it to 15 or newer.')
}

/** Which files it has seen, and whether it belongs to the secret of this process. */
async function examineMigrations({ db, seal, simulation }: Tools): Promise<CheckResult[]> {
  const wanted = await listMigrations({ simulation })
  const known = await listMigrations({ simulation: true })
  const [table] = await db.rows(sql<{ there: boolean }>`
    select to_regclass('migrations') is not null as there`)
  const applied = table!.there
    ? await db.rows(sql<{ name: string }>`select name from migrations`)
    : []
  const names = new Set(applied.map(({ name }) => name))
  const missing = wanted.filter((name) => !names.has(name))
  const unknown = [...names].filter((name) => !known.includes(name))
  if (unknown.length > 0)
    return [wrong('Schema', `is ahead: ${unknown.join(', ')}`, 'Run the newer version of Manilla.')]
  if (missing.length > 0)
    return [wrong('Schema', `lacks ${missing.join(', ')}`, 'npx manilla migrate, or a start.')]
  const [kept] = await db.rows(sql<{ fingerprint: Buffer }>`
    select secret_fingerprint as fingerprint from installation`)
  const schema = well('Schema', `all ${wanted.length} migrations`)
  if (kept?.fingerprint.equals(seal.hash('fingerprint'))) return [schema]
  const mend = 'Set the MANILLA_SECRET that the database was made with.'
  return [schema, wrong('Secret', 'is not that of this database: no key can be checked', mend)]
}

/** Settings without which an acknowledged payment can be lost. */
async function examineDurability({ db }: Tools): Promise<CheckResult[]> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes']
  const rows = await db.rows(sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name = any(${names})`)
  const off = rows.filter(({ setting }) => setting === 'off').map(({ name }) => name)
  if (off.length === 0) return [well('Durability', 'what is acknowledged is on disk')]
  const says = `${off.join(', ')} off: a power cut loses acknowledged money`
  const mend = off.map((name) => `alter system set ${name} = on`).join('; ')
  return [wrong('Durability', says, `${mend}; then reload PostgreSQL.`)]
}

async function examineClock({ db, clock }: Tools): Promise<CheckResult> {
  const before = clock.now().getTime()
  const [row] = await db.rows(sql<{ at: Date }>`select clock_timestamp() as at`)
  const after = clock.now().getTime()
  const at = row!.at.getTime()
  const offMs = Math.round(at < before ? before - at : Math.max(at - after, 0))
  return offMs <= limits.doctor.clockMs
    ? well('Clock', 'agrees with the database')
    : remark('Clock', `differs from the database's by ${offMs} ms`, 'Let both follow NTP.')
}
