import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openWithBank } from '../support/open-with-bank.js'

/** The Go SDK with every Go that is installed: the one in PATH, and Debian's oldest. */

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'sdks/go')
const env = {
  ...process.env,
  // Nothing is downloaded: the module has no requirements.
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  GOFLAGS: '-mod=mod',
  GOWORK: 'off',
  CGO_ENABLED: '0',
}

function versionOf(command: string): string | undefined {
  try {
    return execFileSync(command, ['env', 'GOVERSION'], { env, stdio: 'pipe' }).toString().trim()
  } catch {
    return undefined
  }
}

const commands = ['go', '/usr/lib/go-1.19/bin/go']
const installed = new Map(commands.map((command) => [versionOf(command), command]))
installed.delete(undefined)
if (installed.size === 0) console.warn('Go is not installed: its SDK is not tested.')

test('Go is installed where all runtimes must be', () => {
  if (process.env.MANILLA_ALL_RUNTIMES === '1') expect([...installed]).not.toEqual([])
})

const execute = promisify(execFile)
const run = async (command: string, words: string[], cwd = folder, more = {}) => {
  const options = { cwd, env: { ...env, ...more }, timeout: 300_000 }
  const { stdout } = await execute(command, words, options).catch((error) => {
    throw new Error(`${command} ${words.join(' ')}: ${error.stdout}${error.stderr}`)
  })
  return stdout
}

describe.each([...installed])('with %s', (_, command) => {
  // Builds the SDK, the driver and the journey, too.
  test('vet finds nothing and all tests pass', { timeout: 600_000 }, async () => {
    await run(command!, ['vet', './...'])
    const output = await run(command!, ['test', '-count=1', '-vet=off', '.'])
    expect(output).toMatch(/^ok/)
  })
})

const [go] = installed.values()
const gofmt =
  go && path.join(execFileSync(go, ['env', 'GOROOT'], { env }).toString().trim(), 'bin/gofmt')

test.runIf(gofmt && existsSync(gofmt))('all files are as gofmt writes them', async () => {
  expect(await run(gofmt!, ['-l', '.'])).toBe('')
})

test.runIf(go)('README works word for word', { timeout: 600_000 }, async () => {
  const service = await openWithBank()
  const readme = readFileSync(path.join(folder, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/(?:^`(\S+)`:\n\n)?```(go|sh)\n([\s\S]*?)```/gm)]
  const files = blocks.filter(([, , language]) => language === 'go')
  const [install, ...scripts] = blocks.filter(([, , language]) => language === 'sh')
  const beside = mkdtempSync(path.join(tmpdir(), 'manilla-go-'))
  symlinkSync(root, path.join(beside, 'manilla'))
  const shell = (script: string, cwd: string) =>
    run('sh', ['-euc', script], cwd, {
      PATH: `${path.dirname(go!)}:${process.env.PATH}`,
      MANILLA_URL: service.url,
      MANILLA_KEY: service.merchant.test.secret,
    })

  await shell(install![3]!, beside)
  const shop = path.join(beside, 'shop')
  for (const [, name, , text] of files) writeFileSync(path.join(shop, name!), text!)
  expect(await run(gofmt!, ['-l', '.'], shop)).toBe('')
  const outputs: string[] = []
  for (const [, , , script] of scripts) outputs.push(await shell(script!, shop))
  expect(outputs[0]).toMatch(/^bt_\w+ .+ SUBMITTED\n$/)
  expect(outputs[1]).toMatch(/^ok/)
  expect(outputs).toHaveLength(2)
})
