import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { embeddedLimits } from '../limits.js'
import { spawnOptions } from './account.js'
import { port, socketPath } from './address.js'
import { findBinaries } from './binaries.js'
import { isAlive, readFrom, unlessTaken } from './other-processes.js'
import { endServer, findServer } from './postmaster.js'
import type { ServerSite } from './site.js'

type Launched = { child: ChildProcess; logStart: number }

const defaultSettings = {
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  max_connections: '100',
  wal_compression: 'off',
  jit: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
}

/** Undefined if a server is running already. Removes what dead servers left. */
export async function launchUnlessServed(site: ServerSite): Promise<Launched | undefined> {
  const found = await findServer(site)
  if (found.state === 'running') return undefined
  if (found.state === 'orphan') await endServer(site, found, 'QUIT')
  removeStaleLock(join(site.dataDirectory, 'postmaster.pid'))
  removeStaleLock(`${socketPath(found.socketDirectory)}.lock`)
  return launch(site)
}

/**
 * PostgreSQL takes any process of its account for the one named in a lock file; in containers,
 * where process ids repeat quickly, that is often another program. Only a postgres process holds a
 * lock.
 */
function removeStaleLock(file: string): void {
  const content = readFrom(file)
  const pid = Number.parseInt(content, 10)
  if (!(pid > 0) || process.platform !== 'linux' || !isAlive(pid)) return
  if (readFrom(`/proc/${pid}/cmdline`).includes('postgres')) return
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  fs.renameSync(file, aside)
  // Another process may have done the same and started its server: then the file is a new one.
  if (readFrom(aside) !== content) unlessTaken(() => fs.linkSync(aside, file))
  fs.unlinkSync(aside)
}

/** Logs to a file: a pipe would break when this process ends, and the server with it. */
async function launch(site: ServerSite): Promise<Launched> {
  const { postgres } = await findBinaries(site.account)
  const log = openLog(site)
  const logStart = fs.fstatSync(log).size
  // Detached: Ctrl-C in the terminal must not reach the server, which has to stop last.
  const child = spawn(postgres, ['-D', site.dataDirectory, '-p', port, ...flagsOf(site)], {
    ...spawnOptions(site.account),
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.on('error', (error) => fs.appendFileSync(site.logFile, `${error.message}\n`))
  child.unref()
  fs.closeSync(log)
  return { child, logStart }
}

/** The server listens on its socket only, whatever the caller's settings are. */
function flagsOf(site: ServerSite): string[] {
  const settings = {
    ...defaultSettings,
    ...site.settings,
    listen_addresses: '',
    unix_socket_directories: site.socketDirectory,
    unix_socket_permissions: '0700',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function openLog({ logFile, account }: ServerSite): number {
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > embeddedLimits.logBytes) fs.renameSync(logFile, `${logFile}.1`)
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
  const log = fs.openSync(logFile, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
  if (account) fs.fchownSync(log, account.uid, account.gid)
  return log
}
