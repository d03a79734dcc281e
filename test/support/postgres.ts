import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { Database } from '../../src/postgres/database.js'
import { startEmbeddedServer } from '../../src/postgres/embedded/server.js'
import { migrate } from '../../src/postgres/migrations/migrate.js'
import { databaseUrl, templateName } from './database-url.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/**
 * One real PostgreSQL for the whole run, with a migrated template that every test file clones:
 * the embedded one, or a new server at MANILLA_TEST_POSTGRES (`npm run test:stock-postgres`).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.MANILLA_TEST_POSTGRES
  const server = given ? { url: given, stop: async () => {} } : await startServer()
  const admin = new Database(server.url, () => {})
  await admin.rows({ text: `create database ${templateName}`, values: [] })
  await admin.close()
  await migrate(databaseUrl(server.url, templateName))
  project.provide('postgresUrl', server.url)

  return () => server.stop()
}

function startServer() {
  return startEmbeddedServer({
    dataDirectory: path.join(tmpdir(), 'postgres/data'),
    // The machine does not lose power during a test; storms that kill things run with fsync on.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  })
}
