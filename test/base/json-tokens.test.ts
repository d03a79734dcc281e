import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonToken, jsonTokens } from '../../src/base/json-tokens.js'
import { isLongRun } from '../support/long-run.js'

test('tokens are a document without its white space, each where it was written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 4 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const tokens = [...jsonTokens(text)]
      const joined = tokens.map(({ kind, text }) => (kind === 'name' ? `${text}:` : text)).join('')
      expect(joined).toBe(JSON.stringify(value))
      for (const { text: token, start } of tokens)
        expect(text.slice(start, start + token.length)).toBe(token)
      expect(tokens.at(-1)?.depth).toBe(0)
    }),
  )
})

test.each([
  ['{"a":1', ['{', '"a"', '1']],
  ['[1, "open', ['[', '1', ',']],
  ['[tru]', ['[']],
  ['[nullx]', ['[']],
  ["{'a':1}", ['{']],
  ['', []],
])('%s is read as far as it has tokens', (text, expected) => {
  expect([...jsonTokens(text)].map((token) => token.text)).toEqual(expected)
})

const pattern =
  /\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")((?:\s*:)*)|-?\d[\d.eE+-]*|(?:true|false|null)(?!\w)|[{}[\],])/y

const kinds: Record<string, JsonToken['kind']> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ',': 'comma',
  true: 'literal',
  false: 'literal',
  null: 'literal',
}

/** The plain twin of `jsonTokens`: the same tokens by a pattern. */
function tokensByPattern(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  let depth = 0
  let end = 0
  while (end < text.length) {
    pattern.lastIndex = end
    const match = pattern.exec(text)
    if (!match) break
    const [whole, string, colon = ''] = match
    const token = string ?? whole.trimStart()
    const kind = string ? (colon ? 'name' : 'string') : (kinds[token] ?? 'number')
    end += whole.length
    if (kind === 'close') depth -= 1
    tokens.push({ kind, text: token, start: end - colon.length - token.length, end, depth })
    if (kind === 'open') depth += 1
  }
  return tokens
}

// Logged bodies may be anything, so broken text must break at the same place.
test('any text has the tokens that the pattern finds', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', ' : :', '"', '"a"', '"a":', '"a" \n:', '\\', '\\"', '\\\\'],
    ...[
      'true',
      'false',
      'null',
      'truex',
      'null_',
      'nul',
      'falsé',
      '-',
      '-1',
      '01.5e+3',
      '1-2',
      '.',
    ],
    ...[
      ' ',
      '\t',
      '\n',
      '\r',
      '\u00a0',
      '\u2028',
      '\ufeff',
      '\u180e',
      '\v',
      '\0',
      'é',
      '👍',
      '\\\n',
    ],
    ...['"\\\u2029"', '"\\', '"\ud800', '_', 'x', '+'],
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    fc.json(),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (document) => {
      expect([...jsonTokens(document)]).toEqual(tokensByPattern(document))
    }),
    { numRuns: isLongRun ? 5_000 : 1_000 },
  )
})
