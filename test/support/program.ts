import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** The programs as people run them: real processes, on a folder of their own. */

const root = path.resolve(import.meta.dirname, '../..')

export type Ended = { code: number | null; signal: NodeJS.Signals | null }
export type Said = { code: number | null; out: string; err: string }
export type Program = {
  pid: number
  /** Everything it has printed so far, on both channels. */
  text(): string
  ended: Promise<Ended>
  /** Until it has printed this, or ended. */
  untilSaid(text: string): Promise<void>
  /** Whatever it prints from now on meets a closed pipe. */
  stopReading(): void
  signal(name: NodeJS.Signals): void
}

/**
 * Programs of a file, for it to put there what it starts: when it is done whatever still runs is
 * ended, and the folder that they ran on is removed.
 */
export function trackPrograms(home?: string): Program[] {
  const programs: Program[] = []
  afterAll(async () => {
    for (const program of programs) if (isRunning(program.pid)) program.signal('SIGKILL')
    await Promise.all(programs.map((program) => program.ended))
    if (home !== undefined) await removeHome(home)
  })
  return programs
}

/** A folder that the account PostgreSQL runs as can enter, also when we are root. */
export function createHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'manilla-home-'))
  chmodSync(home, 0o755)
  return home
}

/**
 * Ends whatever still runs on a folder and removes it; for the end of a test that may have failed.
 */
export async function removeHome(home: string): Promise<void> {
  const pid = postgresOf(home)
  if (pid !== undefined) {
    // The server that a test left behind, named by its own lock file: quick, nothing is kept.
    process.kill(pid, 'SIGQUIT')
    while (isRunning(pid)) await sleep(20)
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

function environmentOf(home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, MANILLA_HOME: home, PORT: '0', ...more }
}

/** `npm start`, without waiting for anything. */
export function spawnStart(home: string, more?: Record<string, string>): Program {
  const child = spawn(process.execPath, [path.join(root, 'bin/start.mjs')], {
    cwd: tmpdir(),
    env: environmentOf(home, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `manilla work` beside others on a database of its own. */
export function spawnWork(databaseUrl: string, secret: string): Program {
  const more = { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [path.join(root, 'bin/manilla.mjs'), 'work'], {
    cwd: tmpdir(),
    env: environmentOf('/nowhere', { ...more, WEBHOOKS_ALLOW_LOOPBACK: 'true' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `manilla serve` beside others on a database of its own; it says nothing unless it fails. */
export function spawnServe(databaseUrl: string, secret: string, port: number): Program {
  const more = { DATABASE_URL: databaseUrl, MANILLA_SECRET: secret, LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, [path.join(root, 'bin/manilla.mjs'), 'serve'], {
    cwd: tmpdir(),
    env: environmentOf('/nowhere', { ...more, PORT: `${port}`, RATE_LIMIT_PER_SECOND: '0' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child)
}

/** `npm run store` beside the service of a folder, with orders in a folder of its own. */
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
  await program.untilSaid('Press Ctrl-C to stop.')
  if (!program.text().includes('Press Ctrl-C to stop.'))
    throw new Error(`bin/start.mjs did not start:\n${program.text()}`)
  return program
}

/** One command of the operator. */
export async function runCommand(home: string, ...words: string[]): Promise<Said> {
  const child = spawn(process.execPath, [path.join(root, 'bin/manilla.mjs'), ...words], {
    cwd: tmpdir(),
    env: environmentOf(home),
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

/** The first to run after a change of the sources says that it builds; that is not our subject. */
function withoutBuild(text: string): string {
  return text.replace('Building Manilla …\n', '')
}

function follow(child: ChildProcess): Program {
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
    async untilSaid(words) {
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

/** The process that serves the folder's database, if one does. */
export function postgresOf(home: string): number | undefined {
  const data = path.join(home, 'data')
  const file = existsSync(data) ? path.join(realpathSync(data), 'postmaster.pid') : data
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return isRunning(pid) ? pid : undefined
}

/** A process that has ended and that nobody has buried yet does not run. */
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
