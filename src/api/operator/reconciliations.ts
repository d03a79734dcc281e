import Type from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { auditOperator } from '../../operations/actions/audit-operator.js'
import { listLedgerProofs, requestLedgerProof } from '../../operations/proofs/ledger-proofs.js'
import { allProofs } from '../../operations/proofs/verify-ledger.js'
import { reconcileLimits } from '../../payouts/limits.js'
import {
  listDifferences,
  noteDifference,
} from '../../payouts/reconciliation/reconciliation-differences.js'
import {
  listReconciliations,
  requestReconciliation,
} from '../../payouts/reconciliation/reconciliations.js'
import { closed, inPath, pageQuery } from '../parse/schemas.js'
import { readCursor, writeCursor, wrongCursor } from '../server/cursor.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute, reasonText, shortText } from './operator-route.js'

/** Comparisons of the books with banks and chains, and proofs of the ledger. */
export function reconciliationRoutes(parts: OperatorParts): Route[] {
  return [...comparisonRoutes(parts), ...proofRoutes(parts)]
}

function comparisonRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/reconciliations',
    operation: 'listReconciliations',
    summary: 'Reconciliations',
    handle: async () => ({ items: await listReconciliations(db) }),
  })
  const differences = operatorRoute({
    method: 'GET',
    path: '/reconciliations/differences',
    operation: 'listReconciliationDifferences',
    summary: 'Differences',
    query: closed({
      state: Type.Optional(Type.Enum(['open', 'resolved'])),
      rail: Type.Optional(shortText),
      ...pageQuery,
    }),
    async handle({ query }) {
      const { state = 'open', rail, limit = limits.http.pageSizeDefault, cursor } = query
      const before = cursor === undefined ? undefined : readBefore(cursor)
      const page = { isOpen: state === 'open', rail, before, limit: limit + 1 }
      const found = await listDifferences(db, page)
      const shown = found.slice(0, limit)
      const isMore = found.length > limit
      return {
        items: shown,
        nextCursor: isMore ? writeCursor({ difference: shown.at(-1)!.id }) : null,
      }
    },
  })
  const run = operatorRoute({
    method: 'POST',
    path: '/reconciliations/run',
    operation: 'runReconciliation',
    summary: 'Compare now',
    body: closed({ rail: Type.Optional(shortText) }),
    async handle(request) {
      const { rail } = request.body
      const rails = await db.transaction(async (tx) => {
        const names = await requestReconciliation(tx, request.now, rail)
        if (names.length === 0)
          throw new Refusal('not_found', {
            message: rail
              ? `No rail ${rail} has been compared. Workers compare every configured rail.`
              : 'No rail has been compared yet. Start a worker: it compares every rail.',
          })
        const details = { rails: names }
        auditOperator(tx, request.now, operatorOf(request), {
          action: 'reconciliation.run',
          details,
        })
        return names
      })
      return { rails, startsWithinMs: reconcileLimits.pollIntervalMs }
    },
  })
  const note = operatorRoute({
    method: 'POST',
    path: '/reconciliations/differences/:id/note',
    operation: 'noteReconciliationDifference',
    summary: 'Note on a difference',
    params: inPath('id', '0198…'),
    body: closed({ note: reasonText }),
    async handle(request) {
      const operator = operatorOf(request)
      const id = readId(request.params.id)
      return db.transaction(async (tx) => {
        const { note } = request.body
        const difference = await noteDifference(tx, request.now, {
          id,
          note,
          notedBy: operator.userId,
        })
        const { rail, kind, name } = difference
        auditOperator(tx, request.now, operator, {
          action: 'reconciliation.note',
          details: { rail, kind, name, note },
        })
        return difference
      })
    },
  })
  return [list, differences, run, note]
}

function proofRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/ledger-proofs',
    operation: 'listLedgerProofs',
    summary: 'Proofs of the ledger',
    handle: async () => ({ items: await listLedgerProofs(db), claims: allProofs.length }),
  })
  const run = (path: string, operation: string) =>
    operatorRoute({
      method: 'POST',
      path,
      operation,
      summary: 'Prove the ledger now',
      async handle(request) {
        const operator = operatorOf(request)
        return db.transaction(async (tx) => {
          const proof = await requestLedgerProof(tx, request.now, operator.userId)
          auditOperator(tx, request.now, operator, { action: 'ledger.prove', details: {} })
          return proof
        })
      },
    })
  return [list, run('/ledger-proofs/run', 'runLedgerProof')]
}

function readId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text
  throw new Refusal('not_found', { message: 'No such difference exists.' })
}

function readBefore(cursor: string): string {
  const { difference } = readCursor(cursor)
  if (difference && /^[0-9a-f-]{36}$/.test(difference)) return difference
  throw wrongCursor('cursor belongs to another list. Start again without it.')
}
