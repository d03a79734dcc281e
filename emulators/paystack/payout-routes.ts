import { accountNameOf } from '../bank-accounts.js'
import { stampDutyOn, takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { findMagicAccount } from '../magic-accounts.js'
import { created, gatewayError, refuse, succeed } from './answers.js'
import { type PaystackBank, transferFee } from './bank.js'
import { findBank, listedBanks } from './banks.js'
import type { Recipient, Transfer } from './books.js'
import { answerPage, pageOf } from './pages.js'
import {
  showBank,
  showFloatEntry,
  showNewRefund,
  showNewTransfer,
  showRecipient,
  showRefund,
  showTransfer,
} from './shapes.js'

/** Banks, names, recipients, transfers, refunds and the float. */
export function payoutRoutes(
  bank: PaystackBank,
  { matchesRecipientsByNumber }: { matchesRecipientsByNumber: boolean },
): ProviderRoutes {
  const { books, faults } = bank

  function resolve({ query }: ProviderRequest): ProviderAnswer {
    const accountNumber = query.get('account_number') ?? ''
    const listed = findBank(query.get('bank_code') ?? '')
    if (faults.resolve === 'limited') return tooManyResolves
    if (listed === undefined)
      return refuse(400, `Unknown bank code: ${query.get('bank_code')}`, {
        code: 'unknown_bank_code',
      })
    const magic = findMagicAccount(accountNumber)?.refusedAs
    if (magic === 'rail_unavailable') return gatewayError
    const isUnknown = faults.resolve === 'fails' || magic === 'account_not_found'
    if (isUnknown || !/^\d{10}$/.test(accountNumber))
      return refuse(422, 'Could not resolve account name. Check parameters or try again.', {
        code: 'invalid_bank_code',
        nextStep: 'Ensure that the account number and bank code match',
      })
    const name = accountNameOf(accountNumber)
    return succeed('Account number resolved', {
      account_number: accountNumber,
      account_name: faults.resolve === 'other_name' ? accountNameOf(`other/${name}`) : name,
      bank_id: listed.id,
    })
  }

  /** A known account returns the old record, with its old name. */
  function createRecipient({ fields }: ProviderRequest): ProviderAnswer {
    const accountNumber = fields.text('account_number') ?? ''
    const bankCode = fields.text('bank_code') ?? ''
    const name = fields.text('name') ?? accountNameOf(accountNumber)
    if (findBank(bankCode) === undefined || !/^\d{10}$/.test(accountNumber))
      return refuse(400, 'Account details are invalid', { code: 'invalid_bank_code' })
    const recipient =
      findRecipient(accountNumber, bankCode) ??
      bank.createRecipient({ name, accountNumber, bankCode })
    return created('Transfer recipient created successfully', showRecipient(recipient))
  }

  function findRecipient(accountNumber: string, bankCode: string): Recipient | undefined {
    return books.recipients
      .findAll('accountNumber', accountNumber)
      .find((row) => matchesRecipientsByNumber || row.bankCode === bankCode)
  }

  async function transfer({ fields }: ProviderRequest): Promise<ProviderAnswer> {
    if (faults.refusesAddress) return refusedAddress
    if (faults.refusesBusiness) return refusedBusiness
    const amount = fields.kobo('amount')
    if (amount === undefined || amount === 0n)
      return refuse(400, 'Invalid amount passed', { code: 'invalid_amount' })
    const recipient = books.recipients.find('code', fields.text('recipient') ?? '')
    if (recipient === undefined) return invalidRecipient
    const reference = fields.text('reference') ?? ''
    if (reference !== '' && !/^[A-Za-z0-9_-]{16,50}$/.test(reference))
      return refuse(400, 'Transfer reference must be 16 to 50 characters of a-z, 0-9, - and _', {
        code: 'invalid_transfer_reference',
      })
    if (books.transfers.find('reference', reference)) return duplicateTransfer
    const fee = transferFee(amount)
    if (books.float < amount + fee + stampDutyOn(amount, faults).debited)
      return refuse(400, 'Your balance is not enough to fulfil this request', {
        type: 'api_error',
        code: 'insufficient_balance',
      })
    const reason = fields.text('reason') ?? null
    const row = bank.transfer(recipient, { amount, fee, reference, reason })
    await bank.carryOutEarly(() => row.isHeld || bank.endTransfer(row, 'success'))
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    if (takeFault(faults, 'errorsAfterPayout')) return gatewayError
    const isOtp = row.status === 'otp'
    const message = isOtp ? 'Transfer requires OTP to continue' : 'Transfer has been queued'
    return succeed(message, showNewTransfer(row))
  }

  function answerTransfer(row: Transfer | undefined): ProviderAnswer {
    const isHidden = row !== undefined && takeFault(faults, 'hiddenPayouts')
    if (row === undefined || isHidden)
      return refuse(404, 'Transfer not found', { code: faults.missingCode ?? 'transfer_not_found' })
    return succeed('Transfer retrieved', showTransfer(books, row, 'camel'))
  }

  /** Without a status, only pending transfers. */
  function listTransfers({ query }: ProviderRequest): ProviderAnswer {
    const status = query.get('status') ?? 'pending'
    return answerPage('Transfers retrieved', {
      oldestFirst: books.transfers.rows,
      query,
      isShown: (row) => row.status === status && bank.isListed(row.updatedAt),
      show: (row) => showTransfer(books, row, 'camel'),
    })
  }

  /** The words of its refusals are made up, but for "fully reversed", which is unconfirmed. */
  async function refund({ fields }: ProviderRequest): Promise<ProviderAnswer> {
    const name = fields.text('transaction') ?? ''
    const transaction =
      books.transactions.find('reference', name) ?? books.transactions.find('id', Number(name))
    if (transaction?.paid == null)
      return refuse(400, 'Transaction not found', { code: 'transaction_not_found' })
    const { amount: paid, refunding } = transaction.paid
    const amount = fields.kobo('amount') ?? paid - refunding
    if (paid === refunding)
      return refuse(400, 'Transaction has been fully reversed', { type: 'api_error' })
    if (amount > paid - refunding)
      return refuse(400, 'Refund amount cannot be more than the amount of the transaction', {
        type: 'api_error',
      })
    if (books.float < amount)
      return refuse(400, 'Insufficient balance to process refund', { type: 'api_error' })
    const note = `Refund for transaction ${transaction.reference}`
    const row = bank.refund(transaction, {
      amount,
      merchantNote: fields.text('merchant_note') ?? `${note} by emulator@example.com`,
      customerNote: fields.text('customer_note') ?? note,
    })
    await bank.carryOutEarly(() => row.isHeld || bank.changeRefund(row, 'processed'))
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    return succeed('Refund has been queued for processing', showNewRefund(books, row))
  }

  /** Pages by number only, and cannot be filtered by transaction. The size is text in `meta`. */
  function listRefunds({ query }: ProviderRequest): ProviderAnswer {
    const { rows, meta } = pageOf({
      oldestFirst: books.refunds.rows,
      query: withoutCursor(query),
      isShown: (row) => bank.isListed(row.createdAt),
    })
    const shown = rows.map((row) => showRefund(books, row))
    const perPage = query.get('perPage') ?? '50'
    return succeed('Refunds retrieved', shown, { ...meta, perPage, failedRefundCount: 0 })
  }

  function fetchRefund({ segment }: ProviderRequest): ProviderAnswer {
    const row = books.refunds.find('id', Number(segment))
    if (row === undefined) return refuse(404, 'Refund not found', { code: 'refund_not_found' })
    return succeed('Refund retrieved', showRefund(books, row))
  }

  function retryRefund({ segment, fields }: ProviderRequest): ProviderAnswer {
    const row = books.refunds.find('id', Number(segment))
    if (row?.status !== 'needs-attention')
      return refuse(422, 'Invalid Refund state, refund status should be "needs-attention"', {
        code: 'invalid_refund_state',
      })
    const details = fields.inner('refund_account_details')
    if (!/^\d{10}$/.test(details.text('account_number') ?? ''))
      return refuse(400, 'Refund account details are required')
    bank.retryRefund(row)
    return succeed('Refund retried and has been queued for processing', showRefund(books, row))
  }

  return {
    'GET /bank': ({ query }) =>
      answerPage('Banks retrieved', { oldestFirst: listedBanks, query, show: showBank }),
    'GET /bank/resolve': resolve,
    'POST /transferrecipient': createRecipient,
    'POST /transfer': transfer,
    'GET /transfer': listTransfers,
    'GET /transfer/verify/:reference': ({ segment }) =>
      answerTransfer(books.transfers.find('reference', segment)),
    'GET /transfer/:name': ({ segment }) =>
      answerTransfer(
        books.transfers.find('code', segment) ?? books.transfers.find('id', Number(segment)),
      ),
    'POST /refund': refund,
    'GET /refund': listRefunds,
    'GET /refund/:id': fetchRefund,
    'POST /refund/retry_with_customer_details/:id': retryRefund,
    'GET /balance': () =>
      succeed('Balances retrieved', [{ currency: 'NGN', balance: Number(books.float) }]),
    'GET /balance/ledger': ({ query }) =>
      answerPage('Balance ledger retrieved', {
        oldestFirst: books.entries.rows,
        query,
        show: showFloatEntry,
      }),
  }
}

function withoutCursor(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query)
  rest.delete('use_cursor')
  return rest
}

const tooManyResolves = refuse(
  429,
  'Test mode daily limit of 3 live bank resolves exceeded. ' +
    'Use test bank codes 001 or upgrade to live mode for unlimited access.',
  { type: 'api_error', code: 'rate_limited' },
)

/** Status and words are made up: Paystack publishes neither. */
const refusedAddress = refuse(403, 'Your IP address is not allowed to make this call', {
  type: 'api_error',
  code: 'ip_not_allowed',
  nextStep: 'Add the IP address to the whitelist in your dashboard',
})

const refusedBusiness = refuse(
  400,
  'You cannot initiate third party payouts as a starter business',
  { type: 'api_error', code: 'transfer_unavailable', nextStep: 'Upgrade to a registered business' },
)

const invalidRecipient = refuse(400, 'Recipient specified is invalid', {
  code: 'invalid_transfer_recipient',
  nextStep:
    'Provide a valid recipient. Ensure you are passing the recipient code in the recipient param',
})

const duplicateTransfer = refuse(
  400,
  'Please provide a unique reference. Reference already exists on a transfer',
  { code: 'duplicate_transfer_reference', nextStep: 'Provide a unique reference' },
)
