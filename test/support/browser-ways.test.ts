import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { adviceFor, listWays, type Machine, needsBrowser, withoutBrowser } from './browser-ways.js'

const bare: Machine = { platform: 'linux', arch: 'arm64', isRoot: false, isDebian: false }
const kinds = (change: Partial<Machine>) => listWays({ ...bare, ...change }).map(({ kind }) => kind)

describe('how tests find a browser', () => {
  test('a named browser is the only choice, even if another is installed', () => {
    const ways = listWays({ ...bare, arch: 'x64', chosen: '/my/browser', installed: '/usr/bin/it' })
    expect(ways).toEqual([{ kind: 'installed', path: '/my/browser' }])
  })

  test('an installed browser is used, and nothing is downloaded', () => {
    const ways = listWays({ ...bare, isRoot: true, isDebian: true, installed: '/usr/bin/it' })
    expect(ways).toEqual([{ kind: 'installed', path: '/usr/bin/it' }])
  })

  test('npm carries one for Linux on x64, which is tried before any download', () => {
    const debian = { arch: 'x64', isRoot: true, isDebian: true }
    expect(kinds(debian)).toEqual(['npm', 'playwright', 'debian'])
    expect(kinds({ platform: 'darwin', arch: 'x64' })).toEqual(['playwright'])
  })

  test('only root installs packages, and only on Debian', () => {
    expect(kinds({ isRoot: true, isDebian: true })).toEqual(['playwright', 'debian'])
    expect(kinds({ isDebian: true })).toEqual(['playwright'])
    expect(kinds({ isRoot: true })).toEqual(['playwright'])
  })
})

test('without a browser suites are skipped, and fail only in CI', () => {
  expect(withoutBrowser('true')).toBe('fail')
  for (const ci of [undefined, '', 'false']) expect(withoutBrowser(ci)).toBe('skip')
})

test('the advice names a command for this system', () => {
  expect(adviceFor({ isDebian: true })).toContain('apt-get install chromium')
  expect(adviceFor({ isDebian: false })).toContain('npx playwright-core install')
})

// A run of other files must not install a browser.
test('a file needs a browser when it or what it imports opens one', () => {
  const here = (file: string) => path.resolve(import.meta.dirname, '..', file)
  expect(needsBrowser(here('pages/checkout-updates.test.ts'))).toBe(true)
  expect(needsBrowser(here('sdk/package.test.ts'))).toBe(true)
  expect(needsBrowser(here('ledger/move.test.ts'))).toBe(false)
  expect(needsBrowser(here('support/browser-ways.test.ts'))).toBe(false)
})
