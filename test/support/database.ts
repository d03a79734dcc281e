import { randomBytes } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { Database } from '../../src/postgres/database.js'
import { databaseUrl, templateName } from './database-url.js'

/** A database cloned from the migrated template; dropped after the file. */
export function freshDatabase(): Promise<Database> {
  return createDatabase(`template ${templateName}`)
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
  afterAll(async () => {
    await db.close()
    await admin.rows({ text: `drop database ${name} with (force)`, values: [] })
    await admin.close()
  })
  return db
}
