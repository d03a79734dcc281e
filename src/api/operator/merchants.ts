import Type from 'typebox'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { unknownMerchant } from '../../merchants/environments.js'
import { getKey, listKeys } from '../../merchants/keys/api-keys.js'
import { getKyc } from '../../merchants/kyc/kyc-submissions.js'
import {
  changeSuspension,
  endKey,
  openMerchant,
} from '../../operations/actions/change-merchants.js'
import {
  type FoundMerchant,
  findMerchant,
  findMerchants,
} from '../../operations/actions/find-merchants.js'
import { viewMerchant } from '../../operations/actions/view-merchant.js'
import { showKey, stateOf } from '../../operations/commands/keys.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { closed, inPath, pageQuery, plainText, searchText } from '../parse/schemas.js'
import { cursorOf } from '../server/cursor.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute, reasonText } from './operator-route.js'

export const oneMerchant = inPath('id', 'mer_…')

/** Refuses what is not the reference of a merchant. */
export function readMerchantId(reference: string): string {
  const id = fromReference(prefixes.merchant, reference)
  if (!id) throw unknownMerchant(reference)
  return id
}

async function getMerchant(db: Queryable, now: Date, reference: string): Promise<FoundMerchant> {
  const merchant = await findMerchant(db, now, readMerchantId(reference))
  if (!merchant) throw unknownMerchant(reference)
  return merchant
}

/** Merchants: create, suspend, keys, and a look at what they see. */
export function merchantRoutes(parts: OperatorParts): Route[] {
  return [...readRoutes(parts), ...changeRoutes(parts)]
}

function readRoutes({ db, seal }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/merchants',
    operation: 'listMerchants',
    summary: 'Merchants',
    query: closed({ q: searchText('Part of a name.', 'Ada'), ...pageQuery }),
    async handle({ query, now }) {
      const { q, limit = limits.http.pageSizeDefault, cursor } = query
      const before = cursor === undefined ? undefined : cursorOf(prefixes.merchant).read(cursor)
      const found = await findMerchants(db, now, { q, before, limit: limit + 1 })
      const shown = found.slice(0, limit)
      const isMore = found.length > limit
      return {
        items: shown.map(showMerchant),
        nextCursor: isMore ? cursorOf(prefixes.merchant).write(shown.at(-1)!.id) : null,
      }
    },
  })
  const one = operatorRoute({
    method: 'GET',
    path: '/merchants/:id',
    operation: 'getMerchant',
    summary: 'Merchant',
    params: oneMerchant,
    async handle({ params, now }) {
      const merchant = await getMerchant(db, now, params.id)
      const { test, live } = merchant.environments
      const keys = [...(await listKeys(db, live)), ...(await listKeys(db, test))]
      const { decisions } = await getKyc(db, seal, merchant.id)
      return {
        ...showMerchant(merchant),
        apiKeys: keys.map((key) => ({ ...showKey(key), state: stateOf(key, now) })),
        kycDecisions: decisions,
      }
    },
  })
  return [list, one]
}

function changeRoutes({ db, seal, sessions }: OperatorParts): Route[] {
  const create = operatorRoute({
    method: 'POST',
    path: '/merchants',
    operation: 'createMerchant',
    summary: 'Create a merchant',
    stepUp: 'always',
    body: closed({
      displayName: Type.String({
        minLength: 1,
        maxLength: limits.names.length,
        pattern: plainText,
      }),
    }),
    async handle(request) {
      const displayName = request.body.displayName.trim()
      const { merchant, keys } = await db.transaction((tx) =>
        openMerchant(tx, request.now, { seal, displayName }, operatorOf(request)),
      )
      // Shown once, as by the command.
      const shown = keys.map((key) => ({ ...showKey(key), key: key.key.reveal() }))
      return { id: merchant.reference, name: merchant.displayName, keys: shown }
    },
  })
  const suspension = (isSuspended: boolean) =>
    operatorRoute({
      method: 'POST',
      path: `/merchants/:id/${isSuspended ? 'suspend' : 'resume'}`,
      operation: isSuspended ? 'suspendMerchant' : 'resumeMerchant',
      summary: isSuspended ? 'Suspend a merchant' : 'Resume a merchant',
      stepUp: 'always',
      params: oneMerchant,
      body: closed({ reason: reasonText }),
      async handle(request) {
        const { id: merchantId } = await getMerchant(db, request.now, request.params.id)
        const change = { merchantId, isSuspended, reason: request.body.reason }
        const isFresh = await db.transaction((tx) =>
          changeSuspension(tx, request.now, change, operatorOf(request)),
        )
        sessions.forgetAll()
        return { id: request.params.id, isSuspended, isFresh }
      },
    })
  const revoke = operatorRoute({
    method: 'POST',
    path: '/merchants/:id/keys/:key/revoke',
    operation: 'revokeMerchantKey',
    summary: 'Revoke a key of a merchant',
    stepUp: 'always',
    params: Type.Object({ ...oneMerchant.properties, ...inPath('key', 'key_…').properties }),
    async handle(request) {
      const { id, key: reference } = request.params
      const key = await getKey(db, reference)
      if (key.merchantId !== readMerchantId(id)) throw unknownMerchant(id)
      const revoked = await db.transaction((tx) =>
        endKey(tx, request.now, key, operatorOf(request)),
      )
      return { ...showKey(revoked.key), state: stateOf(revoked.key, request.now) }
    },
  })
  const view = operatorRoute({
    method: 'POST',
    path: '/merchants/:id/view',
    operation: 'viewMerchant',
    summary: 'View a merchant',
    params: oneMerchant,
    body: closed({ reason: reasonText }),
    async handle(request) {
      const { id: merchantId } = await getMerchant(db, request.now, request.params.id)
      const { until } = await db.transaction(async (tx) =>
        viewMerchant(
          tx,
          request.now,
          { merchantId, reason: request.body.reason },
          operatorOf(request),
        ),
      )
      // The next request of this session finds the merchant among its own.
      sessions.forgetAll()
      return { id: request.params.id, until }
    },
  })
  return [create, suspension(true), suspension(false), revoke, view]
}

function showMerchant({ id, environments: _, ...merchant }: FoundMerchant) {
  return { id: toReference(prefixes.merchant, id), ...merchant }
}
