import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { second } from '../clock.js'
import { connect } from './connection.js'
import {
  type Account,
  claimSocketDirectory,
  createWhole,
  findBinaries,
  findServerAccount,
  hasCode,
  holdsData,
  isAlive,
  isOwnDirectory,
  placeDataDirectory,
  port,
  readFrom,
  runInitdb,
  socketPath,
  spawnOptions,
  unlessTaken,
  user,
} from './embedded-binaries.js'
import { isConnectionLost } from './failures.js'

export type EmbeddedServer = { url: string; wasAdopted: boolean; stop(): Promise<void> }

type Options = {
  dataDirectory: string
  settings?: Record<string, string>
  /** Hears what the launcher does, one line at a time; the server's own log is a file. */
  onLog?: (line: string) => void
}

/** One data directory and what is needed to serve it. */
type Site = {
  account: Account | undefined
  dataDirectory: string
  socketDirectory: string
  logFile: string
  settings: Record<string, string>
  say: (line: string) => void
}

type Postmaster = { pid: number; socketDirectory: string; isReady: boolean }
type Running = Postmaster & { child: ChildProcess | undefined }

const database = 'manilla'
const logBytes = 10 * 1024 * 1024
const logTailBytes = 3_000
const lookEveryMs = 20
/** Replaying the log of a crash may take minutes. */
const readyWithinMs = 600 * second
/** A server whose data directory was deleted notices within a minute and ends. */
const freeWithinMs = 75 * second
const stopWithinMs = 60 * second

const defaultSettings = {
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  max_connections: '100',
  wal_compression: 'off',
  jit: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
}

/** What postgres writes when another server has the directory, or is only just leaving it. */
const conflict = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/

/**
 * Serves the data directory, creating it at the first start. The server outlives this process, so
 * that no crash of ours takes it down; the next start adopts it. Several processes may start on one
 * directory at once: they end with the same server.
 */
export async function startEmbeddedServer(options: Options): Promise<EmbeddedServer> {
  const { onLog: say = () => {} } = options
  const account = findServerAccount(options.dataDirectory)
  const dataDirectory = placeDataDirectory(options.dataDirectory, account)
  if (!holdsData(dataDirectory)) say(`creating a database in ${dataDirectory}`)
  await initialize(dataDirectory, account)
  const site: Site = {
    account,
    dataDirectory,
    socketDirectory: claimSocketDirectory(dataDirectory, account),
    // Beside the wished place, where the operator looks; the server only inherits the open file.
    logFile: join(dirname(resolve(options.dataDirectory)), 'postgres.log'),
    settings: { ...defaultSettings, ...options.settings },
    say,
  }
  const running = await findOrLaunch(site)
  return {
    url: urlOf(running.socketDirectory, database),
    wasAdopted: !running.child,
    stop: () => stopServer(site, running),
  }
}

async function initialize(dataDirectory: string, account: Account | undefined): Promise<void> {
  const found = fs.statSync(dataDirectory, { throwIfNoEntry: false })
  const isOurs = !found || [0, found.uid].includes(process.getuid?.() ?? 0)
  if (isOurs && !holdsData(dataDirectory)) {
    const { initdb } = await findBinaries(account)
    await createWhole(dataDirectory, async (temporary) => {
      if (account) fs.chownSync(temporary, account.uid, account.gid)
      await runInitdb(initdb, temporary, account)
    })
  }
  const { uid: owner } = fs.statSync(dataDirectory)
  const server = account?.uid ?? process.getuid?.()
  if (holdsData(dataDirectory) && owner === server) return
  throw new Error(
    `${dataDirectory} is not empty, belongs to the account ${owner}, and holds no PostgreSQL data ` +
      `of the account ${server}; start Manilla as the account that made it, or choose another place`,
  )
}

/** With a host before the query, so that readers stricter than pg take it as a URL too. */
function urlOf(socketDirectory: string, name: string): string {
  const host = encodeURIComponent(socketDirectory)
  return `postgres://${user}@localhost/${name}?host=${host}&port=${port}`
}

/** PostgreSQL itself decides who serves the directory; whoever loses looks again and adopts. */
async function findOrLaunch(site: Site): Promise<Running> {
  for (let waitedMs = 0; ; waitedMs += 10 * lookEveryMs) {
    const launched = (await findServer(site)) ? undefined : await launch(site)
    const running = await waitUntilReady(site, launched?.child)
    if (running) return running

    const complaint = launched ? readFrom(site.logFile, launched.logStart) : ''
    const isTaken = !launched || conflict.test(complaint)
    if (!isTaken || waitedMs > freeWithinMs) throw failure(site, complaint)
    if (waitedMs === 0) site.say(`waiting for another server to leave ${site.dataDirectory}`)
    await sleep(10 * lookEveryMs)
  }
}

/** A server is there when its socket answers; its files may be left over from a crash. */
async function findServer(site: Site): Promise<Postmaster | undefined> {
  const socketDirectory = readPostmaster(site)?.socketDirectory ?? site.socketDirectory
  const isListening =
    isOwnDirectory(socketDirectory, site.account) && (await answers(socketDirectory))
  const socketLock = `${socketPath(socketDirectory)}.lock`
  const pid = Number.parseInt(readFrom(socketLock), 10)
  // Read last: a sound server writes this file before it listens.
  const postmaster = readPostmaster(site)
  const isSame = postmaster?.pid === pid || Number.isNaN(pid)
  if (isListening && postmaster && isSame) return postmaster
  if (isListening && pid > 0) {
    site.say(`ending server ${pid}: its data directory was removed, there is nothing it could save`)
    await endServer(site, { pid, socketDirectory }, 'QUIT')
  }
  for (const file of [join(site.dataDirectory, 'postmaster.pid'), socketLock]) removeStaleLock(file)
  return undefined
}

/** The fields of this file are part of what PostgreSQL documents for tools such as pg_ctl. */
function readPostmaster({ dataDirectory }: Site): Postmaster | undefined {
  const lines = readFrom(join(dataDirectory, 'postmaster.pid')).split('\n')
  const [pid, , , , socketDirectory, , , status] = lines
  if (!socketDirectory) return undefined
  return { pid: Number(pid), socketDirectory, isReady: status?.trim() === 'ready' }
}

function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connectSocket(socketPath(socketDirectory))
    socket.on('connect', () => socket.destroy())
    socket.on('close', () => settle(true))
    // Any other failure, such as a full queue, still means that somebody is there.
    socket.on('error', (error) => settle(!hasCode(error, ['ECONNREFUSED', 'ENOENT'])))
  })
}

/**
 * PostgreSQL takes any process of its account for the one named in a lock; in containers, where
 * numbers come round quickly, that is often a stranger. What is not a postgres holds no lock.
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

/** Logs to a file: a pipe would break, and the server with it, once its reader is gone. */
async function launch(site: Site): Promise<{ child: ChildProcess; logStart: number }> {
  const { postgres } = await findBinaries(site.account)
  const log = openLog(site)
  const logStart = fs.fstatSync(log).size
  const settings = {
    ...site.settings,
    listen_addresses: '',
    unix_socket_directories: site.socketDirectory,
    unix_socket_permissions: '0700',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Detached: Ctrl-C in the terminal must reach us and not the server, which has to stop last.
  const child = spawn(postgres, ['-D', site.dataDirectory, '-p', port, ...flags], {
    ...spawnOptions(site.account),
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.on('error', (error) => fs.appendFileSync(site.logFile, `${error.message}\n`))
  child.unref()
  fs.closeSync(log)
  return { child, logStart }
}

function openLog({ logFile, account }: Site): number {
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > logBytes) fs.renameSync(logFile, `${logFile}.1`)
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
  const log = fs.openSync(logFile, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
  if (account) fs.fchownSync(log, account.uid, account.gid)
  return log
}

/** Answers undefined when the server ended before it was ready, or another one was first. */
async function waitUntilReady(site: Site, child?: ChildProcess): Promise<Running | undefined> {
  for (let waitedMs = 0; waitedMs < readyWithinMs; waitedMs += lookEveryMs) {
    const server = readPostmaster(site)
    const isGone = child ? hasEnded(child) : !server || !(await answers(server.socketDirectory))
    if (isGone) return undefined
    // Until the new server has written it, the file may be what a crashed one left.
    const isCurrent = !child || server?.pid === child.pid
    if (server?.isReady && isCurrent && (await openDatabase(server))) return { ...server, child }
    if (waitedMs === 2 * second) site.say('waiting for the server, which may be recovering')
    await sleep(lookEveryMs)
  }
  throw new Error(`PostgreSQL is not ready yet; see ${site.logFile}, and start again later`)
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

async function openDatabase({ socketDirectory }: Postmaster): Promise<boolean> {
  try {
    const client = await connect(urlOf(socketDirectory, database), 'manilla launcher')
    await client.end()
    return true
  } catch (error) {
    if (isConnectionLost(error)) return false
    if (!hasCode(error, ['3D000'])) throw error
    await createDatabase(socketDirectory)
    return true
  }
}

async function createDatabase(socketDirectory: string): Promise<void> {
  const client = await connect(urlOf(socketDirectory, 'postgres'), 'manilla launcher')
  const creation = client.query(`create database ${database}`).finally(() => client.end())
  await creation.catch((error) => {
    // Another process that started at the same time has just created it.
    if (!hasCode(error, ['42P04', '23505'])) throw error
  })
}

function failure(site: Site, complaint: string): Error {
  const advice = conflict.test(complaint)
    ? 'Another PostgreSQL holds the data: end the process named above (kill -INT) and start again.'
    : 'Correct what it complains of and start again, or set DATABASE_URL to your own PostgreSQL.'
  const tail = complaint.slice(-logTailBytes).trim()
  return new Error(`PostgreSQL did not start. From ${site.logFile}:\n${tail}\n${advice}`)
}

/** Fast shutdown: sessions are cut, everything committed is on disk. Returns when it has ended. */
async function stopServer(site: Site, running: Running): Promise<void> {
  const { child, socketDirectory } = running
  const isRunning = child ? !hasEnded(child) : await answers(socketDirectory)
  if (isRunning) await endServer(site, running, 'INT')
}

async function endServer(
  site: Site,
  { pid, socketDirectory }: Pick<Postmaster, 'pid' | 'socketDirectory'>,
  signal: 'INT' | 'QUIT',
): Promise<void> {
  // Sent by the account itself: root must not signal whatever process a file of others names.
  spawnSync('/bin/sh', ['-c', `kill -s ${signal} ${pid}`], spawnOptions(site.account))
  for (let waitedMs = 0; waitedMs < stopWithinMs; waitedMs += lookEveryMs) {
    // In a container nobody may reap the process: then its files tell that it has ended.
    const isThere = isAlive(pid) && (await answers(socketDirectory))
    if (!isThere && readPostmaster(site)?.pid !== pid) return
    await sleep(lookEveryMs)
  }
  throw new Error(`PostgreSQL (process ${pid}) is still shutting down; see ${site.logFile}`)
}
