import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { second } from '../base/clock.js'
import type { Config } from '../base/config.js'
import { startEmbeddedServer } from '../postgres/embedded/server.js'
import { claimInstance, claimName } from '../postgres/migrations/instance-lock.js'
import { connect } from '../postgres/wire/connection.js'

export type OpenDatabase = { url: string; isEmbedded: boolean; close(): Promise<void> }

/** The data directory is in use by a running service. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning'
  readonly url: string

  constructor(message: string, url: string) {
    super(message)
    this.url = url
  }
}

/**
 * The operator's PostgreSQL, or the embedded one, which this process then owns exclusively until it
 * closes it. An embedded server left running by a crash is adopted.
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl)
    return { url: config.databaseUrl.reveal(), isEmbedded: false, close: async () => {} }

  const server = await startEmbeddedServer({ dataDirectory: path.join(config.home, 'data') })
  const claim = await claimInstance(server.url, exitAfterLoss)
  if ('heldBy' in claim)
    throw new AlreadyRunning(
      `Manilla is already running on ${config.home} (process ${claim.heldBy}). ` +
        'Stop it first, or choose another folder: MANILLA_HOME=/some/folder npm start',
      server.url,
    )
  return {
    url: server.url,
    isEmbedded: true,
    async close() {
      await waitForBorrowers(server.url)
      await claim.release()
      await server.stop()
    },
  }
}

/** For operator commands: uses the database of a running service, or starts it temporarily. */
export async function borrowDatabase(config: Config): Promise<OpenDatabase> {
  try {
    return await openDatabase(config)
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error
    return { url: error.url, isEmbedded: true, close: async () => {} }
  }
}

/** Without its lock on the data directory this process must not continue. */
function exitAfterLoss(): void {
  process.stderr.write(
    'Lost the embedded database. Start again: everything that was acknowledged is stored.\n',
  )
  process.exit(1)
}

/** Gives operator commands that use the database a moment to finish before it stops. */
async function waitForBorrowers(url: string): Promise<void> {
  const client = await connect(url, 'manilla closing')
  try {
    const pollIntervalMs = 50
    for (let waitedMs = 0; waitedMs < 5 * second; waitedMs += pollIntervalMs) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where backend_type = 'client backend'
          and datname = current_database() and pid <> pg_backend_pid()
          and not starts_with(application_name, $1)`,
        [claimName],
      )
      if (rowCount === 0) return
      await sleep(pollIntervalMs)
    }
  } finally {
    await client.end()
  }
}
