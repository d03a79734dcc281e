import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { ServerUser } from './account.js'
import { unlessTaken } from './other-processes.js'
import { canReach, createRoot, systemRoot } from './reach.js'

export function holdsData(directory: string): boolean {
  return fs.existsSync(join(directory, 'PG_VERSION'))
}

/**
 * Where the data really lies. Below a folder that the account cannot enter (/root, most often) it
 * lies under the system root instead, with a link at the wished place so that the operator finds
 * it. Data that exists is never moved, and data whose link was removed is found again.
 */
export function placeDataDirectory(
  wished: string,
  account?: ServerUser,
  root = systemRoot,
): string {
  fs.mkdirSync(dirname(resolve(wished)), { recursive: true })
  const place = join(fs.realpathSync(dirname(resolve(wished))), basename(wished))
  if (!account) return fs.existsSync(place) ? fs.realpathSync(place) : place

  const elsewhere = join(root, `data-${shortHash(place)}`)
  const found = fs.lstatSync(place, { throwIfNoEntry: false })
  const isLink = found?.isSymbolicLink() === true
  if (isLink && fs.readlinkSync(place) === elsewhere) return elsewhere
  const real = found ? fs.realpathSync(place) : place
  if (canReach(dirname(real), account)) return real
  if (isLink || holdsData(real)) throw unreachable(real, account)

  createRoot(root)
  // Refuses a folder that holds anything, rather than hide it behind a link.
  if (found) fs.rmdirSync(real)
  unlessTaken(() => fs.symlinkSync(elsewhere, place))
  return elsewhere
}

function unreachable(directory: string, account: ServerUser): Error {
  return new Error(
    `PostgreSQL runs as the account ${account.uid}, which cannot enter a folder above ${directory}; ` +
      'open those folders to it (chmod o+x), or move the data',
  )
}

/** Names what belongs to a path, where the path itself would be too long or hold a slash. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}
