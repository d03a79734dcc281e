import Type, { type TSchema } from 'typebox'
import { limits } from '../../base/limits.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { type AccountKind, type AccountStatus, accountKinds } from '../../collections/account.js'
import type { OrderedAccount } from '../../collections/create-accounts.js'
import { type EndedAccount, endAccount } from '../../collections/end-accounts.js'
import {
  type AccountLookup,
  type AccountWithPayments,
  getAccount,
  listAccounts,
} from '../../collections/find-accounts.js'
import type { AccountRequest } from '../../collections/prepare-accounts.js'
import { showAccount } from '../../resources/collection-account.js'
import { referenceSample } from '../../resources/shapes.js'
import type { WalletRequest } from '../../wallets/prepare-wallets.js'
import type { ApiParts } from '../api-parts.js'
import { readPosition, writePosition } from '../edge/cursor.js'
import { listText, successText } from '../edge/envelope.js'
import { type Asker, toCall, toLateCall, toRemembered } from '../edge/keyed-lane.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath, page, pageQuery, plainText, withStatus } from '../edge/schemas.js'

export const referenceIn = Type.String({
  minLength: 1,
  maxLength: limits.names.length,
  pattern: plainText,
  description: 'Yours.',
  examples: ['order-1001'],
})

type Wish = Omit<AccountRequest, 'environment' | 'name' | 'request'>

/**
 * Has a number opened, records the account and answers. A refusal that is for good is remembered
 * under the key like an answer.
 */
export async function openAccount(rooms: ApiParts, ask: Asker, wish: Wish, message: string) {
  const { environment, now } = ask
  const [name, request] = [environment.merchantName, requestOf(ask)]
  const ordering = rooms.collections.order(now, { ...wish, environment, name, request })
  return recordAccount(rooms, ask, ordering, message)
}

type WalletAsk = Omit<WalletRequest, 'environment' | 'request'>

/** The same, of a wallet. */
export async function openWallet(rooms: ApiParts, ask: Asker, wish: WalletAsk, message: string) {
  const { environment, now } = ask
  const request = requestOf(ask)
  const ordering = rooms.collections.orderWallet(now, { ...wish, environment, request })
  return recordAccount(rooms, ask, ordering, message)
}

/** The same, where the order is under way. */
export async function recordAccount(
  rooms: ApiParts,
  ask: Asker,
  ordering: Promise<OrderedAccount>,
  message: string,
) {
  const order: Outcome<OrderedAccount> = await ordering.catch(toRemembered)
  if (order instanceof Refusal)
    return rooms.createAccount(
      toLateCall(ask, order, () => {
        throw new Error('a refused order has no answer of its own')
      }),
    )
  const expected = successText(201, message, order.shown)
  return rooms.createAccount(toCall(ask, order, expected))
}

/** What names this very request; undefined: every copy of it is another one. */
export function requestOf({ key }: Asker): string | undefined {
  return key && `${key.digest}/${key.fingerprint.toString('hex')}`
}

/** Ends an account, and then has the bank turn payers away. */
export async function endAndClose(
  rooms: ApiParts,
  ask: Asker,
  name: AccountLookup,
  message: string,
) {
  let ended: EndedAccount | undefined
  const answered = await rooms.change(
    toLateCall(
      ask,
      async (tx, now) => {
        ended = await endAccount(tx, now, name)
        return ended
      },
      (found) => successText(200, message, show(found as AccountWithPayments)),
    ),
  )
  if (ended) rooms.collections.closeNumber(ended.account)
  if (ended?.twin) rooms.collections.closeNumber(ended.twin)
  return answered
}

type About = {
  kind: AccountKind
  path: string
  resource: TSchema
  statuses: AccountStatus[]
  /** Which ones are listed when nothing is said; undefined: all. */
  listed?: AccountStatus
  /** How the merchant's own reference is called. */
  named: 'merchantReference' | 'externalReference'
  parameter: 'reference' | 'accountReference'
}

const base = { access: 'secret', tag: 'Collections', method: 'GET' } as const

/** The verify and list operations of one kind of account. */
export function accountRoutes({ db }: ApiParts, about: About): Route[] {
  return [listRoute(db, about), readRoute(db, about)]
}

function listRoute(db: ApiParts['db'], about: About): Route {
  const { kind, path, resource, statuses, listed, named } = about
  const { words, prefix } = accountKinds[kind]
  return route({
    ...base,
    path,
    operation: `list${operationOf(kind)}s`,
    summary: `List ${words}s`,
    description: `Newest first${listed ? `; those that are ${listed} unless you ask for others` : ''}.`,
    query: closed({
      [named]: Type.Optional(referenceIn),
      status: Type.Optional(withStatus(statuses)),
      ...pageQuery,
    }),
    answers: { 200: page(resource) },
    async handle({ environment, query: asked }) {
      const query = asked as ListQuery
      const limit = query.limit ?? limits.http.defaultPageSize
      const found = await listAccounts(
        db,
        { environmentId: environment.id, kind },
        {
          merchantReference: query[named],
          status: query.status ?? listed,
          beforeId: query.cursor === undefined ? undefined : readPosition(prefix, query.cursor),
          limit: limit + 1,
        },
      )
      const shown = found.slice(0, limit)
      const last = shown.at(-1)?.account.id
      const next = found.length > limit ? writePosition(prefix, last!) : null
      return successText(200, `${titleOf(kind)}s`, listText(shown.map(show), next))
    },
  })
}

type ListQuery = {
  merchantReference?: string
  externalReference?: string
  status?: AccountStatus
  limit?: number
  cursor?: string
}

function readRoute(db: ApiParts['db'], { kind, path, resource, parameter }: About): Route {
  return route({
    ...base,
    path: `${path}/:${parameter}`,
    operation: `get${operationOf(kind)}`,
    summary: `Verify a ${accountKinds[kind].words}`,
    description: 'As it is now.',
    params: inPath(parameter, referenceSample(accountKinds[kind].prefix)),
    answers: { 200: resource },
    refusals: ['not_found'],
    async handle({ environment, params }) {
      const reference = (params as Record<string, string>)[parameter]!
      const name = { environmentId: environment.id, kind, reference }
      return successText(200, titleOf(kind), show(await getAccount(db, name)))
    },
  })
}

export function show({ account, payments, otherDeposits }: AccountWithPayments): string {
  return showAccount(account, payments, otherDeposits)
}

export function operationOf(kind: AccountKind): string {
  return kind.replace(/(^|_)([a-z])/g, (_match, _start, letter) => letter.toUpperCase())
}

export function titleOf(kind: AccountKind): string {
  const { words } = accountKinds[kind]
  return words[0]!.toUpperCase() + words.slice(1)
}
