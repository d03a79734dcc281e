import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { limits } from '../base/limits.js'

const folders = {
  core: new URL('../../migrations/', import.meta.url),
  /** The tables of test mode, which production may do without. */
  simulation: new URL('../../migrations/simulation/', import.meta.url),
}

/** Any number that nothing else in this database locks. */
const lockKey = 3_853_314

export type Scope = { simulation: boolean }

/**
 * Applies the missing migrations in one transaction and returns their names. Safe when several
 * processes start at once: one applies them, the others wait and find nothing to do. Refuses a
 * database that a newer version has migrated, because its rules are unknown here.
 */
export async function migrate(url: string, scope: Scope = { simulation: true }): Promise<string[]> {
  const files = await listFiles(scope)
  const known = await listMigrations({ simulation: true })
  const client = new pg.Client({
    connectionString: url,
    application_name: 'manilla migrate',
    connectionTimeoutMillis: limits.postgres.connectMs,
  })
  client.on('error', () => {}) // the running statement reports it
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    const applied = await readApplied(client)
    const unknown = applied.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw newerDatabase(unknown)
    const missing = files.filter(({ name }) => !applied.includes(name))
    for (const { name, url: file } of missing) {
      await client.query(await readFile(file, 'utf8'))
      await client.query('insert into migrations (name, timestamp) values ($1, now())', [name])
    }
    await client.query('commit')
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

export async function listMigrations(scope: Scope): Promise<string[]> {
  return (await listFiles(scope)).map(({ name }) => name)
}

type File = { name: string; url: URL }

/** The core first: the simulation may refer to its tables, never the other way round. */
async function listFiles({ simulation }: Scope): Promise<File[]> {
  const wanted = simulation ? [folders.core, folders.simulation] : [folders.core]
  const lists = await Promise.all(
    wanted.map(async (folder) => {
      const names = await readdir(folder)
      return names
        .filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))
        .sort()
        .map((name) => ({ name: name.replace(/\.sql$/, ''), url: new URL(name, folder) }))
    }),
  )
  return lists.flat()
}

async function readApplied(client: pg.Client): Promise<string[]> {
  await client.query(`
    create table if not exists migrations (
      name varchar(255) primary key,
      timestamp varchar(255) not null
    )`)
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  return rows.map(({ name }) => name)
}

function newerDatabase(unknown: string[]): Error {
  return new Error(
    `A newer version of Manilla has migrated this database: ${unknown.join(', ')} is unknown to ` +
      'this version. Run the newer version.',
  )
}
