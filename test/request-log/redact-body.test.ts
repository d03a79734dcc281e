import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestLogLimits } from '../../src/request-log/limits.js'
import {
  fieldKindOf,
  redactBody,
  redactQuery,
  redactShapes,
  redactText,
} from '../../src/request-log/redact-body.js'
import { isLongRun } from '../support/long-run.js'

const { bodyLengthMax } = requestLogLimits
const random = 'q7Zk2Vw9Xh4Tn8Lp3Rb6'
const shown = (value: unknown) => JSON.parse(redactBody(JSON.stringify(value)).text!)
const textOf = (body: string) => redactBody(body).text

test('tokens of claims and of pages of invoices are redacted', () => {
  const token = '06dst4m7b0fgv3x0ba9bwrf0yw'
  const url = `https://pay.example/i/${token}`
  expect(shown({ url })).toEqual({ url: 'https://pay.example/i/[secret]' })
  expect(redactText(`/i/${token}/pay`)).toBe('/i/[secret]/pay')
  expect(redactText(`/claim/${token}`)).toBe('/claim/[secret]')
  expect(redactText('/i/short')).toBe('/i/short')
})

describe('fields that are redacted by name', () => {
  test.each([
    [{ secret: random }, { secret: '[secret]' }],
    [{ webhook_secret: 5 }, { webhook_secret: '[secret]' }],
    [
      { secret: null, hasSecret: true },
      { secret: null, hasSecret: true },
    ],
    [
      { 'API-Key': random, privateKey: random },
      { 'API-Key': '[secret]', privateKey: '[secret]' },
    ],
    [
      { password: '', accessToken: random },
      { password: '', accessToken: '[secret]' },
    ],
    [{ accountNumber: '0123456789' }, { accountNumber: '******6789' }],
    [{ account_number: 123456789 }, { account_number: '*****6789' }],
    [{ bvn: '1234567' }, { bvn: '*******' }],
    [{ phone: '+2348012345678' }, { phone: '**********5678' }],
    [{ email: 'ada@example.com' }, { email: 'a***@example.com' }],
    [{ email: 'ada' }, { email: 'a***' }],
    [{ customer: { name: 'Ada Obi', id: 7 } }, { customer: { name: 'A*** O***', id: 7 } }],
    [{ accountName: 'ỌMỌ ÀGBÀ' }, { accountName: 'Ọ*** À***' }],
    [{ bankName: 'Guaranty Trust Bank', displayName: 'Ada Stores' }, undefined],
    [{ publicKey: random, signature: random.repeat(4), nextCursor: 'eyJhdCI6MX0' }, undefined],
    [{ amount: 1_250_000_000, totalDebit: 12345678901, reference: '20260105000001' }, undefined],
    [
      { amount: '1000000000', requestId: '1234567890', metadata: { x: [1, null, true] } },
      undefined,
    ],
  ])('%j', (body, expected) => {
    expect(shown(body)).toEqual(expected ?? body)
  })

  test.each([
    'secret',
    'Password',
    'pass_word',
    'passphrase',
    'AUTHORIZATION',
    'cookie',
    'set-cookie',
    'apiKey',
    'api_key',
    'private-key',
    'accessKey',
    'encryptionKey',
    'signing_key',
    'token',
    'accessToken',
    'seed',
    'seedPhrase',
    'mnemonic',
    'pin',
    'OTP',
    'cvv',
    'cvv2',
    'cvc',
    'accountNumber',
    'account_no',
    'cardNumber',
    'card_no',
    'phone_number',
    'mobileNo',
    'passportNumber',
    'identityNumber',
    'nuban',
    'IBAN',
    'bvn',
    'nin',
    'ssn',
    'pan',
    'card',
    'phone',
    'mobile',
    'telephone',
    'msisdn',
    'email',
    'e-mail',
    'customerEmail',
    'emailAddress',
    'name',
    'account_name',
    'customerName',
    'firstName',
    'last_name',
    'middleName',
    'fullName',
    'senderName',
    'recipientName',
    'payerName',
    'surname',
    'beneficiaryName',
    'holderName',
    'accountHolderName',
    'birthName',
    'maidenName',
  ])('%s', (name) => {
    expect(JSON.stringify(shown({ [name]: 'Zq7 Xw9' }))).not.toMatch(/Zq7|Xw9/)
    expect(textOf(`[{"${name}" : ["Zq7"]}]`)).not.toContain('Zq7')
  })

  test('everything inside a secret is redacted, and what follows it is not', () => {
    const body = { secrets: [{ value: random, at: 5, deep: [[random]] }, random], asset: 'NGN' }
    expect(shown(body)).toEqual({
      secrets: [{ value: '[secret]', at: '[secret]', deep: [['[secret]']] }, '[secret]'],
      asset: 'NGN',
    })
  })

  test('a name written in escapes is the same name', () => {
    expect(textOf(`{"\\u0073ecret":"${random}"}`)).toBe('{"\\u0073ecret":"[secret]"}')
  })
})

describe('texts with the shape of a secret, anywhere', () => {
  test.each([
    `sk_test_${random}`,
    `pk_live_${random}`,
    `whsec_${random}`,
    `Bearer ${random}`,
    `https://ada:${random}@example.com/x`,
    `https://example.com/?api_key=${random}&a=1`,
    `eyJhbGciOiJI.${random}.${random}`,
    `FLWSECK_TEST-${random}`,
    `MK_PROD_${random}`,
    `{"secret":"${random}"}`,
    `-----BEGIN PRIVATE KEY-----\n${random}`,
    `Authorization: Basic ${random}`,
  ])('%s', (secret) => {
    const escaped = `"${[...secret].map((letter) => `\\u00${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}"`
    const bodies = [
      { description: secret },
      { [secret]: 1 },
      [`x ${secret} y`],
      { id: secret },
      secret,
      { a: [{ b: secret }] },
      { metadata: JSON.stringify({ note: secret }) },
    ]
    for (const body of bodies) expect(textOf(JSON.stringify(body))).not.toContain(random)
    const texts = [secret, `{"a":"${secret}`, `<x a='${secret}'>`, `a,${secret},b`, `a=${secret}`]
    for (const text of texts) expect(textOf(text)).not.toContain(random)
    expect(textOf(`{"note":${escaped}}`)).not.toContain(random)
  })

  test('account numbers and email addresses are masked in messages', () => {
    const message =
      'There is no account 0123456789; write to ada.obi+1@example.com (req_1, ₦25.50).'
    expect(shown({ message })).toEqual({
      message: 'There is no account ******6789; write to a***@example.com (req_1, ₦25.50).',
    })
  })
})

// Merchants read the log to see what their server sent, also when that was the mistake.
test('what is not redacted is shown as sent: digits, repeated names, order, escapes, spaces', () => {
  const body = '{ "2":12345678901234567890, "1":1.10, "amount":5, "amount":6, "n":"\\u0041" }'
  expect(redactBody(body)).toEqual({ text: body, isCut: false })
  expect(textOf(`{"secret":"${random}", "metadata":{"2":1e400,"1":0.0}}`)).toBe(
    '{"secret":"[secret]", "metadata":{"2":1e400,"1":0.0}}',
  )
})

describe('bodies that are not JSON', () => {
  test.each([
    ['{"accountNumber":"0123456789,"secret":"abc def"}', '******6789,', 'abc'],
    [`{"secret":"${random}, "name": 1}`, '[secret]', random],
    [`secret=${random}&asset=NGN`, 'asset=NGN', random],
    [`{'password': '${random}'}`, '[secret]', random],
    [`{secret: ${random}`, '[secret]', random],
    [`{"secret"::"${random}"}`, '[secret]', random],
    [`{"secret":\u0001"${random}"}`, '[secret]', random],
  ])('%s', (body, kept, gone) => {
    expect(textOf(body)).toContain(kept)
    expect(textOf(body)).not.toContain(gone)
  })

  test('are kept unchanged if there is nothing to redact', () => {
    for (const body of [
      'asset=NGN',
      '{"asset":"NGN"',
      '{"a":1,}',
      '{"a" "b"}',
      '"',
      '\\',
      '[',
      '}}',
    ])
      expect(redactBody(body)).toEqual({ text: body, isCut: false })
    expect(redactBody('')).toEqual({ text: null, isCut: false })
    expect(textOf('a\0b')).toBe('a\ufffdb')
  })
})

describe('long and hostile bodies', () => {
  // No pattern recognizes half of a secret or of an account number.
  test('are cut, and a word that would be cut in the middle is dropped', () => {
    for (let length = bodyLengthMax - 60; length <= bodyLengthMax; length += 1) {
      const body = JSON.stringify({ a: 'x'.repeat(length), accountNumber: 123_456_7890, b: random })
      const { text, isCut } = redactBody(body)
      expect(isCut).toBe(true)
      expect(text).not.toMatch(/1234|q7/)
      expect(text!.length).toBeLessThanOrEqual(bodyLengthMax)
    }
    expect(redactBody('x'.repeat(bodyLengthMax)).isCut).toBe(false)
    expect(redactBody('x'.repeat(bodyLengthMax + 1))).toEqual({ text: '', isCut: true })
    expect(redactBody(`a,b ${'x'.repeat(bodyLengthMax)}`)).toEqual({ text: 'a,b ', isCut: true })
  })

  // Checks complexity without a clock: if the time grew with the square of the length, these would
  // not end within the timeout of a test.
  test.each([
    '[',
    '{"a":',
    '"',
    '\\',
    '"\\',
    'secret',
    'secret ',
    'a@',
    '@',
    '1',
    '-',
    'eyJa.',
    '\\u0073',
    'Bearer ',
    '://',
    'k_test_',
    '-----BEGIN PRIVATE KEY',
    'a.',
    '[{',
    '"secret":',
    '\ud800',
  ])('take linear time: %j', (piece) => {
    for (const length of [bodyLengthMax, 1_000_000, 10_000_000]) {
      const body = piece.repeat(Math.ceil(length / piece.length))
      expect(typeof redactBody(body).text).toBe('string')
      expect(typeof redactQuery(body)).toBe('string')
    }
  })

  test('of any kind stay JSON if they were, and store without NUL', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (body) => {
        const { text, isCut } = redactBody(body)
        if (!isCut) expect(typeof JSON.parse(text!)).toBe(typeof JSON.parse(body))
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (body) => {
        const { text } = redactBody(body)
        expect(text ?? '').not.toContain('\0')
        redactQuery(body)
      }),
    )
  })
})

describe('a query', () => {
  test.each([
    ['', null],
    ['limit=5&cursor=eyJhdCI6MX0', 'limit=5&cursor=eyJhdCI6MX0'],
    ['accountNumber=0123456789&bankCode=058', 'accountNumber=******6789&bankCode=058'],
    [`api_key=${random}&x`, 'api_key=[secret]&x'],
    [`q=ada%40example.com&k=sk_test_${random}`, 'q=a***@example.com&k=sk_test_[secret]'],
    [`sk_test_${random}=1&%zz=%zz&a=b=c`, 'sk_test_[secret]=1&%zz=%zz&a=b=c'],
    ['reference=20260105000001&path=%2Fv1%2F', 'reference=20260105000001&path=%2Fv1%2F'],
  ])('%s', (query, expected) => {
    expect(redactQuery(query)).toBe(expected)
  })
})

type FieldKind = ReturnType<typeof fieldKindOf>

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
/** Names in usual and unusual spellings. */
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

/** What must be shown of a value, computed from the parsed value instead of its tokens. */
function show(value: Json, kind: FieldKind): string {
  if (Array.isArray(value)) return `[${value.map((one) => show(one, kind)).join(',')}]`
  if (value === null || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([field, one]) => {
      const inside = kind === 'secret' ? 'secret' : fieldKindOf(field)
      return `${JSON.stringify(redactText(field))}:${show(one, inside)}`
    })
    return `{${fields.join(',')}}`
  }
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  const isNumber = typeof value === 'number' && written !== 'null'
  if (typeof value === 'number' && (!isNumber || kind === 'other' || kind === 'reference'))
    return written
  const shown = maskByKind(kind, written)
  return isNumber && shown === written ? written : JSON.stringify(shown)
}

function maskByKind(kind: FieldKind, value: string): string {
  if (value === '') return value
  if (kind === 'secret') return '[secret]'
  if (kind === 'person') return value.replace(/(\S)\S*/gu, '$1***')
  if (kind === 'reference') return redactShapes(value)
  if (kind === 'email' && !value.includes('@')) return `${[...value][0]}***`
  if (kind !== 'number') return redactText(value)
  return value.length < 8 ? '*'.repeat(value.length) : value.slice(-4).padStart(value.length, '*')
}

// A body without any trace skips the patterns: a trace that is missed would be a secret in the log.
describe('nothing sensitive is missed', () => {
  test('in a text', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(textOf(JSON.stringify([one]))).toBe(JSON.stringify([redactText(one)]))
      }),
      { numRuns: isLongRun ? 20_000 : 4_000 },
    )
  })

  test('in a body, whatever its names are', () => {
    fc.assert(
      fc.property(body, (value) => {
        const written = JSON.stringify(value)
        fc.pre(written.length < requestLogLimits.bodyLengthMax / 4)
        expect(redactBody(written).text).toBe(show(value, 'other'))
      }),
      { numRuns: isLongRun ? 10_000 : 2_000 },
    )
  })

  test('in a field of any known name, however it is spelled', () => {
    fc.assert(
      fc.property(name, (one) => {
        const value = 'Zq7 Xw9'
        const { text: kept } = redactBody(`{ ${JSON.stringify(one)} : "${value}" }`)
        expect(kept).toBe(`{ ${JSON.stringify(one)} : ${show(value, fieldKindOf(one))} }`)
      }),
      { numRuns: isLongRun ? 10_000 : 2_000 },
    )
  })
})

// A backslash makes the whole body go through the tokens; without one, most bodies take a shortcut.
test('a body is redacted the same with and without the shortcut', () => {
  const piece = fc.constantFrom(
    ...['"', ':', ' ', '\u00a0', '\n', ',', '{', '}', '[', ']', '{"', '":', '","', '"a":1'],
    ...['"secret":', '"email" :', '"accountNumber"\n:', '"customerName":"Ada"', '"reference":'],
    ...['"bvn"', '"name":{"a":"b"}', 'null', '12', '1234567890', '0.12345678901', '"x y"', 'é'],
    ...['a@b', '://', 'token', 'Bearer x', 'pin', '"pin":"1234"', '1', '23456'],
  )
  const broken = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const name = fc.constantFrom('a', 'secret', 'email', 'bvn', 'name', 'amount', 'items', 'pin')
  const whole = fc
    .letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(1, null, 'x', 'Ada Obi', 1234567890, '0123456789', 'a@b.c'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    }))
    .value.map((value) => JSON.stringify(value))
  fc.assert(
    fc.property(fc.oneof(broken, whole), (body) => {
      fc.pre(body !== '')
      expect(`"\\\\",${textOf(body)}`).toBe(textOf(`"\\\\",${body}`))
    }),
    { numRuns: 3_000 },
  )
})

test('ten digits in a row are found wherever they start', () => {
  for (let before = 0; before < 25; before += 1)
    for (const [digits, masked] of [
      ['0123456789', '******6789'],
      ['012345678', '012345678'],
    ])
      expect(textOf(`["${'-'.repeat(before)}${digits}-"]`)).toBe(
        `["${'-'.repeat(before)}${masked}-"]`,
      )
})
