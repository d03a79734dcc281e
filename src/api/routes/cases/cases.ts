import Type, { type Static } from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { fromReference, prefixes } from '../../../base/ids.js'
import { invalidField } from '../../../base/refusal.js'
import { orNull, referenceSample, withExample } from '../../../base/shapes.js'
import {
  type CaseKind,
  type CaseStatus,
  caseKinds,
  caseOutcomes,
  caseStatuses,
  itemKindOf,
} from '../../../cases/case.js'
import {
  addItems,
  changeCase,
  closeCase,
  createCase,
  removeItems,
  reopenCase,
} from '../../../cases/change-cases.js'
import { caseLimits } from '../../../cases/limits.js'
import { caseSchema, showCase } from '../../../cases/resource.js'
import { caseList, getCase } from '../../../cases/store-cases.js'
import type { Actor } from '../../../team/actor.js'
import { type Permissions, seenWith } from '../../../team/seen-with.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { readTimeTo, timeIn } from '../../parse/read-time.js'
import {
  closed,
  inPath,
  lineOfText,
  linesOfText,
  oneOf,
  plainText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/cases'
const base = { access: 'secret', tag: 'Cases' } as const
const see = { ...base, permission: 'cases.see' } as const
const change = { ...base, permission: 'cases.change' } as const
const params = inPath('reference', referenceSample(prefixes.case))
const wrongState = withReasons('case_failed', 'invalid_state')

export function caseRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    list(api),
    read(api),
    update(api),
    add(api),
    remove(api),
    close(api),
    reopen(api),
  ]
}

const kind = oneOf([...caseKinds], 'What kind of case it is.')

const title = lineOfText(caseLimits.titleLengthMax, {
  description: 'What it is about, in one line.',
  examples: ['Customer did not order this'],
})

const description = linesOfText(caseLimits.descriptionLengthMax, {
  description: 'What happened, in any number of lines.',
  examples: ['She paid twice and got one parcel.'],
})

const externalReference = lineOfText(caseLimits.externalReferenceLengthMax, {
  description: 'What the bank, the regulator or the customer calls the case.',
  examples: ['CBN-2036-0117'],
})

const deadline = timeIn(
  'Until when the case must be closed; in the future. A date includes that day in Lagos.',
)

const assignee = Type.String({
  maxLength: 64,
  description: 'Reference of the member who works on it.',
  examples: [referenceSample(prefixes.user)],
  'x-left-out': true,
})

const itemsOf = (text: string) =>
  Type.Array(Type.String({ maxLength: 64, examples: [referenceSample(prefixes.payment)] }), {
    minItems: 1,
    maxItems: caseLimits.itemsMax,
    description: `References of payments, bank and crypto transfers, recipients or customers ${text}.`,
    examples: [[referenceSample(prefixes.payment)]],
  })

const createBody = withExample(
  closed({
    kind,
    title,
    description: Type.Optional(description),
    externalReference: Type.Optional(externalReference),
    deadline: Type.Optional(deadline),
    assignee: Type.Optional(assignee),
    items: Type.Optional(itemsOf('that it is about')),
  }),
  { kind: 'FRAUD', title: 'Customer did not order this' },
)

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    operation: 'createCase',
    summary: 'Open a case',
    description:
      'Opens a case about payments, transfers, recipients and customers. Adding one needs the permission to see it.',
    body: createBody,
    answers: { 201: caseSchema },
    refusals: ['not_found'],
    async handle(request) {
      const { environment, now, body } = request
      const items = body.items ?? []
      refuseUnseenItems(request, items)
      const wanted = {
        environmentId: environment.id,
        mode: environment.mode,
        kind: body.kind as CaseKind,
        title: body.title,
        description: body.description ?? null,
        externalReference: body.externalReference ?? null,
        deadline: readDeadline(now, body.deadline ?? null),
        assigneeId: readAssignee(body.assignee ?? null),
        ...creatorOf(request),
      }
      return api.change(
        request,
        (tx, realNow) => createCase(tx, { now, realNow }, wanted, items),
        (created) => successText(201, 'Case opened', showCase(created, now)),
      )
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listCases',
    summary: 'List cases',
    description:
      'Returns cases, newest first. Filters combine. Send `Accept: text/csv` to export all of them.',
    title: 'Cases',
    filters: {
      status: Type.Optional(withStatus([...caseStatuses])),
      kind: Type.Optional(oneOf([...caseKinds], 'Only cases of this kind.')),
      item: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'Only cases about this payment, bank or crypto transfer, recipient or customer.',
          examples: [referenceSample(prefixes.payment)],
        }),
      ),
      assignee: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'Only cases that this member works on.',
          examples: [referenceSample(prefixes.user)],
        }),
      ),
      externalReference: Type.Optional(
        Type.String({
          maxLength: caseLimits.externalReferenceLengthMax,
          pattern: plainText,
          description: 'Only cases with this external reference.',
          examples: ['CBN-2036-0117'],
        }),
      ),
      ...timeFilters,
    },
    item: caseSchema,
    columns: csvColumns(
      'reference',
      'createdAt',
      'kind',
      'status',
      'title',
      'externalReference',
      'deadline',
      'assignee.name',
      'outcome',
      'outcomeNote',
      'closedAt',
      'createdBy.name',
      'description',
    ),
    cursor: cursorOf(prefixes.case),
    toFilter: ({ query, now }) => ({
      ...readTimeRange(query),
      ...readStatus(query.status as CaseStatus | undefined, now),
      kind: query.kind as CaseKind | undefined,
      item: query.item,
      assignee: query.assignee,
      externalReference: query.externalReference,
    }),
    rows: caseList,
    show: (row, { now }) => showCase(row, now),
  })

function readStatus(status: CaseStatus | undefined, now: Date) {
  return status === 'OVERDUE' ? { overdueAt: now } : { status }
}

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getCase',
    summary: 'Retrieve a case',
    description:
      'Returns the case with what it is about. `GET /v1/timeline/{reference}` returns what happened to it.',
    params,
    answers: { 200: caseSchema },
    refusals: ['not_found'],
    async handle(request) {
      const found = await getCase(db, nameOf(request))
      return successText(200, 'Case', showCase(found, request.now))
    },
  })

const orNone = (schema: typeof title & { description?: string }) =>
  Type.Optional(orNull(schema, schema.description))

const updateBody = withExample(
  closed({
    kind: Type.Optional(kind),
    title: Type.Optional(title),
    description: orNone(description),
    externalReference: orNone(externalReference),
    deadline: orNone(deadline),
    assignee: orNone(assignee),
  }),
  { title: 'Customer paid twice' },
)

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeCase',
    summary: 'Change a case',
    description:
      'Changes what you send; null removes a description, an external reference, a deadline or an assignee. A closed case must be reopened first.',
    params,
    body: updateBody,
    answers: { 200: caseSchema },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { now } = request
      const changes = readChanges(now, request.body)
      return api.change(
        request,
        (tx, realNow) => changeCase(tx, realNow, nameOf(request), changes),
        (changed) => successText(200, 'Case changed', showCase(changed, now)),
      )
    },
  })

function readChanges(now: Date, { deadline, assignee, ...others }: Static<typeof updateBody>) {
  return {
    ...(others as Omit<typeof others, 'kind'> & { kind?: CaseKind }),
    ...(deadline !== undefined && { deadline: readDeadline(now, deadline) }),
    ...(assignee !== undefined && { assigneeId: readAssignee(assignee) }),
  }
}

const add = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/items`,
    operation: 'addCaseItems',
    summary: 'Add items to a case',
    description:
      'Adds what the case is about. Adding an item needs the permission to see it; adding it again changes nothing.',
    params,
    body: closed({ items: itemsOf('to add') }),
    answers: { 200: caseSchema },
    refusals: ['not_found', ...wrongState, ...withReasons('case_failed', 'too_many')],
    async handle(request) {
      const { now, body } = request
      refuseUnseenItems(request, body.items)
      return api.change(
        request,
        (tx, realNow) => addItems(tx, { now, realNow }, nameOf(request), body.items),
        (changed) => successText(200, 'Items added', showCase(changed, now)),
      )
    },
  })

const remove = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/items/remove`,
    operation: 'removeCaseItems',
    summary: 'Remove items from a case',
    description:
      'Removes items that do not belong to the case. The items themselves do not change.',
    params,
    body: closed({ items: itemsOf('to remove') }),
    answers: { 200: caseSchema },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { now, body } = request
      return api.change(
        request,
        (tx, realNow) => removeItems(tx, { now, realNow }, nameOf(request), body.items),
        (changed) => successText(200, 'Items removed', showCase(changed, now)),
      )
    },
  })

const closeBody = withExample(
  closed({
    outcome: oneOf(
      [...caseOutcomes],
      '`UPHELD`: the complaint was right. `REJECTED`: it was not. `OTHER`: `outcomeNote` says it.',
    ),
    outcomeNote: Type.Optional(
      linesOfText(caseLimits.outcomeNoteLengthMax, {
        description: 'What was decided, in your words. Required with `OTHER`.',
        examples: ['Refunded'],
      }),
    ),
  }),
  { outcome: 'UPHELD', outcomeNote: 'Refunded' },
)

const close = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/close`,
    operation: 'closeCase',
    summary: 'Close a case',
    description:
      'Closes the case with an outcome. Repeating it with the same outcome changes nothing.',
    params,
    body: closeBody,
    answers: { 200: caseSchema },
    refusals: ['not_found', ...wrongState],
    async handle(request) {
      const { now, body } = request
      const outcome = body.outcome as (typeof caseOutcomes)[number]
      const outcomeNote = body.outcomeNote ?? null
      if (outcome === 'OTHER' && outcomeNote === null)
        throw invalidField('outcomeNote', 'is required if the outcome is OTHER')
      return api.change(
        request,
        (tx, realNow) => closeCase(tx, { now, realNow }, nameOf(request), { outcome, outcomeNote }),
        (changed) => successText(200, 'Case closed', showCase(changed, now)),
      )
    },
  })

const reopen = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/reopen`,
    operation: 'reopenCase',
    summary: 'Reopen a case',
    description: 'Opens a closed case again, without its outcome. Repeating it changes nothing.',
    params,
    answers: { 200: caseSchema },
    refusals: ['not_found'],
    handle(request) {
      const { now } = request
      return api.change(
        request,
        (tx, realNow) => reopenCase(tx, { now, realNow }, nameOf(request)),
        (changed) => successText(200, 'Case reopened', showCase(changed, now)),
      )
    },
  })

function readDeadline(now: Date, text: string | null): Date | null {
  if (text === null) return null
  const deadline = readTimeTo('deadline', text)
  if (deadline > now) return deadline
  throw invalidField('deadline', 'must be in the future')
}

function readAssignee(reference: string | null): string | null {
  if (reference === null) return null
  const id = fromReference(prefixes.user, reference)
  if (id) return id
  throw invalidField('assignee', 'must be a member of your team')
}

type Caller = { permissions: Permissions; actor: Actor; environment: Environment }

/** A case shows amount and status of its items. */
function refuseUnseenItems(caller: Caller, references: string[]): void {
  for (const reference of references) {
    const kind = itemKindOf(reference)
    if (kind && !caller.permissions.has(seenWith[kind])) throw refuseUnseen(caller, seenWith[kind])
  }
}

function nameOf({
  environment,
  params: { reference },
}: Pick<RouteRequest<unknown, unknown, { reference: string }>, 'environment' | 'params'>) {
  return { environmentId: environment.id, reference }
}
