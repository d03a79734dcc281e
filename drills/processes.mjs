import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Processes of this machine as Linux lists them in /proc. */

/** Ids of processes whose working folder is `folder` or below it, except this process. */
export function listProcessesIn(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isBelow(folder, workingFolderOf(pid)))
}

function isBelow(folder, candidate) {
  return candidate === folder || candidate?.startsWith(`${folder}/`)
}

function workingFolderOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '')
  } catch {
    return undefined
  }
}

/** The command line of a process, which PostgreSQL replaces by a title. */
export function titleOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** False for a process that has ended, also when its parent has not collected it yet. */
export function isRunning(pid) {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Signals every process that still exists. */
export function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
}

/**
 * Ends every process that works in `folder`: those of PostgreSQL leave the process group of their
 * parent, so a list of children is not enough. Repeats because a process may start another one.
 */
export async function endProcessesIn(folder) {
  for (let tries = 0; tries < 100; tries += 1) {
    const pids = listProcessesIn(folder).filter(isRunning)
    if (pids.length === 0) return
    signalAll(pids, 'SIGKILL')
    await sleep(50)
  }
  throw new Error(`Processes still run in ${folder}: ${listProcessesIn(folder).join(', ')}.`)
}
