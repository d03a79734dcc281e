import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A file system in memory, on Linux. */
const memory = '/dev/shm'
/** Several times what the databases of a run occupy. Containers often have 64 MB only. */
const memoryMinBytes = 2 * 2 ** 30

/**
 * Gives the run a temporary folder of its own. All that tests start has the folder in its
 * environment (TMPDIR) or on its command line, and by that the reaper finds it when the run ends,
 * however it ends: passed, failed, interrupted or killed.
 */
export default function setup() {
  const folder = createFolder(tmpdir())
  const folders = [folder]
  if (hasMemory()) {
    // A database is a thousand small files: copying them on a disk takes several times as long.
    folders.unshift(createFolder(memory))
    symlinkSync(folders[0], path.join(folder, 'postgres'))
  }
  const reaper = spawn(process.execPath, [path.join(import.meta.dirname, 'reaper.mjs')], {
    // In a session of its own, so that Ctrl-C in a terminal does not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  reaper.unref()
  reaper.stdin.write(`${folders.join('\n')}\n`)
  const earlier = process.env.TMPDIR
  process.env.TMPDIR = folder

  return async () => {
    if (earlier === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = earlier
    reaper.ref()
    const ended = once(reaper, 'exit')
    reaper.stdin.end()
    await ended
  }
}

function createFolder(parent) {
  const folder = mkdtempSync(path.join(parent, 'manilla-test-'))
  // As root, PostgreSQL runs as another account, which must be able to reach its data.
  chmodSync(folder, 0o755)
  return folder
}

/** Long runs fill large tables, which belong on a disk. */
function hasMemory() {
  if (process.env.LONG_RUN !== undefined || !existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= memoryMinBytes
}
