import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * Plays a newcomer: clones the repository into an empty folder and pastes every block of the README
 * into the terminal that it names. Prints the time of each step. Exits with 1 if a block fails, if
 * the webhook of the first payment does not arrive, or if it takes too long.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const limitSeconds = 90
/** A block that takes longer hangs. */
const patienceMs = 120_000

const folder = mkdtempSync(join(tmpdir(), 'manilla-first-minutes-'))
const clone = join(folder, 'manilla')
const { PATH, HOME } = process.env
// The environment of a new account, except that npm uses the existing cache.
const env = { PATH, HOME, XDG_CONFIG_HOME: join(folder, 'config'), CI: 'true' }
const steps = []
const terminals = []

async function timed(step, work) {
  const startedAt = performance.now()
  const result = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  steps.push({ step, seconds })
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${step}`)
  return result
}

/** A terminal with its own shell in the folder of the clone. */
function openTerminal(cwd = clone) {
  const child = spawn('bash', [], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const terminal = {
    said: () => said,
    type: (text) => child.stdin.write(`${text}\n`),
    async until(isThere) {
      for (let waitedMs = 0; !isThere(said); waitedMs += 10) {
        if (waitedMs > patienceMs || child.exitCode !== null)
          throw new Error(`this did not finish:\n${said}`)
        await sleep(10)
      }
    },
    /** Pastes a block and waits until it is done. */
    async paste(text) {
      const mark = `done-${Math.random().toString(36).slice(2)}`
      const before = said.length
      // A failing command ends the shell and the wait for the end marker.
      terminal.type(`set -e\n${text}\nset +e\necho "${mark} 0"`)
      await terminal.until((all) => all.includes(`${mark} 0`))
      const [out] = said.slice(before).split(`${mark} `)
      if (out.includes('{"status":false')) throw new Error(`this failed:\n${text}\n${out}`)
      return out
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.on('close', resolve))
      process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
  terminals.push(terminal)
  return terminal
}

function readBlocks(text) {
  return [...text.matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm)].map(([, note, block]) => ({
    note,
    text: block.trim(),
  }))
}

async function isFree(port) {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

async function walk() {
  const outside = openTerminal(folder)
  await timed('git clone', () => outside.paste(`git clone -q '${root}' manilla`))
  const blocks = readBlocks(readFileSync(join(clone, 'README.md'), 'utf8'))
  const [first, ...rest] = blocks
  const [install, start] = first.text.split(' && ')
  if (start !== 'npm start') throw new Error(`the README begins with: ${first.text}`)

  const service = openTerminal()
  await timed(install, () => service.paste(install))
  await timed(start, async () => {
    service.type(start)
    await service.until((said) => said.includes('Press Ctrl-C to stop.'))
  })
  const reader = openTerminal()
  let listener
  let isSeen = false
  for (const { note, text } of rest) {
    const lines = text.split('\n')
    const name = (lines.find((line) => /^(curl|npx) /.test(line)) ?? lines[0]).slice(0, 72)
    if (note === 'background') {
      listener = openTerminal()
      await timed(name, async () => {
        listener.type(text)
        await listener.until((said) => said.includes('Listening'))
      })
    } else await timed(name, () => reader.paste(text))
    if (listener && !isSeen && note !== 'background') {
      await timed('… and its webhook is seen', () =>
        listener.until((said) => said.includes('virtual_account.paid')),
      )
      isSeen = true
    }
  }
  if (!isSeen) throw new Error('no block of the README listens for webhooks')
  return install
}

if (!(await isFree(8080))) {
  console.error('The README uses port 8080, which is in use. Try again when it is free.')
  process.exit(1)
}
try {
  const install = await walk()
  const total = steps.reduce((sum, { seconds }) => sum + seconds, 0)
  const besides = total - steps.find(({ step }) => step === install).seconds
  const verdict = besides < limitSeconds ? 'within' : 'MORE THAN'
  console.log(
    `${besides.toFixed(1)} s beside ${install}: ${verdict} the ${limitSeconds} s it may take`,
  )
  if (besides >= limitSeconds) process.exitCode = 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  for (const terminal of terminals.reverse()) await terminal.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
