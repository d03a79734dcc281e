import { createHash } from 'node:crypto'
import { BooksFile } from '../books-file.js'
import { minute } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions, PayoutState } from '../emulator.js'
import { noFaults } from '../faults.js'
import { serveProvider } from '../http-server.js'
import { NoticeOutbox } from '../notice-outbox.js'
import { refuse } from './answers.js'
import { MonnifyTokens } from './authentication.js'
import { type Disbursement, emptyBooks, type MonnifyBooks, type Refund } from './books.js'
import { directoryRoutes } from './directory-routes.js'
import { disbursementRoutes } from './disbursement-routes.js'
import { receivePayment } from './payments.js'
import { endPayout, endRefund, processPayout, processRefund, reversePayout } from './processing.js'
import { refundRoutes } from './refund-routes.js'
import { reservedAccountRoutes } from './reserved-account-routes.js'
import { type MonnifySettings, MonnifyState } from './state.js'
import { temporaryAccountRoutes } from './temporary-account-routes.js'
import { transactionRoutes } from './transaction-routes.js'

export type MonnifyEmulatorOptions = EmulatorOptions &
  Partial<
    Pick<MonnifySettings, 'isSandbox' | 'needsIdentity' | 'rejectsUnderpayment' | 'payoutFee'>
  >

const defaultFloat = 1_000_000_000_00n
const retries = 12
const retryPauseMs = 5 * minute

/** Monnify as a live contract has it: signed notices, underpayments rejected. */
export async function createMonnifyEmulator(options: MonnifyEmulatorOptions): Promise<Emulator> {
  const speed = options.speed ?? 1
  const settings: MonnifySettings = {
    apiKey: 'MK_TEST_EMULATED0',
    secretKey: secretOf('secret key'),
    contractCode: '5867418298',
    sourceAccount: '8016472829',
    isSandbox: options.isSandbox ?? false,
    needsIdentity: options.needsIdentity ?? false,
    rejectsUnderpayment: options.rejectsUnderpayment ?? true,
    payoutFee: options.payoutFee ?? 10_00n,
    speed,
  }
  const faults = noFaults()
  const outbox = new NoticeOutbox({
    url: options.noticeUrl,
    faults,
    retryPausesMs: Array.from({ length: retries }, () => retryPauseMs / speed),
  })
  const file = new BooksFile(options.file, (): MonnifyBooks => books)
  const books: MonnifyBooks = file.read() ?? emptyBooks(options.float ?? defaultFloat)
  const onChange = () => file.changed()
  const state = new MonnifyState(books, settings, {
    clock: options.clock,
    faults,
    outbox,
    onChange,
  })
  const tokens = new MonnifyTokens(state)
  const guarded = [
    ...disbursementRoutes(state),
    ...transactionRoutes(state),
    ...temporaryAccountRoutes(state),
    ...reservedAccountRoutes(state),
    ...directoryRoutes(state),
    ...refundRoutes(state),
  ].map((route) => tokens.guard(route))
  const server = await serveProvider({
    port: options.port ?? 0,
    faults,
    routes: [tokens.login, ...guarded],
    notFound: () => refuse(404, '99', 'Not found'),
  })
  for (const payout of books.disbursements) processPayout(state, payout)
  for (const refund of books.refunds) processRefund(state, refund)

  return {
    provider: 'monnify',
    url: server.url,
    variables: {
      MONNIFY_API_KEY: settings.apiKey,
      MONNIFY_SECRET_KEY: settings.secretKey,
      MONNIFY_CONTRACT_CODE: settings.contractCode,
      MONNIFY_SOURCE_ACCOUNT: settings.sourceAccount,
      MONNIFY_URL: server.url,
    },
    faults,
    sendNoticesTo(url) {
      outbox.url = url
    },
    pay: async (payment) => receivePayment(state, payment),
    settle(reference, ending) {
      const payout = state.disbursementByReference.get(reference)
      if (payout) return endPayout(state, payout, ending === 'success' ? 'SUCCESS' : 'FAILED')
      const refund = state.refundByReference.get(reference)
      if (!refund) return false
      return endRefund(state, refund, ending === 'success' ? 'COMPLETED' : 'FAILED')
    },
    reverse(reference) {
      const payout = state.disbursementByReference.get(reference)
      return payout !== undefined && reversePayout(state, payout)
    },
    setFloat(kobo) {
      books.float = kobo
      onChange()
    },
    drainNotices: () => outbox.drain(),
    books: () => writeBooks(state),
    async close() {
      state.stopTimers()
      await outbox.stop()
      await server.close()
      file.close()
    },
  }
}

/** Looks like the provider's keys, and is the same at every start. */
function secretOf(name: string): string {
  const digest = createHash('sha256').update(`monnify emulator/${name}`).digest('hex')
  return digest.slice(0, 32).toUpperCase()
}

function writeBooks({ books }: MonnifyState): EmulatorBooks {
  return {
    payments: books.transactions
      .filter(({ paid }) => paid > 0n)
      .map(({ reference, receiver, product, paid }) => ({
        id: reference,
        accountNumber: receiver!.accountNumber,
        reference: product.reference,
        amount: paid,
      })),
    payouts: books.disbursements.map(({ reference, accountNumber, amount, status }) => ({
      reference,
      accountNumber,
      amount,
      state: payoutState(status),
    })),
    refunds: books.refunds.map(({ reference, transactionReference, amount, status }) => ({
      note: reference,
      paymentId: transactionReference,
      amount,
      state: refundState(status),
    })),
    float: books.float,
  }
}

function payoutState(status: Disbursement['status']): PayoutState {
  if (status === 'SUCCESS') return 'success'
  if (status === 'FAILED') return 'failed'
  return status === 'REVERSED' ? 'reversed' : 'pending'
}

function refundState(status: Refund['status']): PayoutState {
  if (status === 'COMPLETED') return 'success'
  return status === 'FAILED' ? 'failed' : 'pending'
}
