import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Database } from '../../src/postgres/database.js'
import { findServerAccount, spawnOptions } from '../../src/postgres/embedded/account.js'
import { urlOf } from '../../src/postgres/embedded/address.js'
import { findBinaries } from '../../src/postgres/embedded/binaries.js'
import { startEmbeddedServer } from '../../src/postgres/embedded/server.js'
import { claimSocketDirectory } from '../../src/postgres/embedded/socket-directory.js'
import { migrate } from '../../src/postgres/migrations/migrate.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { until } from './sessions.js'

/** A migrated primary of its own: the shared one streams the writes of all tests. */
export async function startPrimaryAndReplica() {
  const home = mkdtempSync(path.join(tmpdir(), 'manilla-replica-'))
  chmodSync(home, 0o755)
  const data = path.join(home, 'data')
  const settings = { fsync: 'off', shared_buffers: '16MB', wal_keep_size: '256MB' }
  const primary = await startEmbeddedServer({
    dataDirectory: data,
    // Vacuum would remove files during the copy, and cancel reads on the replica.
    settings: { ...settings, autovacuum: 'off' },
  })
  await migrate(primary.url)
  const db = new Database(primary.url, () => {})
  const copy = path.join(home, 'copy')
  await copyData(primary.url, data, copy)
  const replica = await startReplica(primary.url, copy)
  return {
    db,
    replica,
    async stop() {
      await replica.stop()
      await db.close()
      await primary.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** What pg_basebackup does, which the embedded binaries lack. */
async function copyData(url: string, data: string, copy: string): Promise<void> {
  const session = await connect(url, 'manilla test backup')
  await session.query(`select pg_backup_start('replica', fast => true)`)
  execFileSync('cp', ['-a', `${data}/`, copy])
  const { rows } = await session.query<{ label: string }>(
    'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
  )
  await session.end()
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(path.join(copy, name))
  // The replica streams from the start of the backup.
  for (const entry of readdirSync(path.join(copy, 'pg_wal'), { withFileTypes: true }))
    if (entry.isFile()) rmSync(path.join(entry.parentPath, entry.name))
  const account = findServerAccount(data)
  for (const [name, text] of [
    ['backup_label', rows[0]!.label],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(path.join(copy, name), text, { mode: 0o600 })
    if (account) chownSync(path.join(copy, name), account.uid, account.gid)
  }
}

async function startReplica(primaryUrl: string, data: string) {
  const account = findServerAccount(data)
  const { postgres } = await findBinaries(account)
  const sockets = claimSocketDirectory(data, account)
  const url = urlOf(sockets)
  const db = new Database(url, () => {}, { size: 1 })
  const host = new URL(primaryUrl).searchParams.get('host')
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    fsync: 'off',
    shared_buffers: '16MB',
    wal_retrieve_retry_interval: '200ms',
    max_standby_streaming_delay: '100ms',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const autoConf = path.join(data, 'postgresql.auto.conf')
  const setPrimary = (folder: string | null) =>
    appendFileSync(autoConf, `primary_conninfo = 'host=${folder} user=manilla'\n`)
  let child: ChildProcess | undefined

  const start = async () => {
    await until(async () => {
      // After a crash the old processes may still hold the data for a moment.
      if (!child || child.exitCode !== null || child.signalCode !== null)
        child = spawn(postgres, ['-D', data, ...flags], {
          ...spawnOptions(account),
          stdio: 'ignore',
        })
      return db.rows(sql`select 1`).then(
        () => true,
        () => false,
      )
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child!, 'exit')
    child!.kill(signal)
    await ended
  }
  setPrimary(host)
  await start()
  return {
    url,
    db,
    start,
    /** At once, as the loss of a machine. */
    kill: () => end('SIGKILL'),
    pause: () => db.rows(sql`select pg_wal_replay_pause()`),
    resume: () => db.rows(sql`select pg_wal_replay_resume()`),
    async followPrimary(isFollowing: boolean) {
      setPrimary(isFollowing ? host : '/nowhere')
      await db.rows(sql`select pg_reload_conf()`)
    },
    async stop() {
      await db.close()
      await end('SIGINT')
    },
  }
}
