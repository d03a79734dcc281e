import { minute } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions } from '../emulator.js'
import type { ProviderAnswer, ProviderRequest } from '../http-server.js'
import { fail } from './answers.js'
import { FlutterwaveBank, webhookSecret } from './bank.js'
import { FlutterwaveBooks } from './books.js'
import { collectionRoutes } from './collection-routes.js'
import { payoutRoutes } from './payout-routes.js'

const secretKey = 'FLWSECK-e1c9a5d03f7b42d6a8f0c3b9d5e7f142-emulator-X'
const defaultFloatKobo = 10_000_000_000n
const retryPausesMs = [30 * minute, 30 * minute, 30 * minute]

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
  const books = new FlutterwaveBooks(options.float ?? defaultFloatKobo)
  const pausesMs = options.retriesNotices ? retryPausesMs : []
  const bank = new FlutterwaveBank(options, books, pausesMs)
  const served = await bank.serve({
    routes: { ...collectionRoutes(bank), ...payoutRoutes(bank) },
    refuse: refuseKey,
    notFound: fail('Route not found', 404),
  })
  bank.resume()
  const url = `${served.url}/v3`

  return {
    ...served,
    provider: 'flutterwave',
    url,
    variables: {
      FLUTTERWAVE_SECRET_KEY: secretKey,
      FLUTTERWAVE_WEBHOOK_SECRET: webhookSecret,
      FLUTTERWAVE_URL: url,
    },
    pay: async (payment) => bank.receive(payment),
    settle(reference, state) {
      const transfer = books.transfers.find('reference', reference)
      if (transfer && bank.endTransfer(transfer, state)) return true
      const refund = findRefund(books, reference, 'pending')
      if (refund) bank.endRefund(refund, state)
      return refund !== undefined
    },
    reverse(reference) {
      const transfer = books.transfers.find('reference', reference)
      const refund = findRefund(books, reference, 'success')
      if (transfer?.state === 'success') bank.reverseTransfer(transfer)
      else if (refund) bank.endRefund(refund, 'reversed')
      else return false
      return true
    },
    setFloat(kobo) {
      books.floatMils = kobo * 10n
      bank.changed()
    },
    setFeesPaidBy(bearer) {
      bank.feesPaidBy = bearer
    },
    setNoticeShape(shape) {
      bank.noticeShape = shape
    },
    books: () => summarize(books),
  }
}

function findRefund(books: FlutterwaveBooks, comments: string, state: 'pending' | 'success') {
  return books.refunds.findAll('comments', comments).find((refund) => refund.state === state)
}

function refuseKey({ headers }: ProviderRequest): ProviderAnswer | undefined {
  const { authorization } = headers
  if (authorization === undefined) return fail('Authorization required', 401)
  if (authorization !== `Bearer ${secretKey}`) return fail('Invalid authorization key', 401)
  return undefined
}

function summarize(books: FlutterwaveBooks): EmulatorBooks {
  return {
    payments: books.transactions.rows.map(({ id, accountNumber, txRef, amount }) => ({
      id: String(id),
      accountNumber,
      reference: txRef,
      amount,
    })),
    payouts: books.transfers.rows.map(({ reference, number, amount, state }) => ({
      reference,
      accountNumber: number,
      amount,
      state,
    })),
    refunds: books.refunds.rows.map(({ comments, transactionId, amount, state }) => ({
      note: comments,
      paymentId: String(transactionId),
      amount,
      state,
    })),
    float: books.floatMils / 10n,
  }
}
