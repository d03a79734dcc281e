import { setTimeout as sleep } from 'node:timers/promises'
import { BooksFile } from '../books-file.js'
import { minute, second } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions, PayoutState } from '../emulator.js'
import { noFaults } from '../faults.js'
import { type ProviderRequest, type ProviderRoute, serveProvider } from '../http-server.js'
import { NoticeOutbox } from '../notice-outbox.js'
import { fail } from './answers.js'
import { FlutterwaveBooks, insufficientFunds, noRecords } from './books.js'
import { collectionRoutes } from './collection-routes.js'
import { directoryRoutes } from './directory-routes.js'
import { payoutRoutes } from './payout-routes.js'
import type {
  FlutterwaveRecords,
  FlutterwaveRefund,
  FlutterwaveTransaction,
  FlutterwaveTransfer,
} from './records.js'
import {
  writeChargeNotice,
  writeOlderChargeNotice,
  writeRefundNotice,
  writeTransferNotice,
} from './shapes.js'

const secretKey = 'FLWSECK-e1c9a5d03f7b42d6a8f0c3b9d5e7f142-emulator-X'
const webhookSecret = 'emulated-flutterwave-secret-hash'
const defaultFloatKobo = 10_000_000_000n

const processingMs = 5 * second
const refundMs = 10 * second
const retryPausesMs = [30 * minute, 30 * minute, 30 * minute]
/** How long an answer waits for notices that are sent before it. */
const earlyNoticeMaxMs = 2 * second

type FlutterwaveOptions = EmulatorOptions & {
  /** A setting of the dashboard, off by default: three more attempts, 30 minutes apart. */
  retriesNotices?: boolean
}

export type FlutterwaveEmulator = Emulator & {
  /** A setting of the dashboard: who bears the fee of a payment. */
  setFeesPaidBy(bearer: 'merchant' | 'payer'): void
  /** `older`: bodies of accounts that were created before version 3. */
  setNoticeShape(shape: 'current' | 'older'): void
}

/** Flutterwave v3 as a server on loopback. */
export async function createFlutterwaveEmulator(
  options: FlutterwaveOptions,
): Promise<FlutterwaveEmulator> {
  const faults = noFaults()
  const speed = options.speed ?? 1
  const file = new BooksFile(options.file, (): FlutterwaveRecords => records)
  const records: FlutterwaveRecords = file.read() ?? noRecords(options.float ?? defaultFloatKobo)
  const books = new FlutterwaveBooks(options.clock, records)
  const outbox = new NoticeOutbox({
    url: options.noticeUrl,
    faults,
    retryPausesMs: options.retriesNotices ? retryPausesMs.map((pauseMs) => pauseMs / speed) : [],
  })
  const timers = new Set<NodeJS.Timeout>()
  let noticeShape: 'current' | 'older' = 'current'

  function sendNotice(body: object, copies?: number): void {
    // The secret itself is the signature; it does not depend on the body.
    const hash = faults.forgesSignature ? 'forged' : webhookSecret
    outbox.add({ body: JSON.stringify(body), headers: { 'verif-hash': hash } }, { copies })
  }

  function sendChargeNotice(transaction: FlutterwaveTransaction, copies?: number): void {
    const write = noticeShape === 'older' ? writeOlderChargeNotice : writeChargeNotice
    sendNotice(write(transaction), copies)
  }

  function endTransfer(transfer: FlutterwaveTransfer, state: 'success' | 'failed', why: string) {
    books.endTransfer(transfer, state, why)
    file.changed()
    sendNotice(writeTransferNotice(transfer, books.nowMs))
  }

  /** What happens to a transfer without `settle`. */
  function process(transfer: FlutterwaveTransfer): void {
    if (transfer.state !== 'pending' || transfer.needsApproval || faults.arePayoutsHeld) return
    // References of Flutterwave's test mode that make a transfer fail.
    if (/_PMCK_ST_F(DU_\d+)?$/.test(transfer.reference))
      endTransfer(transfer, 'failed', 'DISBURSE FAILED: Transfer failed. Please try again')
    else if (!books.isCovered(transfer)) endTransfer(transfer, 'failed', insufficientFunds)
    else endTransfer(transfer, 'success', 'Transaction was successful')
  }

  function endRefund(refund: FlutterwaveRefund, state: 'success' | 'failed' | 'reversed'): void {
    books.endRefund(refund, state)
    file.changed()
    sendNotice(writeRefundNotice(refund))
  }

  function processRefund(refund: FlutterwaveRefund): void {
    if (refund.state === 'pending' && !faults.arePayoutsHeld) endRefund(refund, 'success')
  }

  function later(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, delayMs / speed)
    timer.unref()
    timers.add(timer)
  }

  async function begin(delayMs: number, run: () => void): Promise<void> {
    file.changed()
    if (faults.notices !== 'early') return later(delayMs, run)
    run()
    await Promise.race([outbox.drain(), sleep(earlyNoticeMaxMs, undefined, { ref: false })])
  }

  const routes = [
    ...collectionRoutes({ books, faults, changed: () => file.changed(), sendChargeNotice }),
    ...payoutRoutes({
      books,
      faults,
      startsMs: () => books.nowMs + processingMs / speed / 2,
      begin: (transfer) => begin(processingMs, () => process(transfer)),
      beginRefund: (refund) => begin(refundMs, () => processRefund(refund)),
    }),
    ...directoryRoutes(faults),
  ]
  const server = await serveProvider({
    port: options.port ?? 0,
    faults,
    routes: routes.map(withKey),
    notFound: () => fail('Route not found', 404),
  })
  for (const transfer of records.transfers.filter(isPending))
    later(processingMs, () => process(transfer))
  for (const refund of records.refunds.filter(isPending))
    later(refundMs, () => processRefund(refund))

  return {
    provider: 'flutterwave',
    url: `${server.url}/v3`,
    variables: {
      FLUTTERWAVE_SECRET_KEY: secretKey,
      FLUTTERWAVE_WEBHOOK_SECRET: webhookSecret,
      FLUTTERWAVE_URL: `${server.url}/v3`,
    },
    faults,
    sendNoticesTo(url) {
      outbox.url = url
    },
    async pay(payment) {
      const received = books.receive(payment)
      if (received === undefined) return undefined
      file.changed()
      if (received === 'rejected')
        return { id: `rejected-${records.rejections}`, result: 'rejected' }
      if (!payment.isSilent) sendChargeNotice(received, payment.copies)
      return { id: String(received.id), result: 'received' }
    },
    settle(reference, state) {
      const transfer = books.getTransfer(reference)
      const refund = books.findRefundsOf(reference).find((one) => one.state === 'pending')
      if (transfer?.state === 'pending') {
        const why = state === 'success' ? 'Transaction was successful' : 'DISBURSE FAILED: Declined'
        endTransfer(transfer, state, why)
        return true
      }
      if (refund) endRefund(refund, state)
      return refund !== undefined
    },
    reverse(reference) {
      const transfer = books.getTransfer(reference)
      const refund = books.findRefundsOf(reference).find((one) => one.state === 'success')
      // Flutterwave sends no notice of a reversal.
      if (transfer?.state === 'success') {
        books.reverseTransfer(transfer)
        file.changed()
        return true
      }
      if (refund) endRefund(refund, 'reversed')
      return refund !== undefined
    },
    setFloat(kobo) {
      records.floatMils = kobo * 10n
      file.changed()
    },
    setFeesPaidBy(bearer) {
      books.feesPaidBy = bearer
    },
    setNoticeShape(shape) {
      noticeShape = shape
    },
    drainNotices: () => outbox.drain(),
    books: () => toBooks(books),
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await server.close()
      await outbox.stop()
      file.close()
    },
  }
}

function isPending({ state }: { state: PayoutState }): boolean {
  return state === 'pending'
}

function withKey(route: ProviderRoute): ProviderRoute {
  return {
    method: route.method,
    pattern: route.pattern,
    handle: (request) => refuseKey(request) ?? route.handle(request),
  }
}

function refuseKey({ headers }: ProviderRequest) {
  const { authorization } = headers
  if (authorization === undefined) return fail('Authorization required', 401)
  return authorization === `Bearer ${secretKey}`
    ? undefined
    : fail('Invalid authorization key', 401)
}

function toBooks({ records }: FlutterwaveBooks): EmulatorBooks {
  return {
    payments: records.transactions.map(({ id, accountNumber, txRef, amount }) => ({
      id: String(id),
      accountNumber,
      reference: txRef,
      amount,
    })),
    payouts: records.transfers.map(({ reference, number, amount, state }) => ({
      reference,
      accountNumber: number,
      amount,
      state,
    })),
    refunds: records.refunds.map(({ comments, transactionId, amount, state }) => ({
      note: comments,
      paymentId: String(transactionId),
      amount,
      state,
    })),
    float: records.floatMils / 10n,
  }
}
