import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { cutConnection } from './connection.js'

type Tools = {
  connect: () => Promise<pg.Client>
  channel: string
  /** Undefined: the line was cut, and something may have been missed. */
  onMessage: (payload: string | undefined) => void
  logger: Logger
}

/**
 * Listens on a channel of the database until stopped, and comes back when the line is cut. What is
 * said there is a hint: the tables decide.
 */
export function listen(tools: Tools): { stop(): Promise<void> } {
  const { channel, logger } = tools
  const stopping = new AbortController()
  const { signal } = stopping
  const isStopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
  let isDown = false

  function onHeard(): void {
    if (isDown) logger.info({ channel }, 'hints of the database are heard again')
    isDown = false
  }

  /** Said once, however often it is tried until it works again. */
  function onLost(error: unknown): void {
    if (signal.aborted) return
    if (!isDown) logger.warn({ err: error, channel }, 'hints of the database are not heard')
    isDown = true
  }

  async function listenOn(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce({ ...tools, isStopped, onHeard }).catch(onLost)
      // Nothing is thrown here but that it was stopped.
      await sleep(limits.streams.listenAgainMs, undefined, { signal }).catch(() => {})
    }
  }

  const running = listenOn()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

type Line = Omit<Tools, 'logger'> & { isStopped: Promise<void>; onHeard: () => void }

/** Until it is stopped; throws when the line is cut, or cannot be opened. */
async function listenOnce({ connect, channel, onMessage, ...line }: Line): Promise<void> {
  const { isStopped, onHeard } = line
  const connecting = connect()
  const client = await Promise.race([connecting, isStopped])
  if (!client) {
    // One that opens after the stop is closed again; nobody waits for it.
    connecting.then((late) => late.end()).catch(() => {})
    return
  }
  const isCut = new Promise<void>((_resolve, reject) => {
    client.on('end', () => reject(new Error('the line to the database was cut')))
  })
  // It may be cut while nobody looks at this, which is no bug.
  isCut.catch(() => {})
  client.on('notification', ({ payload }) => onMessage(payload))
  // A silent server sends nothing and ends nothing: only a question finds that out.
  const beat = setInterval(() => {
    client.query('select').catch(() => cutConnection(client))
  }, limits.streams.listenBeatMs)
  try {
    await Promise.race([client.query(`listen ${channel}`), isStopped])
    onHeard()
    onMessage(undefined)
    await Promise.race([isCut, isStopped])
  } finally {
    clearInterval(beat)
    await client.end().catch(() => {}) // a line that was cut is closed already
  }
}
