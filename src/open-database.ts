import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './base/config.js'
import { limits } from './base/limits.js'
import { connect } from './postgres/connection.js'
import { startEmbeddedServer } from './postgres/embedded/server.js'
import { claimInstance, claimName } from './postgres/instance-lock.js'

export type OpenDatabase = { url: string; isEmbedded: boolean; close(): Promise<void> }

/** The data directory is in use by a service that runs already. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning'
  readonly url: string

  constructor(message: string, url: string) {
    super(message)
    this.url = url
  }
}

/**
 * The operator's PostgreSQL, or the embedded one, which then belongs to this process alone until it
 * is closed. A server that a crash left behind is taken over.
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl)
    return { url: config.databaseUrl.reveal(), isEmbedded: false, close: async () => {} }

  const server = await startEmbeddedServer({ dataDirectory: path.join(config.home, 'data') })
  const claim = await claimInstance(server.url, endWithOneLine)
  if ('heldBy' in claim)
    throw new AlreadyRunning(
      `Manilla already runs on ${config.home} (process ${claim.heldBy}). ` +
        'Stop it first, or choose another folder: MANILLA_HOME=/some/folder npm start',
      server.url,
    )
  return {
    url: server.url,
    isEmbedded: true,
    async close() {
      await letOthersFinish(server.url)
      await claim.release()
      await server.stop()
    },
  }
}

/** For a command beside a running service: uses its database, or opens it for the moment. */
export async function borrowDatabase(config: Config): Promise<OpenDatabase> {
  try {
    return await openDatabase(config)
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error
    return { url: error.url, isEmbedded: true, close: async () => {} }
  }
}

/**
 * Without its claim on the data this process must not go on; what it promised is in the database.
 */
function endWithOneLine(): void {
  process.stderr.write(
    'The embedded database was lost. Start again: nothing acknowledged is lost.\n',
  )
  process.exit(1)
}

/** Operator commands that borrowed the database get a moment to end before it is stopped. */
async function letOthersFinish(url: string): Promise<void> {
  const client = await connect(url, 'manilla closing')
  try {
    for (
      let waitedMs = 0;
      waitedMs < limits.borrowed.finishMs;
      waitedMs += limits.borrowed.lookMs
    ) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where backend_type = 'client backend'
          and datname = current_database() and pid <> pg_backend_pid()
          and not starts_with(application_name, $1)`,
        [claimName],
      )
      if (rowCount === 0) return
      await sleep(limits.borrowed.lookMs)
    }
  } finally {
    await client.end()
  }
}
