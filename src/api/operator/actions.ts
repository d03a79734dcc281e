import Type from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import {
  type ActionKind,
  actionReference,
  confirmAction,
  listActions,
  type OperatorAction,
  proposeAction,
  readActionId,
  withdrawAction,
} from '../../operations/actions/operator-actions.js'
import { closed, inPath, pageQuery } from '../parse/schemas.js'
import { cursorOf } from '../server/cursor.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute } from './operator-route.js'
import { performanceOf } from './perform-action.js'

const oneAction = inPath('id', 'act_…')

/** Actions that need two operators: those that wait, and what became of the others. */
export function actionRoutes({ db, clock, rails }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/actions',
    operation: 'listOperatorActions',
    summary: 'Actions of two operators',
    query: closed({ state: Type.Optional(Type.Enum(['waiting', 'ended'])), ...pageQuery }),
    async handle({ query, actor, now }) {
      const { state = 'waiting', limit = limits.http.pageSizeDefault, cursor } = query
      const before =
        cursor === undefined ? undefined : cursorOf(prefixes.operatorAction).read(cursor)
      const page = { isWaiting: state === 'waiting', before, limit: limit + 1 }
      const actions = await listActions(db, now, page)
      const shown = actions.slice(0, limit)
      const ownId = actor.kind === 'user' ? actor.userId : ''
      return {
        items: shown.map((action) => showAction(action, ownId)),
        nextCursor:
          actions.length > limit ? cursorOf(prefixes.operatorAction).write(shown.at(-1)!.id) : null,
      }
    },
  })
  const confirm = operatorRoute({
    method: 'POST',
    path: '/actions/:id/confirm',
    operation: 'confirmOperatorAction',
    summary: 'Confirm an action',
    stepUp: 'always',
    params: oneAction,
    async handle(request) {
      const operator = operatorOf(request)
      const id = readActionId(request.params.id)
      const ended = await confirmAction(db, request.now, { id, operator }, (action) =>
        performanceOf({ db, rails, clock, operator }, action),
      )
      return showAction(ended, operator.userId)
    },
  })
  const withdraw = operatorRoute({
    method: 'POST',
    path: '/actions/:id/withdraw',
    operation: 'withdrawOperatorAction',
    summary: 'Withdraw an action',
    params: oneAction,
    async handle(request) {
      const operator = operatorOf(request)
      const id = readActionId(request.params.id)
      const ended = await db.transaction((tx) => withdrawAction(tx, request.now, { id, operator }))
      return showAction(ended, operator.userId)
    },
  })
  return [list, confirm, withdraw]
}

/** Proposes an action and returns what the console shows: that it waits. */
export async function propose<Kind extends ActionKind>(
  { db }: Pick<OperatorParts, 'db'>,
  request: Parameters<typeof operatorOf>[0] & { now: Date },
  proposal: Parameters<typeof proposeAction<Kind>>[2],
) {
  const operator = operatorOf(request)
  const id = await db.transaction((tx) => proposeAction(tx, request.now, proposal, operator))
  return { action: actionReference(id), state: 'WAITING' }
}

function showAction(action: OperatorAction, ownId: string) {
  const { id, merchantId, proposedBy, proposedByName, confirmedByName, ...rest } = action
  return {
    ...rest,
    id: actionReference(id),
    merchant: merchantId && toReference(prefixes.merchant, merchantId),
    proposedBy: proposedByName,
    isOwn: proposedBy === ownId,
    confirmedBy: confirmedByName,
  }
}
