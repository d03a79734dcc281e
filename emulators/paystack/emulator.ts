import { hash } from 'node:crypto'
import { hour, minute } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions, PayoutState } from '../emulator.js'
import type { ProviderAnswer, ProviderRequest } from '../http-server.js'
import { invalidKey, missingKey, unknownPath } from './answers.js'
import { PaystackBank } from './bank.js'
import { Books, type RefundStatus, type TransferStatus } from './books.js'
import { collectionRoutes } from './collection-routes.js'
import { payoutRoutes } from './payout-routes.js'

const defaultFloat = 1_000_000_000n
/** Four times after three minutes, then hourly for three days. */
const retryPausesMs = [...Array(4).fill(3 * minute), ...Array(71).fill(hour)]

/** What is not published, so that a rail can be tested with each possibility. */
export type PaystackOptions = EmulatorOptions & {
  /** A pending charge is read without its account number. */
  hidesPendingAccounts?: boolean
  /** A recipient is found by account number alone, whatever its bank. */
  matchesRecipientsByNumber?: boolean
}

export type PaystackEmulator = Emulator & {
  /** A refund stops until the payer's bank account is given. False if it is unknown or ended. */
  askForRefundAccount(note: string): boolean
}

/**
 * Paystack's API. Magic account numbers of the sandbox bank fail, come back or wait here too. All
 * made-up values follow from ids.
 */
export async function createPaystackEmulator(options: PaystackOptions): Promise<PaystackEmulator> {
  const { hidesPendingAccounts = false, matchesRecipientsByNumber = false } = options
  const books = new Books(options.float ?? defaultFloat)
  const bank = new PaystackBank(options, books, retryPausesMs)
  const served = await bank.serve({
    routes: {
      ...collectionRoutes(bank, { hidesPendingAccounts }),
      ...payoutRoutes(bank, { matchesRecipientsByNumber }),
    },
    refuse: (request) => refuseKey(books, request),
    notFound: unknownPath,
  })
  // Emulators on one machine have different keys: a notice of one is not valid for another.
  if (books.secretKey === '')
    books.secretKey = `sk_test_${hash('sha256', `paystack-emulator/${served.url}`).slice(0, 40)}`
  bank.resume()

  return {
    ...served,
    provider: 'paystack',
    variables: { PAYSTACK_SECRET_KEY: books.secretKey, PAYSTACK_URL: served.url },
    pay: async (payment) => bank.receive(payment),
    settle(reference, state) {
      const transfer = books.transfers.find('reference', reference)
      const failure = state === 'failed' ? 'bank_declined' : undefined
      if (transfer !== undefined) return bank.endTransfer(transfer, state, failure)
      const refund = books.refunds.find('merchantNote', reference)
      if (refund === undefined) return false
      return bank.changeRefund(refund, state === 'success' ? 'processed' : 'failed')
    },
    reverse(reference) {
      const transfer = books.transfers.find('reference', reference)
      return transfer !== undefined && bank.endTransfer(transfer, 'reversed')
    },
    askForRefundAccount(note) {
      const refund = books.refunds.find('merchantNote', note)
      return refund !== undefined && bank.changeRefund(refund, 'needs-attention')
    },
    setFloat: (kobo) => bank.setFloat(kobo),
    books: () => summarize(books),
  }
}

/** Every call needs the secret key. */
function refuseKey(books: Books, { headers }: ProviderRequest): ProviderAnswer | undefined {
  const { authorization } = headers
  if (authorization === undefined) return missingKey
  return authorization === `Bearer ${books.secretKey}` ? undefined : invalidKey
}

const transferStates: Record<TransferStatus, PayoutState> = {
  pending: 'pending',
  otp: 'pending',
  success: 'success',
  failed: 'failed',
  abandoned: 'failed',
  reversed: 'reversed',
}

const refundStates: Record<RefundStatus, PayoutState> = {
  pending: 'pending',
  processing: 'pending',
  'needs-attention': 'pending',
  processed: 'success',
  failed: 'failed',
}

function summarize(books: Books): EmulatorBooks {
  return {
    payments: books.transactions.rows.flatMap(({ id, accountNumber, reference, paid }) =>
      paid === null ? [] : [{ id: String(id), accountNumber, reference, amount: paid.amount }],
    ),
    payouts: books.transfers.rows.map(({ reference, recipientId, amount, status }) => ({
      reference,
      accountNumber: books.recipients.find('id', recipientId)!.accountNumber,
      amount,
      state: transferStates[status],
    })),
    refunds: books.refunds.rows.map(({ merchantNote, transactionId, amount, status }) => ({
      note: merchantNote,
      paymentId: String(transactionId),
      amount,
      state: refundStates[status],
    })),
    float: books.float,
  }
}
