import { execFileSync, fork, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Folder for CPU profiles of the measured processes. */
const profiles = process.env.BENCH_PROFILES

/** Starts a child process and waits for its first message, which means ready. */
export async function startProcess(file, { args = [], env = {}, node = process.execPath } = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execPath: node,
    env: {
      ...process.env,
      RATE_LIMIT_PER_SECOND: '0',
      PUBLIC_RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      ...env,
    },
    stdio: ['ignore', 'ignore', process.env.BENCH_LOGS ? 'inherit' : 'ignore', 'ipc'],
    execArgv: profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [],
  })
  const ready = await nextMessage(child)
  return {
    ...ready,
    pid: child.pid,
    /** Sends a message and returns the reply. */
    ask(message) {
      child.send(message)
      return nextMessage(child)
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a benchmark process ended with ${code}`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.removeListener('exit', onExit)
      resolve(message)
    })
  })
}

/** pgbench TPC-B, scale 1: three updates, a select and an insert per transaction. */
export function openPgbench(databaseUrl) {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined
  const url = new URL(databaseUrl)
  const base = ['-h', url.searchParams.get('host') ?? '', '-U', url.username]
  execFileSync('pgbench', [...base, '-i', '-s', '1', '-q', 'postgres'], { stdio: 'ignore' })
  return (seconds) => {
    const flags = ['-M', 'prepared', '-c', '16', '-j', '2', '-T', String(seconds)]
    const quiet = { stdio: ['ignore', 'pipe', 'ignore'] }
    const output = execFileSync('pgbench', [...base, ...flags, 'postgres'], quiet).toString()
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1]),
      p50: Number(/latency average = ([\d.]+)/.exec(output)?.[1]),
    }
  }
}
