import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonTokens } from '../../src/base/json-tokens.js'

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
