import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from '../../sdk/scripts/print-schema.js'
import { type Body, bodies } from './bodies.js'
import type { Operation, Parameter } from './operations.js'
import { type DraftValue, encode, fitting, kindOf, pureText, strange } from './values.js'

/** A request before it is sent. */
export type Draft = {
  method: string
  template: string
  path: Record<string, unknown>
  query: [string, unknown][]
  headers: [string, unknown][]
  who: Who
  body: Body
}

/** The key, or what is sent instead of one. */
export type Who =
  | 'secret'
  | 'liveSecret'
  | 'public'
  | 'livePublic'
  | { authorization: string | null }

export function drafts(operation: Operation): Arbitrary<Draft> {
  const { method, path: template, parameters, body } = operation
  const of = (place: Parameter['in']) => parameters.filter((one) => one.in === place)
  return fc.record({
    method: fc.oneof(
      { weight: 60, arbitrary: fc.constant(method) },
      { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
    ),
    template: fc.constant(template),
    path: fc.record(Object.fromEntries(of('path').map((one) => [one.name, inPath(one)]))),
    query: queries(of('query')),
    headers: headers(of('header')),
    who,
    body: bodies(body),
  })
}

/** Whatever the document allows, from its schemas alone: no examples, no plausible values. */
export function allowedDrafts(operation: Operation): Arbitrary<Draft> {
  const { method, path: template, parameters, body, isBodyRequired } = operation
  const of = (place: Parameter['in']) => parameters.filter((one) => one.in === place)
  const some = (place: Parameter['in']) =>
    fc.tuple(...of(place).map((one) => allowedParameter(one, place))).map((all) => all.flat())
  const bodyOf = (schema: Schema) => fitting(schema, '', pureText).map((json): Body => ({ json }))
  return fc.record({
    method: fc.constant(method),
    template: fc.constant(template),
    path: fc.record(Object.fromEntries(of('path').map((one) => [one.name, inAllowedPath(one)]))),
    query: some('query'),
    headers: some('header'),
    who: fc.constant<Who>('secret'),
    body: body
      ? fc.oneof(bodyOf(body), isBodyRequired ? bodyOf(body) : fc.constant(undefined))
      : fc.constant(undefined),
  })
}

/** The example of the document; references in the path are those of earlier answers. */
export function exampleDraft({ method, path, parameters, example }: Operation): Draft {
  const of = (place: Parameter['in']) => parameters.filter((one) => one.in === place)
  // Of parameters that exclude each other, the document marks those that its example sends.
  const isSampled = ({ required, schema }: Parameter) => required || 'x-sample' in schema
  const isMarked = parameters.some(({ schema }) => 'x-sample' in schema)
  const shown = (place: Parameter['in']) =>
    of(place)
      .filter((one) => one.example !== undefined && (!isMarked || isSampled(one)))
      .map((one): [string, unknown] => [one.name, one.example])
  const inPath = of('path').map(({ name, example: sample }) => {
    const known: DraftValue = { known: kindOf(name, sample), at: 0, otherwise: sample }
    return [name, known]
  })
  return {
    method,
    template: path,
    path: Object.fromEntries(inPath),
    query: shown('query'),
    headers: shown('header'),
    who: 'secret',
    body: example === undefined ? undefined : { json: example },
  }
}

function allowedParameter(
  { name, required, schema }: Parameter,
  place: Parameter['in'],
): Arbitrary<[string, unknown][]> {
  // Spaces around a header value are not part of it.
  const texts = place === 'header' ? (one: Schema) => pureText(one).filter(isTrimmed) : pureText
  const sent = fitting(schema, name, texts).map((value): [string, unknown][] => [[name, value]])
  return required ? sent : fc.oneof(sent, fc.constant<[string, unknown][]>([]))
}

const isTrimmed = (text: string) => text.trim() === text

/** A known reference, or any text that the schema allows. */
function inAllowedPath({ name, example, schema }: Parameter): Arbitrary<unknown> {
  const known = { known: fc.constant(kindOf(name, example)), otherwise: fc.constant(example) }
  const free = pureText({ ...schema, maxLength: 20 }).filter((text) => !['.', '..'].includes(text))
  return fc.oneof(fc.record({ ...known, at: fc.nat(60) }), free.map(encode))
}

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

function inPath({ name, example }: Parameter): Arbitrary<unknown> {
  const known = { known: fc.constant(kindOf(name, example)), otherwise: fc.constant(example) }
  const other = { known: fc.constantFrom('va_', 'pay_', 'bt_', 'cs_', 'we_', 'evt_', 'log_') }
  const at = fc.nat(60)
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ ...known, at }) },
    { weight: 1, arbitrary: fc.record({ ...other, at, otherwise: fc.constant(example) }) },
    { weight: 1, arbitrary: fc.constant(example) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        ' ',
        '.',
        '..',
        '...',
        '%2e%2e',
        '%2F',
        'a%2Fb',
        '%00',
        '%',
        '%zz',
        '%ff',
        '%ed%a0%80',
        'quote',
        'resolve',
        'undefined',
        'null',
        '0',
        '*',
        ':reference',
        '{reference}',
        'é',
        '%F0%9F%92%B8',
        'x'.repeat(200),
        'x'.repeat(201),
        'x'.repeat(8_000),
        'va_',
        'va_0',
        'VA_06DST4M7B0',
        ';a=1',
        '#',
        "'--",
        '..%2f..%2f',
        '%5c',
        '%0d%0aX: y',
        '+',
        '@',
        'test',
        'live',
        'sandbox-bank',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map(encode) },
  )
}

function queries(parameters: Parameter[]): Arbitrary<[string, unknown][]> {
  const one = (parameter: Parameter): Arbitrary<[string, unknown]> => {
    const { name, example, schema } = parameter
    const examples = example === undefined ? {} : { examples: [example] }
    const good = fitting({ ...schema, ...examples }, name === 'cursor' ? 'nextCursor' : name)
    const value = fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: strange })
    return fc.tuple(fc.constant(name), value)
  }
  const needed = parameters.filter(({ required }) => required).map(one)
  const others = parameters.filter(({ required }) => !required).map(one)
  const chosen = others.map((each) => fc.option(each, { nil: undefined, freq: 1 }))
  const odd = fc.oneof(
    { weight: 20, arbitrary: fc.constant<[string, unknown][]>([]) },
    { weight: 1, arbitrary: fc.tuple(fc.tuple(fc.string({ maxLength: 8 }), strange)) },
    { weight: 1, arbitrary: fc.constantFrom<[string, unknown][]>(...oddities) },
  )
  return fc
    .tuple(fc.tuple(...needed), fc.tuple(...chosen), odd)
    .map(([first, then, last]) => [
      ...first,
      ...then.filter((each): each is [string, unknown] => each !== undefined),
      ...last,
    ])
}

const oddities: [string, unknown][][] = [
  [
    ['limit', 1],
    ['limit', 2],
  ],
  [['limit[]', 1]],
  [['__proto__', 'x']],
  [['', '']],
]

function headers(parameters: Parameter[]): Arbitrary<[string, unknown][]> {
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  const needsKey = parameters.some(({ required }) => required)
  const key = fc.oneof(
    { weight: needsKey ? 1 : 12, arbitrary: fc.constant([]) },
    { weight: 12, arbitrary: fc.uuid().map((text) => [['Idempotency-Key', text]]) },
    {
      weight: 3,
      arbitrary: fc.nat(60).map((at) => {
        const again: DraftValue = { known: 'Idempotency-Key', at, otherwise: 'first' }
        return [['Idempotency-Key', again]]
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...oddKeys) },
  )
  return fc
    .tuple(isKeyed ? key : fc.constant([]), rarely(accepts), rarely(types), rarely(names))
    .map((lists) => lists.flat() as [string, unknown][])
}

const rarely = (values: [string, unknown][]) =>
  fc.oneof(
    { weight: 15, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constantFrom(...values).map((one) => [one]) },
  )

const oddKeys: [string, unknown][][] = [
  ...['', ' ', 'x'.repeat(255), 'x'.repeat(256), 'clé', '\u00a0', 'a\tb', '"quoted"', 'a,b'].map(
    (text): [string, unknown][] => [['Idempotency-Key', text]],
  ),
  [
    ['Idempotency-Key', 'one'],
    ['Idempotency-Key', 'two'],
  ],
]
const accepts: [string, unknown][] = [
  'text/csv',
  'text/html',
  '*/*',
  'application/xml',
  'text/csv;q=0.1',
  ';;;',
  '',
].map((text) => ['Accept', text])
const types: [string, unknown][] = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'APPLICATION/JSON',
  'application/json;;',
  '',
  'json',
  'a/b/c',
  'application/problem+json',
  'application/json, text/plain',
  'application/jsonx',
].map((text) => ['Content-Type', text])
const names: [string, unknown][] = [
  ...['mine-1', 'x'.repeat(100), 'x'.repeat(101), 'é', '', 'a b', '{}', '../..'].map(
    (text): [string, unknown] => ['X-Request-Id', text],
  ),
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Expect', '100-continue'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Origin', 'https://elsewhere.example'],
]

const who: Arbitrary<Who> = fc.oneof(
  { weight: 40, arbitrary: fc.constant<Who>('secret') },
  { weight: 4, arbitrary: fc.constantFrom<Who[]>('liveSecret', 'public', 'livePublic') },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        null,
        '',
        'Bearer',
        'Bearer ',
        'bearer x',
        'Basic YTpi',
        'sk_test_x',
        'Bearer sk_test_',
        `Bearer sk_test_${'a'.repeat(38)}`,
        `Bearer ${'x'.repeat(4_000)}`,
        'Bearer a b',
        'Bearer é',
      )
      .map((authorization) => ({ authorization })),
  },
)
