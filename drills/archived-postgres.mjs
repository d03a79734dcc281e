import { appendFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { isRunning } from './processes.mjs'
import { waitUntil } from './wait-until.mjs'

const binaries = '/usr/lib/postgresql/15/bin'
const startMs = 60_000
const user = 'manilla'

/** A PostgreSQL that archives its write-ahead log, as point-in-time recovery needs it. */
export async function startArchivedServer(site) {
  const archive = site.makeFolder('archive')
  const folder = site.makeFolder('server')
  const data = path.join(folder, 'data')
  const program = (name) => path.join(binaries, name)
  const initialize = [program('initdb'), '-D', data, '-U', user, '-A', 'trust', '--data-checksums']
  await site.mustRun([...initialize, '--locale=C.UTF-8'], { asServer: true })
  const port = await site.takePort()
  appendSettings(data, {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    archive_mode: 'on',
    // Never overwrites a segment; `cp` leaves a partial file only if it fails.
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  })
  const server = await startServer(site, 'server', { data, port })
  await query(`${server.baseUrl}/postgres`, 'create database manilla')
  return { ...server, archive }
}

/** Copies the running server, as a nightly job would. */
export async function takeBaseBackup(site, { port }) {
  const folder = path.join(site.makeFolder('backup'), 'base')
  const connection = ['-h', '127.0.0.1', '-p', `${port}`, '-U', user]
  const options = ['-D', folder, '--checkpoint=fast', '--wal-method=none', '--no-sync']
  const command = [path.join(binaries, 'pg_basebackup'), ...connection, ...options]
  await site.mustRun(command, { asServer: true })
  return folder
}

/** Closes the current segment of the log and waits until it is in the archive. */
export async function archiveEverything({ url }) {
  const [{ segment }] = await query(url, 'select pg_walfile_name(pg_current_wal_lsn()) as segment')
  await query(url, 'select pg_switch_wal()')
  await waitUntil('the log is archived', startMs, async () => {
    const [{ last }] = await query(url, 'select last_archived_wal as last from pg_stat_archiver')
    return last >= segment
  })
}

/** Starts a second server from the base backup and the archive, as it was at `time`. */
export async function restoreTo(site, { backup, archive, time }) {
  const folder = site.makeFolder('restored')
  const data = path.join(folder, 'data')
  await site.mustRun(['cp', '-a', backup, data], { asServer: true })
  const port = await site.takePort()
  appendSettings(data, {
    port,
    unix_socket_directories: folder,
    archive_mode: 'off',
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: time.toISOString().replace('T', ' ').replace('Z', '+00'),
    recovery_target_action: 'promote',
  })
  writeFileSync(path.join(data, 'recovery.signal'), '')
  const server = await startServer(site, 'restored', { data, port })
  await waitUntil('recovery ends', startMs, async () => {
    const [{ isRecovering }] = await query(
      server.url,
      'select pg_is_in_recovery() as "isRecovering"',
    )
    return !isRecovering
  })
  return server
}

async function startServer(site, name, { data, port }) {
  const command = [path.join(binaries, 'postgres'), '-D', data]
  const started = site.start(`postgres-${name}`, command, { cwd: data, asServer: true })
  const baseUrl = `postgres://${user}@127.0.0.1:${port}`
  await waitUntil(`PostgreSQL (${name}) answers`, startMs, () => {
    if (!isRunning(started.pid)) throw new Error(started.readLog())
    return query(`${baseUrl}/postgres`, 'select 1')
  })
  return {
    port,
    baseUrl,
    url: `${baseUrl}/manilla`,
    /** At once, as the loss of a machine. */
    async lose() {
      started.signal('SIGKILL')
      await started.ended
    },
  }
}

function appendSettings(data, settings) {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(path.join(data, 'postgresql.conf'), lines.join(''))
}

export async function query(url, sql) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
