import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedLimits } from '../limits.js'
import { socketPath } from './address.js'
import { shortHash } from './data-directory.js'
import type { ServerUser } from './reach.js'
import { canReach } from './reach.js'

/**
 * The server trusts everyone who can connect, so this directory is its only protection. One that
 * another user created could be a trap and is refused.
 */
export function claimSocketDirectory(
  dataDirectory: string,
  account: ServerUser | undefined,
): string {
  const name = `manilla-${shortHash(dataDirectory)}`
  const isFit = (folder: string) =>
    Buffer.byteLength(socketPath(join(folder, name))) <= embeddedLimits.socketPathBytes &&
    (!account || canReach(folder, account))
  const directory = join(isFit(tmpdir()) ? tmpdir() : '/tmp', name)
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })

  if (!isOwnDirectory(directory, account)) {
    throw new Error(`${directory} belongs to another user. Remove it, or set TMPDIR.`)
  }
  if (account) fs.chownSync(directory, account.uid, account.gid)
  fs.chmodSync(directory, 0o700)
  return directory
}

/** After a clean stop nothing stays in the temporary directory. One that is in use is not empty. */
export function removeSocketDirectory(directory: string): void {
  try {
    fs.rmdirSync(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

export function isOwnDirectory(path: string, account: ServerUser | undefined): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  const isOurs = found?.uid === process.getuid?.() || found?.uid === account?.uid
  return isOurs && found?.isDirectory() === true
}
