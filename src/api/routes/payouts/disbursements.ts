import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { anyAsset, inSample, withDescription } from '../../../base/shapes.js'
import { findKeyNames } from '../../../merchants/keys/find-key-names.js'
import { type PayoutStatus, payoutStatuses } from '../../../payouts/payout.js'
import { disbursement, showDisbursement } from '../../../payouts/records/disbursement-resource.js'
import {
  payoutList,
  type TransferKind,
  transferKinds,
} from '../../../payouts/records/payout-list.js'
import { findRecipientHistory } from '../../../payouts/requests/recipient-history.js'
import {
  recipientHistory,
  showRecipientHistory,
} from '../../../payouts/requests/recipient-history-resource.js'
import { countRows, readList } from '../../../postgres/lists/find-ids.js'
import { findUserNames } from '../../../team/find-user-names.js'
import { countByStatus } from '../../parse/read-filters.js'
import { readAccountOrWallet } from '../../parse/read-recipient.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  countsOf,
  oneOf,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'
import { toTransferFilter, transferFilters } from './payouts.js'

const path = '/v1/disbursements'
const base = { access: 'secret', tag: 'Disbursements', method: 'GET' } as const

export function disbursementRoutes(api: ApiParts): Route[] {
  return [list(api), counts(api), recipients(api)]
}

const filters = {
  kind: Type.Optional(oneOf([...transferKinds], 'Only transfers of this kind.')),
  currency: Type.Optional(withDescription(anyAsset, 'Only transfers in this currency.')),
  ...transferFilters,
}

/** A confirmed crypto transfer is listed with the completed bank transfers. */
const statuses: Record<string, PayoutStatus> = {
  PENDING: 'PENDING',
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
  'approval.expiresAt',
  'approval.reason',
  'metadata',
  inBothUnits('levy'),
  'purpose',
  inBothUnits('feeVat'),
  'from',
  'recipient',
)

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'payouts.see',
    operation: 'listDisbursements',
    summary: 'List disbursements',
    description:
      'Returns bank and crypto transfers in one list, newest first. Filters combine; `COMPLETED` and `CONFIRMED` both mean that the money arrived. Send `Accept: text/csv` to export all of them.',
    title: 'Disbursements',
    filters: { ...filters, status: Type.Optional(withStatus(Object.keys(statuses))) },
    item: disbursement,
    columns,
    cursor: cursorOf(prefixes.payout),
    toFilter: ({ query }) => ({
      ...toTransferFilter(kindsOf(query.kind), query),
      status: query.status === undefined ? undefined : statuses[query.status as string],
    }),
    async rows(db, { environment }, filter, page) {
      const { rows, next } = await readList(
        db,
        payoutList,
        { environmentId: environment.id, filter },
        page,
      )
      const keyIds = new Set(rows.flatMap(({ payout }) => payout.createdByKey ?? []))
      const userIds = new Set(rows.flatMap(({ payout }) => payout.createdByUser ?? []))
      const keys = await findKeyNames(db, environment.id, [...keyIds])
      const users = await findUserNames(db, [...userIds])
      return { rows: rows.map((row) => showDisbursement(row, { keys, users })), next }
    },
    show: (shown) => shown,
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
        countRows(db, payoutList, {
          environmentId: environment.id,
          filter: { ...filter, status },
        }),
      )
      return success(200, 'Disbursement counts', counted)
    },
  })

const recipients = ({ db }: ApiParts) =>
  route({
    ...base,
    path: `${path}/recipients`,
    permission: 'payouts.see',
    operation: 'getRecipientHistory',
    summary: 'Retrieve the history of a recipient',
    description:
      'Returns what was paid to a bank account or wallet before: how often, how much, the largest and the latest transfer, and how many came back.',
    query: closed({
      bankCode: Type.Optional(
        Type.String({
          pattern: bankCodePattern,
          description: 'Code of the bank. Send it with `accountNumber`.',
          examples: ['058'],
          ...inSample,
        }),
      ),
      accountNumber: Type.Optional(
        Type.String({
          pattern: accountNumberPattern,
          description: 'Ten-digit account number. Send it with `bankCode`.',
          examples: ['0123456789'],
          ...inSample,
        }),
      ),
      address: Type.Optional(
        Type.String({
          minLength: 32,
          maxLength: 44,
          description: 'Wallet address. Send it instead of a bank account.',
          examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
        }),
      ),
    }),
    answers: { 200: recipientHistory },
    isHeavy: true,
    async handle({ environment, query }) {
      const history = await findRecipientHistory(db, environment.id, readAccountOrWallet(query))
      return success(200, 'Recipient', showRecipientHistory(history))
    },
  })
