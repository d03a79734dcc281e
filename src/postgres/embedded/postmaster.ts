import { type ChildProcess, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedLimits } from '../limits.js'
import { spawnOptions } from './account.js'
import { socketPath } from './address.js'
import { ensureDatabase } from './ensure-database.js'
import { hasCode, isAlive, readFrom } from './other-processes.js'
import type { ServerSite } from './site.js'
import { isOwnDirectory } from './socket-directory.js'

/** The main process of a server, in PostgreSQL's own word. */
export type Postmaster = { pid: number; socketDirectory: string }
export type Running = Postmaster & { child: ChildProcess | undefined }

/** An orphan still listens, although its data directory was removed. */
type Found = Postmaster & { state: 'running' | 'orphan' | 'absent' }

/** A server is running when its socket answers; its files may be left over from a crash. */
export async function findServer(site: ServerSite): Promise<Found> {
  const socketDirectory = readPostmaster(site)?.socketDirectory ?? site.socketDirectory
  const isListening =
    isOwnDirectory(socketDirectory, site.account) && (await answers(socketDirectory))
  const pid = Number.parseInt(readFrom(`${socketPath(socketDirectory)}.lock`), 10)
  // Read last: a server writes this file before it listens.
  const postmaster = readPostmaster(site)
  const isSame = postmaster?.pid === pid || Number.isNaN(pid)
  if (isListening && postmaster && isSame) return { ...postmaster, state: 'running' }
  return { pid, socketDirectory, state: isListening && pid > 0 ? 'orphan' : 'absent' }
}

/** PostgreSQL documents the fields of this file for tools such as pg_ctl. */
function readPostmaster({ dataDirectory }: ServerSite) {
  const lines = readFrom(join(dataDirectory, 'postmaster.pid')).split('\n')
  const [pid, , , , socketDirectory, , , status] = lines
  if (!socketDirectory) return undefined
  return { pid: Number(pid), socketDirectory, isReady: status?.trim() === 'ready' }
}

function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(socketPath(socketDirectory))
    socket.on('connect', () => socket.destroy())
    socket.on('close', () => settle(true))
    // Any other failure, such as a full queue, still means that a server is there.
    socket.on('error', (error) => settle(!hasCode(error, ['ECONNREFUSED', 'ENOENT'])))
  })
}

/** Undefined if the server ended before it was ready, or another one was first. */
export async function waitUntilReady(
  site: ServerSite,
  child: ChildProcess | undefined,
): Promise<Running | undefined> {
  const { startTimeoutMs, pollIntervalMs } = embeddedLimits
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollIntervalMs) {
    const server = readPostmaster(site)
    const isGone = child ? hasEnded(child) : !server || !(await answers(server.socketDirectory))
    if (isGone) return undefined
    // Until the new server writes it, the file may be left over from a crashed one.
    const isCurrent = !child || server?.pid === child.pid
    if (server?.isReady && isCurrent && (await ensureDatabase(server.socketDirectory)))
      return { ...server, child }
    await sleep(pollIntervalMs)
  }
  throw new Error(`PostgreSQL is not ready yet. See ${site.logFile}, and start again later.`)
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Fast shutdown: ends all sessions, keeps everything committed. Returns when it has ended. */
export async function stopServer(site: ServerSite, running: Running): Promise<void> {
  const { child, socketDirectory } = running
  const isRunning = child ? !hasEnded(child) : await answers(socketDirectory)
  if (isRunning) await endServer(site, running, 'INT')
}

/** INT shuts down in order; QUIT at once, because an orphan has nothing to save. */
export async function endServer(
  site: ServerSite,
  { pid, socketDirectory, child }: Postmaster & { child?: ChildProcess | undefined },
  signal: 'INT' | 'QUIT',
): Promise<void> {
  const { stopTimeoutMs, pollIntervalMs } = embeddedLimits
  // Sent as that account: root must not signal a process because another user's file names it.
  spawnSync('/bin/sh', ['-c', `kill -s ${signal} ${pid}`], spawnOptions(site.account))
  for (let waitedMs = 0; waitedMs < stopTimeoutMs; waitedMs += pollIntervalMs) {
    // The files of a server are gone a moment before its process. But nothing may reap the process
    // of another parent, in a container for example: then the files show that it has ended.
    const isThere = child ? !hasEnded(child) : isAlive(pid) && (await answers(socketDirectory))
    if (!isThere && readPostmaster(site)?.pid !== pid) return
    await sleep(pollIntervalMs)
  }
  throw new Error(`PostgreSQL (process ${pid}) is still shutting down. See ${site.logFile}.`)
}
