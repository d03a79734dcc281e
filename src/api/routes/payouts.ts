import Type, { type TSchema } from 'typebox'
import { limits } from '../../base/limits.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import { createPayoutReader, listPayouts } from '../../payouts/find-payouts.js'
import { type PayoutKind, type PayoutStatus, payoutKinds } from '../../payouts/payout.js'
import type { PayoutRequest, QuoteRequest } from '../../payouts/prepare-payouts.js'
import { showPayout } from '../../resources/payout.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { createResource } from '../create-resource.js'
import { readPosition, writePosition } from '../edge/cursor.js'
import { listText, successText } from '../edge/envelope.js'
import type { RequestContext } from '../edge/keyed-lane.js'
import { merchantReferenceIn, readMetadata } from '../edge/metadata.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath, page, pageQuery, withStatus } from '../edge/schemas.js'

export function toPayoutRequest(
  { environment, kind, asset, amount, requestedAmount, destination }: QuoteRequest,
  request: { body: { merchantReference?: string }; bodyText: string },
): PayoutRequest {
  return {
    environment,
    kind,
    asset,
    amount,
    requestedAmount,
    destination,
    merchantReference: request.body.merchantReference ?? null,
    metadata: readMetadata(request),
  }
}

/** Prepares, commits and sends one payout, and returns the answer. */
export async function submitPayout(
  api: ApiParts,
  context: RequestContext,
  request: PayoutRequest,
  message: string,
): Promise<KeyedAnswer> {
  const prepared = await api.payoutPreparation.prepare(context.now, request)
  return createResource(api, context, prepared, {
    message,
    commit: api.commitPayout,
    send: api.sendPayout,
    keepsKey: true,
  })
}

export function createReadRoutes(
  { db, openPage }: ApiParts,
  {
    kind,
    path,
    resource,
    statuses,
  }: {
    kind: PayoutKind
    path: string
    resource: TSchema
    statuses: Record<string, PayoutStatus>
  },
): Route[] {
  const { prefix } = payoutKinds[kind]
  const readPayout = createPayoutReader(db)
  const name = kind === 'crypto_transfer' ? 'CryptoTransfer' : 'BankTransfer'
  const words = kind === 'crypto_transfer' ? 'crypto transfer' : 'bank transfer'
  const title = words[0]!.toUpperCase() + words.slice(1)
  const base = { access: 'secret', tag: 'Disbursements', method: 'GET' } as const
  const list = route({
    ...base,
    path,
    operation: `list${name}s`,
    summary: `List ${words}s`,
    description: `Returns ${words}s, newest first. Filter by status or by your own reference.`,
    query: closed({
      merchantReference: Type.Optional(merchantReferenceIn),
      status: Type.Optional(withStatus(Object.keys(statuses))),
      ...pageQuery,
    }),
    answers: { 200: page(resource) },
    async handle({ environment, query }) {
      const limit = query.limit ?? limits.http.pageSizeDefault
      const source = openPage(query.cursor)
      const found = await listPayouts(
        source.db,
        { environmentId: environment.id, kind },
        {
          merchantReference: query.merchantReference,
          status: query.status === undefined ? undefined : statuses[query.status as string],
          beforeId: source.cursor === undefined ? undefined : readPosition(prefix, source.cursor),
          limit: limit + 1,
        },
      )
      const shown = found.slice(0, limit)
      const items = shown.map(({ payout, attempts }) => showPayout(payout, attempts))
      const last = shown.at(-1)?.payout.id
      const next = source.toNext(found.length > limit ? writePosition(prefix, last!) : null)
      return successText(200, `${title}s`, listText(items, next))
    },
  })
  const read = route({
    ...base,
    path: `${path}/:reference`,
    operation: `get${name}`,
    summary: `Verify a ${words}`,
    description:
      kind === 'crypto_transfer'
        ? 'Returns the current state, with every attempt to send it.'
        : 'Returns the current state.',
    params: inPath('reference', referenceSample(prefix)),
    answers: { 200: resource },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const name = { environmentId: environment.id, kind, reference }
      const { payout, attempts } = await readPayout(name)
      return successText(200, title, showPayout(payout, attempts))
    },
  })
  return [list, read]
}
