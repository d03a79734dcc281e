import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '../../base/log.js'
import { onNewDeliveries } from '../../events/new-deliveries.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { listen } from '../../postgres/wire/listen.js'
import { webhookLimits } from '../limits.js'

const channel = 'new_deliveries'

/** A process wakes its own worker directly and ignores its own notifications. */
const processName = randomUUID()

const notify = {
  name: 'notify_new_deliveries',
  text: 'select pg_notify($1, $2)',
  values: [channel, processName],
}

/**
 * Notifies the workers of other processes after commits that made deliveries due: at once, then at
 * most once per interval. Outside of their transactions, because NOTIFY takes a lock that all
 * commits with one share.
 */
export function notifyWorkers(db: Queryable): { stop(): Promise<void> } {
  let isWanted = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (isWanted) {
      isWanted = false
      // A lost notification costs only latency: workers also poll.
      await db.rows(notify).catch(() => {})
      await sleep(webhookLimits.notifyIntervalMs)
    }
    running = undefined
  }

  const unsubscribe = onNewDeliveries(() => {
    isWanted = true
    running ??= run()
  })
  return {
    async stop() {
      unsubscribe()
      await running
    },
  }
}

/** Calls `wake` when this or another process has made deliveries due. */
export function listenForDeliveries(
  wake: () => void,
  { connect, logger }: { connect: () => Promise<pg.Client>; logger: Logger },
): { stop(): Promise<void> } {
  const unsubscribe = onNewDeliveries(wake)
  const listener = listen({
    connect,
    channel,
    onPayload: (sender) => {
      if (sender !== processName) wake()
    },
    onConnected: wake,
    logger,
  })
  return {
    async stop() {
      unsubscribe()
      await listener.stop()
    },
  }
}
