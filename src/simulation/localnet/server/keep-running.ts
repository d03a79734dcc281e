import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../base/log.js'
import { localnetLimits } from '../limits.js'
import { type Localnet, type LocalnetOptions, startLocalnet } from '../start.js'

/**
 * Runs the localnet as long as the service runs. If its process dies, it is restarted on the same
 * port with everything it had acknowledged.
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
      logger.error('the localnet process died; restarting it')
      chain = (await restart()) ?? chain
    }
    // The stop came during a restart.
    await chain.stop()
  }

  /** Undefined once stopped. */
  async function restart(): Promise<Localnet | undefined> {
    while (!signal.aborted) {
      try {
        return await startLocalnet({ ...options, port })
      } catch (error) {
        logger.error({ err: error }, 'the localnet did not start; retrying')
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
