import { createSecretKey } from 'node:crypto'
import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import type {
  CollectionRail,
  CustomerPayment,
  IncomingMessage,
  ReadMessage,
  SandboxPayers,
} from '../../collections/ports.js'
import type { Database } from '../../postgres/database.js'
import { gather } from '../../postgres/gather.js'
import { Announcer } from './announcer.js'
import { listBankPayments } from './list-payments.js'
import { readNotice } from './notice.js'
import { openAccounts } from './open-accounts.js'
import { toAnnounced } from './payment.js'
import { assertPayable, receivePayments } from './receive-payments.js'
import { closeAccounts } from './store-accounts.js'
import { findPaymentsInto } from './store-payments.js'

/** What only a bank that simulates can be asked for. */
export type Announcing = SandboxPayers & {
  /** From now on, this process posts the notices that are due to this address. */
  announceTo(url: string): void
  /** Announces nothing more. What is due stays due. */
  stop(): Promise<void>
}

type Tools = { db: Database; clock: Clock; logger: Logger; noticeKey: Buffer }

/** The half of the bank that takes money in, and tells of it. */
export function createCollecting(tools: Tools): Omit<CollectionRail, 'name'> & Announcing {
  const { db, clock, logger } = tools
  const key = createSecretKey(tools.noticeKey)
  const announcer = new Announcer({ db, clock, logger, key })
  const receive = gather((payments: CustomerPayment[]) =>
    db.transaction((tx) => receivePayments(tx, clock.now(), payments)),
  )

  function readMessage(message: IncomingMessage): ReadMessage {
    const read = readNotice(key, message)
    if (read.kind !== 'unreadable') return read
    logger.error(
      { why: read.why, body: message.body },
      'a notice of the sandbox bank is unreadable',
    )
    return { kind: 'beside_the_point' }
  }

  return {
    openAccounts: (orders) => db.transaction((tx) => openAccounts(tx, clock.now(), orders)),
    closeAccounts: (numbers) =>
      db.transaction(async (tx) => closeAccounts(tx, clock.now(), numbers)),
    readMessage,
    findPayments: async (number) => (await findPaymentsInto(db, number)).map(toAnnounced),
    listPayments: (period) => listBankPayments(db, period),
    refundsById: true,

    async receivePayment(payment) {
      assertPayable(payment)
      const announced = await receive(payment)
      announcer.wake()
      return announced
    },
    announceTo: (url) => announcer.start(url),
    announceNow: (paymentId) => announcer.announceNow(paymentId),
    stop: () => announcer.stop(),
  }
}
