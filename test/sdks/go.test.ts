import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** The Go SDK with every Go that is installed: the one in PATH, and Debian's oldest. */

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'sdks/go')
const env = {
  ...process.env,
  // Nothing is downloaded: the module has no requirements.
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  GOWORK: 'off',
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
const run = async (command: string, words: string[], cwd = folder) => {
  const options = { cwd, env, timeout: 300_000 }
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

test.runIf(gofmt && existsSync(gofmt))('so is the Go of README', async () => {
  const readme = readFileSync(path.join(folder, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```go\n([\s\S]*?)```/g)].map(([, text]) => text!)
  expect(blocks.length).toBeGreaterThan(5)
  const copies = mkdtempSync(path.join(tmpdir(), 'manilla-go-'))
  for (const [index, text] of blocks.entries())
    writeFileSync(path.join(copies, `block_${index}.go`), text)
  expect(await run(gofmt!, ['-l', '.'], copies)).toBe('')
})
