import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { cutConnection } from './connection.js'

type Tools = {
  connect: () => Promise<pg.Client>
  channel: string
  /** Called with undefined after each (re)connection: messages may have been missed. */
  onMessage: (payload: string | undefined) => void
  logger: Logger
}

/**
 * Listens on a database channel until stopped, and reconnects when the connection is lost.
 * Messages are hints: the tables decide.
 */
export function listen(tools: Tools): { stop(): Promise<void> } {
  const { channel, logger } = tools
  const stopping = new AbortController()
  const { signal } = stopping
  const isStopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
  let isDown = false

  function onConnected(): void {
    if (isDown) logger.info({ channel }, 'listening to the database again')
    isDown = false
  }

  /** Logs the first failure only, until the connection is back. */
  function onLost(error: unknown): void {
    if (signal.aborted) return
    if (!isDown) logger.warn({ err: error, channel }, 'listening to the database failed; retrying')
    isDown = true
  }

  async function listenOn(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce({ ...tools, isStopped, onConnected }).catch(onLost)
      // Throws only when stopped.
      await sleep(limits.streams.relistenDelayMs, undefined, { signal }).catch(() => {})
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

type Listening = Omit<Tools, 'logger'> & { isStopped: Promise<void>; onConnected: () => void }

/** Returns when stopped; throws when the connection fails or is lost. */
async function listenOnce(listening: Listening): Promise<void> {
  const { connect, channel, onMessage, isStopped, onConnected } = listening
  const connecting = connect()
  const client = await Promise.race([connecting, isStopped])
  if (!client) {
    // A connection that opens after the stop is closed again.
    connecting.then((late) => late.end()).catch(() => {})
    return
  }
  const isLost = new Promise<void>((_resolve, reject) => {
    client.on('end', () => reject(new Error('the connection to the database was lost')))
  })
  // It may reject before or after anything awaits it.
  isLost.catch(() => {})
  client.on('notification', ({ payload }) => onMessage(payload))
  // A silent server neither sends nor closes anything: only a query finds out.
  const heartbeat = setInterval(() => {
    client.query('select').catch(() => cutConnection(client))
  }, limits.streams.listenHeartbeatIntervalMs)
  try {
    await Promise.race([client.query(`listen ${channel}`), isStopped])
    onConnected()
    onMessage(undefined)
    await Promise.race([isLost, isStopped])
  } finally {
    clearInterval(heartbeat)
    await client.end().catch(() => {}) // a lost connection is closed already
  }
}
