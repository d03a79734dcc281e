import Type from 'typebox'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { findNotice } from '../../collections/notices/assign-notice.js'
import { listOpenNotices, retryNotice } from '../../collections/notices/find-notices.js'
import { listRejected } from '../../collections/notices/store-hints.js'
import { parseReported } from '../../collections/notices/store-notices.js'
import { toWire } from '../../money/amounts.js'
import { assetNames } from '../../money/assets.js'
import { checkAssignment } from '../../operations/actions/assign-payment.js'
import { auditOperator } from '../../operations/actions/audit-operator.js'
import { closed, inPath } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute, reasonText, shortText } from './operator-route.js'

const oneNotice = Type.Object({
  ...inPath('rail', 'sandbox-bank').properties,
  mode: Type.Enum(['test', 'live']),
  ...inPath('id', 'payment-1').properties,
})

const path = '/notices/:rail/:mode/:id'

/** Bank payments and deposits that belong to no merchant yet. */
export function noticeRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/notices',
    operation: 'listHeldNotices',
    summary: 'Held notices',
    query: closed({
      state: Type.Optional(Type.Enum(['unmatched', 'refused', 'all', 'sent_back'])),
    }),
    async handle({ query: { state = 'all' } }) {
      if (state === 'sent_back')
        return { items: await listRejected(db, limits.operator.rowsListedDefault) }
      const open = await listOpenNotices(db, limits.operator.rowsListedMax)
      const wanted = { unmatched: ['UNMATCHED'], refused: ['REFUSED'], all: null }[
        state as 'unmatched' | 'refused' | 'all'
      ]
      const shown = open.filter((one) => one.state !== 'WAITING')
      return {
        items: shown
          .filter((one) => !wanted || wanted.includes(one.state))
          .map(({ amount, ...one }) => ({ ...one, ...showAmount(amount, one.currency) })),
      }
    },
  })
  const one = operatorRoute({
    method: 'GET',
    path,
    operation: 'getNotice',
    summary: 'Notice',
    params: oneNotice,
    async handle({ params }) {
      const { announced, ...notice } = await findNotice(db, params)
      const { amount, receivedAt, ...reported } = parseReported(announced)
      return {
        ...notice,
        reported: { ...reported, ...showAmount(amount, reported.currency), paidAt: receivedAt },
      }
    },
  })
  const retry = operatorRoute({
    method: 'POST',
    path: `${path}/retry`,
    operation: 'retryNotice',
    summary: 'Match a payment again',
    params: oneNotice,
    async handle(request) {
      const { rail, mode, id } = request.params
      await db.transaction(async (tx) => {
        await retryNotice(tx, request.now, { rail, mode, id })
        const details = { rail, mode, id }
        auditOperator(tx, request.now, operatorOf(request), { action: 'notice.retry', details })
      })
      return { rail, mode, id }
    },
  })
  const assign = operatorRoute({
    method: 'POST',
    path: `${path}/assign`,
    operation: 'assignNotice',
    summary: 'Propose the account of a payment',
    params: oneNotice,
    body: closed({ merchant: shortText, account: shortText, note: reasonText }),
    async handle(request) {
      const { rail, mode, id } = request.params
      const payload = { rail, mode: mode as Mode, id, ...request.body }
      const { environment } = await checkAssignment(db, payload)
      const { merchantId } = environment
      const subject = `${rail}/${mode}/${id}`
      return propose({ db }, request, { kind: 'notice.assign', subject, payload, merchantId })
    },
  })
  return [list, one, retry, assign]
}

/** The decimals of tokens that are not ours are not known. */
function showAmount(amount: bigint, currency: string) {
  const asset = assetNames.find((name) => name === currency)
  return asset
    ? { asset, amount: toWire(amount, asset) }
    : { asset: null, amount: null, units: amount.toString() }
}
