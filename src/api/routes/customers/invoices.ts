import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { referenceSample, withExample } from '../../../base/shapes.js'
import { toPublicInvoice } from '../../../checkout/find-public-invoice.js'
import {
  changeDraft,
  createInvoice,
  creditInvoice,
  deleteDraft,
  finalizeInvoice,
  sendInvoice,
  voidInvoice,
} from '../../../customers/invoices/change-invoice.js'
import {
  type InvoiceStatus,
  invoiceNumber,
  invoiceStatuses,
  type StoredStatus,
  storedStatuses,
} from '../../../customers/invoices/invoice.js'
import { invoice, showInvoice } from '../../../customers/invoices/resource.js'
import { getInvoice, invoiceList } from '../../../customers/invoices/store-invoices.js'
import { invoiceLimits } from '../../../customers/limits.js'
import { countRows } from '../../../postgres/lists/find-ids.js'
import { creatorOf } from '../../auth/creator-of.js'
import { answerPdf } from '../../documents/answer-pdf.js'
import { drawInvoice } from '../../documents/draw-invoice.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { countByStatus, readTimeRange, showCount } from '../../parse/read-filters.js'
import { draftBody, draftChange, readDraftChange, readNewDraft } from '../../parse/read-invoice.js'
import {
  closed,
  countsOf,
  decimalInput,
  inPath,
  koboInput,
  lineOfText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success, successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/invoices'
const base = { access: 'secret', tag: 'Customers' } as const
const see = { ...base, permission: 'customers.see' } as const
const change = { ...base, permission: 'customers.change' } as const
const params = inPath('reference', referenceSample(prefixes.invoice))

export function invoiceRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    list(api),
    counts(api),
    read(api),
    readPdf(api),
    update(api),
    remove(api),
    finalize(api),
    send(api),
    voidIt(api),
    credit(api),
  ]
}

const erased = withReasons('customer_failed', 'invalid_state')
const wrongState = withReasons('invoice_failed', 'invalid_state')

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    operation: 'createInvoice',
    summary: 'Create an invoice',
    description:
      'Makes a draft. It can be changed until you finalize it; only then it has a number and is due. Lines, discount and VAT are rounded half up to the smallest unit.',
    body: draftBody,
    answers: { 201: invoice },
    refusals: ['not_found', ...erased],
    handle(request) {
      const { environment, now } = request
      const draft = readNewDraft(request.body, request)
      return api.change(
        request,
        (tx, realNow) =>
          createInvoice(tx, { now, realNow }, { environment, baseUrl: api.baseUrl() }, draft),
        (created) => successText(201, 'Invoice created', showInvoice(created, now)),
        { isKept: true },
      )
    },
  })

const filters = {
  customer: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Reference of a customer.',
      examples: [referenceSample(prefixes.customer)],
    }),
  ),
  schedule: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Reference of the schedule that made them.',
      examples: [referenceSample(prefixes.invoiceSchedule)],
    }),
  ),
  ...timeFilters,
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listInvoices',
    summary: 'List invoices',
    description: 'Returns invoices, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Invoices',
    filters: { ...filters, status: Type.Optional(withStatus([...invoiceStatuses])) },
    item: invoice,
    columns: csvColumns(
      'reference',
      'number',
      'status',
      'customer',
      'asset',
      inBothUnits('total', 'asset'),
      inBothUnits('vat', 'asset'),
      inBothUnits('amountDue', 'asset'),
      inBothUnits('amountPaid', 'asset'),
      inBothUnits('amountCredited', 'asset'),
      inBothUnits('amountRefunded', 'asset'),
      'dueAt',
      'createdAt',
      'finalizedAt',
      'paidAt',
    ),
    cursor: cursorOf(prefixes.invoice),
    toFilter: ({ query, now }) => ({
      ...readTimeRange(query),
      ...readStatus(query.status as InvoiceStatus | undefined, now),
      customer: query.customer,
      schedule: query.schedule,
    }),
    rows: invoiceList,
    show: (row, { now }) => showInvoice(row, now),
  })

function readStatus(status: InvoiceStatus | undefined, now: Date) {
  return status === 'OVERDUE' ? { overdueAt: now } : { status: status as StoredStatus | undefined }
}

const counts = ({ openPage }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/counts`,
    operation: 'countInvoices',
    summary: 'Count invoices',
    description:
      'Returns how many invoices match the filters, by status. Overdue ones are also counted as `OPEN` or `PARTIALLY_PAID`, and once in the total.',
    query: closed(filters),
    answers: { 200: countsOf(invoiceStatuses) },
    isHeavy: true,
    async handle({ environment, query, now }) {
      const { db } = openPage(undefined)
      const { customer, schedule } = query
      const filter = { ...readTimeRange(query), customer, schedule }
      const count = (status: InvoiceStatus) =>
        countRows(db, invoiceList, {
          environmentId: environment.id,
          filter: { ...filter, ...readStatus(status, now) },
        })
      const { total, byStatus } = await countByStatus(storedStatuses, count)
      const overdue = showCount(await count('OVERDUE'))
      return success(200, 'Invoice counts', { total, byStatus: { ...byStatus, OVERDUE: overdue } })
    },
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getInvoice',
    summary: 'Retrieve an invoice',
    description: 'Returns the invoice with its lines and amounts.',
    params,
    answers: { 200: invoice },
    refusals: ['not_found'],
    async handle({ environment, now, params: { reference } }) {
      const found = await getInvoice(db, { environmentId: environment.id, reference })
      return successText(200, 'Invoice', showInvoice(found, now))
    },
  })

const readPdf = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference/pdf`,
    isPdf: true,
    isHeavy: true,
    operation: 'getInvoicePdf',
    summary: 'Retrieve an invoice as PDF',
    description:
      'Returns the invoice as a PDF file with your logo and colour. A draft has one, too: it says that it is a draft.',
    params,
    answers: {},
    refusals: ['not_found'],
    async handle({ environment, now, params: { reference } }) {
      const found = await getInvoice(db, { environmentId: environment.id, reference })
      const pdf = await drawInvoice(await toPublicInvoice(db, found), now)
      return answerPdf(pdf, invoiceNumber(found) ?? reference)
    },
  })

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeInvoice',
    summary: 'Change a draft',
    description:
      'Changes what is sent; null removes a value. Lines, instalments and metadata are replaced as a whole. A final invoice cannot be changed: credit or void it.',
    params,
    body: draftChange,
    answers: { 200: invoice },
    refusals: ['not_found', ...erased, ...wrongState],
    async handle(request) {
      const { environment, now, params, body } = request
      const name = { environmentId: environment.id, reference: params.reference }
      // The asset of an invoice never changes.
      const { asset } = await getInvoice(api.db, name)
      const wanted = readDraftChange(body, request, asset)
      return api.change(
        request,
        (tx) => changeDraft(tx, name, wanted),
        (changed) => successText(200, 'Invoice changed', showInvoice(changed, now)),
      )
    },
  })

const remove = (api: ApiParts) =>
  route({
    ...change,
    method: 'DELETE',
    path: `${path}/:reference`,
    operation: 'deleteInvoice',
    summary: 'Delete a draft',
    description:
      'Removes a draft for good and returns it as it was. Drafts have no number, so the series keeps no gap. A final invoice cannot be deleted: void it.',
    params,
    answers: { 200: invoice },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { environment, now, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return api.change(
        request,
        (tx) => deleteDraft(tx, name),
        (deleted) => successText(200, 'Draft deleted', showInvoice(deleted, now)),
      )
    },
  })

const finalize = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/finalize`,
    operation: 'finalizeInvoice',
    summary: 'Finalize an invoice',
    description:
      'Gives the draft the next number of its series. From then on it is due, and cannot be changed. Credit of the customer pays it at once, unless the setting `invoices.applyCredit` is off. Repeating it changes nothing.',
    params,
    answers: { 200: invoice },
    refusals: ['not_found', ...erased, ...wrongState],
    handle(request) {
      const { environment, now, params } = request
      const { reference } = params
      return api.change(
        request,
        (tx, realNow) => finalizeInvoice(tx, { now, realNow }, { environment, reference }),
        (finalized) => successText(200, 'Invoice finalized', showInvoice(finalized, now)),
      )
    },
  })

const send = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/send`,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    operation: 'sendInvoice',
    summary: 'Send an invoice',
    description:
      'Mails a final invoice to its customer, also if it was sent before: at most ten times in all. With the setting `mails.invoices`, invoices are sent when they are finalized.',
    params,
    answers: { 200: invoice },
    refusals: ['not_found', ...withReasons('invoice_failed', 'invalid_state', 'too_many')],
    handle(request) {
      const { environment, now, params } = request
      const { reference } = params
      return api.change(
        request,
        (tx, realNow) => sendInvoice(tx, { now, realNow }, { environment, reference }),
        (sent) => successText(200, 'Invoice sent', showInvoice(sent, now)),
        { isKept: true },
      )
    },
  })

const voidIt = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/void`,
    operation: 'voidInvoice',
    summary: 'Void an invoice',
    description:
      'An invoice that no payment paid is not due any more. It keeps its number; credit that paid it is given back. Repeating it changes nothing.',
    params,
    answers: { 200: invoice },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { environment, now, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return api.change(
        request,
        (tx, realNow) => voidInvoice(tx, { now, realNow }, name),
        (voided) => successText(200, 'Invoice voided', showInvoice(voided, now)),
      )
    },
  })

const creditBody = withExample(
  closed({
    amount: Type.Union([koboInput, decimalInput], {
      description: 'An integer in kobo for NGN; a decimal string for coins.',
      examples: [50_000],
    }),
    reason: Type.Optional(
      lineOfText(invoiceLimits.descriptionLengthMax, {
        description: 'Why; your team sees it.',
        examples: ['One yard was damaged'],
      }),
    ),
  }),
  { amount: 50_000, reason: 'One yard was damaged' },
)

const credit = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/credit`,
    requiresIdempotencyKey: true,
    operation: 'creditInvoice',
    summary: 'Credit an invoice',
    description:
      'Gives up a part of a final invoice: first of what is due; what was paid already becomes credit of the customer.',
    params,
    body: creditBody,
    answers: { 200: invoice },
    refusals: ['not_found', ...wrongState],
    async handle(request) {
      const { environment, now, params, body } = request
      const name = { environmentId: environment.id, reference: params.reference }
      const { asset } = await getInvoice(api.db, name)
      const amount = readAnyAmount('amount', body.amount, asset)
      const note = { amount, reason: body.reason ?? null, ...creatorOf(request) }
      return api.change(
        request,
        (tx, realNow) => creditInvoice(tx, { now, realNow }, name, note),
        (credited) => successText(200, 'Invoice credited', showInvoice(credited, now)),
        { isKept: true },
      )
    },
  })
