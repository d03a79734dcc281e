import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '../../src/base/limits.js'
import { redactBody } from '../../src/request-log/redact-body.js'
import { redactAll, redactShapes, redactText, ruleOf } from '../../src/request-log/redact-text.js'
import { createTrace } from '../../src/request-log/trace.js'

/** Whatever the table makes of them, it must not overlook what this finds. */
function hasAny(text: string, words: string[], digits: number): boolean {
  const letters = text
    .replaceAll('\u212a', 'k')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the first half of ASCII's controls
    .replace(/[\u0009-\u000d _-]|[^\u0000-\u007f]/g, '')
    .toLowerCase()
  return words.some((word) => letters.includes(word)) || new RegExp(`\\d{${digits}}`).test(text)
}

describe('a trace', () => {
  const words = ['abab', 'babb', 'bb"', '"ca', 'cab', 'c', 'aacaab', '://', '\\']

  test('is found wherever a word stands, and nowhere else', () => {
    const letters = 'aaabbbAB_- \u00a0\u1e9e"/:\\7'
    for (const list of [words, words.filter((word) => word !== 'c')]) {
      const trace = createTrace(list, 4)
      const text = fc.string({ unit: fc.constantFrom(...letters, 'c', 'C'), maxLength: 30 })
      fc.assert(
        fc.property(text, (one) => {
          expect(trace(one)).toBe(hasAny(one, list, 4))
        }),
        { numRuns: 5_000 },
      )
    }
  })

  test('is a run of digits, which a dash ends', () => {
    const trace = createTrace(['a1"'], 10)
    for (const text of ['1234567890', 'x01234567890', '12 1234567890', 'A-7_"'])
      expect(trace(text)).toBe(true)
    for (const text of ['123456789', '2026-01-05 09:00:00', '12345-67890', '12345a67890', 'a1'])
      expect(trace(text)).toBe(false)
  })
})

const pieces = [
  'sk_test_',
  'pk_live_',
  'sk',
  'PK',
  '_',
  'test_',
  'live',
  'whsec_',
  'whs',
  'Bearer ',
  'bear',
  'er',
  ':',
  '//',
  '@',
  'password',
  '=',
  'passphrase',
  'eyJ',
  'abcdefgh',
  '.',
  'FLW',
  'PUBK',
  'SECK',
  '-----BEGIN ',
  'RSA ',
  'PRIVATE ',
  'KEY-----',
  'secret',
  'Token',
  'api',
  'access',
  'private',
  '-',
  'Key',
  'Authorization',
  "'",
  ' ',
  '&',
  ',',
  'x',
  '\u212a',
  '\u00e9',
  '\ud83d',
  '1',
  '23',
  '456789',
  '0123456789',
  '01234567890123456789',
  '\n',
  '\u00a0',
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 8 })
  .map((list) => list.join(''))

const names = [
  'secret',
  'password',
  'passphrase',
  'authorization',
  'cookie',
  'apiKey',
  'privateKey',
  'accessKey',
  'encryptionKey',
  'signingKey',
  'accessToken',
  'seed',
  'mnemonic',
  'pin',
  'otp',
  'cvv',
  'cvv2',
  'cvc',
  'cvc2',
  'nuban',
  'iban',
  'bvn',
  'nin',
  'ssn',
  'pan',
  'card',
  'phone',
  'mobile',
  'telephone',
  'msisdn',
  'accountNumber',
  'cardNumber',
  'phoneNumber',
  'cardNo',
  'mobileNumber',
  'passportNumber',
  'identityNumber',
  'accountNo',
  'phoneNo',
  'mobileNo',
  'passportNo',
  'identityNo',
  'customerEmail',
  'email',
  'emailAddress',
  'name',
  'accountName',
  'customerName',
  'firstName',
  'lastName',
  'middleName',
  'fullName',
  'senderName',
  'surname',
  'recipientName',
  'payerName',
  'beneficiaryName',
  'holderName',
  'accountHolderName',
  'birthName',
  'maidenName',
  'bankName',
  'reference',
  'id',
  'amount',
  'asset',
  'metadata',
]
/** As people write them, and as nobody does. */
const name = fc
  .tuple(fc.constantFrom(...names), fc.infiniteStream(fc.nat({ max: 30 })))
  .map(([word, stream]) => {
    const drawn = [...stream.take(word.length)]
    const odd = ['_', '-', ' ', '\u00a0', '\u3000', '\ufeff', '"', '\\']
    return [...word]
      .map((letter, index) => {
        const many = drawn[index]!
        if (many < odd.length) return `${letter}${odd[many]}`
        if (many < 14) return letter.toUpperCase()
        return many === 14 && letter === 'k' ? '\u212a' : letter
      })
      .join('')
  })

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
const { body } = fc.letrec<{ body: Json }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.double(), fc.constantFrom(null, true, 12_345_678_901)),
    fc.array(tie('body'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(name, name, text), tie('body')), { maxLength: 4 })
      .map((fields) => Object.fromEntries(fields)),
  ),
}))

/** What must be shown of a value: told from what it is, and not from how it is written. */
function show(value: Json, rule: ReturnType<typeof ruleOf>): string {
  if (Array.isArray(value)) return `[${value.map((one) => show(one, rule)).join(',')}]`
  if (value === null || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([field, one]) => {
      const inside = rule === 'secret' ? 'secret' : ruleOf(field)
      return `${JSON.stringify(redactAll(field))}:${show(one, inside)}`
    })
    return `{${fields.join(',')}}`
  }
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  const isNumber = typeof value === 'number' && written !== 'null'
  if (typeof value === 'number' && (!isNumber || rule === 'plain' || rule === 'reference'))
    return written
  const shown = maskByRule(rule, written)
  return isNumber && shown === written ? written : JSON.stringify(shown)
}

function maskByRule(rule: ReturnType<typeof ruleOf>, value: string): string {
  if (value === '') return value
  if (rule === 'secret') return '[secret]'
  if (rule === 'person') return value.replace(/(\S)\S*/gu, '$1***')
  if (rule === 'reference') return redactShapes(value)
  if (rule === 'email' && !value.includes('@')) return `${[...value][0]}***`
  if (rule !== 'number') return redactAll(value)
  return value.length < 8 ? '*'.repeat(value.length) : value.slice(-4).padStart(value.length, '*')
}

// A body without a trace is kept unread: a trace that is overlooked is a secret in the log.
describe('nothing that needs a mask goes without one', () => {
  test('in a text', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(redactText(one)).toBe(redactAll(one))
      }),
      { numRuns: 20_000 },
    )
  })

  test('in a body, whatever its names are', () => {
    fc.assert(
      fc.property(body, (value) => {
        const written = JSON.stringify(value)
        fc.pre(written.length < limits.requestLogs.bodyLength / 4)
        expect(redactBody(written).text).toBe(show(value, 'plain'))
      }),
      { numRuns: 10_000 },
    )
  })

  test('in a field of any name that is known, however it is written', () => {
    fc.assert(
      fc.property(name, (one) => {
        const value = 'Zq7 Xw9'
        const { text: kept } = redactBody(`{ ${JSON.stringify(one)} : "${value}" }`)
        expect(kept).toBe(`{ ${JSON.stringify(one)} : ${show(value, ruleOf(one))} }`)
      }),
      { numRuns: 10_000 },
    )
  })
})
