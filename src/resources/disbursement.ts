import Type from 'typebox'
import { prefixes, toReference } from '../base/ids.js'
import { bankTransfer, cryptoTransfer, type PayoutFields, showPayout } from './payout.js'
import { orNull, reference, resource, text } from './shapes.js'

const createdBy = orNull(
  Type.Object({
    kind: Type.Literal('key', { description: 'An API key.', examples: ['key'] }),
    id: reference(prefixes.apiKey, 'Identifies the API key.'),
    name: text('backend', 'Name of the API key.'),
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
  payout: PayoutFields & { createdByKey: string | null }
  attempts: Parameters<typeof showPayout>[1]
}

/** JSON text. */
export function showDisbursement({ payout, attempts }: Listed, keyNames: Map<string, string>) {
  const { kind, createdByKey } = payout
  const name = createdByKey === null ? undefined : keyNames.get(createdByKey)
  const own = JSON.stringify({
    kind,
    createdBy:
      createdByKey === null || name === undefined
        ? null
        : { kind: 'key', id: toReference(prefixes.apiKey, createdByKey), name },
  })
  return `${own.slice(0, -1)},${showPayout(payout, attempts).slice(1)}`
}
