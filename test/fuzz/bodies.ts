import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from '../../sdk/scripts/print-schema.js'
import { fitting, strange } from './values.js'

/** A body: a value to serialize, or raw bytes. */
export type Body = { json: unknown } | { base64: string } | undefined

export function bodies(schema: Schema | undefined): Arbitrary<Body> {
  if (!schema)
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant({ json: {} }) },
      { weight: 1, arbitrary: broken },
    )
  const good = fitting(schema)
  return fc.oneof(
    { weight: 16, arbitrary: good.map((json) => ({ json })) },
    { weight: 5, arbitrary: bent(good, schema).map((json) => ({ json })) },
    { weight: 1, arbitrary: strange.map((json) => ({ json })) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

/** A valid value with one mutation. */
function bent(good: Arbitrary<unknown>, schema: Schema): Arbitrary<unknown> {
  const extra = fc.oneof(
    fc.constantFrom('extra', '__proto__', 'constructor', '', 'amount', 'Amount', 'toString'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  const deed = fc.oneof(
    { weight: 3, arbitrary: fc.record({ replace: strange }) },
    { weight: 1, arbitrary: fc.constant({ remove: true }) },
    { weight: 1, arbitrary: fc.record({ add: extra, value: strange }) },
    { weight: 2, arbitrary: edges(schema).map((replace) => ({ replace })) },
  )
  return fc
    .tuple(good, fc.nat(), deed)
    .map(([value, where, how]) => bend(structuredClone(value), where, how as Deed))
}

type Deed = { replace?: unknown; remove?: true; add?: string; value?: unknown }
type Place = { holder: Record<string, unknown>; name: string }

function bend(value: unknown, where: number, { replace, remove, add, value: more }: Deed): unknown {
  const places = listPlaces(value)
  const place = places[where % Math.max(places.length, 1)]
  if (!place) return replace ?? { [add ?? 'extra']: more ?? 1 }
  if (remove) delete place.holder[place.name]
  // defineProperty, so that `__proto__` becomes an ordinary field.
  else if (add !== undefined)
    Object.defineProperty(place.holder, add, { value: more, enumerable: true, configurable: true })
  else place.holder[place.name] = replace
  return value
}

function listPlaces(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null || 'otherwise' in value || 'cut' in value)
    return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...listPlaces(holder[name])])
}

/** Values just inside and just outside the schema's limits. */
function edges(schema: Schema): Arbitrary<unknown> {
  const found: unknown[] = []
  JSON.stringify(schema, (_key, value: Schema | null) => {
    for (const length of [value?.minLength, value?.maxLength])
      if (typeof length === 'number')
        for (const by of [-1, 0, 1]) if (length + by >= 0) found.push('a'.repeat(length + by))
    for (const bound of [value?.minimum, value?.maximum])
      if (typeof bound === 'number') found.push(bound - 1, bound, bound + 1)
    return value
  })
  return fc.constantFrom(...(found.length > 0 ? found : [0]))
}

const texts = [
  '',
  ' ',
  '{',
  '}',
  '{"a":1',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  'NaN',
  'undefined',
  '1e999',
  'null',
  '[]',
  '"x"',
  'true',
  '0',
  '\ufeff{}',
  '{}{}',
  '{"a":1}\u0000',
  '/* */{}',
  '-',
  '01',
  '{"amount":9007199254740993}',
  '{"amount":1e400}',
  '{"amount":1.00000000000000000001}',
  '{"a":1,"a":2}',
  '{"amount":1,"amount":2}',
  '{"\\ud800":1}',
  '{"a":"\\ud800"}',
  '['.repeat(5_000),
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  'a=1&b=2',
  `{"a":"${'x'.repeat(65_527)}"}`,
  `{"a":"${'x'.repeat(65_529)}"}`,
  ' '.repeat(70_000),
]
const broken: Arbitrary<Body> = fc.oneof(
  fc.constantFrom(...texts).map((text) => ({ base64: Buffer.from(text).toString('base64') })),
  fc
    .constantFrom('gIGC', '/v97AA==', '7aCA', 'wIA=', 'H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==')
    .map((base64) => ({ base64 })),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({
    base64: Buffer.from(bytes).toString('base64'),
  })),
)
