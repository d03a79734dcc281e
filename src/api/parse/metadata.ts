import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import { type JsonText, toJson } from '../../base/json-text.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { mayPayClaim } from '../../payouts/claims/claim.js'
import { metadataLimits } from '../limits.js'
import { rawField } from './exact-json.js'
import { plainText } from './schemas.js'

export const metadataIn = Type.Object(
  {},
  {
    additionalProperties: true,
    maxProperties: metadataLimits.keys,
    description: 'Any JSON object; returned unchanged.',
    examples: [{ order: 'a-1001' }],
  },
)

export const merchantReferenceIn = Type.String({
  minLength: 1,
  maxLength: limits.names.length,
  pattern: plainText,
  description: 'Your own reference, such as an order number. Must be unique.',
  examples: ['payout-9'],
})

/** A payout with the reference of a claim would keep the claim from being paid. */
export function findReferenceIssue(merchantReference: string): string | undefined {
  if (!mayPayClaim({ merchantReference })) return undefined
  return `must not start with ${prefixes.claim}: transfers of claims do`
}

/** The JSON text as sent; an empty object if absent. */
export function readMetadata({ bodyText }: { bodyText: string }): JsonText {
  const text = rawField(bodyText, 'metadata') ?? toJson({})
  if (Buffer.byteLength(text) <= metadataLimits.bytes) return text
  const issue = `must be at most ${metadataLimits.bytes} bytes as JSON`
  throw invalidField('metadata', issue)
}
