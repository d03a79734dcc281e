import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { Database } from '../../src/postgres/database.js'
import { afterFile } from './after-file.js'
import { databaseUrl, templateName } from './database-url.js'

/** Copying files takes half as long as writing every page to the log. */
const cloned = `template ${templateName} strategy file_copy`

/** A database cloned from the migrated template; dropped after the file. */
export function freshDatabase(): Promise<Database> {
  return createDatabase(cloned)
}

/** A database without tables, for tests of migrations. */
export function emptyDatabase(): Promise<Database> {
  return createDatabase('')
}

async function createDatabase(from: string): Promise<Database> {
  const { db, drop } = await openDatabase(from)
  afterFile(drop)
  return db
}

/** As `freshDatabase`, for tests with so many of them that each is dropped as soon as it is used. */
export function openScratchDatabase() {
  return openDatabase(cloned)
}

async function openDatabase(from: string) {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new Database(server, () => {})
  await admin.rows({ text: `create database ${name} ${from}`, values: [] })
  const db = new Database(databaseUrl(server, name), () => {})
  const drop = async () => {
    await db.close()
    await admin.rows({ text: `drop database ${name} with (force)`, values: [] })
    await admin.close()
  }
  return { db, drop }
}
