import * as fs from 'node:fs'
import { dirname } from 'node:path'

/** The operating system account that the server runs as, if it is not this process's own. */
export type ServerUser = { uid: number; gid: number }

/** Where root keeps what an unprivileged account must be able to reach. */
export const systemRoot = '/var/lib/manilla'
const readable = 4
const traversable = 1

export function createRoot(root: string): void {
  fs.mkdirSync(root, { recursive: true })
  // The umask of this process may be stricter.
  fs.chmodSync(root, 0o755)
}

/** Checks the mode bits of every parent: a real try would need a process of that account. */
export function canReach(path: string, account: ServerUser): boolean {
  const real = fs.realpathSync(path)
  const isOpen = grants(real, account, traversable)
  return isOpen && (real === dirname(real) || canReach(dirname(real), account))
}

/** Checks the file alone, not the folders above it. */
export function canRun(file: string, account: ServerUser): boolean {
  return grants(file, account, readable | traversable)
}

function grants(path: string, account: ServerUser, bits: number): boolean {
  const { uid, gid, mode } = fs.statSync(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}
