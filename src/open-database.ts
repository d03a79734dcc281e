import path from 'node:path'
import type { Config } from './config.js'
import { startEmbeddedServer } from './postgres/embedded/server.js'
import { claimInstance } from './postgres/instance-lock.js'

export type OpenDatabase = { url: string; isEmbedded: boolean; close(): Promise<void> }

/** The data directory is in use by a service that runs already. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning'
}

/**
 * The operator's PostgreSQL, or the embedded one, which then belongs to this process alone until it
 * is closed. A server that a crash left behind is taken over.
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl)
    return { url: config.databaseUrl.reveal(), isEmbedded: false, close: async () => {} }

  const server = await startEmbeddedServer({ dataDirectory: path.join(config.home, 'data') })
  const claim = await claimInstance(server.url)
  if ('heldBy' in claim)
    throw new AlreadyRunning(
      `Manilla already runs on ${config.home} (process ${claim.heldBy}). ` +
        'Stop it first, or choose another folder: MANILLA_HOME=/some/folder npm start',
    )
  return {
    url: server.url,
    isEmbedded: true,
    async close() {
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
    const server = await startEmbeddedServer({ dataDirectory: path.join(config.home, 'data') })
    return { url: server.url, isEmbedded: true, close: async () => {} }
  }
}
