import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { referenceSample } from '../../../base/shapes.js'
import { changeSchedule, createSchedule } from '../../../customers/schedules/change-schedule.js'
import { invoiceSchedule, showSchedule } from '../../../customers/schedules/resource.js'
import { type ScheduleStatus, scheduleStatuses } from '../../../customers/schedules/schedule.js'
import { getSchedule, scheduleList } from '../../../customers/schedules/store-schedules.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readTimeRange } from '../../parse/read-filters.js'
import {
  readNewSchedule,
  readScheduleChange,
  scheduleBody,
  scheduleChange,
} from '../../parse/read-schedule.js'
import { inPath, timeFilters, withStatus } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/invoice-schedules'
const base = { access: 'secret', tag: 'Customers' } as const
const see = { ...base, permission: 'customers.see' } as const
const change = { ...base, permission: 'customers.change' } as const
const params = inPath('reference', referenceSample(prefixes.invoiceSchedule))

export function invoiceScheduleRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), update(api)]
}

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    operation: 'createInvoiceSchedule',
    summary: 'Create an invoice schedule',
    description:
      'Makes and finalizes an invoice for each month or week, at 06:00 in Lagos, once for each. If the first day is today, its invoice is made at once. Credit of the customer pays it.',
    body: scheduleBody,
    answers: { 201: invoiceSchedule },
    refusals: ['not_found', ...withReasons('customer_failed', 'invalid_state')],
    handle(request) {
      const { environment, now } = request
      const wanted = readNewSchedule(request.body, request)
      return api.change(
        request,
        (tx) => createSchedule(tx, now, { environment, baseUrl: api.baseUrl() }, wanted),
        (created) => successText(201, 'Invoice schedule created', showSchedule(created)),
        { isKept: true },
      )
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listInvoiceSchedules',
    summary: 'List invoice schedules',
    description: 'Returns schedules, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Invoice schedules',
    filters: {
      status: Type.Optional(withStatus([...scheduleStatuses])),
      customer: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Reference of a customer.',
          examples: [referenceSample(prefixes.customer)],
        }),
      ),
      ...timeFilters,
    },
    item: invoiceSchedule,
    columns: csvColumns(
      'reference',
      'status',
      'customer',
      'frequency',
      'every',
      'day',
      'weekday',
      'startsOn',
      'endsOn',
      'nextOn',
      'runs',
      'asset',
      inBothUnits('total', 'asset'),
      'createdAt',
      'endedAt',
    ),
    cursor: cursorOf(prefixes.invoiceSchedule),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      status: query.status as ScheduleStatus | undefined,
      customer: query.customer,
    }),
    rows: scheduleList,
    show: showSchedule,
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getInvoiceSchedule',
    summary: 'Retrieve an invoice schedule',
    description: 'Returns the schedule, with the day of its next invoice.',
    params,
    answers: { 200: invoiceSchedule },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getSchedule(db, { environmentId: environment.id, reference })
      return successText(200, 'Invoice schedule', showSchedule(found))
    },
  })

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeInvoiceSchedule',
    summary: 'Change an invoice schedule',
    description:
      'Pauses, resumes or ends it, or changes its later invoices; null removes a value. Resuming makes no invoices of days that passed meanwhile. A schedule that has ended cannot be changed.',
    params,
    body: scheduleChange,
    answers: { 200: invoiceSchedule },
    refusals: ['not_found', ...withReasons('invoice_failed', 'invalid_state')],
    async handle(request) {
      const { environment, now, params, body } = request
      const { reference } = params
      // The asset of a schedule never changes.
      const { asset } = await getSchedule(api.db, { environmentId: environment.id, reference })
      const wanted = readScheduleChange(body, request, asset)
      return api.change(
        request,
        (tx) => changeSchedule(tx, now, { environment, reference }, wanted),
        (changed) => successText(200, 'Invoice schedule changed', showSchedule(changed)),
      )
    },
  })
