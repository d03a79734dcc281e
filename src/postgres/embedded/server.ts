import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedLimits } from '../limits.js'
import { findServerAccount } from './account.js'
import { urlOf } from './address.js'
import { placeDataDirectory } from './data-directory.js'
import { initialize } from './initdb.js'
import { launchUnlessServed } from './launch.js'
import { readFrom } from './other-processes.js'
import { type Running, stopServer, waitUntilReady } from './postmaster.js'
import type { ServerSite } from './site.js'
import { claimSocketDirectory, removeSocketDirectory } from './socket-directory.js'

export type EmbeddedServer = { url: string; wasAdopted: boolean; stop(): Promise<void> }

/**
 * What postgres logs when another server uses the directory, is shutting down, or has removed the
 * socket directory at its end.
 */
const conflict =
  /lock file ".*"( already exists| is empty|: No such file)|pre-existing shared memory block/

/**
 * Starts a server on the data directory, which the first start creates. The server outlives this
 * process, so that a crash here does not stop it; the next start adopts it. Several processes may
 * start on one directory at once and share one server.
 */
export async function startEmbeddedServer(options: {
  dataDirectory: string
  settings?: Record<string, string>
}): Promise<EmbeddedServer> {
  const account = findServerAccount(options.dataDirectory)
  const dataDirectory = placeDataDirectory(options.dataDirectory, account)
  await initialize(dataDirectory, account)
  const site: ServerSite = {
    account,
    dataDirectory,
    socketDirectory: claimSocketDirectory(dataDirectory, account),
    // Beside the configured path, where the operator looks. The server inherits the open file.
    logFile: join(dirname(resolve(options.dataDirectory)), 'postgres.log'),
    settings: options.settings ?? {},
  }
  const running = await findOrLaunch(site)
  return {
    url: urlOf(running.socketDirectory),
    wasAdopted: !running.child,
    async stop() {
      await stopServer(site, running)
      removeSocketDirectory(running.socketDirectory)
    },
  }
}

/** PostgreSQL itself decides which server gets the directory; the loser adopts the winner. */
async function findOrLaunch(site: ServerSite): Promise<Running> {
  const { conflictTimeoutMs, launchRetryIntervalMs } = embeddedLimits
  for (let waitedMs = 0; ; waitedMs += launchRetryIntervalMs) {
    // A service that stopped a moment ago may have removed it.
    claimSocketDirectory(site.dataDirectory, site.account)
    const launched = await launchUnlessServed(site)
    const running = await waitUntilReady(site, launched?.child)
    if (running) return running

    const logged = launched ? readFrom(site.logFile, launched.logStart) : ''
    const isTaken = !launched || conflict.test(logged)
    if (!isTaken || waitedMs > conflictTimeoutMs) throw failure(site, logged)
    await sleep(launchRetryIntervalMs)
  }
}

function failure(site: ServerSite, logged: string): Error {
  const advice = conflict.test(logged)
    ? 'Another PostgreSQL uses this data: stop the process named above (kill -INT) and start again.'
    : 'Fix the problem and start again, or set DATABASE_URL to your own PostgreSQL.'
  const tail = logged.slice(-embeddedLimits.logTailLength).trim()
  return new Error(`PostgreSQL did not start. From ${site.logFile}:\n${tail}\n${advice}`)
}
