import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../base/log.js'
import { localnetLimits } from './limits.js'
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
  const stopping = new AbortController()
  const { signal } = stopping

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await chain.ended
      if (signal.aborted) return
      logger.error('the embedded chain has died; it is started again')
      chain = (await restart()) ?? chain
    }
    // It was being started when the stop was asked for.
    await chain.stop()
  }

  /** Nothing, when there is no more need of it. */
  async function restart(): Promise<Localnet | undefined> {
    while (!signal.aborted) {
      try {
        return await startLocalnet({ ...options, port })
      } catch (error) {
        logger.error({ err: error }, 'the embedded chain does not start')
        await sleep(localnetLimits.restartMs, undefined, { signal }).catch(() => {})
      }
    }
    return undefined
  }

  const watching = watch()
  return {
    url,
    genesisHash,
    pid: () => chain.pid,
    async stop() {
      stopping.abort()
      await chain.stop()
      await watching
    },
  }
}
