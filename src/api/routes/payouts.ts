import Type, { type TSchema } from 'typebox'
import { limits } from '../../base/limits.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Answer } from '../../idempotency/answer.js'
import type { NewPayout } from '../../payouts/create-payouts.js'
import { getPayout, listPayouts } from '../../payouts/find-payouts.js'
import { kinds, type Payout, type PayoutKind, type PayoutStatus } from '../../payouts/payout.js'
import type { PayoutRequest } from '../../payouts/prepare-payouts.js'
import { showPayout } from '../../resources/payout.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { readPosition, writePosition } from '../edge/cursor.js'
import { listText, successText } from '../edge/envelope.js'
import { type Asker, type Call, toCall, toLateCall } from '../edge/keyed-lane.js'
import { merchantReferenceIn } from '../edge/metadata.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath, page, pageQuery, withStatus } from '../edge/schemas.js'

/**
 * Prepares a payout, holds its money, answers, and only then sends it. A refusal that is for good
 * is remembered under the key like an answer.
 */
export async function pay(rooms: ApiParts, ask: Asker, wish: PayoutRequest, message: string) {
  return rooms.ordering.order(ask.now, wish, async (order) => {
    if (order instanceof Refusal && order.status >= 500) throw order
    const answered = await rooms.createPayout(toPayoutCall(ask, order, message))
    if (!(order instanceof Refusal) && answered.status === 201 && !answered.isReplayed)
      rooms.sendPayout(order.payout)
    return answered
  })
}

/** A payout's key lives as long as the payout; that of an order that was refused, as any other. */
function toPayoutCall(
  ask: Asker,
  order: Outcome<NewPayout>,
  message: string,
): Call<Outcome<NewPayout>, Payout> {
  if (order instanceof Refusal) return toLateCall(ask, order, () => unreachable())
  const expected = successText(201, message, order.shown)
  return { ...toCall<Outcome<NewPayout>, Payout>(ask, order, expected), forgetAt: null }
}

function unreachable(): Answer {
  throw new Error('a refused order has no answer of its own')
}

/** The verify and list operations of one kind of payout. */
export function readRoutes(
  { db }: ApiParts,
  about: {
    kind: PayoutKind
    path: string
    resource: TSchema
    statuses: Record<string, PayoutStatus>
  },
): Route[] {
  const { kind, path, resource, statuses } = about
  const { prefix } = kinds[kind]
  const name = kind === 'crypto_transfer' ? 'CryptoTransfer' : 'BankTransfer'
  const words = kind === 'crypto_transfer' ? 'crypto transfer' : 'bank transfer'
  const title = words[0]!.toUpperCase() + words.slice(1)
  const base = { access: 'secret', tag: 'Disbursements', method: 'GET' } as const
  const list = route({
    ...base,
    path,
    operation: `list${name}s`,
    summary: `List ${words}s`,
    description: 'Newest first; by status, or by your own reference.',
    query: closed({
      merchantReference: Type.Optional(merchantReferenceIn),
      status: Type.Optional(withStatus(Object.keys(statuses))),
      ...pageQuery,
    }),
    answers: { 200: page(resource) },
    async handle({ environment, query }) {
      const limit = query.limit ?? limits.http.defaultPageSize
      const found = await listPayouts(
        db,
        { environmentId: environment.id, kind },
        {
          merchantReference: query.merchantReference,
          status: query.status === undefined ? undefined : statuses[query.status as string],
          beforeId: query.cursor === undefined ? undefined : readPosition(prefix, query.cursor),
          limit: limit + 1,
        },
      )
      const shown = found.slice(0, limit)
      const items = shown.map(({ payout, attempts }) => showPayout(payout, attempts))
      const last = shown.at(-1)?.payout.id
      const next = found.length > limit ? writePosition(prefix, last!) : null
      return successText(200, `${title}s`, listText(items, next))
    },
  })
  const read = route({
    ...base,
    path: `${path}/:reference`,
    operation: `get${name}`,
    summary: `Verify a ${words}`,
    description: 'As it is now, with every attempt to carry it.',
    params: inPath('reference', referenceSample(prefix)),
    answers: { 200: resource },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const tried = await getPayout(db, { environmentId: environment.id, kind, reference })
      return successText(200, title, showPayout(tried.payout, tried.attempts))
    },
  })
  return [list, read]
}
