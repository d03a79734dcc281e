import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { embeddedLimits } from '../limits.js'
import { isAlive, unlessTaken } from './other-processes.js'

/**
 * Fills a temporary sibling and renames it into place: a crash leaves nothing half-made, and when
 * two processes run at once the first one wins.
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
    await remove(temporary)
  }
}

/** Removes what processes left that died in the middle. */
async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.making-`
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue
    const maker = Number.parseInt(name.slice(prefix.length), 10)
    if (!isAlive(maker)) await remove(join(dirname(target), name))
  }
}

/** Retried, because a child of a process that died may still be writing there. */
async function remove(directory: string): Promise<void> {
  const { removalRetries: maxRetries, removalRetryMs: retryDelay } = embeddedLimits
  await rm(directory, { recursive: true, force: true, maxRetries, retryDelay })
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}
