import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from '../../sdk/scripts/print-schema.js'

/**
 * A value before it is sent. Placeholders stand for values known only when sending: a reference from
 * an earlier answer, or a time relative to now.
 */
export type DraftValue =
  | { known: string; at: number; otherwise: unknown }
  | { fromNowMs: number; cut: number }

const isTime = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT/.test(text)

/** The kind of a value: the prefix of a reference, else the field name. */
export function kindOf(name: string, example: unknown): string {
  const [, prefix] = /^([a-z]+_)[0-9a-z]{16,}$/.exec(String(example)) ?? []
  return prefix ?? name
}

type Texts = (schema: Schema, name: string) => Arbitrary<unknown>

/** Plausible values of a schema; with `pureText`, whatever it allows. */
export function fitting(schema: Schema, name = '', texts: Texts = fittingText): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const forms = schema.anyOf ?? schema.oneOf
  if (forms) return fc.oneof(...forms.map((form) => fitting(form, name, texts)))
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, texts)
    case 'array':
      return fc.uniqueArray(fitting(schema.items!, name, texts), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
        selector: (item) => JSON.stringify(item),
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
      return fittingInteger(schema)
    default:
      return texts(schema, name)
  }
}

function fittingObject(
  { properties = {}, required = [], ...schema }: Schema,
  texts: Texts,
): Arbitrary<unknown> {
  const named = Object.entries(properties)
  if (named.length === 0)
    return schema.additionalProperties
      ? fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 5 })
      : fc.constant({})
  const fields = Object.fromEntries(
    named.map(([name, field]) => [name, fitting(field, name, texts)]),
  )
  return fc.record(fields, { requiredKeys: required })
}

const most = Number.MAX_SAFE_INTEGER

function fittingInteger({ minimum = -most, maximum = most }: Schema): Arbitrary<number> {
  const few = Math.min(maximum, minimum + 100_000)
  return fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: minimum, max: few }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  )
}

function fittingText(schema: Schema, name: string): Arbitrary<unknown> {
  const { examples = [], minLength = 0, maxLength = 60 } = schema
  const known = fc.record({
    known: fc.constant(kindOf(name, examples[0])),
    at: fc.nat(60),
    otherwise: fc.constant(examples[0] ?? 'x'),
  })
  const long = Math.min(maxLength, 120)
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, long) })
  const choices = [
    { weight: 4, arbitrary: known as Arbitrary<unknown> },
    { weight: 1, arbitrary: matching(schema) ?? free },
  ]
  const isFree = !schema.pattern || new RegExp(schema.pattern, 'u').test('a-1')
  if (isFree && maxLength >= 36) choices.push({ weight: 2, arbitrary: fc.uuid() })
  if (examples.length > 0) choices.push({ weight: 3, arbitrary: fc.constantFrom(...examples) })
  if (isTime(examples[0])) choices.push({ weight: 6, arbitrary: aboutNow })
  return fc.oneof(...choices)
}

/** Any text that fits, from the pattern and the lengths alone. */
export function pureText(schema: Schema): Arbitrary<string> {
  const { minLength = 0, maxLength = 60 } = schema
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, maxLength) })
  return (matching(schema) ?? free).filter(
    ({ length }) => length >= minLength && length <= (schema.maxLength ?? Infinity),
  )
}

/** From the strictest pattern. Undefined for one that cannot be generated from. */
function matching({ allOf = [], ...schema }: Schema): Arbitrary<string> | undefined {
  const pattern = allOf[0]?.pattern ?? schema.pattern
  if (!pattern) return undefined
  try {
    const arbitrary = fc.stringMatching(new RegExp(pattern, 'u'))
    fc.sample(arbitrary, { numRuns: 1, seed: 1 })
    return arbitrary
  } catch {
    return undefined
  }
}

/** Mostly within the 24 hours allowed for an expiry; as a time or a date. */
const aboutNow: Arbitrary<DraftValue> = fc.record({
  fromNowMs: fc.oneof(fc.integer({ min: -1_000, max: 90_000_000 }), fc.integer()),
  cut: fc.constantFrom(24, 24, 24, 10, 16, 19),
})

export function isDraftValue(value: unknown): value is DraftValue {
  if (typeof value !== 'object' || value === null) return false
  return 'otherwise' in value || ('fromNowMs' in value && 'cut' in value)
}

/** Lone surrogates cannot be encoded in a URL; replaced. */
export function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

const deep = (depth: number, open: string, close: string) =>
  open.repeat(depth) + close.repeat(depth)

/** Edge cases that may appear in place of any value. */
export const strange: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    1.5,
    1e21,
    -1e308,
    5e-324,
    2 ** 53,
    Number.MAX_SAFE_INTEGER,
    '',
    ' ',
    '0',
    '500',
    '-1',
    '1e3',
    '0x10',
    'NaN',
    'null',
    'true',
    '25.5000000',
    '.5',
    '5.',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202eabc',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\u007f',
    '\r\n',
    'e\u0301'.repeat(60),
    '𝄞'.repeat(101),
    'x'.repeat(100),
    'x'.repeat(101),
    'x'.repeat(256),
    'x'.repeat(10_000),
    '9'.repeat(25),
    '../../etc/passwd',
    "' or 1=1 --",
    '<script>',
    '$1',
    '%00',
    '%',
    '{}',
    '__proto__',
    '9999-12-31T23:59:59.999Z',
    '2024-02-30',
    '0000-01-01',
    '2026-01-01T00:00:00+14:00',
    'http://[::1]/',
    'javascript:alert(1)',
    'a@b@c',
    '@',
    'a@b',
    [],
    [[]],
    [null],
    {},
    { a: 1 },
    [5],
    ['x'],
    JSON.parse(deep(60, '[', ']')),
    JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue(),
  fc.double(),
)
