import type { Grant, SharedLimits } from '../api/server/shared-limits.js'
import { readConfig } from '../base/config.js'
import { createLogger } from '../base/log.js'
import type { Metric, ToPrimary, ToProcess } from './api-messages.js'
import { openApi } from './serve.js'
import { forceExitLater, waitForSignal } from './signals.js'

/**
 * One of the processes of `manilla serve`. The primary process passes connections to it; when that
 * ends, Node ends this process.
 */
async function main(): Promise<void> {
  const stop = Promise.race([waitForSignal(), waitForStop()])
  const config = readConfig()
  const logger = createLogger(config.logLevel, undefined, config.logFormat).child({
    process: Number(process.argv[2]),
  })
  const api = await openApi(config, { logger, sharedLimits: askPrimary() })
  on('read metrics', async () => {
    const metrics = (await api.registry.getMetricsAsJSON()) as object[] as Metric[]
    send({ kind: 'metrics', metrics })
  })
  send({ kind: 'listening', url: api.url })
  await stop
  forceExitLater()
  await api.close()
}

function waitForStop(): Promise<void> {
  return new Promise((resolve) => on('stop', () => resolve()))
}

function askPrimary(): SharedLimits {
  const waiting = new Map<number, (answer: never) => void>()
  let lastId = 0
  on('answer', ({ id, answer }) => {
    waiting.get(id)?.(answer as never)
    waiting.delete(id)
  })
  // Without an answer there is no primary process, and then Node ends this one.
  const ask = <Answer>(toMessage: (id: number) => ToPrimary) =>
    new Promise<Answer>((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      send(toMessage(lastId))
    })
  return {
    claim: (policy, name) => ask<Grant>((id) => ({ kind: 'claim', id, policy, name })),
    takeStream: (place) => ask<boolean>((id) => ({ kind: 'take stream', id, place })),
    releaseStream: (place) => send({ kind: 'release stream', place }),
  }
}

function on<Kind extends ToProcess['kind']>(
  kind: Kind,
  handle: (message: Extract<ToProcess, { kind: Kind }>) => void,
): void {
  process.on('message', (message: ToProcess) => {
    if (message.kind === kind) handle(message as Extract<ToProcess, { kind: Kind }>)
  })
}

function send(message: ToPrimary): void {
  process.send?.(message, () => {})
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    // The primary process reports the message: it knows whether the service starts or runs.
    const message: ToPrimary = { kind: 'failed', message: error.message }
    process.send?.(message, () => process.exit(1))
  },
)
