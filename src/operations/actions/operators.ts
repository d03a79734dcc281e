import Type from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { orNull, resource } from '../../base/shapes.js'
import { sql } from '../../postgres/sql.js'
import {
  actionReference,
  type Confirmable,
  confirmAction,
  listActions,
  type OperatorAction,
  readActionId,
  withdrawAction,
} from '../changes/operator-actions.js'
import { type Action, list, type RouteCall, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { byReference, itemsOf, time } from '../definitions/views.js'
import { credit } from './balances.js'
import { adding, taking } from './exchange.js'
import { thawing } from './freezes.js'
import { assign } from './notices.js'
import { deciding } from './payouts.js'
import { pause, resume } from './rails.js'
import { rateSetting } from './rates.js'

/** What the console does only after another operator has confirmed it. */
const confirmables: Confirmable<never>[] = [
  deciding,
  assign,
  pause,
  resume,
  thawing,
  credit,
  adding,
  taking,
  rateSetting,
]

const actionView = resource('OperatorAction', {
  id: Type.String(),
  kind: Type.String(),
  subject: Type.String(),
  payload: Type.Object({}, { additionalProperties: true }),
  merchant: orNull(Type.String()),
  merchantName: orNull(Type.String()),
  state: Type.Enum(['WAITING', 'DONE', 'WITHDRAWN', 'EXPIRED']),
  proposedBy: Type.String(),
  isOwn: Type.Boolean(),
  proposedAt: time,
  expiresAt: time,
  confirmedBy: orNull(Type.String()),
  endedAt: orNull(time),
  result: orNull(Type.Object({}, { additionalProperties: true })),
})

type OperatorRow = {
  id: string
  name: string
  email: string
  createdAt: Date
  disabledAt: Date | null
  lastSeenAt: Date | null
}

/** The operators of the installation, and the actions that need two of them. */
export const operatorActions: Action[] = [
  route({
    request: 'GET /operators',
    operation: 'listOperators',
    summary: 'Operators',
    view: itemsOf(
      resource('Operator', {
        id: Type.String(),
        name: Type.String(),
        email: Type.String(),
        createdAt: time,
        disabledAt: orNull(time),
        lastSeenAt: orNull(time),
        isYou: Type.Boolean(),
      }),
    ),
    async run({ db, operator }) {
      const rows = await db.rows(sql<OperatorRow>`
        select u.id, u.name, u.email, u.created_at,
          u.disabled_at, (select max(s.last_seen_at) from user_sessions s
            where s.user_id = u.id) as last_seen_at
        from users u where u.is_operator
        order by u.disabled_at is not null, u.name, u.id limit ${limits.operator.rowsListedMax}`)
      return {
        items: rows.map(({ id, ...row }) => ({
          id: toReference(prefixes.user, id),
          ...row,
          isYou: id === operator.userId,
        })),
      }
    },
  }),
  list({
    request: 'GET /actions',
    operation: 'listOperatorActions',
    summary: 'Actions of two operators',
    filters: { state: Type.Optional(Type.Enum(['waiting', 'ended'])) },
    view: actionView,
    cursor: byReference(prefixes.operatorAction),
    find: ({ db, now }, { state = 'waiting' }, { after: before, limit }) =>
      listActions(db, now, { isWaiting: state === 'waiting', before, limit }),
    show: showAction,
  }),
  route({
    request: 'POST /actions/:id/confirm',
    operation: 'confirmOperatorAction',
    summary: 'Confirm an action',
    stepUp: 'always',
    input: { id: fields.text('act_…') },
    view: actionView,
    run: async (call, { id }) =>
      showAction(await confirmAction(call, readActionId(id), confirmables), call),
  }),
  route({
    request: 'POST /actions/:id/withdraw',
    operation: 'withdrawOperatorAction',
    summary: 'Withdraw an action',
    input: { id: fields.text('act_…') },
    view: actionView,
    async run(call, input) {
      const { db, now, operator } = call
      const id = readActionId(input.id)
      return showAction(
        await db.transaction((tx) => withdrawAction(tx, now, { id, operator })),
        call,
      )
    },
  }),
]

function showAction(action: OperatorAction, { operator }: Pick<RouteCall, 'operator'>) {
  const { id, merchantId, proposedBy, proposedByName, confirmedByName, ...rest } = action
  return {
    ...rest,
    id: actionReference(id),
    merchant: merchantId && toReference(prefixes.merchant, merchantId),
    proposedBy: proposedByName,
    isOwn: proposedBy === operator.userId,
    confirmedBy: confirmedByName,
  }
}
