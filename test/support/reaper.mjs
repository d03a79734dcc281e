import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until the test run that started it is gone, which closes its standard input. Then it ends
 * every process that the run left behind and removes the run's folders, one on each line.
 */

const checkIntervalMs = 50
/** PostgreSQL gets this long to end by itself. */
const graceMs = 5_000

// A signal to every process of a run must not end this one before it has finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

const folders = (await text(process.stdin)).trim().split('\n')
// A process can start another between the listing and the signal: repeat until none is found.
for (let waitedMs = 0; ; waitedMs += checkIntervalMs) {
  const found = listProcesses().filter(({ words }) =>
    folders.some((folder) => words.includes(folder)),
  )
  if (found.length === 0) break
  if (waitedMs === 0) console.error(`Ending what the tests left running:\n${describe(found)}`)
  for (const { pid, words } of found) end(pid, words, waitedMs > graceMs)
  await sleep(checkIntervalMs)
}
for (const folder of folders)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })

/** Each process with its command line and environment. */
function listProcesses() {
  if (!existsSync('/proc/self/environ')) return listByPs()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), words: `${read(pid, 'cmdline')} ${read(pid, 'environ')}` }))
}

/** Where there is no /proc, as on macOS. */
function listByPs() {
  const lines = execFileSync('ps', ['-axwwE', '-o', 'pid=,command='], { encoding: 'utf8' })
  return lines
    .trim()
    .split('\n')
    .map((line) => ({ pid: Number.parseInt(line, 10), words: line }))
}

/** Processes come and go, and those of other users cannot be read. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** SIGQUIT ends PostgreSQL at once and still frees its shared memory, which SIGKILL would leak. */
function end(pid, words, isOverdue) {
  const isPostgres = words.includes('/postgres -D ') && !isOverdue
  try {
    process.kill(pid, isPostgres ? 'SIGQUIT' : 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function describe(found) {
  return found.map(({ pid, words }) => `${pid} ${words.slice(0, 100)}`).join('\n')
}
