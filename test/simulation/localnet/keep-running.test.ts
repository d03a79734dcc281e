import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/base/log.js'
import type * as KeepRunning from '../../../src/simulation/localnet/keep-running.js'
import { localnetLimits } from '../../../src/simulation/localnet/limits.js'
import { until } from '../../support/sessions.js'
import { loadBuilt, newFolder, rpcAt } from './localnet.js'

// The chain's process dies while the service lives. It must come back where it was, with what it
// had, and with nobody's help.
test('a chain that dies is started again at the same address, with everything it had', async () => {
  const built = (await loadBuilt('dist/simulation/localnet/keep-running.js')) as typeof KeepRunning
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
    expect(log.join()).toContain('has died')
  } finally {
    await chain.stop()
  }
})

// The data is in somebody else's hands, so the chain cannot come back. Whoever stops must not have
// to wait for it, and nothing may be started afterwards.
test('a chain that cannot be started again can be stopped', async () => {
  const built = (await loadBuilt('dist/simulation/localnet/keep-running.js')) as typeof KeepRunning
  const log: string[] = []
  const logger = createLogger('error', { write: (line) => log.push(line) })
  const folder = newFolder()
  const chain = await built.keepLocalnetRunning({ folder, slotMs: 10 }, logger)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'no folder')
  process.kill(chain.pid(), 'SIGKILL')
  await until(() => log.join().includes('does not start'))
  await chain.stop()
  const said = log.length
  await sleep(2 * localnetLimits.restartMs)
  expect(log).toHaveLength(said)
})
