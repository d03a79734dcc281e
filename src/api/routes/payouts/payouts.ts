import Type, { type TSchema } from 'typebox'
import type { EnvironmentTime } from '../../../base/clock.js'
import { fromReference, prefixes, unusedId } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { invalidField, Refusal, returnRefusal } from '../../../base/refusal.js'
import { referenceSample, stablecoin, withDescription } from '../../../base/shapes.js'
import type { KeyedAnswer } from '../../../idempotency/answer.js'
import { subaccountIdOf } from '../../../ledger/accounts.js'
import { refuseUnpayable } from '../../../payouts/controls/find-wait.js'
import { type PayoutStatus, payoutKinds } from '../../../payouts/payout.js'
import { createPayoutReader } from '../../../payouts/records/find-payouts.js'
import {
  type PayoutFilter,
  payoutList,
  type TransferKind,
} from '../../../payouts/records/payout-list.js'
import { UnderRule } from '../../../payouts/requests/create-by-keys.js'
import type {
  PayoutRequest,
  Quote,
  QuoteRequest,
} from '../../../payouts/requests/prepare-payouts.js'
import { showPayout } from '../../../payouts/resource.js'
import type { Actor } from '../../../team/actor.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseOthers } from '../../auth/subaccount-keys.js'
import type { FundFrom } from '../../parse/fund-from.js'
import { findReferenceIssue, merchantReferenceIn, readMetadata } from '../../parse/metadata.js'
import { readAmountRange, readTimeRange } from '../../parse/read-filters.js'
import {
  readPayingSubaccount,
  readSubaccountFilter,
  subaccountFilter,
} from '../../parse/read-paying-subaccount.js'
import {
  amountFilters,
  coinAmountFilters,
  inPath,
  searchText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitRefusal, createResource } from '../../pipeline/create-resource.js'
import { mayWait, submitUnderRule } from '../../pipeline/submit-under-rule.js'
import { submitWithConversion } from '../../pipeline/submit-with-conversion.js'
import type { CsvColumn } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

export function toPayoutRequest(
  {
    environment,
    kind,
    asset,
    amount,
    requestedAmount,
    destination,
    purpose,
    recipient,
  }: QuoteRequest,
  request: {
    body: { merchantReference?: string; confirmDuplicate?: boolean }
    bodyText: string
    keyId: string | null
    actor: Actor
  },
): PayoutRequest {
  const merchantReference = request.body.merchantReference ?? null
  const issue = merchantReference === null ? undefined : findReferenceIssue(merchantReference)
  if (issue !== undefined) throw invalidField('merchantReference', issue)
  return {
    environment,
    kind,
    asset,
    amount,
    requestedAmount,
    destination,
    purpose: purpose ?? null,
    recipient: recipient ?? null,
    merchantReference,
    metadata: readMetadata(request),
    confirmsDuplicate: request.body.confirmDuplicate,
    ...creatorOf(request),
  }
}

/** What a transfer costs; refused if it would be refused for its destination or recipient. */
export async function quoteTransfer(
  { db, rails, payoutPreparation }: ApiParts,
  request: { now: EnvironmentTime; keyId: string | null; actor: Actor },
  quoted: QuoteRequest,
): Promise<Quote> {
  const { environment, kind } = quoted
  await refuseUnpayable(db, {
    ...quoted,
    ...creatorOf(request),
    environmentId: environment.id,
    rail: rails.carrierOf(environment, kind)?.name,
    at: request.now,
  })
  const priced = await payoutPreparation.quote(quoted)
  if (priced instanceof Refusal) throw priced
  return priced
}

/** Prepares, commits and sends one payout, and returns the answer. */
export async function submitPayout(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  request: PayoutRequest,
  what: 'Bank transfer' | 'Crypto transfer',
  { fundFrom, from }: { fundFrom?: FundFrom | undefined; from?: string | undefined } = {},
): Promise<KeyedAnswer> {
  if (from !== undefined) {
    if (fundFrom)
      throw invalidField('from', 'cannot be sent with `fundFrom`: only your own balance converts')
    const { environment } = keyedRequest
    const takesFrom = await readPayingSubaccount(api.db, environment.id, from).catch(returnRefusal)
    if (takesFrom instanceof Refusal) return commitRefusal(api, keyedRequest, takesFrom)
    return submitPayout(api, keyedRequest, { ...request, takesFrom }, what)
  }
  if (fundFrom) return submitWithConversion(api, keyedRequest, request, { fundFrom, what })
  if (mayWait(request)) return submitUnderRule(api, keyedRequest, request, what)
  const prepared = await api.payoutPreparation.prepare(keyedRequest.now, request)
  if (!(prepared instanceof Refusal) && prepared.payout.screeningHold) {
    // It waits for members, which needs a transaction of its own.
    prepared.finish()
    return submitUnderRule(api, keyedRequest, request, what)
  }
  return createResource(api, keyedRequest, prepared, {
    message: `${what} submitted`,
    commit: api.commitPayout,
    send: api.sendPayout,
    keepsKey: true,
  }).catch((error: unknown) => {
    if (error instanceof UnderRule) return submitUnderRule(api, keyedRequest, request, what)
    throw error
  })
}

export const confirmDuplicateIn = Type.Boolean({
  description:
    'That this is not a duplicate: required if your rules ask for it and the same amount went to the same recipient recently.',
  examples: [true],
})

/** Refusals of controls. */
export const controlReasons = ['velocity_limit', 'possible_duplicate'] as const

export const transferFilters = {
  merchantReference: Type.Optional(merchantReferenceIn),
  ...amountFilters,
  recipient: searchText(
    'Only transfers to this recipient: the reference of a saved one, words of the name or their beginnings, an account number, or a wallet address.',
    'ada',
  ),
  createdBy: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      description: 'Only transfers that this API key, or this member, created, by its id.',
      examples: [referenceSample(prefixes.apiKey)],
    }),
  ),
  subaccount: subaccountFilter('transfers'),
  q: searchText(
    "Searches references, your own references, account numbers, addresses and the recipient's name.",
    'ada',
  ),
  ...timeFilters,
}

type TransferQuery = {
  merchantReference?: string
  minAmount?: string
  maxAmount?: string
  currency?: string
  recipient?: string
  createdBy?: string
  subaccount?: string
  q?: string
  from?: string
  to?: string
  status?: string
}

export function toTransferFilter(
  kinds: readonly TransferKind[],
  query: TransferQuery,
): PayoutFilter {
  const { createdBy } = query
  const isCoins = kinds.length === 1 && kinds[0] === 'crypto_transfer'
  return {
    kinds,
    merchantReference: query.merchantReference,
    ...readRecipientFilter(query.recipient),
    ...readCreator(createdBy),
    ...readSubaccountFilter(query.subaccount),
    text: query.q,
    ...readAmountRange(query, isCoins ? ['USDC', 'USDT'] : ['NGN']),
    ...readTimeRange(query),
  }
}

function readRecipientFilter(recipient: string | undefined) {
  if (!recipient?.startsWith(prefixes.recipient)) return { recipient }
  return { recipientId: fromReference(prefixes.recipient, recipient) ?? unusedId }
}

function readCreator(createdBy: string | undefined) {
  if (createdBy === undefined) return {}
  const userId = fromReference(prefixes.user, createdBy)
  if (userId !== undefined) return { createdByUser: userId }
  return { createdByKey: fromReference(prefixes.apiKey, createdBy) ?? unusedId }
}

export function createReadRoutes(
  { db, openPage }: ApiParts,
  about: {
    kind: TransferKind
    path: string
    resource: TSchema
    statuses: Record<string, PayoutStatus>
    columns: CsvColumn[]
  },
): Route[] {
  const { kind, path, resource, statuses, columns } = about
  const { prefix } = payoutKinds[kind]
  const readPayout = createPayoutReader(db)
  const name = kind === 'crypto_transfer' ? 'CryptoTransfer' : 'BankTransfer'
  const words = kind === 'crypto_transfer' ? 'crypto transfer' : 'bank transfer'
  const title = words[0]!.toUpperCase() + words.slice(1)
  const base = { access: 'secret', tag: 'Disbursements', method: 'GET' } as const
  const filters: Record<string, TSchema> = {
    ...transferFilters,
    ...(kind === 'crypto_transfer' && { ...coinAmountFilters, currency: coinFilter }),
    status: Type.Optional(withStatus(Object.keys(statuses))),
  }
  const list = listRoute(openPage, {
    ...base,
    path,
    permission: 'payouts.see',
    operation: `list${name}s`,
    summary: `List ${words}s`,
    description: `Returns ${words}s, newest first. Filters combine. Send \`Accept: text/csv\` to export all of them.`,
    title: `${title}s`,
    filters,
    item: resource,
    columns,
    cursor: cursorOf(prefix),
    toFilter(request) {
      const query = request.query as TransferQuery
      const { status } = query
      return {
        ...toTransferFilter([kind], query),
        status: status === undefined ? undefined : statuses[status],
      }
    },
    rows: payoutList,
    show: ({ payout, attempts }) => showPayout(payout, attempts),
  })
  const read = route({
    ...base,
    path: `${path}/:reference`,
    permission: 'payouts.see',
    operation: `get${name}`,
    summary: `Verify a ${words}`,
    description:
      kind === 'crypto_transfer'
        ? 'Returns the current state, with every attempt to send it.'
        : 'Returns the current state.',
    params: inPath('reference', referenceSample(prefix)),
    answers: { 200: resource },
    refusals: ['not_found'],
    async handle(request) {
      const { environment, params } = request
      const { reference } = params
      const name = { environmentId: environment.id, kind, reference }
      const { payout, attempts } = await readPayout(name)
      const owner = subaccountIdOf(payout.takesFrom) ?? null
      refuseOthers(request, { owner, noun: 'transfer', reference })
      return successText(200, title, showPayout(payout, attempts))
    },
  })
  return [list, read]
}

const coinFilter = Type.Optional(withDescription(stablecoin, 'Only transfers of this coin.'))
