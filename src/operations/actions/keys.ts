import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { writeAuditLine } from '../../audit/write-line.js'
import { hour } from '../../base/clock.js'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { orNull } from '../../base/shapes.js'
import { getEnvironment, listEnvironments, unknownMerchant } from '../../merchants/environments.js'
import { type ApiKey, getKey, type IssuedKey, listKeys } from '../../merchants/keys/api-keys.js'
import { issueKey } from '../../merchants/keys/issue-key.js'
import { type KeyPermission, keyPermissions } from '../../merchants/keys/key-permissions.js'
import { rollKey } from '../../merchants/keys/roll-key.js'
import { auditOf, endKey } from '../changes/change-merchants.js'
import { type Action, command, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { formatTime, tableOf } from '../definitions/table.js'
import { mode, time } from '../definitions/views.js'

export const keyView = {
  reference: Type.String(),
  mode,
  kind: Type.Enum(['secret', 'public']),
  name: Type.String(),
  hint: Type.String(),
  allowedAddresses: Type.Array(Type.String()),
  permissions: orNull(Type.Array(Type.String())),
  payoutsWaitForApproval: Type.Boolean(),
  createdAt: time,
  lastUsedAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  rolledInto: orNull(Type.String()),
}

const key = fields.text('reference of the key, key_…')

/** API keys of merchants. */
export const keyActions: Action[] = [
  command({
    name: 'keys create',
    description: 'create a key; it is shown once',
    args: ['merchant'],
    input: {
      merchant: fields.merchant,
      mode: fields.mode,
      kind: Type.Enum(['secret', 'public'], {
        description: 'secret for servers, public for browsers',
      }),
      name: fields.name('name of the key'),
      expires: Type.Optional(
        fields.read(fields.readTime, 'expiry, ISO 8601', { placeholder: 'time' }),
      ),
      allow: fields.repeated((text) => text, 'allowed IP address or CIDR range; repeatable', {
        placeholder: 'address',
      }),
      permission: fields.repeated(
        readPermission,
        'what it may do, such as payments.see; repeatable',
        {
          placeholder: 'permission',
        },
      ),
      payoutsWait: fields.flag('every payout made with it waits for a member'),
    },
    async run(
      { db, seal, now, operator },
      { merchant, mode, kind, name, expires, allow = [], permission, payoutsWait },
    ) {
      const environment = await getEnvironment(db, { merchant, mode })
      const newKey = {
        seal,
        environment,
        kind,
        name,
        expiresAt: expires ?? null,
        allowedAddresses: allow,
        permissions: permission?.length ? permission : null,
        payoutsWait: payoutsWait ?? false,
      }
      const issued = await db.transaction(async (tx) => {
        const issued = await issueKey(tx, now, newKey)
        writeAuditLine(tx, now, { actor: operator, action: 'key.create', ...auditOf(issued) })
        return issued
      })
      return { data: showIssued(issued), text: [describeIssued(issued), shownOnce] }
    },
  }),
  command({
    name: 'keys list',
    description: 'list the keys of both modes, newest first',
    args: ['merchant'],
    input: { merchant: fields.merchant },
    async run({ db, now }, { merchant }) {
      const environments = await listEnvironments(db, merchant)
      if (environments.length === 0) throw unknownMerchant(merchant)
      const keys = (await Promise.all(environments.map(({ id }) => listKeys(db, id)))).flat()
      const text = tableOf(keys, {
        reference: ({ id }) => toReference(prefixes.apiKey, id),
        key: 'hint',
        name: 'name',
        state: (key) => keyStateOf(key, now),
        created: 'createdAt',
        'last used': 'lastUsedAt',
        expires: 'expiresAt',
        addresses: ({ allowedAddresses }) => allowedAddresses.join(' ') || 'any',
      })
      return { data: keys.map(showKey), text }
    },
  }),
  command({
    name: 'keys roll',
    description: 'replace a key with a new one',
    args: ['key'],
    input: {
      key,
      grace: fields.read(fields.readDuration, 'how long the old key keeps working: 0s to 7d', {
        placeholder: 'duration',
        default: 24 * hour,
        defaultText: '24h',
      }),
    },
    async run({ db, seal, now, operator }, { key: rolledFrom, grace: graceMs }) {
      const { environmentId, id } = await getKey(db, rolledFrom)
      const { issued, oldExpiresAt } = await db.transaction(async (tx) => {
        const rolled = await rollKey(tx, now, { seal, environmentId, id, graceMs })
        const { details, ...about } = auditOf(rolled.issued)
        writeAuditLine(tx, now, {
          actor: operator,
          action: 'key.roll',
          ...about,
          details: { ...details, rolledFrom, oldExpiresAt: rolled.oldExpiresAt },
        })
        return rolled
      })
      const until = `The old key ${rolledFrom} works until ${formatTime(oldExpiresAt)}.`
      return {
        data: { ...showIssued(issued), rolledFrom, oldExpiresAt },
        text: [describeIssued(issued), shownOnce, until],
      }
    },
  }),
  command({
    name: 'keys revoke',
    description: 'disable a key permanently, effective within a second',
    args: ['key'],
    input: { key },
    async run({ db, now, operator }, { key: reference }) {
      const present = await getKey(db, reference)
      const { key, isFresh } = await db.transaction((tx) => endKey(tx, now, present, operator))
      const result = isFresh ? 'revoked' : `was already revoked at ${formatTime(key.revokedAt)}`
      return { data: showKey(key), text: `${reference} (${key.hint}) ${result}.` }
    },
  }),
  route({
    request: 'POST /merchants/:merchant/keys/:key/revoke',
    operation: 'revokeMerchantKey',
    summary: 'Revoke a key of a merchant',
    stepUp: 'always',
    input: { merchant: fields.merchant, key },
    view: Type.Object({ ...keyView, state: Type.String() }),
    async run({ db, now, operator }, { merchant, key: reference }) {
      const present = await getKey(db, reference)
      if (present.merchantId !== fromReference(prefixes.merchant, merchant))
        throw unknownMerchant(merchant)
      const { key } = await db.transaction((tx) => endKey(tx, now, present, operator))
      return { ...showKey(key), state: keyStateOf(key, now) }
    },
  }),
]

function readPermission(text: string): KeyPermission {
  const permission = keyPermissions.find((name) => name === text)
  if (!permission) throw new InvalidArgumentError(`Must be one of ${keyPermissions.join(', ')}.`)
  return permission
}

export const shownOnce = 'Store these keys now. They are not shown again.'

export function describeIssued(issued: IssuedKey): string {
  return `${toReference(prefixes.apiKey, issued.id)}  ${issued.key.reveal()}`
}

export function showIssued(issued: IssuedKey) {
  return { ...showKey(issued), key: issued.key.reveal() }
}

export function showKey(shown: ApiKey) {
  const { mode, kind, name, hint, allowedAddresses, createdAt, lastUsedAt } = shown
  return {
    reference: toReference(prefixes.apiKey, shown.id),
    mode,
    kind,
    name,
    hint,
    allowedAddresses,
    permissions: shown.permissions,
    payoutsWaitForApproval: shown.payoutsWait,
    createdAt,
    lastUsedAt,
    expiresAt: shown.expiresAt,
    revokedAt: shown.revokedAt,
    rolledInto: shown.rolledInto && toReference(prefixes.apiKey, shown.rolledInto),
  }
}

export function keyStateOf(key: ApiKey, now: Date): string {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt && key.expiresAt <= now) return 'expired'
  return key.rolledInto ? 'rolled, in grace period' : 'active'
}
