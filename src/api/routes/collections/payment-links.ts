import { prefixes } from '../../../base/ids.js'
import { referenceSample } from '../../../base/shapes.js'
import { changeLink, createLink } from '../../../collections/links/change-link.js'
import { paymentLink, showLink } from '../../../collections/links/resource.js'
import { getLink, linkList } from '../../../collections/links/store-links.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { linkBody, linkChange, readLinkChange, readNewLink } from '../../parse/read-payment-link.js'
import { inPath, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/payment-links'
const base = { access: 'secret', tag: 'Checkout' } as const
const see = { ...base, permission: 'payments.see' } as const
const change = { ...base, permission: 'collect.create' } as const
const params = inPath('reference', referenceSample(prefixes.paymentLink))

export function paymentLinkRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), update(api)]
}

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    stopsWhenSuspended: true,
    operation: 'createPaymentLink',
    summary: 'Create a payment link',
    description:
      'A page that many customers can pay on. Each makes a checkout session of their own there, with `paymentLink` and what they filled in; all events and payments are those of sessions.',
    body: linkBody,
    answers: { 201: paymentLink },
    refusals: withReasons('validation_failed', 'duplicate_reference'),
    handle(request) {
      const { environment, now } = request
      const wanted = readNewLink(api, request.body, request)
      return api.change(
        request,
        (tx) => createLink(tx, now, { environment, baseUrl: api.baseUrl() }, wanted),
        (created) => successText(201, 'Payment link created', showLink(created, now)),
      )
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listPaymentLinks',
    summary: 'List payment links',
    description:
      'Returns payment links, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Payment links',
    filters: timeFilters,
    item: paymentLink,
    columns: csvColumns(
      'reference',
      'slug',
      'createdAt',
      'status',
      'description',
      inBothUnits('amount'),
      inBothUnits('minAmount'),
      inBothUnits('maxAmount'),
      'uses',
      'usesMax',
      'expiresAt',
      'url',
      'metadata',
    ),
    cursor: cursorOf(prefixes.paymentLink),
    toFilter: ({ query }) => readTimeRange(query),
    rows: linkList,
    show: (row, { now }) => showLink(row, now),
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getPaymentLink',
    summary: 'Retrieve a payment link',
    description:
      'Returns the link and how often it was used. `GET /v1/checkout/sessions?paymentLink=…` lists its sessions.',
    params,
    answers: { 200: paymentLink },
    refusals: ['not_found'],
    async handle({ environment, now, params: { reference } }) {
      const found = await getLink(db, { environmentId: environment.id, reference })
      return successText(200, 'Payment link', showLink(found, now))
    },
  })

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changePaymentLink',
    summary: 'Change a payment link',
    description:
      'Changes what is sent; null removes a value. Fields and metadata are replaced as a whole. Sessions that exist stay as they are. `active: false` switches the link off.',
    params,
    body: linkChange,
    answers: { 200: paymentLink },
    refusals: ['not_found'],
    handle(request) {
      const { environment, now, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      const wanted = readLinkChange(api, request.body, request)
      return api.change(
        request,
        (tx) => changeLink(tx, name, wanted),
        (changed) => successText(200, 'Payment link changed', showLink(changed, now)),
      )
    },
  })
