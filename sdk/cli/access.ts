import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Manilla } from '../src/manilla.js'
import { Failure, misused } from './failure.js'
import type { Terminal } from './terminal.js'

/** The service to call, the key to use, and where the key was found. */
export type ApiAccess = { baseUrl: string; key: string; source: string }

export type Login = { baseUrl: string; test?: string; live?: string }
type Mode = 'test' | 'live'

const defaultUrl = 'http://127.0.0.1:8080'

/**
 * Order: environment variables, saved login, demo merchant of a local service. A live key is used
 * only with `--live`; a configured service is never replaced by another one.
 */
export function findAccess(terminal: Terminal, mode: Mode): ApiAccess {
  const found =
    fromEnvironment(terminal, mode) ?? fromLogin(terminal, mode) ?? fromDemo(terminal, mode)
  if (found) return found
  const nextStep =
    'Start a local service with `npm start`, run `manilla login`, or set MANILLA_KEY and MANILLA_URL.'
  throw misused(`No ${mode} API key found.`, nextStep)
}

export function openClient({ baseUrl, key }: ApiAccess): Manilla {
  try {
    // A person waits at the terminal and can run the command again.
    return new Manilla(key, { baseUrl, maxRetries: 1 })
  } catch (error) {
    throw misused((error as Error).message, 'Correct the key or the address.')
  }
}

function fromEnvironment({ env }: Terminal, mode: Mode): ApiAccess | undefined {
  const { MANILLA_KEY: key, MANILLA_URL: url } = env
  if (!key && url) throw misused('MANILLA_URL is set, but MANILLA_KEY is not.', 'Set both.')
  if (!key) return undefined
  const isLive = modeOf(key) === 'live'
  if (isLive && mode === 'test') {
    const nextStep = 'Add --live if the command accepts it, or set a test key.'
    throw misused('MANILLA_KEY is a live key, which moves real money.', nextStep)
  }
  if (!isLive && mode === 'live') throw misused('MANILLA_KEY is a test key.', 'Remove --live.')
  return { baseUrl: url || defaultUrl, key, source: 'MANILLA_KEY' }
}

export function modeOf(key: string): Mode {
  return /^[sp]k_live_/.test(key) ? 'live' : 'test'
}

function fromLogin(terminal: Terminal, mode: Mode): ApiAccess | undefined {
  const login = readLogin(terminal)
  if (!login) return undefined
  const { baseUrl, [mode]: key } = login
  if (key) return { baseUrl, key, source: loginFile(terminal) }
  const message = `You are logged in to ${baseUrl} without a ${mode} key.`
  throw misused(message, `Run \`manilla login\` with a ${mode} key, or \`manilla logout\`.`)
}

type Demo = { baseUrl: string } & Record<Mode, { secretKey: string }>

function fromDemo({ homes }: Terminal, mode: Mode): ApiAccess | undefined {
  const file = homes.map((home) => path.join(home, 'demo.json')).find((file) => existsSync(file))
  if (!file) return undefined
  const demo = readJson<Demo>(file)
  return { baseUrl: demo.baseUrl, key: demo[mode].secretKey, source: file }
}

export function loginFile({ configFolder }: Terminal): string {
  return path.join(configFolder, 'login.json')
}

export function readLogin(terminal: Terminal): Login | undefined {
  const file = loginFile(terminal)
  return existsSync(file) ? readJson<Login>(file) : undefined
}

/** Writes atomically, readable by the owner only. */
export function writePrivate(file: string, content: object): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}

export function removeLogin(terminal: Terminal): void {
  rmSync(loginFile(terminal), { force: true })
}

export function readJson<Content>(file: string): Content {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content
  } catch (error) {
    const { message } = error as Error
    throw new Failure(`Cannot read ${file} (${message}).`, 'Fix the file or delete it.')
  }
}
