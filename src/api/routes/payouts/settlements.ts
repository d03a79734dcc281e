import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { type Outcome, Refusal } from '../../../base/refusal.js'
import { referenceSample, withDescription } from '../../../base/shapes.js'
import { createExchange } from '../../../conversions/exchange.js'
import type { KeyedAnswer } from '../../../idempotency/answer.js'
import { listStatementEntries } from '../../../ledger/statement.js'
import { lockEnvironment } from '../../../merchants/environments.js'
import { settleRest } from '../../../merchants/settings/settlement-schedule.js'
import { formatMoney } from '../../../money/amounts.js'
import { sayWait } from '../../../payouts/controls/wait.js'
import { createSettlement } from '../../../payouts/settlements/create-settlement.js'
import { prepareSettlement } from '../../../payouts/settlements/prepare-settlement.js'
import type {
  PreparedSettlement,
  SettlementRequest,
} from '../../../payouts/settlements/prepared-settlement.js'
import {
  payoutStatusOf,
  settlement,
  settlementSummary,
  showSettlement,
  showSettlementSummary,
} from '../../../payouts/settlements/resource.js'
import {
  type Settlement,
  type SettlementStatus,
  settlementReference,
  settlementStatuses,
} from '../../../payouts/settlements/settlement.js'
import {
  getSettlement,
  listSettlements,
  type SettlementWithPayout,
  sumSettlements,
} from '../../../payouts/settlements/store-settlements.js'
import { listLimits } from '../../../postgres/limits.js'
import type { Page } from '../../../postgres/lists/list.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { Subaccount } from '../../../subaccounts/subaccount.js'
import type { Actor } from '../../../team/actor.js'
import { seenWith, sees } from '../../../team/seen-with.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { refuseOthers } from '../../auth/subaccount-keys.js'
import { bankRefusalReasons, chainRefusalReasons, withReasons } from '../../openapi/refusals-of.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { readSubaccountFilter, subaccountFilter } from '../../parse/read-paying-subaccount.js'
import { closed, inPath, koboInput, timeFilters, withStatus } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitAndSend } from '../../pipeline/commit-and-send.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { anotherList, numberCursor } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import { balanceEntry, entryColumns, toItems } from '../balances/balance-entries.js'

const path = '/v1/settlements'
const base = { access: 'secret', tag: 'Settlements' } as const
const params = inPath('reference', referenceSample(prefixes.settlement))

const ofSubaccount = subaccountFilter('settlements')

export function settlementRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), summary(api), read(api), entries(api)]
}

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    // It pays the whole balance, and its report shows balances.
    alsoNeeds: ['balances.see'],
    stepUp: 'live',
    operation: 'createSettlement',
    summary: 'Settle now',
    description:
      'Pays the available naira above the reserve in your settings to your primary bank account, as a bank transfer with its usual fee: `amount`, or as much as possible in whole naira. If that is more than one transfer may carry, further settlements follow at once, until less than the minimum in your settings is above the reserve; the message says so. With `settlement.payTo` `wallet` in your settings, `amount` or all of it is converted at the rate of the moment, and the coins less the fee of a crypto transfer are paid to your wallet.',
    body: settlementBody,
    answers: { 201: settlement },
    refusals: [
      'insufficient_balance',
      ...withReasons(
        'bank_transfer_failed',
        'no_bank_account',
        'bank_account_waiting',
        'destination_unconfirmed',
        'invalid_state',
        'nothing_to_settle',
        ...bankRefusalReasons,
      ),
      ...withReasons(
        'crypto_transfer_failed',
        'no_wallet',
        'wallet_waiting',
        'destination_unconfirmed',
        'invalid_state',
        'nothing_to_settle',
        ...chainRefusalReasons,
      ),
      ...withReasons(
        'conversion_failed',
        'rate_unavailable',
        'capacity',
        'amount_too_small',
        'balance_limit',
      ),
    ],
    handle: (request) => settleNow(api, request, null),
  })

export const settlementBody = Type.Optional(
  closed({
    amount: Type.Optional(
      withDescription(koboInput, 'Amount to pay; by default as much as possible.'),
    ),
  }),
)

type Requester = KeyedRequest & { actor: Actor; keyId: string | null }

/** A settlement of the merchant, or of a sub-account, on request. */
export function prepareRequested(
  api: ApiParts,
  { environment, now, keyId, actor }: Requester,
  wanted: Pick<SettlementRequest, 'subaccount' | 'requestedAmount'>,
): Promise<Outcome<PreparedSettlement>> {
  const tools = {
    db: api.db,
    preparation: api.payoutPreparation,
    naira: api.naira,
    exchange: createExchange(api),
  }
  return prepareSettlement(tools, now, {
    environment,
    ...wanted,
    requestedBy: creatorOf({ keyId, actor }),
    scheduledFor: null,
    hasMinimum: false,
  })
}

/** Settles the merchant, or a sub-account, now. */
export async function settleNow(
  api: ApiParts,
  request: Requester & { body?: { amount?: number } | undefined },
  subaccount: Subaccount | null,
): Promise<KeyedAnswer> {
  const { environment, body } = request
  const amount = body?.amount
  if (amount !== undefined) checkNairaLimits(api, { environment, body: { amount } })
  const requestedAmount = amount === undefined ? null : BigInt(amount)
  const prepared = await prepareRequested(api, request, { subaccount, requestedAmount })
  if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
  return commitAndSend(api, request, {
    async commit(tx, realNow) {
      // Before the ledger accounts: workers lock in this order.
      if (prepared.hasRest) await lockEnvironment(tx, environment.id)
      const created = await createSettlement(tx, realNow, prepared)
      if (created instanceof Refusal) throw created
      if (prepared.hasRest) settleRest(tx, realNow, environment, subaccount?.id)
      return created
    },
    toAnswer(created) {
      const { payout } = created
      const submitted = `Settlement of ${formatMoney(payout.amount, 'NGN')} submitted, the most that one transfer carries. The rest follows in further settlements`
      const isWaiting = payout.status === 'PENDING'
      const message = isWaiting
        ? `Settlement ${sayWait(payout.approval)}`
        : prepared.hasRest
          ? submitted
          : 'Settlement submitted'
      return success(201, message, show(created))
    },
    payoutOf: ({ payout }) => (payout.status === 'SUBMITTED' ? prepared.payout : null),
  }).finally(prepared.payout.finish)
}

const settlementColumns = csvColumns(
  'reference',
  'createdAt',
  'status',
  'scheduledFor',
  'currency',
  inBothUnits('amount'),
  inBothUnits('fee'),
  inBothUnits('report.opening'),
  inBothUnits('report.credits'),
  inBothUnits('report.debits'),
  inBothUnits('report.closing'),
  'bankName',
  'accountNumber',
  'accountName',
  'transferReference',
  'failureReason',
  'period.from',
  'period.to',
  'period.firstEntry',
  'period.lastEntry',
  'paidAt',
  'asset',
  inBothUnits('assetAmount', 'asset'),
  inBothUnits('assetFee', 'asset'),
  'conversion',
  'walletAddress',
  inBothUnits('levy'),
  inBothUnits('feeVat'),
  'subaccount',
)

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'balances.see',
    operation: 'listSettlements',
    summary: 'List settlements',
    description:
      'Returns settlements with their reports, newest first. A page of a rare status may be short or empty and still have a `nextCursor`. Send `Accept: text/csv` to export all of them.',
    title: 'Settlements',
    filters: {
      status: Type.Optional(withStatus([...settlementStatuses])),
      subaccount: ofSubaccount,
      ...timeFilters,
    },
    item: settlement,
    columns: settlementColumns,
    cursor: numberCursor('settlement', limits.money.ledgerMax),
    toFilter(request) {
      const { query } = request
      if (query.subaccount !== undefined) refuseUnseenSubaccounts(request)
      const status = query.status as SettlementStatus | undefined
      return {
        ...readSubaccountFilter(query.subaccount),
        status: status && payoutStatusOf(status),
        period: readTimeRange(query),
      }
    },
    rows: (db, { environment }, filter, page) => listSettlements(db, environment.id, filter, page),
    show: (settlement) => toJson(show(settlement)),
  })

const summary = ({ openPage }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/summary`,
    permission: 'balances.see',
    operation: 'summarizeSettlements',
    summary: 'Summarize settlements',
    description: 'Returns how many settlements a period has and how much they pay, by status.',
    query: closed({ subaccount: ofSubaccount, ...timeFilters }),
    answers: { 200: settlementSummary },
    refusals: [{ code: 'validation_failed' }],
    isHeavy: true,
    async handle(request) {
      const { environment, query } = request
      if (query.subaccount !== undefined) refuseUnseenSubaccounts(request)
      const { db } = openPage(undefined)
      const sums = await sumSettlements(
        db,
        {
          environmentId: environment.id,
          subaccountId: readSubaccountFilter(query.subaccount).subaccountId ?? null,
        },
        readTimeRange(query),
      )
      if (!sums) throw tooManySettlements()
      return success(200, 'Settlement summary', showSettlementSummary(sums))
    },
  })

function tooManySettlements(): Refusal {
  const most = listLimits.settlementsSummedMax.toLocaleString('en')
  return new Refusal('validation_failed', {
    message: `The period has more than ${most} settlements. Send from and to of a shorter one.`,
    details: [{ field: 'from', issue: 'must begin a shorter period' }],
  })
}

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'balances.see',
    operation: 'getSettlement',
    summary: 'Retrieve a settlement',
    description:
      'Returns the settlement with its report: what changed your naira balance since the settlement before, by type.',
    params,
    answers: { 200: settlement },
    refusals: ['not_found'],
    async handle(request) {
      const { environment, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      const found = await getSettlement(db, name)
      refuseUnseenOwner(request, found)
      return success(200, 'Settlement', show(found))
    },
  })

const entries = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path: `${path}/:reference/entries`,
    permission: 'balances.see',
    operation: 'listSettlementEntries',
    summary: 'List the entries of a settlement',
    description:
      'Returns every balance entry in the period of the settlement, newest first. `reference` of an entry names its payment or payout. Send `Accept: text/csv` to export all of them.',
    params,
    title: 'Settlement entries',
    filters: {},
    item: balanceEntry,
    refusals: ['not_found'],
    columns: entryColumns,
    cursor: numberCursor('entry', limits.money.ledgerMax),
    toFilter: ({ environment, params: { reference } }) => ({
      environmentId: environment.id,
      reference,
    }),
    async rows(db, request, name, page) {
      const found = await getSettlement(db, name)
      refuseUnseenOwner(request, found)
      return readEntries(db, found.settlement, page)
    },
    show: (entry) => toJson(entry),
  })

type Reader = Pick<
  RouteRequest<never, never, never>,
  'boundTo' | 'permissions' | 'actor' | 'environment'
>

function refuseUnseenOwner(reader: Reader, { settlement }: SettlementWithPayout): void {
  const { subaccountId: owner } = settlement
  const reference = settlementReference(settlement)
  refuseOthers(reader, { owner, noun: 'settlement', reference })
  if (owner !== null) refuseUnseenSubaccounts(reader)
}

function refuseUnseenSubaccounts(reader: Reader): void {
  if (!sees(reader.permissions, 'subaccount')) throw refuseUnseen(reader, seenWith.subaccount)
}

/** Entry numbers have no gaps, so the number of remaining entries is known. */
async function readEntries(
  db: Queryable,
  { environmentId, subaccountId, firstEntry, lastEntry }: Settlement,
  { before, limit }: Page,
) {
  const below = before === undefined ? lastEntry + 1n : BigInt(before)
  if (below <= firstEntry || below > lastEntry + 1n) throw anotherList()
  const remaining = Number(below - firstEntry)
  const range = {
    environmentId,
    asset: 'NGN',
    subaccountId: subaccountId ?? undefined,
    first: firstEntry,
    below,
  } as const
  const { entries } = await listStatementEntries(db, range, { limit: Math.min(limit, remaining) })
  const last = entries.at(-1)!.entryNumber
  return {
    rows: await toItems(db, environmentId, entries),
    next: last > firstEntry ? String(last) : undefined,
  }
}

function show({ settlement, payout }: SettlementWithPayout) {
  return showSettlement(settlement, payout)
}
