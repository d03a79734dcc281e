import Type from 'typebox'
import { hour } from '../../../base/clock.js'
import { fromReference, prefixes, toReference, unusedId } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { invalidField, Refusal } from '../../../base/refusal.js'
import { referenceSample } from '../../../base/shapes.js'
import {
  type ApiKey,
  type IssuedKey,
  listKeys,
  type NewKey,
  revealKey,
  revokeKey,
} from '../../../merchants/keys/api-keys.js'
import { issueKey } from '../../../merchants/keys/issue-key.js'
import { type KeyPermission, keyPermissions } from '../../../merchants/keys/key-permissions.js'
import { rollKey } from '../../../merchants/keys/roll-key.js'
import { keyLimits } from '../../../merchants/limits.js'
import { visible } from '../../../merchants/settings/settings-document.js'
import type { Tx } from '../../../postgres/transactions/tx.js'
import { findSubaccountId } from '../../../subaccounts/store-subaccounts.js'
import type { UserActor } from '../../../team/actor.js'
import { whyNotGive } from '../../../team/may-give.js'
import { findGiver } from '../../../team/members.js'
import { auditCall } from '../../auth/audit-call.js'
import { subaccountKeyPermissions } from '../../auth/subaccount-keys.js'
import { readTime, timeIn } from '../../parse/read-time.js'
import { closed, inPath, pageQuery } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/api-keys'
const params = inPath('id', referenceSample(prefixes.apiKey))
const base = {
  access: 'user',
  permission: 'keys.change',
  tag: 'Console',
  // An answer may hold a key.
  hidesBodies: true,
  answers: {},
} as const

/** API keys, for members of the merchant. A key cannot make another one. */
export function apiKeyRoutes(api: ApiParts): Route[] {
  return [list(api), create(api), roll(api), revoke(api), reveal(api)]
}

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listApiKeys',
    summary: 'List API keys',
    description: 'Returns keys of this mode, newest first, revoked and expired ones too.',
    query: closed(pageQuery),
    async handle(request) {
      const { environment, query } = request
      const keys = await listKeys(db, environment.id)
      const items = keys.map((key) => showKey(key, request.realNow))
      return success(
        200,
        'API keys',
        pageOf(items, query, ({ id }) => id),
      )
    },
  })

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    stepUp: 'always',
    operation: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key is shown in this answer; secret test keys can be shown again.',
    body: closed({
      name: Type.String({ minLength: 1, maxLength: limits.names.length, ...visible }),
      kind: Type.Enum(['secret', 'public'], { type: 'string' }),
      expiresAt: Type.Optional(timeIn('When it stops working.')),
      allowedAddresses: Type.Optional(
        Type.Array(Type.String({ maxLength: 50 }), {
          maxItems: keyLimits.allowedAddressesMax,
          uniqueItems: true,
        }),
      ),
      permissions: Type.Optional(
        Type.Array(Type.Enum([...keyPermissions], { type: 'string' }), {
          minItems: 1,
          uniqueItems: true,
        }),
      ),
      // Every payout made with it waits for a member.
      payoutsWaitForApproval: Type.Optional(Type.Boolean()),
      // It then reads this sub-account and nothing else.
      subaccount: Type.Optional(Type.String({ minLength: 1, maxLength: limits.names.length })),
    }),
    handle(request) {
      const { environment, body } = request
      const newKey = {
        seal: api.seal,
        environment,
        kind: body.kind,
        name: body.name,
        expiresAt: body.expiresAt === undefined ? null : readTime('expiresAt', body.expiresAt),
        allowedAddresses: body.allowedAddresses ?? [],
        permissions: readPermissions(body),
        payoutsWait: body.payoutsWaitForApproval ?? false,
        isRevealable: body.kind === 'secret' && environment.mode === 'test',
        createdBy: request.actor as UserActor,
      }
      return api.change(
        request,
        async (tx, now) => {
          await checkMayGive(tx, request, newKey)
          const subaccountId = await findSubaccountId(tx, environment.id, body.subaccount)
          return issueKey(tx, now, { ...newKey, subaccountId: subaccountId ?? null })
        },
        (issued) => showIssued(201, 'API key created', issued),
      )
    },
  })

type SentKey = { kind: string; permissions?: KeyPermission[]; subaccount?: string }

/** A key of a sub-account has all or some of the permissions that read it. */
function readPermissions({ kind, permissions, subaccount }: SentKey): KeyPermission[] | null {
  if (subaccount === undefined) return permissions ?? null
  if (kind !== 'secret') throw invalidField('subaccount', 'is for secret keys')
  const readable: readonly KeyPermission[] = subaccountKeyPermissions
  const beyond = permissions?.filter((permission) => !readable.includes(permission)) ?? []
  if (beyond.length > 0)
    throw invalidField(
      'permissions',
      `must be among ${readable.join(', ')} for a key of a sub-account`,
    )
  return permissions ?? [...readable]
}

/** A member makes no key that may do what the member may not, by the role of this moment. */
async function checkMayGive(
  tx: Tx,
  {
    environment,
    signedIn,
  }: Pick<RouteRequest<unknown, unknown, unknown>, 'environment' | 'signedIn'>,
  key: Pick<NewKey, 'permissions'>,
): Promise<void> {
  const { merchantId, mode } = environment
  const giver = await findGiver(tx, { merchantId, userId: signedIn!.userId })
  const permissions = key.permissions ?? keyPermissions
  const message = whyNotGive(giver, { kind: 'key', mode, permissions })
  if (message !== undefined) throw new Refusal('forbidden', { reason: 'role', message })
}

const roll = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/roll`,
    stepUp: 'always',
    operation: 'rollApiKey',
    summary: 'Replace an API key',
    description: 'Makes a new key of the same scope. The old one works for the grace period.',
    params,
    body: Type.Optional(
      closed({
        graceHours: Type.Optional(
          Type.Integer({ minimum: 0, maximum: keyLimits.rollGraceMaxMs / hour }),
        ),
      }),
    ),
    handle(request) {
      const graceMs = (request.body?.graceHours ?? 24) * hour
      return api.change(
        request,
        (tx, now) =>
          rollKey(tx, now, {
            ...nameOf(request),
            seal: api.seal,
            graceMs,
            createdBy: request.actor as UserActor,
          }),
        (rolled) => {
          const { issued, oldExpiresAt } = rolled
          return showIssued(201, 'API key rolled', issued, { oldExpiresAt })
        },
      )
    },
  })

const revoke = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/revoke`,
    stepUp: 'always',
    operation: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'Ends a key for good, within a second.',
    params,
    handle(request) {
      return api.change(
        request,
        async (tx, now) => {
          const { key } = await revokeKey(tx, now, nameOf(request))
          return showKey(key, now)
        },
        (shown) => success(200, 'API key revoked', shown),
      )
    },
  })

const reveal = ({ db, seal }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/reveal`,
    stepUp: 'always',
    isRead: true,
    isTestOnly: true,
    operation: 'revealApiKey',
    summary: 'Show a test key again',
    description: 'For secret keys of test mode that the console or the demo created.',
    params,
    async handle(request) {
      const { realNow: now } = request
      const revealed = await db.transaction(async (tx) => {
        const { userId } = request.actor as UserActor
        const key = await revealKey(tx, now, { ...nameOf(request), seal, userId })
        auditCall(tx, request.audited, detailsOf(key))
        return key
      })
      return success(200, 'API key', { ...showKey(revealed, now), key: revealed.key.reveal() })
    },
  })

/** A reference that is not one names no key. */
function nameOf({
  environment,
  params,
}: Pick<RouteRequest<unknown, unknown, { id: string }>, 'environment' | 'params'>) {
  const id = fromReference(prefixes.apiKey, params.id) ?? unusedId
  return { environmentId: environment.id, id }
}

function showIssued(status: number, message: string, issued: IssuedKey, more: object = {}) {
  const data = { ...showKey(issued, issued.createdAt), key: issued.key.reveal(), ...more }
  return { ...success(status, message, data), holdsSecret: true }
}

function showKey(key: ApiKey, now: Date) {
  return {
    id: toReference(prefixes.apiKey, key.id),
    name: key.name,
    kind: key.kind,
    mode: key.mode,
    hint: key.hint,
    state: stateOf(key, now),
    permissions: key.permissions,
    payoutsWaitForApproval: key.payoutsWait,
    subaccount: key.subaccountId && toReference(prefixes.subaccount, key.subaccountId),
    allowedAddresses: key.allowedAddresses,
    isRevealable: key.isRevealable,
    createdBy: key.createdByName === null ? null : { name: key.createdByName },
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    rolledInto: key.rolledInto && toReference(prefixes.apiKey, key.rolledInto),
  }
}

function stateOf(key: ApiKey, now: Date): 'active' | 'rolled' | 'expired' | 'revoked' {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt && key.expiresAt <= now) return 'expired'
  return key.rolledInto ? 'rolled' : 'active'
}

/** Everything but the key itself. */
function detailsOf(key: ApiKey) {
  const { kind, mode, name, hint, expiresAt, allowedAddresses, permissions, subaccountId } = key
  const { payoutsWait } = key
  const reference = toReference(prefixes.apiKey, key.id)
  const subaccount = subaccountId && toReference(prefixes.subaccount, subaccountId)
  const scope = {
    allowedAddresses,
    permissions,
    ...(payoutsWait && { payoutsWaitForApproval: true }),
    ...(subaccount && { subaccount }),
  }
  return { key: reference, kind, mode, name, hint, expiresAt, ...scope }
}
