import Type, { type Static } from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { firstIdAt } from '../../../base/ids.js'
import { Refusal, returnRefusal } from '../../../base/refusal.js'
import type { Code } from '../../../base/refusals.js'
import { kobo, resource, text, withDescription, withExample } from '../../../base/shapes.js'
import { toWire } from '../../../money/amounts.js'
import { vatRates } from '../../../money/vat.js'
import type { PayoutStatus } from '../../../payouts/payout.js'
import type { BankDirectory } from '../../../payouts/ports.js'
import { bankTransfer } from '../../../payouts/resource.js'
import { withoutWait } from '../../auth/waiting-keys.js'
import {
  bankRefusalReasons,
  fundFromReasons,
  recipientReasons,
  withReasons,
} from '../../openapi/refusals-of.js'
import { fundFromIn, readFundFrom } from '../../parse/fund-from.js'
import { merchantReferenceIn, metadataIn } from '../../parse/metadata.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { fromIn, readPayingSubaccount } from '../../parse/read-paying-subaccount.js'
import {
  accountNumberIn,
  bankCodeIn,
  choosePayoutDestination,
  isByRecipient,
  type PayoutTarget,
  recipientIn,
} from '../../parse/read-recipient.js'
import {
  closed,
  koboInput,
  nairaInput,
  page,
  pageQuery,
  plainText,
  purposeInput,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { success } from '../../server/envelope.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import {
  confirmDuplicateIn,
  controlReasons,
  createReadRoutes,
  quoteTransfer,
  submitPayout,
  toPayoutRequest,
} from './payouts.js'

/** Names: in the API a bank transfer, one of the disbursements; in the code a payout. */
const path = '/v1/disbursements/bank-transfer'

const quotedFields = {
  amount: koboInput,
  currency: Type.Optional(nairaInput),
  bankCode: Type.Optional(bankCodeIn),
  accountNumber: Type.Optional(accountNumberIn),
  recipient: recipientIn('bank account', '`bankCode` and `accountNumber`'),
  accountName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'If sent, the transfer is refused unless the account has this name.',
      examples: ['Ada Obi'],
    }),
  ),
  purpose: Type.Optional(purposeInput),
}

/** Without a name: the bank decides whose account it is. */
const quoteExample = {
  amount: 1_250_000,
  currency: 'NGN',
  bankCode: '058',
  accountNumber: '0123456789',
}

const bodyFields = {
  ...quotedFields,
  narration: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'Text that the recipient reads.',
      examples: ['January salary'],
    }),
  ),
  fundFrom: Type.Optional(fundFromIn),
  from: fromIn,
  merchantReference: Type.Optional(merchantReferenceIn),
  metadata: Type.Optional(metadataIn),
  confirmDuplicate: Type.Optional(confirmDuplicateIn),
}
const body = withExample(closed(bodyFields), {
  ...quoteExample,
  narration: 'January salary',
  merchantReference: 'payout-9',
  metadata: { order: 'a-1001' },
})

const quote = resource('BankTransferQuote', {
  amount: koboInput,
  fee: withExample(withDescription(kobo, 'Fee of the transfer, in kobo.'), 2_500),
  levy: withExample(
    withDescription(kobo, 'Stamp duty of the transfer, in kobo; 0 if none is due.'),
    0,
  ),
  feeVat: withExample(withDescription(kobo, 'VAT that `fee` contains now, in kobo.'), 0),
  totalDebit: withExample(
    withDescription(kobo, '`amount` plus `fee` plus `levy`, in kobo.'),
    1_252_500,
  ),
  currency: Type.Literal('NGN', { examples: ['NGN'] }),
  lines: Type.Array(
    Type.Object({
      operation: Type.Enum(['bank_payout'], {
        type: 'string',
        description: 'The fee that this line is of.',
        examples: ['bank_payout'],
      }),
      amount: withExample(withDescription(kobo, 'This part of the fee, in kobo.'), 2_500),
    }),
  ),
})

const bank = resource('Bank', { code: text('058'), name: text('GTBank') })
const bankAccount = resource('BankAccount', {
  bankCode: bankCodeIn,
  accountNumber: accountNumberIn,
  bankName: text('GTBank'),
  accountName: Type.String({ examples: ['ADA OBI'] }),
})

const statuses: Record<string, PayoutStatus> = {
  PENDING: 'PENDING',
  SUBMITTED: 'SUBMITTED',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
}

export function bankTransferRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    quoteRoute(api),
    ...createReadRoutes(api, {
      kind: 'bank_transfer',
      path,
      resource: bankTransfer,
      statuses,
      columns: csvColumns(
        'reference',
        'merchantReference',
        'createdAt',
        'status',
        'currency',
        inBothUnits('amount'),
        inBothUnits('fee'),
        inBothUnits('totalDebit'),
        'accountName',
        'accountNumber',
        'bankName',
        'bankCode',
        'narration',
        'sessionId',
        'failureReason',
        'reviewRequired',
        'submittedAt',
        'completedAt',
        'failedAt',
        'reversedAt',
        'metadata',
        inBothUnits('levy'),
        'purpose',
        inBothUnits('feeVat'),
        'from',
        'recipient',
      ),
    }),
    listBanks(api),
    resolveName(api),
  ]
}

const base = { access: 'secret', tag: 'Disbursements' } as const

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    replaysAtCommit: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    stepUp: 'live',
    operation: 'createBankTransfer',
    summary: 'Create a bank transfer',
    description:
      'Pays naira out to a bank account. `SUBMITTED` becomes `COMPLETED` when the bank confirms it, or `FAILED` when it is certain that no money left. A bank may still return a completed transfer (`REVERSED`). If your approval rule requires a second member, it starts as `PENDING`: the money is held, and nothing is sent before the approval.',
    body,
    answers: { 201: bankTransfer },
    refusals: [
      'insufficient_balance',
      'not_found',
      ...withReasons('subaccount_failed', 'invalid_state'),
      ...withReasons('conversion_failed', ...fundFromReasons),
      ...withReasons('forbidden', 'payouts_wait'),
      ...withReasons(
        'bank_transfer_failed',
        'duplicate_reference',
        ...controlReasons,
        ...bankRefusalReasons,
        ...recipientReasons,
        'name_changed',
      ),
    ],
    async handle(request) {
      checkNairaLimits(api, request)
      const { environment, body } = request
      const target = readTarget(body)
      const chosen = await choosePayoutDestination(api.db, environment, target).catch(returnRefusal)
      if (chosen instanceof Refusal) return commitRefusal(api, request, chosen)
      const payout = toPayoutRequest({ ...readQuoteRequest(request), ...chosen }, request)
      const fundFrom = readFundFrom(body.fundFrom, payout.asset)
      if (fundFrom && request.apiKey?.payoutsWait)
        throw withoutWait('`fundFrom` would convert at once.')
      const { from } = body
      return submitPayout(api, request, payout, 'Bank transfer', { fundFrom, from })
    },
  })

const quoteRoute = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/quote`,
    isRead: true,
    permission: 'payouts.create',
    operation: 'quoteBankTransfer',
    summary: 'Price a bank transfer',
    description:
      'Returns what the transfer costs now and checks that the account exists and that your rule about recipients allows it. Reserves nothing.',
    body: withExample(closed({ ...quotedFields, from: fromIn }), quoteExample),
    answers: { 200: quote },
    refusals: [
      'not_found',
      ...withReasons('subaccount_failed', 'invalid_state'),
      ...withReasons(
        'bank_transfer_failed',
        ...bankRefusalReasons,
        ...recipientReasons,
        'name_changed',
      ),
    ],
    async handle(request) {
      checkNairaLimits(api, request)
      const { environment, body } = request
      const quoted = {
        ...readQuoteRequest(request),
        ...(await choosePayoutDestination(api.db, environment, readTarget(body))),
      }
      if (body.from !== undefined) await readPayingSubaccount(api.db, environment.id, body.from)
      const { fee, levy, lines } = await quoteTransfer(api, request, quoted)
      const environmentId = request.environment.id
      const causeId = firstIdAt(request.now)
      return success(200, 'Quote', {
        amount: body.amount,
        fee: toWire(fee, 'NGN'),
        levy: toWire(levy, 'NGN'),
        feeVat: toWire(vatRates.vatOf({ environmentId, causeId, fee }), 'NGN'),
        totalDebit: toWire(quoted.amount + fee + levy, 'NGN'),
        currency: 'NGN',
        lines: lines.map(({ operation, amount }) => ({ operation, amount: toWire(amount, 'NGN') })),
      })
    },
  })

const listBanks = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/banks',
    permission: 'payouts.see',
    operation: 'listBanks',
    summary: 'List banks',
    description:
      'Returns the banks that bank transfers can pay, with their codes: all of them, unless you send `limit`.',
    query: closed(pageQuery),
    answers: { 200: page(bank) },
    refusals: withReasons('bank_transfer_failed', 'rail_unavailable'),
    async handle({ environment, query }) {
      const banks = await directoryOf(api, environment).listBanks()
      const { limit = Math.max(banks.length, 1) } = query
      return success(
        200,
        'Banks',
        pageOf([...banks], { ...query, limit }, ({ code }) => code),
      )
    },
  })

const resolveName = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/banks/resolve',
    permission: 'payouts.create',
    operation: 'resolveBankAccount',
    summary: 'Resolve the name of a bank account',
    description: 'Returns the name of the account holder.',
    query: closed({ bankCode: bankCodeIn, accountNumber: accountNumberIn }),
    answers: { 200: bankAccount },
    refusals: withReasons(
      'bank_transfer_failed',
      'unknown_bank',
      'account_not_found',
      'rail_unavailable',
    ),
    async handle({ environment, query }) {
      const resolved = await directoryOf(api, environment).resolveName(query)
      if (resolved instanceof Refusal) throw resolved
      return success(200, 'Bank account', { ...query, ...resolved })
    },
  })

type QuotedBody = Pick<Static<typeof body>, keyof typeof quotedFields> & { narration?: string }

function readTarget({
  recipient,
  bankCode,
  accountNumber,
  accountName,
  narration,
}: QuotedBody): PayoutTarget {
  const way = { recipient, fields: { bankCode, accountNumber }, others: { accountName } }
  const code = 'bank_transfer_failed'
  if (isByRecipient(way))
    return { reference: recipient!, kind: 'bank_account', narration: narration ?? null, code }
  return {
    code,
    destination: {
      kind: 'bank_account',
      bankCode: bankCode!,
      accountNumber: accountNumber!,
      accountName: accountName ?? '',
      narration: narration ?? null,
      bankName: '',
    },
  }
}

function readQuoteRequest({
  environment,
  body: sent,
}: Pick<RouteRequest<QuotedBody, unknown, unknown>, 'environment' | 'body'>) {
  const { amount, purpose = null } = sent
  return {
    environment,
    kind: 'bank_transfer' as const,
    asset: 'NGN' as const,
    amount: BigInt(amount),
    requestedAmount: String(amount),
    purpose,
  }
}

/** Refuses if the environment has no bank. */
export function directoryOf(
  { rails }: ApiParts,
  environment: Environment,
  code: Code = 'bank_transfer_failed',
): BankDirectory {
  const directory = rails.payoutBankOf(environment)
  if (directory) return directory
  throw new Refusal(code, {
    reason: 'rail_unavailable',
    message: `No bank is configured in ${environment.mode} mode. Ask the operator to configure one.`,
  })
}
