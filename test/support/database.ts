import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { Database } from '../../src/postgres/database.js'
import { afterFile } from './after-file.js'
import { databaseUrl, templateName } from './database-url.js'

/** A database cloned from the migrated template; dropped after the file. */
export function freshDatabase(): Promise<Database> {
  // Copying files takes half as long as writing every page to the log.
  return createDatabase(`template ${templateName} strategy file_copy`)
}

/** A database without tables, for tests of migrations. */
export function emptyDatabase(): Promise<Database> {
  return createDatabase('')
}

async function createDatabase(from: string): Promise<Database> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new Database(server, () => {})
  await admin.rows({ text: `create database ${name} ${from}`, values: [] })
  const db = new Database(databaseUrl(server, name), () => {})
  afterFile(async () => {
    await db.close()
    await admin.rows({ text: `drop database ${name} with (force)`, values: [] })
    await admin.close()
  })
  return db
}
