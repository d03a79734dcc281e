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
import type { World } from './world.js'

/** Which service is asked, and with which key. */
export type Access = { baseUrl: string; key: string; source: string }

export type Login = { baseUrl: string; test?: string; live?: string }
type Mode = 'test' | 'live'

const usualUrl = 'http://127.0.0.1:8080'

/**
 * What was said last and most plainly wins: the environment, then a login, then the demo merchant
 * of a service of this machine. A live key is never used unless it is asked for by `--live`, and a
 * service that was named is never exchanged for another one.
 */
export function findAccess(world: World, mode: Mode): Access {
  const found = fromEnvironment(world, mode) ?? fromLogin(world, mode) ?? fromDemo(world, mode)
  if (found) return found
  const nextStep =
    'Start a service of this machine, run `manilla login`, or set MANILLA_KEY and MANILLA_URL.'
  throw misused(`There is no ${mode} key to ask with.`, nextStep)
}

export function openClient({ baseUrl, key }: Access): Manilla {
  try {
    // Somebody waits at a terminal, and can ask again.
    return new Manilla(key, { baseUrl, maxRetries: 1 })
  } catch (error) {
    throw misused((error as Error).message, 'Correct the key or the address.')
  }
}

function fromEnvironment({ env }: World, mode: Mode): Access | undefined {
  const { MANILLA_KEY: key, MANILLA_URL: url } = env
  if (!key && url) throw misused('MANILLA_URL is set, but MANILLA_KEY is not.', 'Set both.')
  if (!key) return undefined
  const isLive = modeOf(key) === 'live'
  if (isLive && mode === 'test') {
    const nextStep = 'Say so with --live where the command takes it, or set a test key.'
    throw misused('MANILLA_KEY is a live key: it moves real money.', nextStep)
  }
  if (!isLive && mode === 'live') throw misused('MANILLA_KEY is a test key.', 'Leave out --live.')
  return { baseUrl: url || usualUrl, key, source: 'MANILLA_KEY' }
}

export function modeOf(key: string): Mode {
  return /^[sp]k_live_/.test(key) ? 'live' : 'test'
}

function fromLogin(world: World, mode: Mode): Access | undefined {
  const login = readLogin(world)
  if (!login) return undefined
  const { baseUrl, [mode]: key } = login
  if (key) return { baseUrl, key, source: loginFile(world) }
  const message = `You are logged in at ${baseUrl}, but not with a ${mode} key.`
  throw misused(message, `\`manilla login\` with a ${mode} key, or \`manilla logout\`.`)
}

type Demo = { baseUrl: string } & Record<Mode, { secretKey: string }>

function fromDemo({ homes }: World, mode: Mode): Access | undefined {
  const file = homes.map((home) => path.join(home, 'demo.json')).find((one) => existsSync(one))
  if (!file) return undefined
  const demo = readJson<Demo>(file)
  return { baseUrl: demo.baseUrl, key: demo[mode].secretKey, source: file }
}

export function loginFile({ configFolder }: World): string {
  return path.join(configFolder, 'login.json')
}

export function readLogin(world: World): Login | undefined {
  const file = loginFile(world)
  return existsSync(file) ? readJson<Login>(file) : undefined
}

/** Readable by its owner alone, and whole or not at all. */
export function writePrivate(file: string, content: object): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(fresh, 0o600)
  renameSync(fresh, file)
}

export function removeLogin(world: World): void {
  rmSync(loginFile(world), { force: true })
}

export function readJson<Content>(file: string): Content {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content
  } catch (error) {
    const { message } = error as Error
    throw new Failure(`${file} cannot be read (${message}).`, 'Mend it, or delete it.')
  }
}
