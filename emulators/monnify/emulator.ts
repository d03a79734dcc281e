import { createHash } from 'node:crypto'
import { minute } from '../clock.js'
import type { Emulator, EmulatorBooks, EmulatorOptions, PayoutState } from '../emulator.js'
import { refuse } from './answers.js'
import { loginPath, MonnifyTokens } from './authentication.js'
import { MonnifyBank, type MonnifySettings } from './bank.js'
import { type Disbursement, MonnifyBooks, type Refund } from './books.js'
import { disbursementRoutes } from './disbursement-routes.js'
import { refundRoutes } from './refund-routes.js'
import { reservedAccountRoutes } from './reserved-account-routes.js'
import { temporaryAccountRoutes } from './temporary-account-routes.js'
import { transactionRoutes } from './transaction-routes.js'

export type MonnifyEmulatorOptions = EmulatorOptions &
  Partial<
    Pick<
      MonnifySettings,
      'isSandbox' | 'needsIdentity' | 'rejectsUnderpayment' | 'payoutFee' | 'collectionFee'
    >
  >

const defaultFloat = 1_000_000_000_00n
const retryPausesMs = Array(12).fill(5 * minute)

/** Monnify as a live contract has it: signed notices, underpayments rejected. */
export async function createMonnifyEmulator(options: MonnifyEmulatorOptions): Promise<Emulator> {
  const settings: MonnifySettings = {
    apiKey: 'MK_TEST_EMULATED0',
    secretKey: secretOf('secret key'),
    contractCode: '5867418298',
    sourceAccount: '8016472829',
    isSandbox: options.isSandbox ?? false,
    needsIdentity: options.needsIdentity ?? false,
    rejectsUnderpayment: options.rejectsUnderpayment ?? true,
    payoutFee: options.payoutFee ?? 10_00n,
    collectionFee: options.collectionFee ?? 10_00n,
  }
  const books = new MonnifyBooks(options.float ?? defaultFloat)
  const bank = new MonnifyBank(options, { books, settings, retryPausesMs })
  const tokens = new MonnifyTokens(bank)
  const served = await bank.serve({
    routes: {
      [`POST ${loginPath}`]: (request) => tokens.login(request),
      ...disbursementRoutes(bank),
      ...transactionRoutes(bank),
      ...temporaryAccountRoutes(bank),
      ...reservedAccountRoutes(bank),
      ...refundRoutes(bank),
    },
    refuse: (request) => tokens.refuse(request),
    notFound: refuse(404, '99', 'Not found'),
  })
  bank.resume()

  return {
    ...served,
    provider: 'monnify',
    variables: {
      MONNIFY_API_KEY: settings.apiKey,
      MONNIFY_SECRET_KEY: settings.secretKey,
      MONNIFY_CONTRACT_CODE: settings.contractCode,
      MONNIFY_SOURCE_ACCOUNT: settings.sourceAccount,
      MONNIFY_URL: served.url,
    },
    pay: async (payment) => bank.receive(payment),
    settle(reference, ending) {
      const isSuccess = ending === 'success'
      const payout = books.disbursements.find('reference', reference)
      if (payout) return bank.endPayout(payout, isSuccess ? 'SUCCESS' : 'FAILED')
      const refund = books.refunds.find('reference', reference)
      return refund !== undefined && bank.endRefund(refund, isSuccess ? 'COMPLETED' : 'FAILED')
    },
    reverse(reference) {
      const payout = books.disbursements.find('reference', reference)
      return payout !== undefined && bank.reversePayout(payout)
    },
    setFloat(kobo) {
      books.float = kobo
      bank.changed()
    },
    books: () => summarize(books),
  }
}

/** Looks like the provider's keys, and is the same at every start. */
function secretOf(name: string): string {
  const digest = createHash('sha256').update(`monnify emulator/${name}`).digest('hex')
  return digest.slice(0, 32).toUpperCase()
}

function summarize(books: MonnifyBooks): EmulatorBooks {
  return {
    payments: books.transactions.rows
      .filter(({ paid }) => paid > 0n)
      .map(({ reference, receiver, product, paid }) => ({
        id: reference,
        accountNumber: receiver!.accountNumber,
        reference: product.reference,
        amount: paid,
      })),
    payouts: books.disbursements.rows.map(({ reference, accountNumber, amount, status }) => ({
      reference,
      accountNumber,
      amount,
      state: payoutState(status),
    })),
    refunds: books.refunds.rows.map(({ reference, transactionReference, amount, status }) => ({
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
