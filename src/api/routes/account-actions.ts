import type { TSchema } from 'typebox'
import { type AccountKind, accountKinds } from '../../collections/account.js'
import { type AccountWithPayments, getAccount } from '../../collections/find-accounts.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { successText } from '../edge/envelope.js'
import { toLateCall } from '../edge/keyed-lane.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { inPath } from '../edge/schemas.js'
import { endAndClose, operationOf, show, titleOf } from './accounts.js'

type About = { kind: AccountKind; path: string; resource: TSchema }
/** How asking for a wallet is described. */
export const lookAgain = {
  summary: 'Look at the chain again',
  description:
    'Has the wallet looked at at once, and for other tokens, too. That happens by itself, but seldom where nothing happened for long. Answers as it is now; what is found, you hear by webhook.',
}

type Words = { summary: string; description: string }

const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const
const paramsOf = (kind: AccountKind) =>
  inPath('reference', referenceSample(accountKinds[kind].prefix))

/** Of accounts that wait for one amount. */
export function cancelRoute(rooms: ApiParts, { kind, path, resource }: About): Route {
  return route({
    ...base,
    path: `${path}/:reference/cancel`,
    operation: `cancel${operationOf(kind)}`,
    summary: `Cancel a ${accountKinds[kind].words}`,
    description: 'You want no money here any more. What comes all the same counts as late.',
    params: paramsOf(kind),
    answers: { 200: resource },
    example: { status: 'CANCELLED' },
    refusals: ['not_found', ...refusedAs('account_action_failed', 'invalid_state')],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, kind, ...ask.params }
      return endAndClose(rooms, ask, name, `${titleOf(kind)} cancelled`)
    },
  })
}

/** Has whoever holds the money asked what came. */
export function requeryRoute(
  rooms: ApiParts,
  { kind, path, resource }: About,
  words: Words,
): Route {
  return route({
    ...base,
    path: `${path}/:reference/requery`,
    operation: `requery${operationOf(kind)}`,
    ...words,
    params: paramsOf(kind),
    answers: { 200: resource },
    refusals: ['not_found', ...refusedAs('account_action_failed', 'rail_unavailable')],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, kind, ...ask.params }
      const { account } = await getAccount(rooms.db, name)
      await rooms.collections.requery(account, ask.environment.mode)
      return rooms.change(
        toLateCall(
          ask,
          (tx) => getAccount(tx, name),
          (found) => successText(200, titleOf(kind), show(found as AccountWithPayments)),
        ),
      )
    },
  })
}
