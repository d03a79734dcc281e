import { readdir, readFile } from 'node:fs/promises'
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { limits } from '../base/limits.js'

const folder = new URL('../../migrations/', import.meta.url)

/**
 * Brings the database up to the numbered files, all or none. Safe when several processes start at
 * once: the others wait, then find nothing left to do. Refuses a database that was migrated further
 * than this program knows, because it would write by rules it has not read.
 */
export async function migrate(url: string): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: 'manilla migrate',
    connectionTimeoutMillis: limits.postgres.connectMs,
  })
  pool.on('error', () => {}) // the statement under way tells
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const migrator = new Migrator({
    db,
    provider: { getMigrations: readMigrations },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  })
  try {
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error
    return results.map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

/** Their names, as the database writes down those that it has. */
export async function listMigrations(): Promise<string[]> {
  return (await listFiles()).map(nameOf)
}

async function listFiles(): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort()
}

function nameOf(file: string): string {
  return file.replace(/\.sql$/, '')
}

async function readMigrations() {
  const numbered = await listFiles()
  const texts = await Promise.all(numbered.map((name) => readFile(new URL(name, folder), 'utf8')))
  const migrations = numbered.map((name, index) => {
    const up = async (db: Kysely<unknown>) => {
      await sql.raw(texts[index]!).execute(db)
    }
    return [nameOf(name), { up }] as const
  })
  return Object.fromEntries(migrations)
}
