import type { TSchema } from 'typebox'
import { referenceSample } from '../../../base/shapes.js'
import { type AccountKind, accountKinds } from '../../../collections/accounts/account.js'
import { getAccount } from '../../../collections/accounts/find-accounts.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { successText } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'
import { endAndClose, operationOf, show, titleOf } from './accounts.js'

type About = { kind: AccountKind; path: string; resource: TSchema }

type Texts = { summary: string; description: string }

export const walletRequery: Texts = {
  summary: 'Poll the chain now',
  description:
    'Polls the wallet at once, including for other tokens. Wallets are polled anyway, but rarely after a long time without payments. Returns the current state; webhooks notify you of what is found.',
}

const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const
const paramsOf = (kind: AccountKind) =>
  inPath('reference', referenceSample(accountKinds[kind].prefix))

/** For accounts that expect one payment. */
export function cancelRoute(api: ApiParts, { kind, path, resource }: About): Route {
  return route({
    ...base,
    path: `${path}/:reference/cancel`,
    permission: 'collect.create',
    operation: `cancel${operationOf(kind)}`,
    summary: `Cancel a ${accountKinds[kind].words}`,
    description: 'Stops expecting the payment. A payment that still arrives counts as late.',
    params: paramsOf(kind),
    answers: { 200: resource },
    example: { status: 'CANCELLED' },
    refusals: ['not_found', ...withReasons('account_action_failed', 'invalid_state')],
    async handle(request) {
      const name = { environmentId: request.environment.id, kind, ...request.params }
      return endAndClose(api, request, name, `${titleOf(kind)} cancelled`)
    },
  })
}

/** Queries the bank or chain for payments that were missed. */
export function requeryRoute(api: ApiParts, { kind, path, resource }: About, texts: Texts): Route {
  return route({
    ...base,
    path: `${path}/:reference/requery`,
    permission: 'collect.create',
    operation: `requery${operationOf(kind)}`,
    ...texts,
    params: paramsOf(kind),
    answers: { 200: resource },
    refusals: ['not_found', ...withReasons('account_action_failed', 'rail_unavailable')],
    async handle(request) {
      const name = { environmentId: request.environment.id, kind, ...request.params }
      const { account } = await getAccount(api.db, name)
      await api.collections.requery(account, request.environment.mode)
      return api.change(
        request,
        (tx) => getAccount(tx, name),
        (account) => successText(200, titleOf(kind), show(account)),
      )
    },
  })
}
