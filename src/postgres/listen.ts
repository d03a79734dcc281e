import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { limits } from '../limits.js'

type Tools = {
  connect: () => Promise<pg.Client>
  channel: string
  /** Undefined: the line was cut, and something may have been missed. */
  onMessage: (payload: string | undefined) => void
}

/**
 * Listens on a channel of the database until stopped, and comes back when the line is cut. What is
 * said there is a hint: the tables decide.
 */
export function listen({ connect, channel, onMessage }: Tools): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const isStopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })

  async function listenOnce(): Promise<void> {
    const client = await connect()
    try {
      const isCut = new Promise<void>((resolve) => client.on('end', () => resolve()))
      client.on('notification', ({ payload }) => onMessage(payload))
      await client.query(`listen ${channel}`)
      onMessage(undefined)
      await Promise.race([isCut, isStopped])
    } finally {
      await client.end().catch(() => {}) // a line that was cut is closed already
    }
  }

  async function listenOn(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce().catch(() => {}) // whatever it was, the next try says so again
      if (!signal.aborted) await sleep(limits.streams.listenAgainMs)
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
