import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { unlessTaken } from './other-processes.js'
import type { ServerUser } from './reach.js'
import { canReach, createRoot, systemRoot } from './reach.js'

export function holdsData(directory: string): boolean {
  return fs.existsSync(join(directory, 'PG_VERSION'))
}

/**
 * Where the data is stored. If the account cannot enter a folder above the configured path (often
 * /root), the data is stored under the system root, with a link at the configured path. Existing
 * data is never moved, and data whose link was removed is found again.
 */
export function placeDataDirectory(
  configured: string,
  account?: ServerUser,
  root = systemRoot,
): string {
  fs.mkdirSync(dirname(resolve(configured)), { recursive: true })
  const path = join(fs.realpathSync(dirname(resolve(configured))), basename(configured))
  if (!account) return fs.existsSync(path) ? fs.realpathSync(path) : path

  const elsewhere = join(root, `data-${shortHash(path)}`)
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  const isLink = found?.isSymbolicLink() === true
  if (isLink && fs.readlinkSync(path) === elsewhere) return elsewhere
  const real = found ? fs.realpathSync(path) : path
  if (canReach(dirname(real), account)) return real
  if (isLink || holdsData(real)) throw unreachable(real, account)

  createRoot(root)
  // Fails for a folder that is not empty, instead of hiding its content behind a link.
  if (found) fs.rmdirSync(real)
  unlessTaken(() => fs.symlinkSync(elsewhere, path))
  return elsewhere
}

function unreachable(directory: string, account: ServerUser): Error {
  return new Error(
    `PostgreSQL runs as the account ${account.uid}, which cannot enter a folder above ${directory}. ` +
      'Open those folders to it (chmod o+x), or move the data.',
  )
}

/** Stands for a path in a file name. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}
