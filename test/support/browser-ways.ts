import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Decides how browser tests can get a Chromium. */

export type Machine = {
  /** Value of MANILLA_TEST_BROWSER. */
  chosen?: string | undefined
  /** Path of an installed Chrome or Chromium. */
  installed?: string | undefined
  platform: string
  arch: string
  isRoot: boolean
  isDebian: boolean
}

export type Way = { kind: 'installed'; path: string } | { kind: 'npm' | 'playwright' | 'debian' }

/** Options in the order to try them. A named browser is never replaced by another. */
export function listWays({ chosen, installed, ...machine }: Machine): Way[] {
  const path = chosen ?? installed
  if (path !== undefined) return [{ kind: 'installed', path }]
  const ways: Way[] = []
  if (machine.platform === 'linux' && machine.arch === 'x64') ways.push({ kind: 'npm' })
  ways.push({ kind: 'playwright' })
  if (machine.isDebian && machine.isRoot) ways.push({ kind: 'debian' })
  return ways
}

/** What browser suites do without one. */
export function withoutBrowser(ci: string | undefined): 'fail' | 'skip' {
  return ci === 'true' ? 'fail' : 'skip'
}

/** The command that installs a browser on this machine. */
export function adviceFor({ isDebian }: Pick<Machine, 'isDebian'>): string {
  const command = isDebian
    ? 'apt-get install chromium (as root)'
    : 'npx playwright-core install chromium-headless-shell'
  return `No browser found. Install one: ${command}, or set MANILLA_TEST_BROWSER to its path.`
}

/** Whether a test file imports browser.ts, itself or through its own imports. */
export function needsBrowser(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false
  seen.add(file)
  if (file === browserModule) return true
  const imports = readFileSync(file, 'utf8').matchAll(/^\S.* from '(\.[^']+)\.js'$/gm)
  return [...imports]
    .map(([, target]) => path.resolve(path.dirname(file), `${target}.ts`))
    .filter((target) => target.startsWith(tests))
    .some((target) => needsBrowser(target, seen))
}

const tests = path.resolve(import.meta.dirname, '..')
const browserModule = path.join(import.meta.dirname, 'browser.ts')
