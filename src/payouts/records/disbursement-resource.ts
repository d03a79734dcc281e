import Type from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { orNull, reference, resource, text } from '../../base/shapes.js'
import { bankTransfer, cryptoTransfer, type PayoutFields, showPayout } from '../resource.js'

const createdBy = orNull(
  Type.Object({
    kind: Type.Enum(['key', 'user'], {
      description: 'An API key, or a person in the console.',
      examples: ['key'],
    }),
    id: reference(prefixes.apiKey, 'Identifies the API key or the person.'),
    name: text('backend', 'Name of the API key or the person.'),
  }),
  'What created the transfer; null if it is not known.',
)

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

type Listed = {
  payout: PayoutFields & { createdByKey: string | null; createdByUser: string | null }
  attempts: Parameters<typeof showPayout>[1]
}

/** Names of API keys and of people, by id. */
type Names = { keys: Map<string, string>; users: Map<string, string> }

/** JSON text. */
export function showDisbursement({ payout, attempts }: Listed, names: Names) {
  const own = JSON.stringify({ kind: payout.kind, createdBy: showCreator(payout, names) })
  return `${own.slice(0, -1)},${showPayout(payout, attempts).slice(1)}`
}

function showCreator({ createdByKey, createdByUser }: Listed['payout'], { keys, users }: Names) {
  const [kind, prefix, id, names] =
    createdByUser === null
      ? (['key', prefixes.apiKey, createdByKey, keys] as const)
      : (['user', prefixes.user, createdByUser, users] as const)
  const name = id === null ? undefined : names.get(id)
  return id === null || name === undefined ? null : { kind, id: toReference(prefix, id), name }
}
