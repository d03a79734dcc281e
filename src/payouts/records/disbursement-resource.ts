import Type, { type Static } from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { type JsonText, joinObjects, toJson } from '../../base/json-text.js'
import { orNull, reference, resource, text } from '../../base/shapes.js'
import type { PayoutCreator } from '../requests/creators.js'
import { bankTransfer, cryptoTransfer, showPayout } from '../resource.js'
import type { PayoutWithAttempts } from './find-payouts.js'

export const creator = Type.Object({
  kind: Type.Enum(['key', 'user'], {
    description: 'An API key, or a member in the console.',
    examples: ['key'],
  }),
  id: reference(prefixes.apiKey, 'Identifies the API key or the member.'),
  name: text('backend', 'Name of the API key or the member.'),
})

const createdBy = orNull(creator, 'What created the transfer; null if it is not known.')

/** One list of both kinds of transfer. */
export const disbursement = Type.Union([
  resource('BankDisbursement', {
    kind: Type.Literal('bank_transfer', {
      description: 'The kind of transfer.',
      examples: ['bank_transfer'],
    }),
    createdBy,
    ...bankTransfer.properties,
  }),
  resource('CryptoDisbursement', {
    kind: Type.Literal('crypto_transfer', {
      description: 'The kind of transfer.',
      examples: ['crypto_transfer'],
    }),
    createdBy,
    ...cryptoTransfer.properties,
  }),
])

/** Names of API keys and of members, by id. */
export type CreatorNames = { keys: Map<string, string>; users: Map<string, string> }

export function showDisbursement(
  { payout, attempts }: PayoutWithAttempts,
  names: CreatorNames,
): JsonText {
  const own = toJson({ kind: payout.kind, createdBy: showCreator(payout, names) })
  return joinObjects(own, showPayout(payout, attempts))
}

/** Null if the name is not known. */
export function showCreator(
  { createdByKey, createdByUser }: PayoutCreator,
  { keys, users }: CreatorNames,
): Static<typeof createdBy> {
  const [kind, prefix, id, names] =
    createdByUser === null
      ? (['key', prefixes.apiKey, createdByKey, keys] as const)
      : (['user', prefixes.user, createdByUser, users] as const)
  const name = id === null ? undefined : names.get(id)
  return id === null || name === undefined ? null : { kind, id: toReference(prefix, id), name }
}
