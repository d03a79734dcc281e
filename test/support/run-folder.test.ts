import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isRunning } from './program.js'
import { until } from './sessions.js'

/** A run whose program starts another one in its own session. */
const run = `
  import { spawn } from 'node:child_process'
  import { tmpdir } from 'node:os'
  import setup from '${pathToFileURL(path.join(import.meta.dirname, 'run-folder.mjs'))}'
  const teardown = setup()
  const idle = 'console.log(process.pid); setInterval(() => {}, 1000)'
  const program = "const { spawn } = require('node:child_process');"
    + "spawn(process.execPath, ['-e', '" + idle + "'], { detached: true, stdio: 'inherit' });" + idle
  console.log('folder', tmpdir())
  spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] }).unref()
  process.on('message', () => {
    process.disconnect()
    teardown()
  })
`

const postgres = `
  import { join } from 'node:path'
  import { startEmbeddedServer } from '${pathToFileURL(path.resolve('dist/postgres/embedded/server.js'))}'
  await startEmbeddedServer({ dataDirectory: join(tmpdir(), 'postgres/data') })
  const { readFileSync, realpathSync } = await import('node:fs')
  console.log('data', realpathSync(join(tmpdir(), 'postgres/data')))
  console.log(readFileSync(join(tmpdir(), 'postgres/data/postmaster.pid'), 'utf8').split('\\n')[0])
`

/** Resolves when all processes of the run have printed their ids. */
async function start(script: string, count: number) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let text = ''
  child.stdout!.on('data', (chunk) => {
    text += chunk
  })
  const listPids = () => text.match(/^\d+$/gm)?.map(Number) ?? []
  await until(() => listPids().length === count)
  const pathOf = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]
  return { child, pids: listPids(), folder: pathOf('folder')!, data: pathOf('data') }
}

const ends: Record<string, (child: ChildProcess) => void> = {
  'is killed': (child) => child.kill('SIGKILL'),
  'is terminated': (child) => child.kill('SIGTERM'),
  'is interrupted': (child) => child.kill('SIGINT'),
  ends: (child) => child.send('end'),
}

describe.each(Object.keys(ends))('a run that %s', (name) => {
  test('leaves no process and no file behind', async () => {
    const { child, pids, folder } = await start(run, 2)
    expect(pids.filter(isRunning)).toEqual(pids)
    ends[name]!(child)
    await once(child, 'exit')
    // A run that ends by itself waits for the reaper.
    if (name === 'ends') expect(pids.filter(isRunning)).toEqual([])
    await until(() => !pids.some(isRunning) && !existsSync(folder))
  })
})

// It runs in a session of its own, as another account and with an empty environment.
test('a killed run leaves no PostgreSQL behind', async () => {
  const { child, pids, folder, data } = await start(run + postgres, 3)
  expect(pids.filter(isRunning)).toEqual(pids)
  expect(existsSync(data!)).toBe(true)
  child.kill('SIGKILL')
  await until(() => !pids.some(isRunning) && !existsSync(folder) && !existsSync(data!))
})
