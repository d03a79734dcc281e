import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endProcessesIn } from './processes.mjs'

/** Below the range that the kernel uses for outgoing connections, so a port stays free. */
const firstPort = 20_000
const lastPort = 30_000

/**
 * A temporary folder, the processes that work in it and their ports. Ends and removes everything
 * when the drill is done, has failed or is interrupted.
 */
export async function withSite({ keepsFolder }, work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-drill-'))
  chmodSync(folder, 0o755)
  const site = new Site(folder)
  const interrupted = new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => reject(new Error(`Interrupted by ${signal}.`)))
    // Processes must be ended, whatever happens.
    process.on('uncaughtException', reject)
  })
  try {
    return await Promise.race([work(site), interrupted])
  } finally {
    site.isClosing = true
    await endProcessesIn(folder)
    await Promise.all(site.ends)
    if (keepsFolder) console.log(`Kept ${folder}.`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

class Site {
  isClosing = false
  /** Resolve when the processes that were started have ended. */
  ends = []
  #nextPort = firstPort + Math.floor(Math.random() * (lastPort - firstPort))

  constructor(folder) {
    this.folder = folder
    this.account = findServerAccount()
  }

  /** A folder below the site's, owned by the account that PostgreSQL runs as. */
  makeFolder(name) {
    const folder = path.join(this.folder, name)
    mkdirSync(folder, { mode: 0o700 })
    if (this.account) chownSync(folder, this.account.uid, this.account.gid)
    return folder
  }

  /** A port of the loopback interface that nothing listens on. */
  async takePort() {
    for (;;) {
      this.#nextPort = this.#nextPort >= lastPort ? firstPort : this.#nextPort + 1
      if (await isFree(this.#nextPort)) return this.#nextPort
    }
  }

  logFileOf(name) {
    return path.join(this.folder, `${name}.log`)
  }

  /** A process's log, from a position on. */
  readLog(name, from = 0) {
    return readFileSync(this.logFileOf(name), 'utf8').slice(from)
  }

  /**
   * Starts a program in the background; its output goes to a log file. `asServer` runs it as the
   * account of PostgreSQL. Resolves `ended` with its exit code or signal.
   */
  start(name, [command, ...args], { env = {}, cwd = this.folder, asServer = false } = {}) {
    if (this.isClosing) throw new Error('The drill is ending.')
    const log = openSync(this.logFileOf(name), 'a')
    const logStart = this.readLog(name).length
    const { PATH, LANG = 'C.UTF-8' } = process.env
    const child = spawn(command, args, {
      cwd,
      env: { PATH, LANG, HOME: this.folder, ...env },
      stdio: ['ignore', log, log],
      ...(asServer ? this.account : {}),
    })
    const ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? code))
    })
    this.ends.push(ended)
    return {
      pid: child.pid,
      ended,
      signal: (signal) => child.kill(signal),
      readLog: () => this.readLog(name, logStart),
    }
  }

  /** Runs a program to its end and returns its output. */
  async run([command, ...args], { env = {}, cwd = this.folder, asServer = false } = {}) {
    const { PATH, LANG = 'C.UTF-8' } = process.env
    const child = spawn(command, args, {
      cwd,
      env: { PATH, LANG, HOME: this.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(asServer ? this.account : {}),
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { code, out: out.trim(), err: err.trim() }
  }

  /** Like `run`; throws when the program fails. */
  async mustRun(words, options) {
    const { code, out, err } = await this.run(words, options)
    if (code !== 0) throw new Error(`${words.join(' ')} failed with ${code}:\n${err || out}`)
    return out
  }
}

/** PostgreSQL refuses to run as root. Undefined: run it as the current user. */
function findServerAccount() {
  if (process.getuid() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  if (!line) throw new Error('No account "postgres" exists. Create it, or run as another user.')
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
