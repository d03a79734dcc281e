import Type, { type Static } from 'typebox'
import type { Environment } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { toWire } from '../../money/amounts.js'
import type { PayoutStatus } from '../../payouts/payout.js'
import type { BankDirectory } from '../../payouts/ports.js'
import { bankTransfer } from '../../resources/payout.js'
import { resource, text } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { merchantReferenceIn, metadataIn } from '../edge/metadata.js'
import { checkNairaLimits } from '../edge/naira-limits.js'
import { bankRefusalReasons, withReasons } from '../edge/refusals-of.js'
import { type Route, type RouteRequest, route } from '../edge/route.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  koboInput,
  nairaInput,
  plainText,
} from '../edge/schemas.js'
import { createReadRoutes, submitPayout, toPayoutRequest } from './payouts.js'

/** Names: in the API a bank transfer, one of the disbursements; in the code a payout. */
const path = '/v1/disbursements/bank-transfer'

const bankCode = Type.String({
  pattern: bankCodePattern,
  description: 'Code of the bank, as listed by `GET /v1/banks`.',
  examples: ['058'],
})
const accountNumber = Type.String({
  pattern: accountNumberPattern,
  description: 'Ten-digit account number.',
  examples: ['0123456789'],
})

const quotedFields = {
  amount: koboInput,
  currency: Type.Optional(nairaInput),
  bankCode,
  accountNumber,
  accountName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'If sent, the transfer is refused unless the account has this name.',
      examples: ['Ada Obi'],
    }),
  ),
}

const body = closed({
  ...quotedFields,
  narration: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'Text that the recipient reads.',
      examples: ['Salary of January'],
    }),
  ),
  merchantReference: Type.Optional(merchantReferenceIn),
  metadata: Type.Optional(metadataIn),
})

const quote = resource('BankTransferQuote', {
  amount: koboInput,
  fee: Type.Integer({ examples: [2_500] }),
  totalDebit: Type.Integer({ examples: [1_252_500] }),
  currency: Type.Literal('NGN', { examples: ['NGN'] }),
  lines: Type.Array(
    Type.Object({ operation: text('bank_transfer'), amount: Type.Integer({ examples: [2_500] }) }),
  ),
})

const bank = resource('Bank', { code: text('058'), name: text('GTBank') })
const bankAccount = resource('BankAccount', {
  bankCode,
  accountNumber,
  bankName: text('GTBank'),
  accountName: Type.String({ examples: ['ADA OBI'] }),
})

const statuses: Record<string, PayoutStatus> = {
  SUBMITTED: 'SUBMITTED',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
}

export function bankTransferRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    quoteRoute(api),
    ...createReadRoutes(api, { kind: 'bank_transfer', path, resource: bankTransfer, statuses }),
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
    operation: 'createBankTransfer',
    summary: 'Create a bank transfer',
    description:
      'Pays naira out to a bank account. `SUBMITTED` becomes `COMPLETED` when the bank confirms it, or `FAILED` when it is certain that no money left. A bank may still return a completed transfer (`REVERSED`).',
    body,
    answers: { 201: bankTransfer },
    refusals: [
      'insufficient_balance',
      ...withReasons('bank_transfer_failed', 'duplicate_reference', ...bankRefusalReasons),
    ],
    handle(request) {
      checkNairaLimits(api, request)
      const payout = toPayoutRequest(readQuoteRequest(request), request)
      return submitPayout(api, request, payout, 'Bank transfer submitted')
    },
  })

const quoteRoute = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/quote`,
    operation: 'quoteBankTransfer',
    summary: 'Price a bank transfer',
    description:
      'Returns what the transfer costs now and checks that the account exists. Reserves nothing.',
    body: closed(quotedFields),
    answers: { 200: quote },
    refusals: withReasons('bank_transfer_failed', ...bankRefusalReasons),
    async handle(request) {
      checkNairaLimits(api, request)
      const quoted = readQuoteRequest(request)
      const { fee, lines } = await api.payoutPreparation.quote(quoted)
      return success(200, 'Quote', {
        amount: request.body.amount,
        fee: toWire(fee, 'NGN'),
        totalDebit: toWire(quoted.amount + fee, 'NGN'),
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
    operation: 'listBanks',
    summary: 'List banks',
    description: 'Returns the banks that bank transfers can pay, with their codes.',
    answers: {
      200: Type.Object({
        items: Type.Array(bank),
        nextCursor: Type.Null({ examples: [null] }),
      }),
    },
    refusals: withReasons('bank_transfer_failed', 'rail_unavailable'),
    async handle({ environment }) {
      const items = await directoryOf(api, environment).listBanks()
      return success(200, 'Banks', { items, nextCursor: null })
    },
  })

const resolveName = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/banks/resolve',
    operation: 'resolveBankAccount',
    summary: 'Resolve the name of a bank account',
    description: 'Returns the name of the account holder.',
    query: closed({ bankCode, accountNumber }),
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

function readQuoteRequest({
  environment,
  body: sent,
}: Pick<RouteRequest<QuotedBody, unknown, unknown>, 'environment' | 'body'>) {
  const { amount, bankCode, accountNumber, accountName = '', narration = null } = sent
  return {
    environment,
    kind: 'bank_transfer' as const,
    asset: 'NGN' as const,
    amount: BigInt(amount),
    requestedAmount: String(amount),
    destination: {
      kind: 'bank_account' as const,
      bankCode,
      accountNumber,
      accountName,
      narration,
      bankName: '',
    },
  }
}

function directoryOf(api: ApiParts, { mode, payoutBank }: Environment): BankDirectory {
  const directory = payoutBank ? api.allBanks[mode].get(payoutBank) : api.banks[mode]
  if (directory) return directory
  throw new Refusal('bank_transfer_failed', {
    reason: 'rail_unavailable',
    message: `No bank is configured in ${mode} mode. Ask the operator to configure one.`,
  })
}
