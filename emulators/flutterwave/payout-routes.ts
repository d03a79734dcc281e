import { type Faults, takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readNaira } from '../naira.js'
import {
  type Fields,
  fail,
  failUnknown,
  listPage,
  ofDays,
  readFields,
  readText,
  succeed,
} from './answers.js'
import type { FlutterwaveBooks } from './books.js'
import { findBank } from './directory-routes.js'
import { milsToNaira, transferFeeMils } from './naira.js'
import type { FlutterwaveRefund, FlutterwaveTransfer } from './records.js'
import { writeRefund, writeTransfer } from './shapes.js'

const textLengthMax = 100

type Tools = {
  books: FlutterwaveBooks
  faults: Faults
  /** When a transfer that is received now begins. */
  startsMs(): number
  /** Lets a new transfer end by itself; resolves when the caller may be answered. */
  begin(transfer: FlutterwaveTransfer): Promise<void>
  beginRefund(refund: FlutterwaveRefund): Promise<void>
}

type Order = {
  reference: string
  bankCode: string
  number: string
  amount: bigint
  narration: string
}

/** Transfers to banks, refunds and the balance they are made from. */
export function payoutRoutes({
  books,
  faults,
  startsMs,
  begin,
  beginRefund,
}: Tools): ProviderRoute[] {
  async function createTransfer({ body }: ProviderRequest): Promise<ProviderAnswer> {
    if (faults.refusesAddress) return fail('Please enable IP Whitelisting to access this service')
    if (faults.refusesBusiness)
      return fail('Your account is not yet approved to make transfers. Please contact support')
    const order = readOrder(readFields(body))
    if (typeof order === 'string') return fail(order)
    if (books.getTransfer(order.reference)) return fail('Payout with this ref already exists')
    const transfer = books.addTransfer({
      reference: order.reference,
      bankCode: order.bankCode,
      bankName: findBank(order.bankCode)!.name.toUpperCase(),
      number: order.number,
      amount: order.amount,
      narration: order.narration,
      startsMs: startsMs(),
      needsApproval: faults.asksForOtp,
    })
    const accepted = writeTransfer(transfer, transfer.createdMs)
    await begin(transfer)
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    if (takeFault(faults, 'errorsAfterPayout')) return failUnknown()
    return succeed('Transfer Queued Successfully', accepted)
  }

  function listTransfers({ query }: ProviderRequest): ProviderAnswer {
    const write = (transfer: FlutterwaveTransfer) => writeTransfer(transfer, books.nowMs)
    const message = 'Transfers fetched'
    const reference = query.get('reference')
    if (reference !== null) {
      const found = books.findTransfersLike(reference)
      const isHidden = found.length > 0 && takeFault(faults, 'hiddenPayouts')
      const rows = isHidden ? [] : found
      if (rows.length === 0 && faults.missingCode !== null)
        return fail(`No transfer was found: ${faults.missingCode}`, 404)
      return listPage(message, query, { rows, write })
    }
    const status = query.get('status')?.toUpperCase()
    const rows = ofDays(books.records.transfers, query).filter(
      (row) =>
        row.createdMs + faults.listDelayMs <= books.nowMs &&
        (!status || write(row).status === status),
    )
    return listPage(message, query, { rows, write })
  }

  async function createRefund({ params, body }: ProviderRequest): Promise<ProviderAnswer> {
    const transaction = books.findTransaction(Number(params[0]))
    if (!transaction) return fail('No transaction was found for this id')
    const fields = readFields(body)
    const rest = books.refundable(transaction)
    const amount = fields.amount === undefined ? rest : readNaira(fields.amount)
    if (!amount) return fail('Invalid refund amount')
    if (amount > rest) return fail('Refund amount cannot be greater than the transaction amount')
    if (books.records.floatMils < amount * 10n) return fail('Insufficient balance for this refund')
    const refund = books.addRefund(transaction, amount, readText(fields.comments) ?? '')
    const accepted = writeRefund(refund)
    await beginRefund(refund)
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    return succeed('Transaction refund initiated', accepted)
  }

  function listRefunds({ query }: ProviderRequest): ProviderAnswer {
    const status = query.get('status')
    const rows = ofDays(books.records.refunds, query).filter(
      (row) =>
        row.createdMs + faults.listDelayMs <= books.nowMs &&
        (!status || writeRefund(row).status === status),
    )
    return listPage('Refunds fetched', query, { rows, write: writeRefund })
  }

  function readBalance(): ProviderAnswer {
    const { floatMils, transactions } = books.records
    const unsettled = transactions.reduce((sum, { charged, fee }) => sum + charged - fee, 0n)
    return succeed('Wallet balance fetched', {
      currency: 'NGN',
      available_balance: milsToNaira(floatMils),
      ledger_balance: milsToNaira(floatMils + unsettled * 10n),
    })
  }

  return [
    { method: 'POST', pattern: /^\/v3\/transfers$/, handle: createTransfer },
    { method: 'GET', pattern: /^\/v3\/transfers$/, handle: listTransfers },
    {
      method: 'GET',
      pattern: /^\/v3\/transfers\/fee$/,
      handle({ query }) {
        const amount = readNaira(query.get('amount'))
        if (amount === undefined) return fail('amount is required')
        const fee = milsToNaira(transferFeeMils(amount))
        return succeed('Transfer fee fetched', [{ currency: 'NGN', fee_type: 'value', fee }])
      },
    },
    {
      method: 'GET',
      pattern: /^\/v3\/transfers\/(\d+)$/,
      handle({ params }) {
        const transfer = books.findTransfer(Number(params[0]))
        if (!transfer || takeFault(faults, 'hiddenPayouts')) return fail('Transfer not found')
        return succeed('Transfer fetched', writeTransfer(transfer, books.nowMs))
      },
    },
    {
      method: 'POST',
      pattern: /^\/v3\/transactions\/(\d+)\/refund$/,
      handle: createRefund,
    },
    { method: 'GET', pattern: /^\/v3\/refunds$/, handle: listRefunds },
    {
      method: 'GET',
      pattern: /^\/v3\/refunds\/(\d+)$/,
      handle({ params }) {
        const refund = books.findRefund(Number(params[0]))
        return refund ? succeed('Refund fetched', writeRefund(refund)) : fail('Refund not found')
      },
    },
    { method: 'GET', pattern: /^\/v3\/balances\/NGN$/, handle: readBalance },
  ]
}

/** A text is the reason for a refusal. */
function readOrder(fields: Fields): Order | string {
  const bankCode = readText(fields.account_bank)
  const number = readText(fields.account_number)
  const reference = readText(fields.reference)
  const narration = readText(fields.narration) ?? ''
  const amount = readNaira(fields.amount)
  if (!bankCode) return 'account_bank is required'
  if (!number) return 'account_number is required'
  if (fields.currency !== 'NGN') return 'currency is required'
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
