import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Programs as real processes in their own folder. The run has built dist/, so commands need not
 * compare it with its sources: that takes a quarter of a command's time.
 */

const root = path.resolve(import.meta.dirname, '../..')

export type Ended = { code: number | null; signal: NodeJS.Signals | null }
export type CommandResult = { code: number | null; out: string; err: string }
export type Program = {
  pid: number
  /** Output so far, stdout and stderr. */
  text(): string
  ended: Promise<Ended>
  /** Waits until it has printed this or ended. */
  untilPrinted(text: string): Promise<void>
  /** Closes the pipe that it prints to. */
  stopReading(): void
  signal(name: NodeJS.Signals): void
}

/** A folder that PostgreSQL's account can enter, also when run by root. */
export function createHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'manilla-home-'))
  chmodSync(home, 0o755)
  return home
}

/** Ends whatever still runs in a folder and removes it, also after a failed test. */
export async function removeHome(home: string): Promise<void> {
  const pid = postgresOf(home)
  if (pid !== undefined) {
    // Immediate shutdown of a leftover server, found by its lock file.
    process.kill(pid, 'SIGQUIT')
    while (isRunning(pid)) await sleep(20)
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

function environmentOf(home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, MANILLA_HOME: home, PORT: '0', ...more }
}

/** `npm start`, without waiting. */
export function spawnStart(home: string, more?: Record<string, string>): Program {
  const child = spawn(process.execPath, [path.join(root, 'bin/start.mjs')], {
    cwd: tmpdir(),
    env: environmentOf(home, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `manilla work` on a given database. */
export function spawnWork(
  databaseUrl: string,
  secret: string,
  more: Record<string, string> = {},
): Program {
  const fixed = { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [path.join(root, 'bin/run-manilla.mjs'), 'work'], {
    cwd: tmpdir(),
    env: environmentOf('/nowhere', { ...fixed, WEBHOOKS_ALLOW_LOOPBACK: 'true', ...more }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `manilla serve` on a given database; prints only failures. */
export function spawnServe(
  databaseUrl: string,
  secret: string,
  port: number,
  more: Record<string, string> = {},
): Program {
  const fixed = { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, PORT: `${port}` }
  const defaults = { LOG_LEVEL: 'error', RATE_LIMIT_PER_SECOND: '0' }
  const child = spawn(process.execPath, [path.join(root, 'bin/run-manilla.mjs'), 'serve'], {
    cwd: tmpdir(),
    env: environmentOf('/nowhere', { ...fixed, ...defaults, ...more }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `npm run store` beside a service, with its own folder of orders. */
export function spawnStore(home: string, more: Record<string, string>): Program {
  const child = spawn(process.execPath, [path.join(root, 'examples/store/start.mjs')], {
    cwd: tmpdir(),
    env: environmentOf(home, { STORE_PORT: '0', ...more }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `npm start`, when it is ready. */
export async function startProgram(home: string, more?: Record<string, string>): Promise<Program> {
  const program = spawnStart(home, more)
  await program.untilPrinted('Press Ctrl-C to stop.')
  if (!program.text().includes('Press Ctrl-C to stop.'))
    throw new Error(`bin/start.mjs did not start:\n${program.text()}`)
  return program
}

/** An operator command. */
export function runCommand(home: string, ...words: string[]): Promise<CommandResult> {
  return runWith(environmentOf(home), words)
}

/** An operator command on a given database. */
export function runCommandOn(
  {
    databaseUrl,
    secret,
    variables,
  }: { databaseUrl: string; secret: string; variables?: Record<string, string> },
  ...words: string[]
): Promise<CommandResult> {
  const given = { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, ...variables }
  return runWith(environmentOf('/nowhere', given), words)
}

async function runWith(env: NodeJS.ProcessEnv, words: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [path.join(root, 'bin/run-manilla.mjs'), ...words], {
    cwd: tmpdir(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout!.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr!.on('data', (chunk) => {
    said.err += chunk
  })
  const { code } = await endOf(child)
  return { code, out: said.out, err: withoutBuild(said.err) }
}

/** Drops the build message that appears after a source change. */
function withoutBuild(text: string): string {
  return text.replace('Building Manilla …\n', '')
}

export function follow(child: ChildProcess): Program {
  let text = ''
  const heard = new Set<() => void>()
  for (const channel of [child.stdout!, child.stderr!])
    channel.on('data', (chunk) => {
      text += chunk
      for (const listen of heard) listen()
    })
  const ended = endOf(child)
  return {
    pid: child.pid!,
    text: () => withoutBuild(text),
    ended,
    async untilPrinted(words) {
      const said = new Promise<void>((resolve) => {
        const listen = () => {
          if (text.includes(words)) resolve()
        }
        heard.add(listen)
        listen()
      })
      await Promise.race([said, ended])
    },
    stopReading() {
      child.stdout!.destroy()
      child.stderr!.destroy()
    },
    signal(name) {
      child.kill(name)
    },
  }
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
}

/** The PostgreSQL process of a folder, if any. */
export function postgresOf(home: string): number | undefined {
  const data = path.join(home, 'data')
  const file = existsSync(data) ? path.join(realpathSync(data), 'postmaster.pid') : data
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return isRunning(pid) ? pid : undefined
}

/** A zombie does not count as running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const status = `/proc/${pid}/stat`
  if (!existsSync(status)) return process.platform !== 'linux'
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(status, 'utf8'))
  } catch {
    return false
  }
}

export type Demo = {
  baseUrl: string
  merchant: { id: string; displayName: string }
  test: { publicKey: string; secretKey: string }
  live: { publicKey: string; secretKey: string }
}

export function readDemo(home: string): Demo {
  return JSON.parse(readFileSync(path.join(home, 'demo.json'), 'utf8'))
}
