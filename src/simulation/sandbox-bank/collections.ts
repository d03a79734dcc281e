import { createSecretKey } from 'node:crypto'
import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { collectionLimits } from '../../collections/limits.js'
import type {
  BankLimits,
  CollectionRail,
  ConfirmedPayment,
  NoticeReading,
  NoticeRequest,
  ReportedPayment,
  SandboxPayers,
  SimulatedPayment,
} from '../../collections/ports.js'
import type { Database } from '../../postgres/database.js'
import { gather } from '../../postgres/transactions/gather.js'
import { sandboxBankLimits } from './limits.js'
import { readNotice } from './notice.js'
import { NoticeSender } from './notice-sender.js'
import { openAccounts } from './open-accounts.js'
import { toReported } from './payment.js'
import { assertPayable, receivePayments } from './receive-payments.js'
import { closeAccounts } from './store-accounts.js'
import { findPaymentsInto, listRecorded } from './store-payments.js'

/** The sandbox bank reports every payment, whatever its amount and time. */
const sandboxLimits: BankLimits = {
  expiryMinMs: 0,
  expiryMaxMs: collectionLimits.expiryMaxMs,
  bounces: [],
  customerNeeds: [],
  closesTemporary: true,
  closesDedicated: true,
  masksSenders: false,
  refundsById: true,
  referencePattern: /^[0-9a-z-]+$/,
  isWholeNaira: false,
  collectMin: 1n,
  payoutMin: 1n,
  refundMin: 1n,
}

/** The half of the sandbox bank that receives money and sends notices about it. */
export type SandboxCollections = Omit<CollectionRail, 'name' | 'provider'> &
  Omit<SandboxPayers, 'receivePayment'> & {
    receivePayment(payment: SimulatedPayment): Promise<ReportedPayment | undefined>
    /** Starts sending due notices from this process to this URL. */
    sendNoticesTo(url: string): void
    /** Stops sending notices. Due notices stay due. */
    stop(): Promise<void>
  }

/** Processes may sign with different keys while the installation's secret is rotated. */
export type NoticeKeys = { noticeKey: Buffer; otherNoticeKeys?: Buffer[] }

export function createSandboxCollections(
  dependencies: { db: Database; clock: Clock; logger: Logger } & NoticeKeys,
): SandboxCollections {
  const { db, clock, logger } = dependencies
  const key = createSecretKey(dependencies.noticeKey)
  const accepted = [
    key,
    ...(dependencies.otherNoticeKeys ?? []).map((other) => createSecretKey(other)),
  ]
  const sender = new NoticeSender({ db, clock, logger, key })
  const receive = gather(async (received: SimulatedPayment[]) => {
    const { payments, notices } = await receivePayments(db, sender.leaseNew(), received)
    sender.send(notices)
    // The others are due in the table, or were recorded before.
    if (notices.length < received.length) sender.wake()
    return payments
  })

  function readOrLog(request: NoticeRequest): NoticeReading {
    const read = readNotice(accepted, request)
    if (read.kind !== 'unreadable') return read
    logger.error(
      { why: read.why, body: request.body },
      'sandbox bank: a signed notice could not be read',
    )
    // Acknowledge it: the bank would only send the same bytes again. Its payment is found when the
    // bank is queried for payments without a notice.
    return { kind: 'other' }
  }

  return {
    openAccounts: (openings) => openAccounts(db, clock.now(), openings),
    closeAccounts: (numbers) =>
      db.transaction(async (tx) => closeAccounts(tx, clock.now(), numbers)),
    readNotice: readOrLog,
    findPayments: async (number) => (await findPaymentsInto(db, number)).map(toReported),
    async listPayments({ from, to, after }) {
      const limit = sandboxBankLimits.statementLinesMax
      const lines = await listRecorded(db, { from, to, after: BigInt(after ?? 0), limit })
      const isFull = lines.length === limit
      return {
        payments: lines.map(({ payment }) => toReported(payment)),
        next: isFull ? lines.at(-1)!.line.toString() : null,
        unreadable: 0,
      }
    },
    limits: sandboxLimits,
    takesBatches: true,
    // Its notices are complete, except those of payments that a test had it send back.
    confirmPayment: async (key) => readSentBack(key),

    sendBack: ({ id, railAccount, amount }) => ({
      id: `sent back/${id}`,
      about: { subject: 'payment', key: JSON.stringify({ railAccount, amount: `${amount}` }) },
    }),

    async receivePayment(payment) {
      assertPayable(payment)
      const recorded = await receive(payment)
      if (payment.delayMs) sender.wake(payment.delayMs)
      return recorded
    },
    sendNoticesTo: (url) => sender.start(url),
    sendNoticesNow: (paymentId) => sender.sendNow(paymentId),
    stop: () => sender.stop(),
  }
}

/** Reads the key that `sendBack` wrote. */
function readSentBack(key: string): ConfirmedPayment {
  const { railAccount, amount } = JSON.parse(key) as { railAccount: string; amount: string }
  const reason = 'Sent back to the payer, as the test asked for.'
  return { found: 'rejected', railAccount, amount: BigInt(amount), reason }
}
