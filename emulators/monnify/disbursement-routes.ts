import { accountNameOf, sessionIdOf } from '../bank-accounts.js'
import type { Bank } from '../banks.js'
import { minute } from '../clock.js'
import { stampDutyOn, takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { refuse, refuseMissing, succeed, succeedWithPage } from './answers.js'
import { bankNameOf, holderOf, type MonnifyBank, monnifyBanks } from './bank.js'
import type { Disbursement } from './books.js'
import { asNumber, asText } from './json.js'
import { toDigits, toListedTime, toOffsetTime } from './times.js'

/** A second payout of the same amount to the same account is refused within this time. */
const repeatMs = 2 * minute

const notFound = 'Could not find disbursement transaction for given reference'
const foreignAccount = refuse(400, 'D01', 'Supplied account number does not belong to merchant')

/** Banks, names of holders, payouts and the balance they are made from. */
export function disbursementRoutes(bank: MonnifyBank): ProviderRoutes {
  const { books, faults } = bank
  const { sourceAccount } = bank.settings
  /** When a payout of this amount to this account was last accepted. */
  const lastPayoutMs = new Map<string, number>()

  /** The answer is the same if the account does not exist and if its bank does not answer. */
  function validate({ query }: ProviderRequest): ProviderAnswer {
    if (faults.resolve === 'limited') return refuse(429, '99', 'Too many requests')
    const accountNumber = query.get('accountNumber') ?? ''
    const bankCode = query.get('bankCode') ?? ''
    const name = faults.resolve === 'fails' ? undefined : holderOf(bankCode, accountNumber)
    if (name === undefined) return refuse(400, '99', 'Invalid account details supplied')
    const isOther = faults.resolve === 'other_name'
    const accountName = isOther ? accountNameOf(`other/${accountNumber}`) : name
    return succeed({ accountNumber, accountName, bankCode, currencyCode: 'NGN' })
  }

  async function disburse({ fields }: ProviderRequest): Promise<ProviderAnswer> {
    const names = [
      'reference',
      'narration',
      'destinationBankCode',
      'destinationAccountNumber',
      'currency',
      'sourceAccountNumber',
    ]
    const refusal = refuseCaller() ?? refuseMissing(fields, names) ?? refusePayout(fields)
    if (refusal) return refusal

    const payout = readPayout(fields)
    lastPayoutMs.set(repeatKey(payout), payout.createdAtMs)
    bank.addPayout(payout)
    await bank.carryOutEarly(() => bank.processPayout(payout))
    if (takeFault(faults, 'lostAnswers')) return 'lost'
    if (takeFault(faults, 'errorsAfterPayout')) return unexpectedError(payout)
    return succeed({
      amount: asNumber(payout.amount, 0),
      reference: payout.reference,
      status: payout.status,
      dateCreated: toOffsetTime(payout.createdAtMs),
      totalFee: asNumber(payout.fee),
      destinationAccountName: payout.accountName,
      destinationBankName: payout.bankName,
      destinationAccountNumber: payout.accountNumber,
      destinationBankCode: payout.bankCode,
      comment: 'Transaction is being processed',
    })
  }

  function refuseCaller(): ProviderAnswer | undefined {
    if (faults.refusesAddress)
      return refuse(403, 'D06', 'Unauthorized request. Only whitelisted IPs can initiate transfers')
    if (faults.refusesBusiness)
      return refuse(403, '99', 'Merchant is not permitted to perform this operation')
    return undefined
  }

  function refusePayout(fields: Fields): ProviderAnswer | undefined {
    if (fields.raw('sourceAccountNumber') !== sourceAccount) return foreignAccount
    const amount = fields.naira('amount')
    if (!amount) return refuse(400, 'D01', 'Invalid amount')
    if (books.disbursements.find('reference', fields.textOnly('reference')))
      return refuse(422, 'D05', 'Supplied reference already exists!')
    const bankCode = fields.textOnly('destinationBankCode')
    const accountNumber = fields.textOnly('destinationAccountNumber')
    if (holderOf(bankCode, accountNumber) === undefined)
      return refuse(400, 'D03', 'Invalid account details supplied')
    const lastMs = lastPayoutMs.get(repeatKey({ bankCode, accountNumber, amount }))
    if (lastMs !== undefined && bank.nowMs - lastMs < repeatMs / bank.speed)
      return refuse(422, 'D07', 'Duplicate request. Please try again after 2 minutes')
    if (amount + bank.settings.payoutFee + stampDutyOn(amount, faults).debited > books.float)
      return refuse(422, 'D04', 'Insufficient wallet balance')
    return undefined
  }

  function readPayout(fields: Fields): Disbursement {
    const { nowMs } = bank
    const number = books.nextNumber()
    const bankCode = fields.textOnly('destinationBankCode')
    const accountNumber = fields.textOnly('destinationAccountNumber')
    const amount = fields.naira('amount')!
    return {
      reference: fields.textOnly('reference'),
      transactionReference: `MFDS${toDigits(nowMs)}${String(number).padStart(9, '0')}`,
      amount,
      fee: bank.settings.payoutFee,
      stampDuty: stampDutyOn(amount, faults),
      narration: fields.textOnly('narration'),
      bankCode,
      bankName: bankNameOf(bankCode)!,
      accountNumber,
      accountName: holderOf(bankCode, accountNumber)!,
      sessionId: sessionIdOf(`monnify/${number}`, nowMs, '090405'),
      status: faults.asksForOtp ? 'PENDING_AUTHORIZATION' : 'PENDING',
      createdAtMs: nowMs,
      completedAtMs: undefined,
    }
  }

  function summarize({ query }: ProviderRequest): ProviderAnswer {
    const payout = books.disbursements.find('reference', query.get('reference') ?? '')
    if (!payout || takeFault(faults, 'hiddenPayouts'))
      return refuse(404, faults.missingCode ?? 'D02', notFound)
    return succeed(writeSummary(payout))
  }

  /** Newest first, by the time of creation; a reversal does not move a row. */
  function list({ query }: ProviderRequest): ProviderAnswer {
    const from = Number(query.get('startDate') ?? 0)
    const to = Number(query.get('endDate') ?? Number.MAX_SAFE_INTEGER)
    const rows = books.disbursements.rows.filter(
      ({ createdAtMs }) => createdAtMs >= from && createdAtMs <= to && bank.isListed(createdAtMs),
    )
    return succeedWithPage(query, rows, writeSummary)
  }

  function writeSummary(payout: Disbursement) {
    return {
      amount: asNumber(payout.amount),
      reference: payout.reference,
      narration: payout.narration,
      currency: 'NGN',
      fee: asNumber(payout.fee),
      // Made up: Monnify does not publish how it shows the duty.
      ...(payout.stampDuty?.isShown && { stampDuty: asNumber(payout.stampDuty.debited) }),
      twoFaEnabled: payout.status === 'PENDING_AUTHORIZATION',
      status: payout.status,
      transactionDescription: descriptions[payout.status],
      transactionReference: payout.transactionReference,
      createdOn: toListedTime(payout.createdAtMs),
      sourceAccountNumber: sourceAccount,
      destinationAccountNumber: payout.accountNumber,
      destinationAccountName: payout.accountName,
      destinationBankCode: payout.bankCode,
      destinationBankName: payout.bankName,
    }
  }

  /** Balances are numbers or text. */
  function readBalance(): ProviderAnswer {
    const write = bank.settings.isSandbox ? asText : asNumber
    const balance = write(books.float)
    return succeed({ availableBalance: balance, ledgerBalance: balance })
  }

  return {
    'GET /api/v1/banks': () => succeed(monnifyBanks.map(writeBank)),
    'GET /api/v1/disbursements/account/validate': validate,
    'POST /api/v2/disbursements/single': disburse,
    'GET /api/v2/disbursements/single/summary': summarize,
    'GET /api/v2/disbursements/single/transactions': list,
    'GET /api/v2/disbursements/search-transactions': (request) =>
      request.query.get('sourceAccountNumber') === sourceAccount ? list(request) : foreignAccount,
    'GET /api/v2/disbursements/wallet-balance': ({ query }) =>
      query.get('accountNumber') === sourceAccount ? readBalance() : foreignAccount,
  }
}

function writeBank({ code, name }: Bank, index: number) {
  return {
    name,
    code,
    ussdTemplate: null,
    baseUssdCode: null,
    transferUssdTemplate: null,
    nipBankCode: String(index + 1).padStart(6, '0'),
  }
}

function repeatKey(payout: Pick<Disbursement, 'bankCode' | 'accountNumber' | 'amount'>): string {
  return `${payout.bankCode}/${payout.accountNumber}/${payout.amount}`
}

/** The code is 99, as text or as a number, or the gateway answers in its own words. */
function unexpectedError(payout: Disbursement): ProviderAnswer {
  const message = 'An unexpected error occurred while processing the transaction'
  const kind = Number(payout.transactionReference.slice(-9)) % 3
  if (kind === 0) return refuse(500, '99', message)
  if (kind === 1) return refuse(200, 99, message)
  return { status: 503, body: '<html>503 Service Temporarily Unavailable</html>' }
}

const descriptions: Record<Disbursement['status'], string> = {
  PENDING: 'Transaction processing in progress',
  PENDING_AUTHORIZATION: 'Transaction is awaiting authorization',
  SUCCESS: 'Transaction successful',
  FAILED: 'Rejected by destination institution',
  REVERSED: 'Transaction reversed',
}
