import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { isAlive, readFrom, unlessTaken } from './other-processes.js'

/**
 * PostgreSQL takes any process of its account for the one named in a lock; in containers, where
 * numbers come round quickly, that is often a stranger. What is not a postgres holds no lock.
 */
export function removeStaleLock(file: string): void {
  const content = readFrom(file)
  const pid = Number.parseInt(content, 10)
  if (!(pid > 0) || process.platform !== 'linux' || !isAlive(pid)) return
  if (readFrom(`/proc/${pid}/cmdline`).includes('postgres')) return
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  fs.renameSync(file, aside)
  // Another process may have done the same and started its server: then the file is a new one.
  if (readFrom(aside) !== content) unlessTaken(() => fs.linkSync(aside, file))
  fs.unlinkSync(aside)
}
