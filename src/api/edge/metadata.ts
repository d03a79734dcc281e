import Type from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { rawField } from './exact-json.js'
import { plainText } from './schemas.js'

export const metadataIn = Type.Object(
  {},
  {
    additionalProperties: true,
    maxProperties: limits.metadata.keys,
    description: 'Anything of yours; it comes back as it was sent.',
    examples: [{ order: 'a-1001' }],
  },
)

export const merchantReferenceIn = Type.String({
  minLength: 1,
  maxLength: limits.names.length,
  pattern: plainText,
  description: 'Yours; no two may have the same.',
  examples: ['payout-9'],
})

/** As JSON text, as it was written in the body; absent is an empty object. */
export function readMetadata({ bodyText }: { bodyText: string }): string {
  const text = rawField(bodyText, 'metadata') ?? '{}'
  if (Buffer.byteLength(text) <= limits.metadata.bytes) return text
  const issue = `must be at most ${limits.metadata.bytes} bytes as JSON`
  throw new Refusal('validation_failed', {
    message: `metadata ${issue}.`,
    details: [{ field: 'metadata', issue }],
  })
}
