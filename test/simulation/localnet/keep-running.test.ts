import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/base/log.js'
import { localnetLimits } from '../../../src/simulation/localnet/limits.js'
import type * as KeepRunning from '../../../src/simulation/localnet/server/keep-running.js'
import { until } from '../../support/sessions.js'
import { loadBuilt, newFolder, rpcAt } from './localnet.js'

// The localnet process dies while the service runs. It must be restarted without help.
test('a localnet that dies is restarted on the same port with all its data', async () => {
  const built = (await loadBuilt(
    'dist/simulation/localnet/server/keep-running.js',
  )) as typeof KeepRunning
  const log: string[] = []
  const logger = createLogger('error', { write: (line) => log.push(line) })
  const chain = await built.keepLocalnetRunning({ folder: newFolder(), slotMs: 10 }, logger)
  try {
    const rpc = rpcAt(chain.url)
    const wallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
    await rpc.call('requestAirdrop', wallet, 5_000_000)
    const balance = () => rpc.call('getBalance', wallet, { commitment: 'processed' })
    expect((await balance()).value).toBe(5_000_000)
    const before = chain.pid()
    process.kill(before, 'SIGKILL')
    await until(() => chain.pid() !== before)
    expect((await balance()).value).toBe(5_000_000)
    expect(await rpc.call('getGenesisHash')).toBe(chain.genesisHash)
    expect(log.join()).toContain('process died')
  } finally {
    await chain.stop()
  }
})

// A terminal sends it to every process. The service stops the chain itself, when it has stopped.
test('Ctrl-C does not reach the localnet, and nothing is logged', async () => {
  const built = (await loadBuilt(
    'dist/simulation/localnet/server/keep-running.js',
  )) as typeof KeepRunning
  const log: string[] = []
  const logger = createLogger('info', { write: (line) => log.push(line) })
  const chain = await built.keepLocalnetRunning({ folder: newFolder(), slotMs: 10 }, logger)
  const pid = chain.pid()
  process.kill(pid, 'SIGINT')
  const rpc = rpcAt(chain.url)
  const slot = await rpc.call('getSlot')
  await until(async () => (await rpc.call('getSlot')) > slot + 5)
  expect(chain.pid()).toBe(pid)
  await chain.stop()
  expect(log).toEqual([])
})

// The folder is gone, so the localnet cannot restart. Stopping must not wait for it, and nothing
// may be started afterwards.
test('a localnet that cannot be restarted can be stopped', async () => {
  const built = (await loadBuilt(
    'dist/simulation/localnet/server/keep-running.js',
  )) as typeof KeepRunning
  const log: string[] = []
  const logger = createLogger('error', { write: (line) => log.push(line) })
  const folder = newFolder()
  const chain = await built.keepLocalnetRunning({ folder, slotMs: 10 }, logger)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'no folder')
  process.kill(chain.pid(), 'SIGKILL')
  await until(() => log.join().includes('did not start'))
  await chain.stop()
  const loggedBefore = log.length
  await sleep(2 * localnetLimits.restartMs)
  expect(log).toHaveLength(loggedBefore)
})
