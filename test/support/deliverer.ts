import { type Clock, systemClock } from '../../src/base/clock.js'
import { createLogger, type Logger } from '../../src/base/log.js'
import type { Seal } from '../../src/base/sealed.js'
import type { Courier } from '../../src/events/new-deliveries.js'
import type { Database } from '../../src/postgres/database.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { Deliverer } from '../../src/webhooks/deliveries/deliver.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { testSeal } from './endpoints.js'
import { whenDone } from './open-manilla.js'

/** The delivery job of a worker, with its log. */
export function startDeliverer(
  db: Database,
  {
    seal = testSeal,
    pollIntervalMs,
    clock = systemClock,
    logger,
  }: { seal?: Seal; pollIntervalMs?: number; clock?: Clock; logger?: Logger } = {},
) {
  const log: string[] = []
  const polls = { count: 0 }
  const deliverer = new Deliverer({
    db,
    connect: () => connect(db.url, 'test deliveries'),
    seal,
    clock,
    logger: logger ?? createLogger('warn', { write: (line) => log.push(line) }),
    sender: createSender({ clock, allowsLoopback: true }),
    onPoll: () => {
      polls.count += 1
    },
    ...(pollIntervalMs && { pollIntervalMs }),
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= deliverer.stop()
    return stopping
  }
  whenDone(stop)
  deliverer.start()
  return {
    stats: deliverer.stats,
    polls,
    log,
    stop,
    wake: () => deliverer.wake(),
    courier: deliverer as Courier,
  }
}
