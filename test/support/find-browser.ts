import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { adviceFor, listWays, type Machine, needsBrowser, type Way } from './browser-ways.js'

/** Without a path, Playwright launches the browser that it downloaded. */
type FoundBrowser = { path?: string; env?: Record<string, string> }

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where no selected test file needs one, or where none could be found. */
    browser: FoundBrowser | undefined
    browserAdvice: string
  }
}

const installPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** A download of about 100 MB on a slow connection. */
const downloadTimeoutMs = 300_000
/** Short, so that a machine without a network soon tries the next option. */
const connectTimeoutMs = 5_000

/** Finds or installs one browser for the whole run, if a selected test file needs one. */
export default async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const machine = readMachine()
  const advice = adviceFor(machine)
  project.provide('browserAdvice', advice)
  const suites = (await listSelected(project)).filter((file) => needsBrowser(file))
  const browser = suites.length > 0 ? await findBrowser(machine) : undefined
  project.provide('browser', browser)
  if (suites.length === 0 || browser !== undefined) return undefined
  // Printed again at the end of the run.
  const warn = () => console.warn(`\n${suites.length} suites need a browser. ${advice}\n`)
  warn()
  return warn
}

async function listSelected({ vitest }: TestProject): Promise<string[]> {
  // Vitest keeps the file names of the command line here, outside of its types.
  const { filenamePattern } = vitest as { filenamePattern?: string[] }
  const specifications = await vitest.globTestSpecifications(filenamePattern)
  return specifications.map(({ moduleId }) => moduleId)
}

function readMachine(): Machine {
  const { platform, arch } = process
  const release = '/etc/os-release'
  return {
    chosen: process.env.MANILLA_TEST_BROWSER,
    installed: findInstalled(),
    platform,
    arch,
    isRoot: process.getuid?.() === 0,
    isDebian: existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8')),
  }
}

function findInstalled(): string | undefined {
  return installPaths.find((path) => existsSync(path))
}

async function findBrowser(machine: Machine): Promise<FoundBrowser | undefined> {
  for (const way of listWays(machine)) {
    const browser = await take(way)
    if (browser !== undefined) return browser
  }
  return undefined
}

async function take(way: Way): Promise<FoundBrowser | undefined> {
  switch (way.kind) {
    case 'installed':
      return { path: way.path }
    case 'npm':
      return ifItLaunches(await unpack())
    case 'playwright':
      return download() ? ifItLaunches({}) : undefined
    case 'debian':
      return installFromDebian()
  }
}

/** A machine may lack the libraries that a downloaded browser needs. */
async function ifItLaunches(browser: FoundBrowser): Promise<FoundBrowser | undefined> {
  try {
    await (await chromium.launch(toOptions(browser))).close()
    return browser
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    console.warn(`The browser ${browser.path ?? 'of Playwright'} does not start: ${reason}`)
    return undefined
  }
}

/** The package changes the environment of its process; only the browser may see these changes. */
async function unpack(): Promise<FoundBrowser> {
  const before = { ...process.env }
  // Makes the package also unpack the libraries that a bare machine lacks.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x'
  const { default: packed } = await import('@sparticuz/chromium')
  const path = await packed.executablePath()
  const { FONTCONFIG_PATH = '', LD_LIBRARY_PATH = '' } = process.env
  const changed = ['AWS_EXECUTION_ENV', 'FONTCONFIG_PATH', 'HOME', 'LD_LIBRARY_PATH']
  for (const name of changed) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  return { path, env: { FONTCONFIG_PATH, LD_LIBRARY_PATH } }
}

/** Does nothing when the browser was downloaded before. */
function download(): boolean {
  const playwright = path.resolve(import.meta.dirname, '../../node_modules/playwright-core/cli.js')
  const words = [playwright, 'install', 'chromium-headless-shell']
  const { status } = spawnSync(process.execPath, words, {
    env: { ...process.env, PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: `${connectTimeoutMs}` },
    timeout: downloadTimeoutMs,
    stdio: 'ignore',
  })
  if (status !== 0) console.warn("Playwright's download of Chromium is out of reach.")
  return status === 0
}

function installFromDebian(): FoundBrowser | undefined {
  console.warn('Installing the Debian package chromium …')
  const install = 'apt-get update && apt-get install -y --no-install-recommends chromium'
  const options = { timeout: downloadTimeoutMs, encoding: 'utf8' } as const
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stderr } = spawnSync('sh', ['-c', install], { ...options, env })
  const path = findInstalled()
  if (status !== 0) console.warn(stderr.trim().split('\n').slice(-3).join('\n'))
  return path === undefined ? undefined : { path }
}

/** Root has no sandbox, and the browser must not call home. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function toOptions({ path, env = {} }: FoundBrowser): LaunchOptions {
  return {
    ...(path === undefined ? {} : { executablePath: path }),
    env: { ...process.env, ...env } as Record<string, string>,
    args: flags,
  }
}
