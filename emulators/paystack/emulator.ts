import { hash } from 'node:crypto'
import { BooksFile } from '../books-file.js'
import { hour, minute } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions, PayoutState } from '../emulator.js'
import { noFaults } from '../faults.js'
import { type ProviderRequest, type ProviderRoute, serveProvider } from '../http-server.js'
import { NoticeOutbox } from '../notice-outbox.js'
import { invalidKey, missingKey, unknownPath } from './answers.js'
import { Books, type RefundStatus, type TransferStatus } from './books.js'
import { collectionRoutes } from './collection-routes.js'
import { EmulatedBank } from './emulated-bank.js'
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
  const { clock, port = 0, noticeUrl, file, speed = 1 } = options
  const faults = noFaults()
  const books = new Books(options.float ?? defaultFloat)
  const booksFile = new BooksFile(file, () => books.save())
  const saved = booksFile.read()
  if (saved) books.restore(saved)
  const outbox = new NoticeOutbox({
    url: noticeUrl,
    faults,
    retryPausesMs: retryPausesMs.map((pauseMs) => pauseMs / speed),
  })
  const changed = () => booksFile.changed()
  const bank = new EmulatedBank({ books, clock, faults, outbox, speed, changed })
  const { hidesPendingAccounts = false, matchesRecipientsByNumber = false } = options
  const routes = [
    ...collectionRoutes({ bank, faults, hidesPendingAccounts }),
    ...payoutRoutes({ bank, faults, matchesRecipientsByNumber }),
  ]
  const server = await serveProvider({
    port,
    faults,
    routes: routes.map((route) => withKey(books, route)),
    notFound: () => unknownPath,
  })
  // Emulators on one machine have different keys: a notice of one is not valid for another.
  if (books.secretKey === '')
    books.secretKey = `sk_test_${hash('sha256', `paystack-emulator/${server.url}`).slice(0, 40)}`
  bank.resume()

  return {
    provider: 'paystack',
    url: server.url,
    variables: { PAYSTACK_SECRET_KEY: books.secretKey, PAYSTACK_URL: server.url },
    faults,
    sendNoticesTo: (url) => {
      outbox.url = url
    },
    pay: async (payment) => bank.receive(payment),
    settle: (reference, state) => {
      const transfer = books.transfers.byKey(reference)
      if (transfer !== undefined) return bank.endTransfer(transfer, state, failureOf(state))
      const refund = books.refunds.byKey(reference)
      if (refund === undefined) return false
      return bank.changeRefund(refund, state === 'success' ? 'processed' : 'failed')
    },
    reverse: (reference) => {
      const transfer = books.transfers.byKey(reference)
      return transfer !== undefined && bank.endTransfer(transfer, 'reversed')
    },
    askForRefundAccount: (note) => {
      const refund = books.refunds.byKey(note)
      return refund !== undefined && bank.changeRefund(refund, 'needs-attention')
    },
    setFloat: (kobo) => {
      const difference = kobo - books.float
      const createdAt = bank.now()
      books.changeFloat({ difference, reason: '', model: 'Deposit', row: 0, createdAt })
      changed()
    },
    drainNotices: () => outbox.drain(),
    books: () => summarize(books),
    close: async () => {
      bank.stop()
      await outbox.stop()
      await server.close()
      booksFile.close()
    },
  }
}

function failureOf(state: 'success' | 'failed'): string | undefined {
  return state === 'failed' ? 'bank_declined' : undefined
}

/** Every call needs the secret key. */
function withKey(books: Books, route: ProviderRoute): ProviderRoute {
  return {
    method: route.method,
    pattern: route.pattern,
    handle: (request: ProviderRequest) => {
      const { authorization } = request.headers
      if (authorization === undefined) return missingKey
      return authorization === `Bearer ${books.secretKey}` ? route.handle(request) : invalidKey
    },
  }
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
      accountNumber: books.recipients.byId(recipientId)!.accountNumber,
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
