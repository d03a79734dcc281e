import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import { type Localnet, type LocalnetOptions, startLocalnet } from './start.js'

/**
 * The embedded chain for as long as the service runs: when its process dies it is started again at
 * the same address, where everything it had answered is still there.
 */
export async function keepLocalnetRunning(
  options: LocalnetOptions,
  logger: Logger,
): Promise<Pick<Localnet, 'url' | 'genesisHash' | 'stop'> & { pid(): number }> {
  let chain = await startLocalnet(options)
  const { url, genesisHash } = chain
  const port = Number(new URL(url).port)
  let isStopping = false

  async function watch(): Promise<void> {
    while (!isStopping) {
      await chain.ended
      if (isStopping) return
      logger.error('the embedded chain has died; it is started again')
      chain = await restart()
    }
  }

  async function restart(): Promise<Localnet> {
    for (;;) {
      try {
        return await startLocalnet({ ...options, port })
      } catch (error) {
        logger.error({ err: error }, 'the embedded chain does not start')
        await sleep(limits.localnet.restartMs)
      }
    }
  }

  void watch()
  return {
    url,
    genesisHash,
    pid: () => chain.pid,
    async stop() {
      isStopping = true
      await chain.stop()
    },
  }
}
