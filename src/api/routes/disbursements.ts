import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import { findKeyNames } from '../../merchants/find-key-names.js'
import { countPayouts, type TransferKind, transferKinds } from '../../payouts/filter-payouts.js'
import { type PayoutStatus, payoutStatuses } from '../../payouts/payout.js'
import { disbursement, showDisbursement } from '../../resources/disbursement.js'
import { anyAsset, withDescription } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { answerList } from '../edge/answer-list.js'
import { csvColumns, inBothUnits } from '../edge/csv.js'
import { success } from '../edge/envelope.js'
import { countByStatus } from '../edge/read-filters.js'
import { type Route, route } from '../edge/route.js'
import { closed, countsOf, oneOf, page, pageQuery, withStatus } from '../edge/schemas.js'
import { readTransferPage, toTransferFilter, transferFilters } from './payouts.js'

const path = '/v1/disbursements'
const base = { access: 'secret', tag: 'Disbursements', method: 'GET' } as const

export function disbursementRoutes(api: ApiParts): Route[] {
  return [list(api), counts(api)]
}

const filters = {
  kind: Type.Optional(oneOf([...transferKinds], 'Only transfers of this kind.')),
  currency: Type.Optional(withDescription(anyAsset, 'Only transfers in this currency.')),
  ...transferFilters,
}

/** A confirmed crypto transfer is listed with the completed bank transfers. */
const statuses: Record<string, PayoutStatus> = {
  SUBMITTED: 'SUBMITTED',
  COMPLETED: 'COMPLETED',
  CONFIRMED: 'COMPLETED',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
}

const kindsOf = (kind: unknown) => (kind === undefined ? transferKinds : [kind as TransferKind])

const columns = csvColumns(
  'kind',
  'reference',
  'merchantReference',
  'createdAt',
  'status',
  'currency',
  'asset',
  inBothUnits('amount'),
  inBothUnits('fee'),
  inBothUnits('totalDebit'),
  'accountName',
  'accountNumber',
  'bankName',
  'bankCode',
  'destinationAddress',
  'narration',
  'sessionId',
  'transactionSignature',
  'failureReason',
  'submittedAt',
  'completedAt',
  'confirmedAt',
  'failedAt',
  'reversedAt',
  'createdBy.name',
  'metadata',
)

const list = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path,
    permission: 'payouts.see',
    operation: 'listDisbursements',
    summary: 'List disbursements',
    description:
      'Returns bank and crypto transfers in one list, newest first. Filters combine; `COMPLETED` and `CONFIRMED` both mean that the money arrived. Send `Accept: text/csv` to export all of them.',
    query: closed({
      ...filters,
      status: Type.Optional(withStatus(Object.keys(statuses))),
      ...pageQuery,
    }),
    answers: { 200: page(disbursement) },
    hasCsv: true,
    handle(request) {
      const { environment, query } = request
      const filter = {
        ...toTransferFilter(kindsOf(query.kind), query),
        status: query.status === undefined ? undefined : statuses[query.status as string],
      }
      return answerList(request, {
        title: 'Disbursements',
        columns,
        readPage: (wanted) =>
          readTransferPage(
            { openPage },
            { environmentId: environment.id, filter, prefix: prefixes.payout, ...wanted },
            async (db, payouts) => {
              const keys = payouts.flatMap(({ payout }) => payout.createdByKey ?? [])
              const names = await findKeyNames(db, environment.id, [...new Set(keys)])
              return payouts.map((one) => showDisbursement(one, names))
            },
          ),
      })
    },
  })

const counts = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: `${path}/counts`,
    permission: 'payouts.see',
    operation: 'countDisbursements',
    summary: 'Count disbursements',
    description:
      'Returns how many transfers match the filters, by status; `COMPLETED` includes confirmed crypto transfers.',
    query: closed(filters),
    answers: { 200: countsOf(payoutStatuses) },
    isHeavy: true,
    async handle({ environment, query }) {
      const { db } = openPage(undefined)
      const filter = toTransferFilter(kindsOf(query.kind), query)
      const counted = await countByStatus(payoutStatuses, (status) =>
        countPayouts(db, environment.id, { ...filter, status }),
      )
      return success(200, 'Disbursement counts', counted)
    },
  })
