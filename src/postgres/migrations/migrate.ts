import pg from 'pg'
import { postgresLimits } from '../limits.js'
import {
  findNewestKnown,
  listFiles,
  listMigrations,
  type Migration,
  numberOf,
  readMigration,
  type Scope,
} from './migration-files.js'
import { describeProcess, findRunning, type RunningProcess } from './running-processes.js'

/** Any number that nothing else in this database locks. */
const lockKey = 3_853_314

/**
 * Applies the missing migrations, each in a transaction of its own, and returns their names. Safe
 * when several processes start at once: one applies them, the others wait and find nothing to do.
 * Refuses a database that a newer version has migrated, because its rules are unknown here, and
 * migrations that a running process would not tolerate.
 */
export async function migrate(url: string, scope: Scope = { simulation: true }): Promise<string[]> {
  return withClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await createTable(client)
    const { missing, obstacle } = await plan(client, scope)
    if (obstacle) throw new Error(obstacle)
    // A migration that waits for a table makes every statement on that table wait behind it.
    await client.query(`set lock_timeout = ${postgresLimits.migrationLockMs}`)
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  })
}

export type MigrationPlan = {
  missing: Migration[]
  /** Why the missing migrations cannot be applied now. */
  obstacle: string | undefined
}

/** What `migrate` would do. Changes nothing. */
export function planMigrations(url: string, scope: Scope): Promise<MigrationPlan> {
  return withClient(url, (client) => plan(client, scope))
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'manilla migrate',
    connectionTimeoutMillis: postgresLimits.connectMs,
  })
  client.on('error', () => {}) // the running statement reports it
  await client.connect()
  try {
    return await work(client)
  } finally {
    // Also ends the lock, and what a failed migration began.
    await client.end()
  }
}

async function plan(client: pg.Client, scope: Scope): Promise<MigrationPlan> {
  const applied = await readApplied(client)
  const unknown = await findUntolerated(applied)
  if (unknown.length > 0) throw newerDatabase(unknown)
  const names = new Set(applied.map(({ name }) => name))
  const files = (await listFiles(scope)).filter(({ name }) => !names.has(name))
  const missing = await Promise.all(files.map(readMigration))
  if (missing.length === 0) return { missing, obstacle: undefined }
  const newestApplied = [...names].map(numberOf).sort().at(-1)
  const running = await findRunning(async (statement) => (await client.query(statement)).rows)
  return { missing, obstacle: findObstacle(missing, running, newestApplied) }
}

async function apply(client: pg.Client, { name, text, knownMin }: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(text)
    await client.query(
      'insert into migrations (name, timestamp, known_min) values ($1, now(), $2)',
      [name, knownMin],
    )
    await client.query('commit')
  } catch (error) {
    throw (error as { code?: string }).code === '55P03' ? waitedForLock(name, error) : error
  }
}

/** A process that runs while migrations are missing does not know them. */
export function findObstacle(
  missing: Migration[],
  running: RunningProcess[],
  newestApplied = '',
): string | undefined {
  const isTolerated = ({ name, knownMin }: Migration, { newestKnown }: RunningProcess) => {
    const known = newestKnown ?? newestApplied
    return known >= numberOf(name) || (knownMin !== undefined && known >= knownMin)
  }
  const older = running.filter(
    (process) => !missing.every((migration) => isTolerated(migration, process)),
  )
  if (older.length === 0) return undefined
  const migrations = missing.filter(
    (migration) => !older.every((process) => isTolerated(migration, process)),
  )
  return (
    `Processes of an older version are running: ${older.map(describeProcess).join(', ')}. They ` +
    `must be stopped before ${migrations.map(({ name }) => name).join(', ')} can be applied.`
  )
}

export type AppliedMigration = { name: string; knownMin: string | null }

/** Names of migrations that this version does not know and must not run beside. */
export async function findUntolerated(applied: AppliedMigration[]): Promise<string[]> {
  const known = await listMigrations({ simulation: true })
  const newestKnown = await findNewestKnown()
  return applied
    .filter(({ name }) => !known.includes(name))
    .filter(({ knownMin }) => knownMin === null || knownMin > newestKnown)
    .map(({ name }) => name)
}

/** Databases of earlier versions lack the column. */
async function createTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      name varchar(255) primary key,
      timestamp varchar(255) not null,
      known_min varchar(4)
    )`)
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'known_min'`,
  )
  if (rowCount === 0) await client.query('alter table migrations add column known_min varchar(4)')
}

/** `to_jsonb`, because the table may be missing or may lack a column. */
async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: found } = await client.query(`select to_regclass('migrations') as found`)
  if (!found[0].found) return []
  const { rows } = await client.query<AppliedMigration>(
    `select name, to_jsonb(m) ->> 'known_min' as "knownMin" from migrations m`,
  )
  return rows
}

function newerDatabase(unknown: string[]): Error {
  return new Error(
    `A newer version of Manilla has migrated this database: ${unknown.join(', ')} is unknown to ` +
      'this version. Run the newer version.',
  )
}

function waitedForLock(name: string, cause: unknown): Error {
  const seconds = postgresLimits.migrationLockMs / 1_000
  return new Error(
    `Migration ${name} was not applied: another session used a table that it changes for more ` +
      `than ${seconds} s. Migrations before it are applied. Run it again.`,
    { cause },
  )
}
