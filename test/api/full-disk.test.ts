import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/base/secret.js'
import { Database } from '../../src/postgres/database.js'
import { startEmbeddedServer } from '../../src/postgres/embedded/server.js'
import { migrate } from '../../src/postgres/migrations/migrate.js'
import { manualClock } from '../support/clock.js'
import { databaseUrl } from '../support/database-url.js'
import { openManilla } from '../support/open-manilla.js'
import { createHome } from '../support/program.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Only root can mount a small disk. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0 && tryMount()

function tryMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-mount-'))
  try {
    mount(folder, '1m')
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function mount(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
}

/** A database whose tables are on a separate disk from the server's log. */
async function openOnSmallDisk() {
  const home = createHome()
  const disk = path.join(home, 'disk')
  mkdirSync(disk)
  mount(disk, '64m')
  const server = await startEmbeddedServer({ dataDirectory: path.join(home, 'data') })
  onTestFinished(async () => {
    await server.stop()
    execFileSync('umount', [disk])
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  })
  const tables = path.join(disk, 'tables')
  mkdirSync(tables)
  const { uid, gid } = statSync(path.join(home, 'data'))
  chownSync(tables, uid, gid)
  const admin = new Database(server.url, () => {})
  await admin.rows({ text: `create tablespace small location '${tables}'`, values: [] })
  await admin.rows({ text: 'create database small tablespace small', values: [] })
  await admin.close()
  const url = databaseUrl(server.url, 'small')
  await migrate(url)
  const db = new Database(url, () => {})
  onTestFinished(() => db.close())
  return { db, ballast: path.join(disk, 'ballast') }
}

// The disk runs full: writes are refused as unavailable and readiness fails. After the operator frees
// space, both recover without a restart.
test.runIf(canMount)('a full disk is unavailable, not a bug, and passes by itself', async () => {
  const { db, ballast } = await openOnSmallDisk()
  const shared = { db, clock: manualClock(), secret: new Secret('0'.repeat(64)) }
  const service = await openManilla({ beside: shared, requestLogDays: 0 })
  let sent = 0
  const fund = () => {
    sent += 1
    return service.ask('POST', '/v1/test/balances/fund', {
      key: service.merchant.test.secret,
      body: { asset: 'NGN', amount: 1 },
      headers: { 'idempotency-key': `fund ${sent} ${'k'.repeat(200)}` },
    })
  }
  const isReady = async () => (await service.ask('GET', '/readyz')).status === 200
  expect((await fund()).status).toBe(201)
  fillDisk(ballast)

  // Existing pages have free space, so the first writes still succeed.
  let reply = await fund()
  let acknowledged = 1
  for (; reply.status === 201; reply = await fund()) acknowledged += 1
  expect([reply.status, reply.json.reason]).toEqual([503, 'unavailable'])
  expect(await isReady()).toBe(false)
  expect((await fund()).status).toBe(503)

  rmSync(ballast)
  await until(isReady)
  expect((await fund()).status).toBe(201)
  const { json } = await service.ask('GET', '/v1/balances', { key: service.merchant.test.secret })
  const naira = json.data.items.find(({ asset }: { asset: string }) => asset === 'NGN')
  expect(naira.available).toBe(acknowledged + 1)
  await expectAllProofs(db)
})

function fillDisk(file: string): void {
  const chunk = Buffer.alloc(1024 * 1024)
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' })
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
  }
  try {
    for (;;) writeFileSync(file, Buffer.alloc(4096), { flag: 'a' })
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
  }
}
