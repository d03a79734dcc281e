import { readFileSync } from 'node:fs'

/**
 * The health check of the container image: exits with 0 if its process is ready. `serve` and
 * `start` answer on PORT, `work` on WORK_PORT; the command of the container tells which it runs.
 */

const words = process.argv.length > 2 ? process.argv.slice(2) : readCommand()
const { PORT = '8080', WORK_PORT, METRICS_HOST = '127.0.0.1' } = process.env
const answer = await fetch(`${addressOf(words)}/readyz`).catch(() => undefined)
process.exit(answer?.ok ? 0 : 1)

/** Of the first process, or of the one that it starts (`docker run --init`). */
function readCommand() {
  return readFileSync('/proc/1/cmdline', 'utf8').split('\0')
}

function addressOf(command) {
  if (!command.includes('work')) return `http://127.0.0.1:${PORT}`
  const isWildcard = METRICS_HOST === '0.0.0.0' || METRICS_HOST === '::'
  const host = METRICS_HOST.includes(':') ? `[${METRICS_HOST}]` : METRICS_HOST
  return `http://${isWildcard ? '127.0.0.1' : host}:${WORK_PORT ?? Number(PORT) + 1_001}`
}
