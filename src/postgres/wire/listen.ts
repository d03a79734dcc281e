import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../../base/log.js'
import { postgresLimits } from '../limits.js'
import { cutConnection } from './connection.js'

export type ChannelListener = { stop(): Promise<void> }

type ListenerSettings = {
  connect: () => Promise<pg.Client>
  channel: string
  onPayload: (payload: string) => void
  /** After the first connection and after each reconnection: payloads may have been missed. */
  onConnected: () => void
  logger: Logger
}

/**
 * Runs LISTEN on a database channel until stopped, and reconnects when the connection is lost.
 * Payloads are hints: the tables decide.
 */
export function listen({
  connect,
  channel,
  onPayload,
  onConnected,
  logger,
}: ListenerSettings): ChannelListener {
  const stopping = new AbortController()
  const { signal } = stopping
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
  let isDown = false

  function reportConnected(): void {
    if (isDown) logger.info({ channel }, 'listening to the database again')
    isDown = false
    onConnected()
  }

  /** Logs the first failure only, until the connection is back. */
  function reportLost(error: unknown): void {
    if (signal.aborted) return
    if (!isDown) logger.warn({ err: error, channel }, 'listening to the database failed; retrying')
    isDown = true
  }

  async function reconnectUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      await receive({ connect, channel, onPayload, onConnected: reportConnected, stopped }).catch(
        reportLost,
      )
      // Throws only when stopped.
      await sleep(postgresLimits.relistenDelayMs, undefined, { signal }).catch(() => {})
    }
  }

  const running = reconnectUntilStopped()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

type OneConnection = Omit<ListenerSettings, 'logger'> & { stopped: Promise<void> }

/** Receives payloads on one connection. Returns when stopped; throws when it fails or is lost. */
async function receive(options: OneConnection): Promise<void> {
  const { connect, channel, onPayload, onConnected, stopped } = options
  const connecting = connect()
  const client = await Promise.race([connecting, stopped])
  if (!client) {
    // A connection that opens after the stop is closed again.
    connecting.then((late) => late.end()).catch(() => {})
    return
  }
  const lost = new Promise<void>((_resolve, reject) => {
    client.on('end', () => reject(new Error('the connection to the database was lost')))
  })
  // It may reject before or after anything awaits it.
  lost.catch(() => {})
  client.on('notification', ({ payload = '' }) => onPayload(payload))
  // A silent server neither sends nor closes anything: only a query finds out.
  const heartbeat = setInterval(() => {
    client.query('select').catch(() => cutConnection(client))
  }, postgresLimits.listenHeartbeatIntervalMs)
  try {
    await Promise.race([client.query(`listen ${channel}`), stopped])
    onConnected()
    await Promise.race([lost, stopped])
  } finally {
    clearInterval(heartbeat)
    await client.end().catch(() => {}) // a lost connection is closed already
  }
}
