import Type from 'typebox'
import type { RealTime } from '../../../base/clock.js'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { referenceSample } from '../../../base/shapes.js'
import { subaccountIdOf } from '../../../ledger/accounts.js'
import { findKeyNames } from '../../../merchants/keys/find-key-names.js'
import { approversOf, findApprovers } from '../../../payouts/approvals/find-approvers.js'
import {
  type Batch,
  type BatchKind,
  type BatchState,
  batchStates,
  type ItemState,
  itemStates,
} from '../../../payouts/batches/batch.js'
import { createBatch } from '../../../payouts/batches/create-batch.js'
import {
  payoutBatch,
  payoutBatchItem,
  showBatch,
  showItem,
} from '../../../payouts/batches/resource.js'
import { retryBatch } from '../../../payouts/batches/retry-batch.js'
import { batchList, getBatch, listItems } from '../../../payouts/batches/store-batches.js'
import { cancelBatch, submitBatch } from '../../../payouts/batches/submit-batch.js'
import { batchLimits } from '../../../payouts/limits.js'
import { showCreator } from '../../../payouts/records/disbursement-resource.js'
import { readList } from '../../../postgres/lists/find-ids.js'
import type { Queryable, Tx } from '../../../postgres/transactions/tx.js'
import type { Actor } from '../../../team/actor.js'
import { findUserNames } from '../../../team/find-user-names.js'
import { creatorOf } from '../../auth/creator-of.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { batchTemplate, readBatchCsv } from '../../parse/batch-csv.js'
import {
  batchBody,
  batchName,
  completeItems,
  findRecipientIssues,
  readBatchItems,
} from '../../parse/read-batch.js'
import { readTimeRange } from '../../parse/read-filters.js'
import {
  fromIn,
  readPayingSubaccount,
  readSubaccountFilter,
  subaccountFilter,
} from '../../parse/read-paying-subaccount.js'
import { closed, inPath, oneOf, timeFilters, withStatus } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { answerList } from '../../server/answer-list.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf, numberCursor } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { listRoute, pageReader } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'
import { showApprovers } from './approvals.js'

const path = '/v1/disbursements/batches'
const params = inPath('reference', referenceSample(prefixes.payoutBatch))
const base = { access: 'secret', tag: 'Disbursements' } as const
const readBase = { ...base, method: 'GET', permission: 'payouts.see' } as const
const changeBase = { ...base, method: 'POST', permission: 'payouts.create' } as const

export function payoutBatchRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    template(),
    list(api),
    read(api),
    items(api),
    report(api),
    submit(api),
    cancel(api),
    retry(api),
  ]
}

type BatchAnswer = {
  status: number
  message: string | ((changed: Batch) => string)
  keepsKey: boolean
}

/** Changes a batch, at most once per key, and answers with the batch. */
export function changeBatch(
  api: Pick<ApiParts, 'change'>,
  request: KeyedRequest,
  { status, message, keepsKey }: BatchAnswer,
  change: (tx: Tx, now: RealTime) => Promise<Batch> | Batch,
) {
  const toAnswer = (batch: Batch) =>
    success(status, typeof message === 'string' ? message : message(batch), showBatch(batch))
  return api.change(request, change, toAnswer, { isKept: keepsKey })
}

const create = (api: ApiParts) =>
  route({
    ...changeBase,
    path,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    bodyBytesMax: batchLimits.bodyBytesMax,
    operation: 'createPayoutBatch',
    summary: 'Create a payout batch',
    description:
      'Creates a batch of up to 10,000 bank transfers or crypto transfers, from JSON or a CSV file with the columns of the template. A file with mistakes is refused as a whole; the response lists them with their lines. Account names, destinations and fees are then checked in the background (`VALIDATING`). Nothing is paid until you submit the batch.',
    body: batchBody,
    readCsv: (text, environment) =>
      readBatchCsv(text, api.naira[environment.mode], (kind, references) =>
        findRecipientIssues(api.db, environment, kind, references),
      ),
    csvSample: batchTemplate('bank_transfer'),
    query: closed({ name: batchName, from: fromIn }),
    answers: { 201: payoutBatch },
    refusals: ['not_found', ...withReasons('subaccount_failed', 'invalid_state')],
    async handle(request) {
      const { environment, body, headers, now } = request
      const isCsv = (headers['content-type'] ?? '').toLowerCase().startsWith('text/csv')
      const naira = api.naira[environment.mode]
      const sent = await readBatchItems(api.db, environment, body, { naira, isCsv })
      const { kind, asset } = sent
      const creation = { status: 201, message: 'Batch created', keepsKey: true }
      const from = body.from ?? request.query.from
      return changeBatch(api, request, creation, async (tx, realNow) => {
        const takesFrom =
          from === undefined ? null : await readPayingSubaccount(tx, environment.id, from)
        return createBatch(tx, realNow, {
          environment,
          kind,
          asset,
          name: body.name ?? request.query.name ?? null,
          subaccountId: takesFrom && subaccountIdOf(takesFrom)!,
          retryOf: null,
          items: await completeItems(tx, environment, sent),
          ...creatorOf(request),
          at: now,
        })
      })
    },
  })

const template = () =>
  route({
    ...readBase,
    path: `${path}/template`,
    isCsvOnly: true,
    csvSample: batchTemplate('bank_transfer'),
    operation: 'getPayoutBatchTemplate',
    summary: 'Download the template of a batch',
    description: 'Returns a CSV file with the names of the columns and a sample row.',
    query: closed({
      kind: oneOf(['bank_transfer', 'crypto_transfer'], 'Kind of the items.'),
    }),
    answers: {},
    async handle({ query }) {
      return {
        status: 200,
        body: batchTemplate(query.kind as BatchKind),
        contentType: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': `attachment; filename="${query.kind}-batch.csv"` },
      }
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...readBase,
    path,
    operation: 'listPayoutBatches',
    summary: 'List payout batches',
    description: 'Returns batches, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Payout batches',
    filters: {
      status: Type.Optional(withStatus([...batchStates])),
      subaccount: subaccountFilter('batches'),
      ...timeFilters,
    },
    item: payoutBatch,
    columns: batchColumns,
    cursor: cursorOf(prefixes.payoutBatch),
    toFilter: ({ query }) => ({
      state: query.status as BatchState | undefined,
      ...readSubaccountFilter(query.subaccount),
      ...readTimeRange(query),
    }),
    async rows(db, { environment, actor, now }, filter, page) {
      const { rows, next } = await readList(
        db,
        batchList,
        { environmentId: environment.id, filter },
        page,
      )
      return { rows: await showAll(db, rows, { actor, now }), next }
    },
    show: (batch) => toJson(batch),
  })

const batchColumns = csvColumns(
  'reference',
  'name',
  'createdAt',
  'status',
  'kind',
  'asset',
  'items',
  inBothUnits('amount'),
  inBothUnits('fee'),
  inBothUnits('totalDebit'),
  'counts.completed',
  'counts.failed',
  'counts.invalid',
  'counts.warnings',
  'createdBy.name',
  'submittedAt',
  'endedAt',
  inBothUnits('paid.amount'),
  inBothUnits('paid.fee'),
  inBothUnits('levy'),
  inBothUnits('paid.levy'),
  inBothUnits('feeVat'),
  inBothUnits('paid.feeVat'),
  'from',
)

const read = ({ db }: ApiParts) =>
  route({
    ...readBase,
    path: `${path}/:reference`,
    operation: 'getPayoutBatch',
    summary: 'Retrieve a payout batch',
    description: 'Returns the batch with its totals, fees, counts and progress.',
    params,
    answers: { 200: payoutBatch },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, actor, now }) {
      const batch = await getBatch(db, { environmentId: environment.id, reference })
      const [shown] = await showAll(db, [batch], { actor, now })
      return success(200, 'Batch', shown!)
    },
  })

/** Adds the creator and, for members, who may approve a batch that waits. */
export async function showAll(
  db: Queryable,
  batches: Batch[],
  { actor, now }: { actor: Actor; now: Date },
): Promise<object[]> {
  const [first] = batches
  if (!first) return []
  const { environmentId } = first
  const keyIds = batches.flatMap(({ createdByKey }) => createdByKey ?? [])
  const userIds = batches.flatMap(({ createdByUser }) => createdByUser ?? [])
  const keys = await findKeyNames(db, environmentId, keyIds)
  const users = await findUserNames(db, userIds)
  const pending = batches.filter(({ state }) => actor.kind === 'user' && state === 'PENDING')
  const approvers = await findApprovers(
    db,
    environmentId,
    pending.map((batch) => ({
      ...batch,
      waitsSince: batch.submittedAt!,
      approvedBy: approversOf(batch.approval!),
    })),
  )
  return batches.map((batch) => {
    const shown = { ...showBatch(batch), createdBy: showCreator(batch, { keys, users }) }
    if (actor.kind !== 'user') return shown
    return { ...shown, ...showApprovers(approvers.get(batch.id) ?? [], { actor, now }) }
  })
}

const itemCursor = numberCursor('row', 999_999n)

const itemColumns = csvColumns(
  'row',
  'status',
  'asset',
  inBothUnits('amount'),
  inBothUnits('fee'),
  'accountName',
  'accountNumber',
  'bankName',
  'bankCode',
  'narration',
  'destinationAddress',
  'merchantReference',
  'problem.reason',
  'problem.message',
  'warnings',
  'transferReference',
  'transferStatus',
  'endedAt',
  inBothUnits('levy'),
  'purpose',
  inBothUnits('feeVat'),
  'recipient',
)

const items = ({ db, openPage }: ApiParts) =>
  listRoute(openPage, {
    ...readBase,
    path: `${path}/:reference/items`,
    operation: 'listPayoutBatchItems',
    summary: 'List the items of a batch',
    description:
      'Returns items in the order of the batch. Send `Accept: text/csv` to export all of them.',
    params,
    title: ({ params }) => `Batch ${params.reference}`,
    filters: {
      status: Type.Optional(withStatus([...itemStates])),
      hasWarnings: Type.Optional(oneOf(['true'], 'Only items with warnings.')),
    },
    item: payoutBatchItem,
    refusals: ['not_found'],
    columns: itemColumns,
    cursor: itemCursor,
    toFilter: async ({ environment, params: { reference }, query }) => ({
      batch: await getBatch(db, { environmentId: environment.id, reference }),
      state: query.status as ItemState | undefined,
      hasWarnings: query.hasWarnings === 'true',
    }),
    async rows(db, _request, { batch, ...filter }, page) {
      const { rows, next } = await listItems(db, batch, filter, page)
      return { rows: rows.map((item) => showItem(batch, item)), next }
    },
    show: (item) => toJson(item),
  })

const report = (api: ApiParts) =>
  route({
    ...readBase,
    path: `${path}/:reference/report`,
    isCsvOnly: true,
    isHeavy: true,
    csvSample: 'row,status,asset,amountMajor,amountMinor\n1,COMPLETED,NGN,12500.00,1250000\n',
    operation: 'getPayoutBatchReport',
    summary: 'Download the results of a batch',
    description: 'Returns every item with its result as CSV.',
    params,
    answers: {},
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, forExcel }) {
      const batch = await getBatch(api.db, { environmentId: environment.id, reference })
      return answerList(
        { query: {}, wantsCsv: true, forExcel },
        {
          title: `Batch ${reference}`,
          columns: itemColumns,
          readPage: pageReader(api.openPage, {
            cursor: itemCursor,
            read: (db, page) => listItems(db, batch, { hasWarnings: false }, page),
            show: (item) => toJson(showItem(batch, item)),
          }),
        },
      )
    },
  })

const submit = (api: ApiParts) =>
  route({
    ...changeBase,
    path: `${path}/:reference/submit`,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    stepUp: 'live',
    operation: 'submitPayoutBatch',
    summary: 'Submit a payout batch',
    description:
      'Pays the items of a validated batch in the background. Your balance must cover all items and their fees. If your approval rule applies to the total, the batch waits as `PENDING` until a second member approves it.',
    params,
    body: closed({
      skipInvalid: Type.Optional(
        Type.Boolean({
          description: 'Pays an `INVALID` batch without the items that cannot be paid.',
          examples: [false],
        }),
      ),
    }),
    answers: { 200: payoutBatch },
    refusals: [
      'insufficient_balance',
      ...withReasons('subaccount_failed', 'invalid_state'),
      'not_found',
      ...withReasons('batch_failed', 'invalid_state', 'has_invalid_items'),
      ...withReasons('forbidden', 'payouts_wait'),
    ],
    handle(request) {
      const { environment, body, now } = request
      const { reference } = request.params
      const submission = { status: 200, message: 'Batch submitted', keepsKey: true }
      return changeBatch(api, request, submission, (tx, realNow) =>
        submitBatch(tx, realNow, {
          environmentId: environment.id,
          reference,
          skipsInvalid: body.skipInvalid ?? false,
          submitter: request.apiKey?.payoutsWait ? request.keyId : null,
          at: now,
        }),
      )
    },
  })

const cancel = (api: ApiParts) =>
  route({
    ...changeBase,
    path: `${path}/:reference/cancel`,
    operation: 'cancelPayoutBatch',
    summary: 'Cancel a payout batch',
    description:
      'Ends a batch that was not submitted. Of a batch that is being paid, it stops the rest: items that are not transfers yet fail with the reason `batch_cancelled` and can be retried, transfers that exist go on, and the batch ends with them.',
    params,
    answers: { 200: payoutBatch },
    refusals: ['not_found', ...withReasons('batch_failed', 'invalid_state')],
    handle(request) {
      const { environment, now } = request
      const { reference } = request.params
      const cancellation = { status: 200, message: 'Batch cancelled', keepsKey: false }
      return changeBatch(api, request, cancellation, (tx, realNow) =>
        cancelBatch(tx, realNow, { environmentId: environment.id, reference, at: now }),
      )
    },
  })

const retry = (api: ApiParts) =>
  route({
    ...changeBase,
    path: `${path}/:reference/retry`,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    operation: 'retryPayoutBatch',
    summary: 'Retry the failed items of a batch',
    description:
      'Creates a new batch of the items that failed. If the failed transfer used your reference, `.retry1` is appended to it, because references are unique. The items are in one batch at a time: a second one is refused unless the first was cancelled, rejected or has expired.',
    params,
    answers: { 201: payoutBatch },
    refusals: ['not_found', ...withReasons('batch_failed', 'invalid_state', 'nothing_to_retry')],
    handle(request) {
      const { environment, now } = request
      const { reference } = request.params
      const creation = { status: 201, message: 'Batch created', keepsKey: true }
      return changeBatch(api, request, creation, (tx, realNow) =>
        retryBatch(tx, realNow, { environment, reference, at: now, ...creatorOf(request) }),
      )
    },
  })
