import Type from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { findOpenPayouts, type Position } from '../../operations/actions/find-open-payouts.js'
import { findOpenPayout } from '../../payouts/attempts/decide-payout.js'
import { closed, inPath, pageQuery } from '../parse/schemas.js'
import { readCursor, writeCursor, wrongCursor } from '../server/cursor.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorRoute, reasonText } from './operator-route.js'

/** Payouts without an outcome, and the decision about one of them. */
export function payoutRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/payouts',
    operation: 'listOpenPayouts',
    summary: 'Open payouts',
    query: closed({ open: Type.Optional(Type.Enum(['review', 'all'])), ...pageQuery }),
    async handle({ query }) {
      const { open = 'review', limit = limits.http.pageSizeDefault, cursor } = query
      const after = cursor === undefined ? undefined : readAfter(cursor)
      const page = { isReview: open === 'review', after, limit: limit + 1 }
      const found = await findOpenPayouts(db, page)
      const shown = found.slice(0, limit)
      return {
        items: shown.map(({ id: _, ...payout }) => payout),
        nextCursor: found.length > limit ? writeAfter(shown.at(-1)!) : null,
      }
    },
  })
  const decide = operatorRoute({
    method: 'POST',
    path: '/payouts/:reference/decide',
    operation: 'decidePayout',
    summary: 'Propose the outcome of a payout',
    params: inPath('reference', 'bt_…'),
    body: closed({
      outcome: Type.Enum(['completed', 'failed']),
      evidence: reasonText,
      confirmNotLanded: Type.Optional(Type.Boolean()),
      confirmLanded: Type.Optional(Type.Boolean()),
    }),
    async handle(request) {
      const { reference } = request.params
      const { outcome, evidence, confirmNotLanded, confirmLanded } = request.body
      const { environmentId, status } = await findOpenPayout(db, reference)
      if (status !== 'SUBMITTED')
        throw new Refusal('validation_failed', {
          reason: 'invalid_state',
          message: `${reference} has already ended: it is ${status}.`,
        })
      const { merchantId } = await getEnvironmentById(db, environmentId)
      const payload = {
        reference,
        outcome: outcome as 'completed' | 'failed',
        evidence,
        confirmsNotLanded: confirmNotLanded ?? false,
        confirmsLanded: confirmLanded ?? false,
      }
      const proposal = { kind: 'payout.decide', subject: reference, payload, merchantId } as const
      return propose({ db }, request, proposal)
    },
  })
  return [list, decide]
}

function writeAfter({ submittedAt, id }: { submittedAt: Date; id: string }): string {
  return writeCursor({ submittedAt: submittedAt.toISOString(), id })
}

function readAfter(cursor: string): Position {
  const { submittedAt = '', id = '' } = readCursor(cursor)
  const isWhole = !Number.isNaN(Date.parse(submittedAt)) && /^[0-9a-f-]{36}$/.test(id)
  if (!isWhole) throw wrongCursor('cursor belongs to another list. Start again without it.')
  return { submittedAt, id }
}
