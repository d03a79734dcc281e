import Type, { type TSchema } from 'typebox'
import type { JsonText } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { referenceSample, withDescription, withExample } from '../../../base/shapes.js'
import {
  type AccountKind,
  type AccountStatus,
  accountKinds,
  isDedicated,
  isWallet,
} from '../../../collections/accounts/account.js'
import { accountList } from '../../../collections/accounts/account-list.js'
import type { PreparedAccount } from '../../../collections/accounts/create-accounts.js'
import { type EndedAccount, endAccount } from '../../../collections/accounts/end-accounts.js'
import {
  type AccountLookup,
  type AccountWithPayments,
  createAccountReader,
} from '../../../collections/accounts/find-accounts.js'
import type { AccountRequest } from '../../../collections/accounts/prepare-accounts.js'
import { showAccount } from '../../../collections/accounts/resource.js'
import type { KeyedAnswer } from '../../../idempotency/answer.js'
import { hidesPayers } from '../../../team/actor.js'
import type { WalletRequest } from '../../../wallets/prepare-wallets.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { inPath, plainText, searchText, timeFilters, withStatus } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { createResource } from '../../pipeline/create-resource.js'
import { type CsvColumn, csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

export const referenceIn = Type.String({
  minLength: 1,
  maxLength: limits.names.length,
  pattern: plainText,
  description: 'Your own reference, such as an order number.',
  examples: ['order-1001'],
})

/** The merchant's reference of a dedicated account or wallet. */
export const externalReferenceIn = withExample(
  withDescription(referenceIn, 'Your own reference of the customer, unique per environment.'),
  'customer-77',
)

type NewAccountAnswer = {
  message: string
  /** What is answered, if not the account itself. */
  show?: (prepared: PreparedAccount) => JsonText
}

export async function createAccount(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  request: Omit<AccountRequest, 'environment' | 'name' | 'retryKey'>,
  answer: NewAccountAnswer,
): Promise<KeyedAnswer> {
  const { environment, now } = keyedRequest
  const prepared = await api.collections.prepareAccount(now, {
    ...request,
    environment,
    name: environment.merchantName,
    retryKey: retryKeyOf(keyedRequest),
  })
  return createResource(api, keyedRequest, prepared, { ...answer, commit: api.commitAccount })
}

export async function createWallet(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  request: Omit<WalletRequest, 'environment' | 'retryKey'>,
  answer: NewAccountAnswer,
): Promise<KeyedAnswer> {
  const { environment, now } = keyedRequest
  const retryKey = retryKeyOf(keyedRequest)
  const prepared = await api.collections.prepareWallet(now, { ...request, environment, retryKey })
  return createResource(api, keyedRequest, prepared, { ...answer, commit: api.commitAccount })
}

export function retryKeyOf({ key }: KeyedRequest): string | undefined {
  return key && `${key.digest}/${key.fingerprint.toString('hex')}`
}

/** Ends an account, then asks the bank to reject further payments. */
export async function endAndClose(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  name: AccountLookup,
  message: string,
): Promise<KeyedAnswer> {
  let ended: EndedAccount | undefined
  const answered = await api.change(
    keyedRequest,
    async (tx, now) => {
      // A run that was rolled back has ended nothing.
      ended = undefined
      ended = await endAccount(tx, now, name)
      return ended
    },
    (account) => successText(200, message, show(account)),
  )
  if (ended) api.collections.closeAccount(ended.account)
  if (ended?.counterpart) api.collections.closeAccount(ended.counterpart)
  return answered
}

type About = {
  kind: AccountKind
  path: string
  resource: TSchema
  statuses: AccountStatus[]
  /** Filter of a list request that names no status; undefined: all. */
  defaultStatus?: AccountStatus
  /** Field name of the merchant's own reference. */
  named: 'merchantReference' | 'externalReference'
  parameter: 'reference' | 'accountReference'
}

const base = { access: 'secret', tag: 'Collections', method: 'GET' } as const

export function accountRoutes(api: ApiParts, about: About): Route[] {
  return [list(api, about), read(api, about)]
}

function list({ openPage }: ApiParts, about: About): Route {
  const { kind, path, resource, statuses, defaultStatus, named } = about
  const { words, prefix } = accountKinds[kind]
  return listRoute(openPage, {
    ...base,
    path,
    permission: 'payments.see',
    operation: `list${operationOf(kind)}s`,
    summary: `List ${words}s`,
    description: `Returns ${words}s, newest first.${defaultStatus ? ` Only ${defaultStatus} ones unless you filter by another status.` : ''}`,
    title: `${titleOf(kind)}s`,
    filters: {
      [named]: Type.Optional(named === 'externalReference' ? externalReferenceIn : referenceIn),
      status: Type.Optional(withStatus(statuses)),
      q: searchText(searchOf(kind), 'order-1001'),
      ...timeFilters,
    },
    item: resource,
    columns: columnsOf(kind, named),
    cursor: cursorOf(prefix),
    toFilter({ query: sent, actor }) {
      const query = sent as ListQuery
      return {
        kind,
        merchantReference: query[named],
        status: query.status ?? defaultStatus,
        text: query.q,
        hidesPayers: hidesPayers(actor),
        ...readTimeRange(query),
      }
    },
    rows: accountList,
    show,
  })
}

function searchOf(kind: AccountKind): string {
  if (kind === 'dedicated_account')
    return 'Searches references, your own references, account numbers and names of account holders.'
  return isWallet({ kind })
    ? 'Searches references, your own references and addresses.'
    : 'Searches references, your own references and account numbers.'
}

const temporaryColumns = [
  'variance',
  inBothUnits('amount'),
  inBothUnits('amountReceived'),
  inBothUnits('amountAccepted'),
  inBothUnits('amountHeld'),
  inBothUnits('amountReturning'),
  inBothUnits('amountReturned'),
  'expiresAt',
  'paidAt',
]

function columnsOf(kind: AccountKind, named: About['named']): CsvColumn[] {
  const isTemporary = named === 'merchantReference'
  return csvColumns(
    isTemporary || isWallet({ kind }) ? 'reference' : 'accountReference',
    named,
    'createdAt',
    'status',
    ...(isWallet({ kind })
      ? ['address', 'network', ...(isTemporary ? ['asset'] : [])]
      : ['accountNumber', 'accountName', 'bankName', ...(isTemporary ? ['currency'] : [])]),
    ...(isTemporary ? temporaryColumns : []),
    'metadata',
  )
}

type ListQuery = {
  merchantReference?: string
  externalReference?: string
  status?: AccountStatus
  q?: string
  from?: string
  to?: string
}

function read({ db }: ApiParts, { kind, path, resource, parameter }: About): Route {
  const readAccount = createAccountReader(db)
  return route({
    ...base,
    path: `${path}/:${parameter}`,
    permission: 'payments.see',
    operation: `get${operationOf(kind)}`,
    summary: `Verify a ${accountKinds[kind].words}`,
    description: isDedicated({ kind })
      ? 'Returns the current state. Your own `externalReference` finds it, too.'
      : 'Returns the current state.',
    params: inPath(parameter, referenceSample(accountKinds[kind].prefix)),
    answers: { 200: resource },
    refusals: ['not_found'],
    async handle({ environment, params }) {
      const reference = (params as Record<string, string>)[parameter]!
      const name = { environmentId: environment.id, kind, reference }
      return successText(200, titleOf(kind), show(await readAccount(name)))
    },
  })
}

export function show({ account, payments, otherDeposits, split }: AccountWithPayments): JsonText {
  return showAccount(account, payments, otherDeposits, split)
}

export function operationOf(kind: AccountKind): string {
  return kind.replace(/(^|_)([a-z])/g, (_match, _start, letter) => letter.toUpperCase())
}

export function titleOf(kind: AccountKind): string {
  const { words } = accountKinds[kind]
  return words[0]!.toUpperCase() + words.slice(1)
}
