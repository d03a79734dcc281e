import Type, { type Static } from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import type { Reason } from '../../../base/refusals.js'
import { referenceSample, withExample } from '../../../base/shapes.js'
import {
  changeRecipient,
  disableRecipient,
  enableRecipient,
  type Holder,
  type NewRecipient,
  type RecipientChange,
  saveRecipient,
} from '../../../payouts/recipients/change-recipients.js'
import {
  type RecipientKind,
  type RecipientStatus,
  recipientKinds,
  recipientStatuses,
} from '../../../payouts/recipients/recipient.js'
import { recipient, showRecipient } from '../../../payouts/recipients/resource.js'
import {
  getRecipient,
  recipientList,
  withFirstPaid,
} from '../../../payouts/recipients/store-recipients.js'
import { chainRefusalReasons, withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { readAddress, solanaAddress } from '../../parse/read-address.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { accountNumberIn, bankCodeIn, readAccountOrWallet } from '../../parse/read-recipient.js'
import {
  closed,
  inPath,
  oneOf,
  plainText,
  searchText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'
import { directoryOf } from './bank-transfers.js'

const path = '/v1/recipients'
const base = { access: 'secret', tag: 'Disbursements' } as const
const see = { ...base, permission: 'payouts.see' } as const
const change = { ...base, permission: 'recipients.change', stepUp: 'live' } as const
const params = inPath('reference', referenceSample(prefixes.recipient))

export function recipientRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), update(api), disable(api), enable(api)]
}

const label = Type.String({
  minLength: 1,
  maxLength: limits.names.length,
  pattern: plainText,
  description: 'Your own name for the recipient.',
  examples: ['Ada, bakery'],
})

const createBody = withExample(
  closed({
    bankCode: Type.Optional(bankCodeIn),
    accountNumber: Type.Optional(accountNumberIn),
    address: Type.Optional(solanaAddress),
    label: Type.Optional(label),
    metadata: Type.Optional(metadataIn),
  }),
  { bankCode: '058', accountNumber: '0123456789', label: 'Ada, bakery' },
)

const isOfDestination = (reason: Reason) =>
  reason !== 'treasury_short' && reason !== 'payouts_frozen'
const bankReasons = ['unknown_bank', 'account_not_found', 'rail_unavailable'] as const

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    stopsWhenSuspended: true,
    operation: 'createRecipient',
    summary: 'Save a recipient',
    description:
      'Saves a bank account (`bankCode` and `accountNumber`) or a Solana wallet (`address`) that you pay repeatedly. The bank names the holder of the account; the name is kept and compared with each transfer. Each account and wallet is saved once.',
    body: createBody,
    answers: { 201: recipient },
    refusals: [
      ...withReasons(
        'recipient_failed',
        'recipient_exists',
        ...new Set([...bankReasons, ...chainRefusalReasons.filter(isOfDestination)]),
      ),
    ],
    async handle(request) {
      const { environment, now, body } = request
      const wanted: NewRecipient = {
        environmentId: environment.id,
        ...(await readDestination(api, environment, body)),
        label: body.label ?? null,
        metadata: readMetadata(request),
      }
      return api.change(
        request,
        (tx, realNow) => saveRecipient(tx, { now, realNow }, wanted),
        (created) => successText(201, 'Recipient saved', showRecipient(created)),
      )
    },
  })

/** Checked with the bank or the chain. Throws refusals. */
async function readDestination(
  api: ApiParts,
  environment: Environment,
  body: Static<typeof createBody>,
) {
  const named = readAccountOrWallet(body)
  if (named.kind === 'bank_account')
    return { ...named, ...(await resolve(api, environment, named)), address: null }
  const wallet = { ...named, address: readAddress(named.address, 'address') }
  const quoted = await api.payoutPreparation.quote({
    environment,
    kind: 'crypto_transfer',
    asset: 'USDC',
    amount: 1n,
    requestedAmount: '0.000001',
    destination: wallet,
  })
  if (quoted instanceof Refusal) throw toRecipientRefusal(quoted)
  const noAccount = { bankCode: null, bankName: null, accountNumber: null, accountName: null }
  return { ...noAccount, ...wallet }
}

async function resolve(
  api: ApiParts,
  environment: Environment,
  account: { bankCode: string; accountNumber: string },
): Promise<NonNullable<Holder>> {
  const directory = directoryOf(api, environment, 'recipient_failed')
  const holder = await directory.resolveName(account)
  if (holder instanceof Refusal) throw toRecipientRefusal(holder)
  return { bankName: holder.bankName, accountName: holder.accountName }
}

/** What a bank or chain refuses is worded for transfers; here nothing is sent. */
function toRecipientRefusal(refused: Refusal): Refusal {
  const isOfTransfer = ['bank_transfer_failed', 'crypto_transfer_failed'].includes(refused.code)
  return isOfTransfer ? refused.under('recipient_failed') : refused
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listRecipients',
    summary: 'List recipients',
    description:
      'Returns saved recipients, newest first. Filters combine. Send `Accept: text/csv` to export all of them.',
    title: 'Recipients',
    filters: {
      q: searchText(
        'Words of the name or label or their beginnings, an account number, or a wallet address.',
        'ada',
      ),
      kind: Type.Optional(oneOf([...recipientKinds], 'Only recipients of this kind.')),
      status: Type.Optional(withStatus([...recipientStatuses])),
      ...timeFilters,
    },
    item: recipient,
    columns: csvColumns(
      'reference',
      'createdAt',
      'kind',
      'status',
      'label',
      'accountName',
      'accountNumber',
      'bankName',
      'bankCode',
      'address',
      'activeSince',
      'firstPaidAt',
      'metadata',
    ),
    cursor: cursorOf(prefixes.recipient),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      text: query.q,
      kind: query.kind as RecipientKind | undefined,
      status: query.status as RecipientStatus | undefined,
    }),
    rows: recipientList,
    show: showRecipient,
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getRecipient',
    summary: 'Retrieve a recipient',
    description:
      'Returns the recipient. `GET /v1/disbursements?recipient=…` lists the transfers to it.',
    params,
    answers: { 200: recipient },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getRecipient(db, { environmentId: environment.id, reference })
      const [shown] = await withFirstPaid(db, [found])
      return successText(200, 'Recipient', showRecipient(shown!))
    },
  })

const updateBody = withExample(
  closed({
    label: Type.Optional(Type.Union([label, Type.Null()])),
    metadata: Type.Optional(metadataIn),
  }),
  { label: 'Ada, bakery in Yaba' },
)

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeRecipient',
    summary: 'Change a recipient',
    description:
      'Changes label and metadata; a label of null removes it. Where the recipient is paid never changes: disable it and save another one.',
    params,
    body: updateBody,
    answers: { 200: recipient },
    refusals: ['not_found'],
    handle(request) {
      const { body } = request
      const changes: RecipientChange = {
        ...(body.label !== undefined && { label: body.label }),
        ...(body.metadata !== undefined && { metadata: readMetadata(request) }),
      }
      return api.change(
        request,
        (tx) => changeRecipient(tx, nameOf(request), changes),
        (changed) => successText(200, 'Recipient changed', showRecipient(changed)),
      )
    },
  })

const disable = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/disable`,
    operation: 'disableRecipient',
    summary: 'Disable a recipient',
    description:
      'Transfers to its account or wallet are refused from now on, also those that wait for approval. Transfers on their way go on. Repeating it changes nothing.',
    params,
    answers: { 200: recipient },
    refusals: ['not_found'],
    handle(request) {
      const { now } = request
      return api.change(
        request,
        (tx, realNow) => disableRecipient(tx, { now, realNow }, nameOf(request)),
        (disabled) => successText(200, 'Recipient disabled', showRecipient(disabled)),
      )
    },
  })

const enable = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/enable`,
    stopsWhenSuspended: true,
    operation: 'enableRecipient',
    summary: 'Enable a recipient',
    description:
      'A disabled recipient can be paid again. The bank names the holder again, and the new name is kept. It counts as new: the cooling-off of your rule begins again, and the next transfer is its first. Repeating it changes nothing.',
    params,
    answers: { 200: recipient },
    refusals: ['not_found', ...withReasons('recipient_failed', ...bankReasons)],
    async handle(request) {
      const { environment, now } = request
      const found = await getRecipient(api.db, nameOf(request))
      const { bankCode, accountNumber, status } = found
      const isResolved = status === 'DISABLED' && bankCode !== null && accountNumber !== null
      const holder = isResolved
        ? await resolve(api, environment, { bankCode, accountNumber })
        : null
      return api.change(
        request,
        (tx, realNow) => enableRecipient(tx, { now, realNow }, nameOf(request), holder),
        (enabled) => successText(200, 'Recipient enabled', showRecipient(enabled)),
      )
    },
  })

function nameOf({
  environment,
  params,
}: {
  environment: Environment
  params: { reference: string }
}) {
  return { environmentId: environment.id, reference: params.reference }
}
