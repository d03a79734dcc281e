import { accountNameOf } from '../bank-accounts.js'
import { takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { readNaira } from '../naira.js'
import { fail, listedRows, listPage, succeed } from './answers.js'
import type { FlutterwaveBank, TransferOrder } from './bank.js'
import { banks, findBank } from './banks.js'
import type { FlutterwaveTransaction, FlutterwaveTransfer } from './books.js'
import { milsToNaira, transferFeeMils } from './naira.js'
import { writeRefund, writeTransfer } from './shapes.js'

const textLengthMax = 100
/** A number that no bank has, for tests. */
const unknownNumber = '0000000000'

/** Banks, names, transfers to banks, refunds and the balance they are made from. */
export function payoutRoutes(bank: FlutterwaveBank): ProviderRoutes {
  const { books, faults } = bank

  function resolve({ fields }: ProviderRequest): ProviderAnswer {
    const number = fields.text('account_number')
    const bankCode = fields.text('account_bank')
    if (!number) return fail('account_number is required')
    if (!bankCode) return fail('account_bank is required')
    if (faults.resolve === 'limited') return fail('Too many requests', 429)
    const isKnown = findBank(bankCode) && /^\d{10}$/.test(number) && number !== unknownNumber
    if (faults.resolve === 'fails' || !isKnown)
      return fail('Sorry, that account number is invalid, please check and try again')
    const holder = faults.resolve === 'other_name' ? `other/${number}` : number
    return succeed('Account details fetched', {
      account_number: number,
      account_name: accountNameOf(holder),
    })
  }

  async function createTransfer({ fields }: ProviderRequest): Promise<ProviderAnswer> {
    if (faults.refusesAddress) return fail('Please enable IP Whitelisting to access this service')
    if (faults.refusesBusiness)
      return fail('Your account is not yet approved to make transfers. Please contact support')
    const order = readOrder(fields)
    if (typeof order === 'string') return fail(order)
    if (books.transfers.find('reference', order.reference))
      return fail('Payout with this ref already exists')
    const transfer = bank.addTransfer(order)
    const accepted = writeTransfer(transfer, transfer.createdMs)
    await bank.carryOutEarly(() => bank.processTransfer(transfer))
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    // The answer when Flutterwave's own systems time out.
    if (takeFault(faults, 'errorsAfterPayout'))
      return fail('An error occurred. Please contact support', 503)
    return succeed('Transfer Queued Successfully', accepted)
  }

  function write(transfer: FlutterwaveTransfer) {
    return writeTransfer(transfer, bank.nowMs)
  }

  function listTransfers({ query }: ProviderRequest): ProviderAnswer {
    const reference = query.get('reference')
    const status = query.get('status')?.toUpperCase()
    const rows =
      reference === null
        ? listedRows(bank, books.transfers, query).filter(
            (row) => !status || write(row).status === status,
          )
        : findLike(reference)
    if (reference !== null && rows.length === 0 && faults.missingCode !== null)
      return fail(`No transfer was found: ${faults.missingCode}`, 404)
    return listPage('Transfers fetched', query, { rows, write })
  }

  function findLike(reference: string): FlutterwaveTransfer[] {
    const found = books.transfersLike.get(reference.toLowerCase())
    return !found || takeFault(faults, 'hiddenPayouts') ? [] : found
  }

  function fetchTransfer({ segment }: ProviderRequest): ProviderAnswer {
    const transfer = books.transfers.find('id', Number(segment))
    if (!transfer || takeFault(faults, 'hiddenPayouts')) return fail('Transfer not found')
    return succeed('Transfer fetched', write(transfer))
  }

  function quoteFee({ query }: ProviderRequest): ProviderAnswer {
    const amount = readNaira(query.get('amount'))
    if (amount === undefined) return fail('amount is required')
    const fee = milsToNaira(transferFeeMils(amount))
    return succeed('Transfer fee fetched', [{ currency: 'NGN', fee_type: 'value', fee }])
  }

  /** What can still be refunded of a payment. */
  function refundable({ id, charged }: FlutterwaveTransaction): bigint {
    return books.refunds
      .findAll('transactionId', id)
      .filter(({ state }) => state === 'pending' || state === 'success')
      .reduce((rest, { amount }) => rest - amount, charged)
  }

  async function createRefund({ segment, fields }: ProviderRequest): Promise<ProviderAnswer> {
    const transaction = books.transactions.find('id', Number(segment))
    if (!transaction) return fail('No transaction was found for this id')
    const rest = refundable(transaction)
    const amount = fields.raw('amount') === undefined ? rest : fields.naira('amount')
    if (!amount) return fail('Invalid refund amount')
    if (amount > rest) return fail('Refund amount cannot be greater than the transaction amount')
    if (books.floatMils < amount * 10n) return fail('Insufficient balance for this refund')
    const refund = bank.addRefund(transaction, amount, fields.text('comments') ?? '')
    const accepted = writeRefund(refund)
    await bank.carryOutEarly(() => bank.processRefund(refund))
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    return succeed('Transaction refund initiated', accepted)
  }

  function listRefunds({ query }: ProviderRequest): ProviderAnswer {
    const status = query.get('status')
    const rows = listedRows(bank, books.refunds, query).filter(
      (row) => !status || writeRefund(row).status === status,
    )
    return listPage('Refunds fetched', query, { rows, write: writeRefund })
  }

  function fetchRefund({ segment }: ProviderRequest): ProviderAnswer {
    const refund = books.refunds.find('id', Number(segment))
    return refund ? succeed('Refund fetched', writeRefund(refund)) : fail('Refund not found')
  }

  function readBalance(): ProviderAnswer {
    const { floatMils, transactions } = books
    const unsettled = transactions.rows.reduce((sum, { charged, fee }) => sum + charged - fee, 0n)
    return succeed('Wallet balance fetched', {
      currency: 'NGN',
      available_balance: milsToNaira(floatMils),
      ledger_balance: milsToNaira(floatMils + unsettled * 10n),
    })
  }

  return {
    'GET /v3/banks/NG': () =>
      succeed(
        'Banks fetched successfully',
        banks.map(({ code, name }, index) => ({ id: 132 + index, code, name })),
      ),
    'POST /v3/accounts/resolve': resolve,
    'POST /v3/transfers': createTransfer,
    'GET /v3/transfers': listTransfers,
    'GET /v3/transfers/fee': quoteFee,
    'GET /v3/transfers/:id': fetchTransfer,
    'POST /v3/transactions/:id/refund': createRefund,
    'GET /v3/refunds': listRefunds,
    'GET /v3/refunds/:id': fetchRefund,
    'GET /v3/balances/NGN': readBalance,
  }
}

/** A text is the reason for a refusal. */
function readOrder(fields: Fields): TransferOrder | string {
  const bankCode = fields.text('account_bank')
  const number = fields.text('account_number')
  const reference = fields.text('reference')
  const narration = fields.text('narration') ?? ''
  const amount = fields.naira('amount')
  if (!bankCode) return 'account_bank is required'
  if (!number) return 'account_number is required'
  if (fields.raw('currency') !== 'NGN') return 'currency is required'
  if (!amount) return 'amount is required'
  // The published schema has whole naira only.
  if (amount % 100n !== 0n) return 'amount must be an integer'
  if (!reference) return 'reference is required'
  if (reference.length > textLengthMax) return 'reference is too long'
  if (narration.length > textLengthMax) return 'narration is too long'
  if (!findBank(bankCode)) return 'Invalid account_bank passed'
  if (!/^\d{10}$/.test(number)) return 'Invalid account_number passed'
  return { reference, bankCode, number, amount, narration }
}
