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
import { merchantReferenceIn, metadataIn, readMetadata } from '../edge/metadata.js'
import { refuseUnusualNaira } from '../edge/naira-limits.js'
import { bankSays, refusedAs } from '../edge/refusals-of.js'
import { type Route, type RouteRequest, route } from '../edge/route.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  koboInput,
  nairaInput,
  plainText,
} from '../edge/schemas.js'
import { pay, readRoutes } from './payouts.js'

const path = '/v1/disbursements/bank-transfer'

const bankCode = Type.String({
  pattern: bankCodePattern,
  description: 'As in `GET /v1/banks`.',
  examples: ['058'],
})
const accountNumber = Type.String({
  pattern: accountNumberPattern,
  description: 'Ten digits.',
  examples: ['0123456789'],
})

const target = {
  amount: koboInput,
  currency: Type.Optional(nairaInput),
  bankCode,
  accountNumber,
  accountName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'If sent, the transfer is refused when the account belongs to somebody else.',
      examples: ['Ada Obi'],
    }),
  ),
}

const body = closed({
  ...target,
  narration: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: plainText,
      description: 'What the recipient reads.',
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

export function bankTransferRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    quoted(rooms),
    ...readRoutes(rooms, { kind: 'bank_transfer', path, resource: bankTransfer, statuses }),
    listBanks(rooms),
    resolveName(rooms),
  ]
}

const base = { access: 'secret', tag: 'Disbursements' } as const

const create = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    needsKey: true,
    operation: 'createBankTransfer',
    summary: 'Create a bank transfer',
    description:
      'Pays naira out to a bank account. `SUBMITTED` becomes `COMPLETED` when the bank says that it arrived, or `FAILED` when it is certain that nothing left; a bank may still send it back (`REVERSED`).',
    body,
    answers: { 201: bankTransfer },
    refusals: [
      'insufficient_balance',
      ...refusedAs('bank_transfer_failed', 'duplicate_reference', ...bankSays),
    ],
    handle(ask) {
      refuseUnusualNaira(rooms, ask)
      const { merchantReference = null } = ask.body
      const wish = { ...readTarget(ask), merchantReference, metadata: readMetadata(ask) }
      return pay(rooms, ask, wish, 'Bank transfer submitted')
    },
  })

const quoted = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/quote`,
    operation: 'quoteBankTransfer',
    summary: 'Price a bank transfer',
    description: 'What it would cost now, and whether the account exists. Nothing is promised.',
    body: closed(target),
    answers: { 200: quote },
    refusals: refusedAs('bank_transfer_failed', ...bankSays),
    async handle(ask) {
      refuseUnusualNaira(rooms, ask)
      const wish = readTarget(ask)
      const { fee, lines } = await rooms.ordering.quote(wish)
      return success(200, 'Quote', {
        amount: ask.body.amount,
        fee: toWire(fee, 'NGN'),
        totalDebit: toWire(wish.amount + fee, 'NGN'),
        currency: 'NGN',
        lines: lines.map(({ operation, amount }) => ({ operation, amount: toWire(amount, 'NGN') })),
      })
    },
  })

const listBanks = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/banks',
    operation: 'listBanks',
    summary: 'List banks',
    description: 'The codes that a bank transfer can name.',
    answers: {
      200: Type.Object({
        items: Type.Array(bank),
        nextCursor: Type.Null({ examples: [null] }),
      }),
    },
    refusals: refusedAs('bank_transfer_failed', 'rail_unavailable'),
    async handle({ environment }) {
      const items = await directoryOf(rooms, environment).listBanks()
      return success(200, 'Banks', { items, nextCursor: null })
    },
  })

const resolveName = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/banks/resolve',
    operation: 'resolveBankAccount',
    summary: 'Resolve the name of a bank account',
    description: 'Whose account it is, by bank and number.',
    query: closed({ bankCode, accountNumber }),
    answers: {
      200: bankAccount,
    },
    refusals: refusedAs(
      'bank_transfer_failed',
      ...(['unknown_bank', 'account_not_found', 'rail_unavailable'] as const),
    ),
    async handle({ environment, query }) {
      const resolved = await directoryOf(rooms, environment).resolveName(query)
      if (resolved instanceof Refusal) throw resolved
      return success(200, 'Bank account', { ...query, ...resolved })
    },
  })

type Target = Pick<Static<typeof body>, keyof typeof target> & { narration?: string }

function readTarget({
  environment,
  body: sent,
}: Pick<RouteRequest<Target, unknown, unknown>, 'environment' | 'body'>) {
  const { amount, bankCode, accountNumber, accountName = '', narration = null } = sent
  const account = { bankCode, accountNumber, accountName, narration, bankName: '' }
  return {
    environment,
    kind: 'bank_transfer' as const,
    asset: 'NGN' as const,
    amount: BigInt(amount),
    requestedAmount: String(amount),
    destination: { kind: 'bank_account' as const, ...account },
  }
}

function directoryOf(rooms: ApiParts, { mode }: Environment): BankDirectory {
  const directory = rooms.banks[mode]
  if (directory) return directory
  throw new Refusal('bank_transfer_failed', {
    reason: 'rail_unavailable',
    message: `No bank is configured in ${mode} mode. Ask the operator to configure one.`,
  })
}
