import * as fs from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../base/clock.js'
import { createLogger } from '../../base/log.js'
import { LocalnetChain } from './chain/chain.js'
import { openGenesis } from './chain/genesis.js'
import { textOf } from './chain/keys.js'
import { readFaultRules } from './rpc/localnet-methods.js'
import { lockFolder } from './server/lock.js'
import { LocalnetNetwork } from './server/network.js'

/**
 * Runs the localnet as a separate process:
 * node process.js --folder chain [--slot-ms 100] [--port 8899] [--rules '[…]']
 *
 * Sends its URLs to its parent, or prints them without one, and ends with its parent.
 */
async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string' },
      'slot-ms': { type: 'string', default: '100' },
      port: { type: 'string', default: '0' },
      rules: { type: 'string', default: '[]' },
    },
  })
  if (!values.folder) throw new Error('--folder is required: where the chain is stored')
  const folder = resolve(values.folder)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  await lockFolder(folder)
  const chain = new LocalnetChain(folder, openGenesis(folder), systemClock)
  const network = new LocalnetNetwork(
    chain,
    readFaultRules(JSON.parse(values.rules)),
    createLogger('warn'),
  )
  const { url, wsUrl } = await network.open(Number(values.port))
  const slotMs = Number(values['slot-ms'])
  const timer = slotMs > 0 ? setInterval(() => chain.advance(), slotMs) : undefined

  const stop = async () => {
    clearInterval(timer)
    await network.closeAll()
    chain.close()
    process.exit(0)
  }
  process.once('disconnect', stop)
  process.once('SIGTERM', stop)
  // Ctrl-C reaches every process of the terminal. The service needs the chain until it has stopped,
  // and then ends it by `disconnect`.
  process.on('SIGINT', () => {
    if (!process.connected) void stop()
  })
  // The parent may have ended while the journal was read.
  if (process.send && !process.connected) return stop()
  const ready = { url, wsUrl, genesisHash: textOf(chain.genesis.hash) }
  if (process.send) process.send(ready)
  else process.stdout.write(`${JSON.stringify(ready)}\n`)
}

await run()
