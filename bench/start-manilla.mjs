/** Starts a program of bin/ as an operator does, on free loopback ports. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const readyWithinMs = 60_000
const pollIntervalMs = 100

/** Resolves when the service is ready. Its log is a stream if `isLogRead`; the caller reads it. */
export async function startService(
  program,
  { words = [], env = {}, isLogRead = false, node = process.execPath, portVariable = 'PORT' } = {},
) {
  const [port, metricsPort] = await findFreePorts(2)
  const file = fileURLToPath(new URL(`../bin/${program}`, import.meta.url))
  const child = spawn(node, [file, ...words], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      [portVariable]: String(port),
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      ...env,
    },
    stdio: ['ignore', 'ignore', isLogRead ? 'pipe' : process.env.BENCH_LOGS ? 'inherit' : 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let exitCode
  ended.then((code) => {
    exitCode = code ?? 1
  })
  // After a failure, this process ends without stopping the service.
  const killChild = () => child.kill('SIGTERM')
  process.on('exit', killChild)
  const url = `http://127.0.0.1:${port}`
  const service = {
    url,
    port,
    // A worker serves its metrics on its only port.
    metricsUrl: `http://127.0.0.1:${portVariable === 'PORT' ? metricsPort : port}/metrics`,
    pid: child.pid,
    log: child.stderr,
    hasEnded: () => exitCode !== undefined,
    async stop() {
      process.removeListener('exit', killChild)
      child.kill('SIGTERM')
      await ended
    },
  }
  for (let waitedMs = 0; !(await isReady(url)); waitedMs += pollIntervalMs) {
    if (service.hasEnded()) throw new Error(`${program} ended with ${exitCode}; see BENCH_LOGS=1`)
    if (waitedMs > readyWithinMs) throw new Error(`${program} was not ready in time`)
    await sleep(pollIntervalMs)
  }
  return service
}

async function isReady(url) {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok ?? false
}

/** All are open at the same time, so that they differ. */
async function findFreePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  const ports = servers.map((server) => server.address().port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
