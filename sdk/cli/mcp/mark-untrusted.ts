import { type OpenApi, resolve, type Schema } from './document.js'

/**
 * Text that we did not write, in an answer for an agent. Text cannot make this structure: it stays
 * a JSON string inside of it, and no field of the API has this name.
 */
export type Untrusted = { untrusted: unknown }

/**
 * Texts that cannot carry an instruction: references of ours, times, numbers, amounts, and hashes.
 */
const harmless = [
  /^[a-z]{2,6}_[0-9a-hjkmnp-tv-z]{26}$/,
  // Checkout sessions have longer ones.
  /^cs_[0-9a-hjkmnp-tv-z]{39}$/,
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/,
  /^[+-]?[\d.,]{1,30}$/,
  /^[0-9a-f]{64}$/,
]

/**
 * Marks every text of an answer that may come from a payer or another outsider. Everything is
 * marked that the schema does not enumerate and that could be a sentence: a field that is added to
 * the API later is marked, too.
 */
export function markUntrusted(value: unknown, schema: Schema, document: OpenApi): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  const variants = variantsOf(schema, document)
  if (typeof value === 'string') return markText(value, variants)
  if (Array.isArray(value)) {
    const items = variants.flatMap((variant) => variant.items ?? [])
    return value.map((item) => markUntrusted(item, { anyOf: items }, document))
  }
  const known = new Map<string, Schema[]>()
  for (const { properties = {} } of variants)
    for (const [name, field] of Object.entries(properties))
      known.set(name, [...(known.get(name) ?? []), field])
  const entries = Object.entries(value as object)
  // Names of fields that the API does not define are text of others, as in metadata.
  if (entries.some(([name]) => !known.has(name))) return { untrusted: clean(value) }
  return Object.fromEntries(
    entries.map(([name, item]) => [
      name,
      name === 'nextCursor' ? item : markUntrusted(item, { anyOf: known.get(name)! }, document),
    ]),
  )
}

/** The schemas that a value may have, without references and unions. */
function variantsOf(schema: Schema, document: OpenApi): Schema[] {
  const found = resolve(schema, document)
  const inner = [...(found.anyOf ?? []), ...(found.oneOf ?? []), ...(found.allOf ?? [])]
  return [found, ...inner.flatMap((variant) => variantsOf(variant, document))]
}

function markText(text: string, variants: Schema[]): string | Untrusted {
  const isEnumerated = variants.some(
    (variant) => variant.enum?.includes(text) || variant.const === text,
  )
  if (isEnumerated || harmless.some((pattern) => pattern.test(text))) return text
  return { untrusted: clean(text) }
}

export const untrusted = (text: string): Untrusted => ({ untrusted: clean(text) })

/** Characters that are not seen, or that change the order of those that are. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu
const keyShape = /\b(?:[sp]k_(?:test|live)_|whsec_|whsk_)[0-9A-Za-z+/=]+/g

/** Without invisible characters, in which an instruction could hide, and without keys. */
function clean(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(invisible, ' ').replaceAll(keyShape, '[secret]')
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [clean(name) as string, clean(item)]),
  )
}
