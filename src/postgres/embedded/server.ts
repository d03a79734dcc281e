import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../base/limits.js'
import { findServerAccount } from './account.js'
import { urlOf } from './address.js'
import { placeDataDirectory } from './data-directory.js'
import { initialize } from './initdb.js'
import { launchUnlessServed } from './launch.js'
import { readFrom } from './other-processes.js'
import { type Running, stopServer, waitUntilReady } from './postmaster.js'
import type { Site } from './site.js'
import { claimSocketDirectory } from './socket-directory.js'

export type EmbeddedServer = { url: string; wasAdopted: boolean; stop(): Promise<void> }

type Options = { dataDirectory: string; settings?: Record<string, string> }

/** What postgres writes when another server has the directory, or is only just leaving it. */
const conflict = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/

/**
 * Serves the data directory, creating it at the first start. The server outlives this process, so
 * that no crash of ours takes it down; the next start adopts it. Several processes may start on one
 * directory at once: they end with the same server.
 */
export async function startEmbeddedServer(options: Options): Promise<EmbeddedServer> {
  const account = findServerAccount(options.dataDirectory)
  const dataDirectory = placeDataDirectory(options.dataDirectory, account)
  await initialize(dataDirectory, account)
  const site: Site = {
    account,
    dataDirectory,
    socketDirectory: claimSocketDirectory(dataDirectory, account),
    // Beside the wished place, where the operator looks; the server only inherits the open file.
    logFile: join(dirname(resolve(options.dataDirectory)), 'postgres.log'),
    settings: options.settings ?? {},
  }
  const running = await findOrLaunch(site)
  return {
    url: urlOf(running.socketDirectory),
    wasAdopted: !running.child,
    stop: () => stopServer(site, running),
  }
}

/** PostgreSQL itself decides who serves the directory; whoever loses looks again and adopts. */
async function findOrLaunch(site: Site): Promise<Running> {
  const { freeWithinMs, retryEveryMs } = limits.embedded
  for (let waitedMs = 0; ; waitedMs += retryEveryMs) {
    const launched = await launchUnlessServed(site)
    const running = await waitUntilReady(site, launched?.child)
    if (running) return running

    const complaint = launched ? readFrom(site.logFile, launched.logStart) : ''
    const isTaken = !launched || conflict.test(complaint)
    if (!isTaken || waitedMs > freeWithinMs) throw failure(site, complaint)
    await sleep(retryEveryMs)
  }
}

function failure(site: Site, complaint: string): Error {
  const advice = conflict.test(complaint)
    ? 'Another PostgreSQL holds the data: end the process named above (kill -INT) and start again.'
    : 'Correct what it complains of and start again, or set DATABASE_URL to your own PostgreSQL.'
  const tail = complaint.slice(-limits.embedded.logTailLength).trim()
  return new Error(`PostgreSQL did not start. From ${site.logFile}:\n${tail}\n${advice}`)
}
