import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Gives the run a temporary folder of its own. All that tests start has the folder in its
 * environment (TMPDIR) or on its command line, and by that the reaper finds it when the run ends,
 * however it ends: passed, failed, interrupted or killed.
 */
export default function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-test-'))
  // As root, PostgreSQL runs as another account, which must be able to reach its data.
  chmodSync(folder, 0o755)
  const reaper = spawn(process.execPath, [path.join(import.meta.dirname, 'reaper.mjs')], {
    // In a session of its own, so that Ctrl-C in a terminal does not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  reaper.unref()
  reaper.stdin.write(`${folder}\n`)
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
