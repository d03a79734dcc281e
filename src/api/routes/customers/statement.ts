import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { anyAsset, referenceSample, withDescription } from '../../../base/shapes.js'
import { customerEntry, listEntries, showEntry } from '../../../customers/statement.js'
import { getCustomer } from '../../../customers/store-customers.js'
import type { Asset } from '../../../money/assets.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { closed, inPath, page, pageQuery, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { answerList } from '../../server/answer-list.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { numberCursor } from '../../server/cursor.js'
import { route } from '../../server/route.js'

const entryCursor = numberCursor('entry', limits.money.ledgerMax)

const columns = csvColumns(
  'number',
  'at',
  'type',
  'asset',
  inBothUnits('amount', 'asset'),
  inBothUnits('balance', 'asset'),
  'invoice',
  'payment',
  'refund',
)

export const customerStatement = ({ openPage }: ApiParts) =>
  route({
    access: 'secret',
    tag: 'Customers',
    method: 'GET',
    path: '/v1/customers/:reference/statement',
    permission: 'customers.see',
    operation: 'listCustomerEntries',
    summary: 'Retrieve the statement of a customer',
    description:
      'Returns what you invoiced the customer, what was paid, refunded and given up, newest first, with what the customer owes after each. This is what is due of all invoices, less credit. Send `Accept: text/csv` to export all of it.',
    params: inPath('reference', referenceSample(prefixes.customer)),
    query: closed({
      asset: Type.Optional(withDescription(anyAsset, 'Entries in this asset. Default: NGN.')),
      ...timeFilters,
      ...pageQuery,
    }),
    answers: { 200: page(customerEntry) },
    refusals: ['not_found'],
    hasCsv: true,
    isHeavy: true,
    async handle(request) {
      const { environment, params, query } = request
      const asset = (query.asset ?? 'NGN') as Asset
      const range = readTimeRange(query)
      return answerList(request, {
        title: 'Statement of a customer',
        columns,
        async readPage({ cursor: sent, limit }) {
          const { db, cursor, toNext } = openPage(sent)
          const { id: customerId } = await getCustomer(db, {
            environmentId: environment.id,
            reference: params.reference,
          })
          const before = cursor === undefined ? undefined : BigInt(entryCursor.read(cursor))
          const rows = await listEntries(db, {
            environmentId: environment.id,
            customerId,
            asset,
            ...range,
            before,
            limit: limit + 1,
          })
          const shown = rows.slice(0, limit)
          const last = rows.length > limit ? shown.at(-1) : undefined
          return {
            items: shown.map((entry) => toJson(showEntry(entry, asset))),
            nextCursor: toNext(last ? entryCursor.write(String(last.number)) : null),
          }
        },
      })
    },
  })
