import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { toEnvironmentId } from '../../src/base/environment.js'
import type { Code, Reason } from '../../src/base/refusals.js'
import { revokeKey } from '../../src/merchants/keys/api-keys.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { makeKey } from '../../src/merchants/keys/key-format.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, type Reply } from '../support/open-manilla.js'
import { openSession } from '../support/sessions.js'

const service = await openManilla()
const { ask, wire, db, clock } = service
const { test: ours, live } = service.merchant
const fund = '/v1/test/balances/fund'
const statement = '/v1/balance-entries'
// Rows that a wrong refusal could change.
await ask('POST', fund, { key: ours.secret, body: { asset: 'NGN', amount: 1_000 } })
await ask('PATCH', '/v1/settings', { key: ours.secret, body: { checkout: { colour: '#0a7d4f' } } })

type Expected = {
  status: number
  code: Code
  reason?: Reason
  /** The message must say what to change. */
  message: RegExp
  /** Fields in `details`, in order. */
  fields?: string[]
}

/** Checks headers and body of a refusal. */
function expectRefusal(reply: Reply, expected: Expected): void {
  const { status, message, code, reason, details, nextStep, requestId, ...rest } = reply.json ?? {}
  expect({ http: reply.status, status, code, reason, rest, text: reply.text }).toEqual({
    http: expected.status,
    status: false,
    code: expected.code,
    reason: expected.reason,
    rest: {},
    text: reply.text,
  })
  expect(message).toMatch(expected.message)
  expect(message).toMatch(/\.$/)
  expect(nextStep).toMatch(/^[A-Z].+\.$/)
  expect(requestId).toBe(reply.headers.get('x-request-id'))
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(reply.headers.get('www-authenticate')).toBe(expected.status === 401 ? 'Bearer' : null)
  const fields = (details ?? []).map(({ field }: { field: string }) => field)
  if (expected.fields) expect(fields).toEqual(expected.fields)
}

/**
 * Notes every row that is written in any table, except the last use of keys and the request log,
 * which refusals may change.
 */
const tables = await db.rows(sql<{ name: string }>`
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not like 'request_log%'`)
const unlike = `(to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')`
const triggers = tables.flatMap(({ name }) => [
  `create trigger note_new after insert or delete on ${name} for each row execute function note_row()`,
  `create trigger note_changed after update on ${name}
    for each row when ${unlike} execute function note_row()`,
])
await db.rows(sql`create table written_rows (name text)`)
await db.rows(sql`
  create function note_row() returns trigger language plpgsql as $$
  begin
    insert into written_rows values (tg_table_name);
    return null;
  end $$`)
await db.rows({ text: `do $$ begin ${triggers.join(';')}; end $$`, values: [] })
const written = () => db.rows(sql`select name from written_rows`)

async function expectNothingWritten(request: () => Promise<Reply>): Promise<Reply> {
  const before = await written()
  const reply = await request()
  expect(await written()).toEqual(before)
  return reply
}

test('a row that is written is noticed', async () => {
  const before = await written()
  await ask('PATCH', '/v1/settings', {
    key: ours.secret,
    body: { checkout: { colour: '#0a7d50' } },
  })
  expect((await written()).length).toBeGreaterThan(before.length)
})

const invalid = { status: 400, code: 'validation_failed' } as const

describe('paths and methods', () => {
  const paths = ['/v1', '/v1/nothing', '/v1/balances/', '/v1/Balances', '/v1/balances/x']
  const strangers = ['/metrics', '/v1/test', '//v1/balances', '/.env']

  test.each([...paths, ...strangers])('%s is not found, with or without a key', async (path) => {
    const expected = {
      status: 404,
      code: 'not_found',
      message: /No such endpoint: GET .*\/docs/,
    } as const
    expectRefusal(await expectNothingWritten(() => ask('GET', path)), expected)
    expectRefusal(await ask('GET', path, { key: ours.secret }), expected)
  })

  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
  const allowed: Record<string, string[]> = {
    '/v1/balances': ['GET', 'HEAD'],
    [statement]: ['GET', 'HEAD'],
    '/v1/settings': ['GET', 'HEAD', 'PATCH'],
    '/v1/profile': ['GET', 'HEAD'],
    [fund]: ['POST'],
    '/v1/collections/payments/counts': ['GET', 'HEAD'],
    '/v1/collections/payments/pay_1/refund': ['POST'],
  }
  const wrong = Object.entries(allowed).flatMap(([path, taken]) =>
    methods.filter((method) => !taken.includes(method)).map((method) => ({ method, path, taken })),
  )

  test.each(wrong)('$path answers $method with the allowed methods', async (row) => {
    const { method, path, taken } = row
    const head = `${method} ${path} HTTP/1.1\r\nHost: manilla\r\nConnection: close\r\n\r\n`
    const reply = await expectNothingWritten(() => wire(head))
    expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(taken.toSorted())
    expect(reply.status).toBe(405)
    if (method === 'HEAD') return
    const message = new RegExp(`${path} does not support ${method}. Use ${taken.join(' or ')}`)
    expectRefusal(reply, { status: 405, code: 'method_not_allowed', message })
  })

  // The first would also fit the page of the console, which takes every other path below /console.
  test.each([
    ['GET /console/session/passkey', 405, 'POST'],
    ['POST /v1/%62alances?limit=1', 405, 'GET, HEAD'],
    ['PUT http://manilla/v1/settings', 405, 'GET, HEAD, PATCH'],
    ['OPTIONS /v1/events/', 405, 'GET, HEAD'],
    [`DELETE /v1/events/${'x'.repeat(2_000)}`, 400, null],
  ])('%s reads the path as the router does', async (start, status, allow) => {
    const reply = await wire(`${start} HTTP/1.1\r\nHost: manilla\r\nConnection: close\r\n\r\n`)
    expect([reply.status, reply.headers.get('allow')]).toEqual([status, allow])
  })

  test.each(['POST', 'PUT', 'PROPFIND'])('%s of an unknown path is not found', async (method) => {
    const head = `${method} /v1/nothing HTTP/1.1\r\nHost: manilla\r\nConnection: close\r\n\r\n`
    const message = new RegExp(`No such endpoint: ${method} /v1/nothing\\.`)
    expectRefusal(await wire(head), { status: 404, code: 'not_found', message })
  })

  test.each([
    ['/v1/disbursements/crypto/', /^The path must end with the reference of a transfer\./],
    ['/v1/disbursements/crypto/a%0a%1b', /^No transfer a�� exists\. Check the reference/],
    ['/v1/events/evt_%07', /^No event evt_� exists\./],
    ['/v1/webhook-endpoints/', /^The path must end with the reference of a webhook endpoint\./],
  ])('%s is not found and not echoed raw', async (path, message) => {
    const reply = await expectNothingWritten(() => ask('GET', path, { key: ours.secret }))
    expectRefusal(reply, { status: 404, code: 'not_found', message })
  })

  test.each(['/v1/%zz', '/%', '/v1/balances%'])('%s cannot be decoded', async (path) => {
    const message = /The path is not a valid URL. Encode/
    expectRefusal(await expectNothingWritten(() => ask('GET', path)), { ...invalid, message })
  })

  test('HEAD answers as GET does, without the body', async () => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => ask(method, '/v1/balances', { key: ours.secret })),
    )
    expect([head!.status, head!.text]).toEqual([200, ''])
    expect(head!.headers.get('content-length')).toBe(get!.headers.get('content-length'))
  })
})

describe('bodies other than a JSON object', () => {
  const notJson = [
    ['half an object', '{"asset":"NGN","amount":5'],
    ['single quotes', "{'asset':'NGN','amount':5}"],
    ['a comma too many', '{"asset":"NGN","amount":5,}'],
    ['a leading zero', '{"asset":"NGN","amount":05}'],
    ['a hexadecimal number', '{"asset":"NGN","amount":0x5}'],
    ['no number', '{"asset":"NGN","amount":NaN}'],
    ['two objects', '{"asset":"NGN","amount":5}{}'],
    ['a comment', '/* five */ {"asset":"NGN","amount":5}'],
    ['a form', 'asset=NGN&amount=5'],
    ['a zero byte', '\u0000'],
    ['blanks only', '   '],
  ]
  test.each(notJson)('%s', async (_name, body) => {
    const reply = await expectNothingWritten(() => ask('POST', fund, { key: ours.secret, body }))
    const message = /not valid JSON. Check quotes, commas and braces/
    expectRefusal(reply, { ...invalid, reason: 'invalid_json', message })
  })

  test('no body, with and without a content type', async () => {
    const empty = await expectNothingWritten(() =>
      ask('POST', fund, { key: ours.secret, body: '' }),
    )
    const message = /The body is empty. Send a JSON object/
    expectRefusal(empty, { ...invalid, reason: 'invalid_json', message })
    const absent = await expectNothingWritten(() => ask('POST', fund, { key: ours.secret }))
    expectRefusal(absent, { ...invalid, message: /The body must be an object/ })
  })

  test.each([
    ['[]', 'an array'],
    ['[{"asset":"NGN","amount":5}]', 'an array'],
    ['"NGN"', 'a string'],
    ['5', '5'],
    ['true', 'a boolean'],
    ['null', 'null'],
  ])('%s is JSON but not an object', async (body, kind) => {
    for (const [method, path] of [
      ['POST', fund],
      ['PATCH', '/v1/settings'],
    ] as const) {
      const reply = await expectNothingWritten(() => ask(method, path, { key: ours.secret, body }))
      expectRefusal(reply, {
        ...invalid,
        message: new RegExp(`^The body must be an object, not ${kind}.$`),
        fields: [],
      })
      expect(reply.json.nextStep).toMatch(/what the message names/)
    }
  })

  test('bytes that are not UTF-8 are refused, not replaced, whole or in pieces', async () => {
    const start = Buffer.from('{"checkout":{"displayName":"Ada ')
    const body = Buffer.concat([start, Buffer.from([0xc3, 0x28]), Buffer.from('"}}')])
    const expected = { ...invalid, reason: 'invalid_json', message: /not valid UTF-8/ } as const
    const whole = () => ask('PATCH', '/v1/settings', { key: ours.secret, body })
    expectRefusal(await expectNothingWritten(whole), expected)

    const head = requestHead('PATCH', '/v1/settings', { 'transfer-encoding': 'chunked' })
    const length = body.length.toString(16)
    const chunked = () => wire(head, `${length}\r\n`, body, '\r\n0\r\n\r\n')
    expectRefusal(await expectNothingWritten(chunked), expected)
  })

  test('non-ASCII text is preserved', async () => {
    const { test: other } = await service.addMerchant('Names')
    const displayName = 'Àdá’s Ọjà 🛒'
    const body = { checkout: { displayName } }
    const reply = await ask('PATCH', '/v1/settings', { key: other.secret, body })
    expect(reply.json.data.checkout.displayName).toBe(displayName)
  })

  const types = ['', 'text/plain', 'application/x-www-form-urlencoded', 'text/json', 'json']
  const others = ['multipart/form-data; boundary=x', 'application/json5', 'application/xml', '*/*']
  test.each([...types, ...others])('content type "%s"', async (type) => {
    const body = '{"asset":"NGN","amount":5}'
    const reply = await expectNothingWritten(() =>
      ask('POST', fund, { key: ours.secret, body, headers: { 'content-type': type } }),
    )
    const message = /must be JSON. Send `Content-Type: application\/json`/
    const reason = 'unsupported_media_type'
    expectRefusal(reply, { status: 415, code: 'validation_failed', reason, message })
  })

  const charsets = [
    'latin1',
    'iso-8859-1',
    '"windows-1252"',
    'UTF-16LE',
    "'utf-8'",
    '""',
    'utf-8; charset=latin1',
  ]
  const bodies = [
    { type: 'application/json', path: fund, body: '{"asset":"NGN","amount":5}' },
    {
      type: 'text/csv',
      path: '/v1/disbursements/batches',
      body: 'accountNumber,bankCode,amountNaira\n',
    },
    { type: 'application/x-www-form-urlencoded', path: '/console/sign-in', body: 'email=a' },
  ]
  test.each(charsets)('charset %s, in JSON, CSV and forms', async (charset) => {
    for (const { type, path, body } of bodies) {
      const headers = { 'content-type': `${type}; charset=${charset}` }
      const send = () => ask('POST', path, { key: ours.secret, body, headers })
      const reply = await expectNothingWritten(send)
      const reason = 'unsupported_media_type'
      const message = /^The body must be UTF-8\. Send it in UTF-8, with `charset=utf-8`/
      if (type.startsWith('application/x-www')) expect([reply.status, type]).toEqual([415, type])
      else expectRefusal(reply, { status: 415, code: 'validation_failed', reason, message })
    }
  })

  test.each(['utf-8', 'UTF8', '"Utf-8"'])('charset %s is accepted', async (charset) => {
    const { test: other } = await service.addMerchant('Charsets')
    const headers = { 'content-type': `application/json ;charset=${charset}; x=1` }
    const body = '{"asset":"NGN","amount":5}'
    expect((await ask('POST', fund, { key: other.secret, body, headers })).status).toBe(201)
  })

  test('a CSV or a form that is not UTF-8', async () => {
    const headers = { 'content-type': 'text/csv' }
    const body = Buffer.from([0x61, 0xe9, 0x0a])
    const csv = await ask('POST', '/v1/disbursements/batches', { key: ours.secret, body, headers })
    expectRefusal(csv, { ...invalid, message: /not valid UTF-8/ })
    for (const sent of [Buffer.from([0x65, 0x3d, 0xe9]), 'email=%E9']) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const form = await ask('POST', '/console/sign-in', { body: sent, headers: type })
      // The sign-in page answers in HTML.
      expect([form.status, form.text]).toEqual([400, expect.stringContaining('not valid UTF-8')])
    }
  })

  test.each(['gzip', 'br', 'GZIP, deflate'])('compressed by %s', async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const question = { key: ours.secret, body: gzipSync('{"asset":"NGN","amount":5}'), headers }
    const reply = await expectNothingWritten(() => ask('POST', fund, question))
    const [reason, message] = ['unsupported_media_type', /Send it uncompressed, without/] as const
    expectRefusal(reply, { status: 415, code: 'validation_failed', reason, message })
  })

  test('no content type at all', async () => {
    const head = requestHead('POST', fund, { 'content-type': undefined, 'content-length': '26' })
    const reply = await expectNothingWritten(() => wire(head, '{"asset":"NGN","amount":5}'))
    expectRefusal(reply, {
      status: 415,
      code: 'validation_failed',
      reason: 'unsupported_media_type',
      message: /Content-Type/,
    })
  })

  test('64 kB are accepted, one byte more is refused, with or without Content-Length', async () => {
    const { test: other } = await service.addMerchant('Large')
    const body = '{"asset":"NGN","amount":5}'.padEnd(64 * 1024)
    expect((await ask('POST', fund, { key: other.secret, body })).status).toBe(201)

    const tooLarge = {
      status: 413,
      code: 'validation_failed',
      reason: 'payload_too_large',
    } as const
    const message = /over 64 kB. Send a smaller one/
    const announced = () => ask('POST', fund, { key: ours.secret, body: `${body} ` })
    expectRefusal(await expectNothingWritten(announced), { ...tooLarge, message })

    const head = requestHead('POST', fund, { 'transfer-encoding': 'chunked' })
    const chunked = () => wire(head, `10001\r\n${body} \r\n0\r\n\r\n`)
    expectRefusal(await expectNothingWritten(chunked), { ...tooLarge, message })
  })
})

describe('fields of a body', () => {
  type Row = { name?: string; body: string; message: RegExp; fields?: string[] }
  const naira = (amount: string, message: RegExp): Row => ({
    body: `{"asset":"NGN","amount":${amount}}`,
    message,
    fields: ['amount'],
  })
  const coins = (amount: string, message: RegExp): Row => ({
    body: `{"asset":"USDC","amount":${amount}}`,
    message,
    fields: ['amount'],
  })
  const rows: Row[] = [
    naira('"500"', /^amount must be an integer in kobo, not a string/),
    naira('true', /^amount must be an integer in kobo, not a boolean/),
    naira('null', /^amount must be an integer in kobo, not null/),
    naira('5.5', /^amount must be an integer in kobo, not 5.5/),
    naira('1e21', /^amount must be at most ₦90,071,992,547,409.91 \(9007199254740991 kobo\)/),
    naira('[5]', /^amount must be an integer in kobo, not an array/),
    naira('{"kobo":5}', /^amount must be an integer in kobo, not an object/),
    naira('""', /^amount must be an integer in kobo, not a string/),
    naira('0', /^amount must be at least ₦0.01 \(1 kobo\)/),
    naira('-0', /^amount must be at least ₦0.01 \(1 kobo\)/),
    naira('-1', /^amount must be at least ₦0.01 \(1 kobo\)/),
    naira('0.1', /^amount must be an integer in kobo, not 0.1/),
    naira(
      '9007199254740993',
      /^amount must be at most ₦90,071,992,547,409.91 \(9007199254740991 kobo\)/,
    ),
    naira('1e400', /^amount must be a number that can be read exactly, not 1e400/),
    naira('5.00000000000000001', /^amount must be a number that can be read exactly/),
    coins('5', /^amount must be a decimal in a string such as "25.50", not 5/),
    coins('true', /^amount must be a decimal in a string such as "25.50", not a boolean/),
    coins('null', /^amount must be a decimal in a string such as "25.50", not null/),
    coins('["5"]', /^amount must be a decimal in a string such as "25.50", not an array/),
    coins('"1.0000001"', /^amount must have at most 6 decimal places/),
    coins('"0"', /^amount must be greater than zero/),
    coins('"0.000000"', /^amount must be greater than zero/),
    coins('"-1"', /^amount must be a decimal number such as "25.50"/),
    coins('"+1"', /^amount must be a decimal number/),
    coins('"1e3"', /^amount must be a decimal number/),
    coins('" 1"', /^amount must be a decimal number/),
    coins('"1 "', /^amount must be a decimal number/),
    coins('"1\\n"', /^amount must be a decimal number/),
    coins('"1."', /^amount must be a decimal number/),
    coins('".5"', /^amount must be a decimal number/),
    coins('""', /^amount must be a decimal number/),
    coins('"1,000"', /^amount must be a decimal number/),
    coins('"0x10"', /^amount must be a decimal number/),
    coins('"١٢"', /^amount must be a decimal number/),
    coins('"Infinity"', /^amount must be a decimal number/),
    coins(`"${'9'.repeat(21)}"`, /^amount must have at most 20 digits/),
    coins(`"${'9'.repeat(20)}"`, /^amount must be at most 9223372036854.775807/),
    { body: '{}', message: /^asset is required; amount is required/, fields: ['asset', 'amount'] },
    { body: '{"asset":"NGN"}', message: /^amount is required/, fields: ['amount'] },
    { body: '{"amount":5}', message: /^asset is required/, fields: ['asset'] },
    ...['"ngn"', '"BTC"', '""', '5', 'null', '["NGN"]', '"NGN "'].map((asset) => ({
      body: `{"asset":${asset},"amount":5}`,
      message: /^asset must be one of NGN, USDC, USDT/,
      fields: ['asset'],
    })),
    {
      body: '{"asset":"NGN","amount":5,"Amount":5}',
      message: /^Amount is not a field of this request; remove it/,
      fields: ['Amount'],
    },
    {
      body: '{"asset":"NGN","amount":"5","currency":"NGN","note":null}',
      message: /currency is not a field .*; note is not a field .*; amount must be an integer/,
      fields: ['currency', 'note', 'amount'],
    },
    ...['amout', 'Amount', 'amuont', 'amount_', 'ammount'].map((sent) => ({
      body: `{"asset":"NGN","${sent}":5}`,
      message: new RegExp(`${sent} is not a field of this request \\(did you mean amount\\?\\)`),
      fields: ['amount', sent],
    })),
    {
      name: 'a name that is too long to compare',
      body: `{"asset":"NGN","amount":5,"${'amount'.repeat(8_000)}":5}`,
      message: /is not a field of this request; remove it/,
    },
    {
      body: '{"asset":"NGN","amount":5,"amount":6}',
      message: /^amount must appear once, but appears twice/,
      fields: ['amount'],
    },
    {
      body: '{"asset":"NGN","amount":5,"a\\u001b":[{"b":"\\ud800"}]}',
      message: /^a�.0.b must be whole characters/,
      fields: ['a�.0.b'],
    },
    {
      name: '__proto__ in disguise',
      body: '{"asset":"NGN","amount":5,"__pr\\u006fto__":{"isAdmin":true}}',
      message: /^__proto__ is not a field of this request/,
      fields: ['__proto__'],
    },
    ...['constructor', 'toString', 'hasOwnProperty', 'prototype'].map((field) => ({
      body: `{"asset":"NGN","amount":5,"${field}":1}`,
      message: new RegExp(`^${field} is not a field of this request`),
      fields: [field],
    })),
    {
      name: 'nested deeper than anyone would',
      body: `{"asset":"NGN","amount":5,"deep":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      message: /^The body is nested deeper than 100 levels/,
      fields: [],
    },
  ]

  test.each(rows.map((row) => ({ name: row.body, ...row })))('fund $name', async (row) => {
    const { body, ...expected } = row
    const headers = { 'idempotency-key': 'refused' }
    const question = { key: ours.secret, body, headers }
    expectRefusal(await expectNothingWritten(() => ask('POST', fund, question)), {
      ...invalid,
      ...expected,
    })
  })

  const settings: [string, string, RegExp][] = [
    ['{"nope":1}', 'nope', /^nope is not a field/],
    ['{"checkout":{"nope":1}}', 'checkout.nope', /^checkout.nope is not a field/],
    ['{"policies":{"bank":{"no/pe~":1}}}', 'policies.bank.no/pe~', /^policies.bank.no\/pe~ is not/],
    ['{"policies":null}', 'policies', /^policies must be an object, not null/],
    ['{"policies":{"bank":[]}}', 'policies.bank', /^policies.bank must be an object, not an array/],
    ['{"policies":{"bank":{"underpayment":null}}}', 'policies.bank.underpayment', /must be/],
    [
      '{"policies":{"crypto":{"latePayment":"keep"}}}',
      'policies.crypto.latePayment',
      /one of accept, hold\.$/,
    ],
    [
      '{"policies":{"crypto":{"latePayment":"return"}}}',
      'policies.crypto.latePayment',
      /one of accept, hold: a return of coins needs a destination/,
    ],
    ['{"checkout":{"displayName":null}}', 'checkout.displayName', /must be a string, not null/],
    ['{"checkout":{"displayName":""}}', 'checkout.displayName', /checkout.displayName must/],
    ['{"checkout":{"displayName":"a\\u0000b"}}', 'checkout.displayName', /displayName must/],
    ['{"checkout":{"colour":"red"}}', 'checkout.colour', /checkout.colour must/],
    ['{"checkout":{"frameOrigins":"https://a.example"}}', 'checkout.frameOrigins', /an array/],
    ['{"checkout":{"frameOrigins":["https://a.example/x"]}}', 'checkout.frameOrigins.0', /must/],
    ['{"paymentMethods":{"crypto":"yes"}}', 'paymentMethods.crypto', /a boolean, not a string/],
    ['{"paymentMethods":{"crypto":1}}', 'paymentMethods.crypto', /a boolean, not 1/],
    ...['"500"', 'true', '5.5', '1e21', '[5]', '0', '-1', '9007199254740993'].map(
      (amount): [string, string, RegExp] => [
        `{"lowBalance":{"NGN":${amount}}}`,
        'lowBalance.NGN',
        /^lowBalance.NGN must be/,
      ],
    ),
    ...['5', '"1.0000001"', '"0"', '"-1"', '"1e3"', '" 1"', '"1."', '".5"', '""'].map(
      (amount): [string, string, RegExp] => [
        `{"lowBalance":{"USDT":${amount}}}`,
        'lowBalance.USDT',
        /^lowBalance.USDT must/,
      ],
    ),
  ]
  test.each(settings)('settings %s', async (body, field, message) => {
    const question = { key: ours.secret, body }
    const reply = await expectNothingWritten(() => ask('PATCH', '/v1/settings', question))
    expectRefusal(reply, { ...invalid, message, fields: [field] })
  })

  test('values just within the limits are accepted', async () => {
    const { test: other } = await service.addMerchant('Edges')
    const bodies = ['{"asset":"NGN","amount":1}', '{"asset":"NGN","amount":9007199254740990}']
    const amounts = ['0.000001', '1.2300000000', '007', '9223372036845', '1.0000000000000000000']
    bodies.push(...amounts.map((amount) => `{"asset":"USDC","amount":"${amount}"}`))
    for (const body of bodies) {
      const reply = await ask('POST', fund, { key: other.secret, body })
      expect([body, reply.status]).toEqual([body, 201])
      expect(reply.json.data.amount).toBe(JSON.parse(body).amount)
    }
  })
})

describe('headers', () => {
  const tooLong = 'k'.repeat(256)
  test.each(['', tooLong, 'clé', 'a\tb'])('Idempotency-Key "%s"', async (text) => {
    const body = { asset: 'NGN', amount: 5 }
    const headers = { 'idempotency-key': text }
    const reply = await expectNothingWritten(() =>
      ask('POST', fund, { key: ours.secret, body, headers }),
    )
    const message = /^Idempotency-Key must be 1 to 255 printable ASCII characters/
    expectRefusal(reply, { ...invalid, message, fields: ['Idempotency-Key'] })
  })

  test.each(['~', 'two words', 'k'.repeat(255)])('Idempotency-Key "%s" is fine', async (text) => {
    const { test: other } = await service.addMerchant('Keyed')
    const question = { key: other.secret, body: { asset: 'NGN', amount: 5 } }
    const reply = await ask('POST', fund, { ...question, headers: { 'idempotency-key': text } })
    expect(reply.status).toBe(201)
  })

  const good = ['order-42', 'a', 'A_b.c:d-9', 'x'.repeat(100)]
  const evil = ['x'.repeat(101), 'two words', '<script>', 'é', '', 'a\tb', 'a,b', '"', '../../etc']
  const questions = [
    { path: '/v1/balances', key: ours.secret, status: 200 },
    { path: '/v1/balances', key: undefined, status: 401 },
    { path: '/v1/nothing', key: undefined, status: 404 },
    { path: '/v1/%zz', key: undefined, status: 400 },
    { path: '/healthz', key: undefined, status: 200 },
  ]
  test.each(questions)('$path answers $status with an X-Request-Id', async (question) => {
    const { path, key, status } = question
    for (const id of [...good, ...evil]) {
      const headers = { 'x-request-id': id }
      const reply = await ask('GET', path, key === undefined ? { headers } : { key, headers })
      const answered = reply.headers.get('x-request-id')
      expect(reply.status).toBe(status)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      if (good.includes(id)) expect(answered).toBe(id)
      else expect(answered).toMatch(/^req_[0-9a-z]{22,}$/)
    }
  })

  test('generated request ids are unique', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => ask('GET', '/healthz')))
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50)
  })
})

describe('queries', () => {
  const cursorOf = (position: unknown) =>
    Buffer.from(JSON.stringify(position)).toString('base64url')
  const start = { NGN: '5', USDC: '5', USDT: '5' }
  const notOurs = /cursor is not valid. Pass the `nextCursor` of the previous page, unchanged/
  const notOne = /^cursor must be the nextCursor of the previous page\.$/
  const another =
    /cursor belongs to another list. Use it with the same `asset` as the previous page/
  const rows: [string, string, RegExp][] = [
    ...['0', '-1', '101', 'abc', '1.5', '1e1', '', '5&limit=6'].map(
      (limit): [string, string, RegExp] => [
        `limit=${limit}`,
        'limit',
        /^limit must be a whole number from 1 to 100/,
      ],
    ),
    ['asset=ngn', 'asset', /^asset must be one of NGN, USDC, USDT/],
    ['asset=', 'asset', /^asset must be one of NGN, USDC, USDT/],
    ['asset=NGN&asset=USDC', 'asset', /^asset must be/],
    ['page=2', 'page', /^page is not a field of this request; remove it/],
    ['Limit=5', 'Limit', /^Limit is not a field of this request \(did you mean limit\?\)/],
    ['__proto__=1', '__proto__', /is not a field/],
    ['cursor=', 'cursor', /^cursor must/],
    [`cursor=${'a'.repeat(501)}`, 'cursor', /^cursor must/],
    ['cursor=garbage', 'cursor', notOne],
    ['cursor=%00', 'cursor', notOne],
    [`cursor=${cursorOf(start)}%3D`, 'cursor', notOne],
    [`cursor=${cursorOf({ ...start, NGN: 5 })}`, 'cursor', notOurs],
    [`cursor=${cursorOf(null)}`, 'cursor', notOne],
    [`cursor=${cursorOf('NGN')}`, 'cursor', notOne],
    [`cursor=${cursorOf({})}`, 'cursor', notOne],
    [`cursor=${cursorOf([])}`, 'cursor', notOne],
    [`cursor=${cursorOf({ ...start, NGN: '9'.repeat(19) })}`, 'cursor', another],
    [`cursor=${cursorOf({ ...start, NGN: '9'.repeat(20) })}`, 'cursor', another],
    [`cursor=${cursorOf({ ...start, NGN: '-5' })}`, 'cursor', another],
    [`cursor=${cursorOf({ ...start, NGN: '5 or true' })}`, 'cursor', another],
    [`cursor=${cursorOf({ ...start, BTC: '5' })}`, 'cursor', another],
    [`cursor=${cursorOf({ NGN: '5' })}`, 'cursor', another],
    [`asset=USDC&cursor=${cursorOf({ NGN: '5' })}`, 'cursor', another],
    [`asset=NGN&cursor=${cursorOf(start)}`, 'cursor', another],
  ]
  test.each(rows)('%s', async (query, field, message) => {
    const path = `${statement}?${query}`
    const reply = await expectNothingWritten(() => ask('GET', path, { key: ours.secret }))
    expectRefusal(reply, { ...invalid, message, fields: [field] })
  })

  test('unknown query parameters are refused everywhere', async () => {
    const body = { asset: 'NGN', amount: 5 }
    const questions: [string, string, object?][] = [
      ['GET', '/v1/balances'],
      ['GET', statement],
      ['GET', '/v1/settings'],
      ['PATCH', '/v1/settings', {}],
      ['GET', '/v1/profile'],
      ['POST', fund, body],
    ]
    for (const [method, path, body] of questions) {
      const reply = await expectNothingWritten(() =>
        ask(method, `${path}?dryRun=true`, { key: ours.secret, body }),
      )
      expectRefusal(reply, { ...invalid, message: /^dryRun is not a field/, fields: ['dryRun'] })
    }
  })
})

describe('keys', () => {
  const unauthorized = { status: 401, code: 'authentication_failed' } as const
  const notValid = /This API key is not valid: it is mistyped, unknown, revoked, expired/
  const basic = `Basic ${Buffer.from(`${ours.secret}:`).toString('base64')}`
  const mistyped = ours.secret.slice(0, -1) + (ours.secret.endsWith('a') ? 'b' : 'a')
  const unknown = makeKey({ kind: 'secret', mode: 'test' }).reveal()
  const rows: [string, string | undefined, RegExp][] = [
    ['no header', undefined, /The request had no key/],
    ['an empty header', '', /The request had no key/],
    ['a scheme alone', 'Bearer', /must read `Bearer <SECRET_KEY>`/],
    ['a key alone', ours.secret, /must read `Bearer <SECRET_KEY>`/],
    ['basic authentication', basic, /must read `Bearer <SECRET_KEY>`/],
    ['another scheme', `Token ${ours.secret}`, /must read `Bearer <SECRET_KEY>`/],
    ['two blanks', `Bearer  ${ours.secret}`, /with one space/],
    ['two keys', `Bearer ${ours.secret} ${live.secret}`, /with one space/],
    ['two headers in one', `Bearer ${ours.secret}, Bearer ${live.secret}`, /with one space/],
    ['a key that is cut short', `Bearer ${ours.secret.slice(0, -1)}`, notValid],
    ['a mistyped key', `Bearer ${mistyped}`, notValid],
    ['a key of the other mode by name', `Bearer ${ours.secret.replace('test', 'live')}`, notValid],
    ['an unknown key', `Bearer ${unknown}`, notValid],
    ['a text of 10,000 characters', `Bearer ${'a'.repeat(10_000)}`, notValid],
    ['a public test key', `Bearer ${ours.public}`, /needs a secret key .*had a public one/],
    ['a public live key', `Bearer ${live.public}`, /needs a secret key .*had a public one/],
  ]
  test.each(rows)('%s', async (_name, authorization, message) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const questions: [string, string, object?][] = [
      ['GET', '/v1/balances'],
      ['PATCH', '/v1/settings', { nope: 1 }],
      ['POST', fund, { asset: 'NGN', amount: 5 }],
    ]
    for (const [method, path, body] of questions) {
      const reply = await expectNothingWritten(() => ask(method, path, { headers, body }))
      expectRefusal(reply, { ...unauthorized, message })
    }
  })

  test('the authorization scheme is case-insensitive', async () => {
    const headers = { authorization: `bEARER ${ours.secret}` }
    expect((await ask('GET', '/v1/balances', { headers })).status).toBe(200)
  })

  test('two headers, which a proxy might read differently', async () => {
    const head = requestHead('GET', '/v1/balances', {})
    const second = `Authorization: Bearer ${live.secret}\r\n\r\n`
    const reply = await wire(head.replace(/\r\n\r\n$/, `\r\n${second}`))
    expectRefusal(reply, { ...unauthorized, message: /Send one Authorization header/ })
  })

  test('revoked, expired, unknown and barred keys get the same answer', async () => {
    const order = { seal: service.seal, environment: service.merchant.environments.test }
    const issue = (expiresAt: Date | null, allowedAddresses: string[]) =>
      db.transaction((tx) =>
        issueKey(tx, clock.now(), {
          ...order,
          kind: 'secret',
          name: 'doomed',
          expiresAt,
          allowedAddresses,
        }),
      )
    const inAMinute = new Date(clock.now().getTime() + 60_000)
    const [expiring, revoked, barred] = await Promise.all([
      issue(inAMinute, []),
      issue(null, []),
      issue(null, ['192.0.2.0/24']),
    ])
    const use = (key: string) => ask('GET', '/v1/balances', { key })
    // Used while valid, so that both are cached.
    for (const key of [expiring, revoked]) expect((await use(key.key.reveal())).status).toBe(200)
    const environmentId = toEnvironmentId(service.merchant.environments.test.id)
    await db.transaction((tx) => revokeKey(tx, clock.now(), { environmentId, id: revoked.id }))
    clock.advance(60_000)

    const keys = [expiring, revoked, barred].map(({ key }) => key.reveal())
    const replies = await Promise.all([...keys, unknown].map(use))
    for (const reply of replies) expectRefusal(reply, { ...unauthorized, message: notValid })
    const texts = replies.map(({ text, json }) => text.replace(json.requestId, ''))
    expect(new Set(texts).size).toBe(1)
  })

  // Proxies append the address they saw; everything before it is made up by the caller.
  test('an address-bound key trusts the proxy, never the caller', async () => {
    const proxied = await openManilla({ trustProxy: true })
    const allowedAddresses = ['192.0.2.0/24']
    const statusesOf = async (at: typeof service) => {
      const order = { seal: at.seal, environment: at.merchant.environments.test, name: 'bound' }
      const { key } = await at.db.transaction((tx) =>
        issueKey(tx, clock.now(), { ...order, kind: 'secret', expiresAt: null, allowedAddresses }),
      )
      const seen = ['192.0.2.1', '203.0.113.5, 192.0.2.1', '192.0.2.1, 203.0.113.5', '203.0.113.5']
      const replies = seen.map((addresses) =>
        at.ask('GET', '/v1/balances', {
          key: key.reveal(),
          headers: { 'x-forwarded-for': addresses },
        }),
      )
      return (await Promise.all(replies)).map(({ status }) => status)
    }
    expect(await statusesOf(proxied)).toEqual([200, 200, 401, 401])
    expect(await statusesOf(service)).toEqual([401, 401, 401, 401])
  })

  test('test-mode operations refuse live keys before the body is read', async () => {
    for (const body of [{ asset: 'NGN', amount: 5 }, { nope: 1 }, '{bad']) {
      const reply = await expectNothingWritten(() => ask('POST', fund, { key: live.secret, body }))
      const expected = { status: 403, code: 'forbidden', reason: 'test_mode_only' } as const
      expectRefusal(reply, { ...expected, message: /test mode only. Use a key .* sk_test_/ })
    }
  })
})

describe('rate limits', () => {
  test('each environment has its own limit per second', async () => {
    const limited = await openManilla({ rateLimitPerSecond: 3 })
    const { merchant, clock } = limited
    const use = (key: string) => limited.ask('GET', '/v1/profile', { key })
    for (const left of [2, 1, 0]) {
      // Both kinds of key share the limit.
      const reply = await use(left === 1 ? merchant.test.public : merchant.test.secret)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('ratelimit')).toBe(`"environment";r=${left};t=1`)
      expect(reply.headers.get('ratelimit-policy')).toBe('"environment";q=3;w=1')
      expect(reply.headers.get('retry-after')).toBeNull()
    }
    const refused = await use(merchant.test.secret)
    const message = /More than 3 requests in one second. Wait a second and send it again/
    expectRefusal(refused, { status: 429, code: 'rate_limited', message })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit')).toBe('"environment";r=0;t=1')
    expect(refused.headers.get('ratelimit-policy')).toBe('"environment";q=3;w=1')

    expect((await use(merchant.live.secret)).status).toBe(200)
    expect((await use((await limited.addMerchant('Bola Foods')).test.secret)).status).toBe(200)
    clock.advance(1_000)
    expect((await use(merchant.test.secret)).status).toBe(200)
  })

  test('order of checks: key, rate limit, validation, replay', async () => {
    const limited = await openManilla({ rateLimitPerSecond: 2 })
    const { merchant, clock } = limited
    const key = merchant.test.secret
    const headers = { 'idempotency-key': 'once' }
    const use = (authorized: object, body: unknown) =>
      limited.ask('POST', fund, { ...authorized, body, headers })
    const statuses: number[] = []
    const note = async (reply: Promise<Reply>) => statuses.push((await reply).status)

    await note(use({ key }, { asset: 'NGN', amount: 5 }))
    await note(use({ key }, { asset: 'NGN', amount: 5 }))
    await note(use({}, '{bad'))
    await note(use({ key }, '{bad'))
    await note(use({ key }, { asset: 'NGN', amount: 5 }))
    clock.advance(1_000)
    await note(use({ key }, { asset: 'NGN', amount: '5' }))
    await note(use({ key }, { asset: 'NGN', amount: 6 }))
    clock.advance(1_000)
    await note(use({ key }, { asset: 'NGN', amount: 5 }))
    expect(statuses).toEqual([201, 201, 401, 429, 429, 400, 422, 201])
  })

  test('zero means no limit and no rate-limit headers', async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => ask('GET', '/v1/profile', { key: ours.public })),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(replies[0]!.headers.get('ratelimit')).toBeNull()
    expect(replies[0]!.headers.get('ratelimit-policy')).toBeNull()
  })
})

describe('malformed HTTP', () => {
  const host = 'Host: manilla\r\n'
  const auth = `Authorization: Bearer ${ours.secret}\r\n`
  const broken: [string, string, RegExp][] = [
    ['noise', 'hello there\r\n\r\n', /not a valid HTTP request/],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001', /not a valid HTTP request/],
    ['an unknown method', `FROB /v1/balances HTTP/1.1\r\n${host}\r\n`, /not a valid HTTP request/],
    ['an unknown version', `GET /v1/balances HTTP/9.9\r\n${host}\r\n`, /not a valid HTTP request/],
    ['a blank in the path', `GET /v1/bal ances HTTP/1.1\r\n${host}\r\n`, /not a valid HTTP/],
    [
      'two lengths',
      `POST ${fund} HTTP/1.1\r\n${host}${auth}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      /not a valid HTTP request/,
    ],
    [
      'a length and chunks, which smuggles a second request',
      `POST ${fund} HTTP/1.1\r\n${host}${auth}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /not a valid HTTP request/,
    ],
    [
      'a broken chunk',
      `POST ${fund} HTTP/1.1\r\n${host}${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      /not a valid HTTP request/,
    ],
    [
      'a line break in a header',
      `GET /v1/balances HTTP/1.1\r\n${host}X-Request-Id: a\nb\r\n\r\n`,
      /not a valid HTTP request/,
    ],
    [
      'headers of 20 kB',
      `GET /v1/balances HTTP/1.1\r\n${host}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      /The headers are over 16 kB. Send fewer or shorter ones/,
    ],
    [
      'a path of 20 kB',
      `GET /v1/${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
      /The headers are over 16 kB/,
    ],
    ['no host', `GET /v1/balances HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`, /a Host header/],
  ]
  test.each(broken)('%s', async (_name, bytes, message) => {
    const reply = await expectNothingWritten(() => wire(Buffer.from(bytes, 'latin1')))
    expectRefusal(reply, { ...invalid, message })
    expect(reply.headers.get('connection')).toBe('close')
  })

  test('an unknown Expect header is ignored', async () => {
    const reply = await wire(requestHead('GET', '/v1/balances', { expect: '200-maybe' }))
    expect([reply.status, reply.json.message]).toEqual([200, 'Balances'])
  })

  test('the service still works', async () => {
    expect((await ask('GET', '/readyz')).status).toBe(200)
    expect((await ask('GET', '/v1/balances', { key: ours.secret })).json.data.items[0]).toEqual({
      asset: 'NGN',
      available: 1_000,
      held: 0,
      pending: 0,
    })
    expect(service.log.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
  })
})

describe('temporary failures', () => {
  test('a busy balance is answered with a retryable refusal', async () => {
    const session = await openSession(db)
    await session.query('begin')
    await session.query('select from ledger_accounts for update')
    const body = { asset: 'NGN', amount: 5 }
    const headers = { 'idempotency-key': 'busy' }
    const use = () => ask('POST', fund, { key: ours.secret, body, headers })
    const reply = await expectNothingWritten(use)
    await session.query('rollback')

    const message = /locked the same records for too long. Nothing was done; retry in a moment/
    expectRefusal(reply, { status: 503, code: 'internal_error', reason: 'unavailable', message })
    const retried = await use()
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([201, null])
  })
})

function requestHead(
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
): string {
  const all = {
    host: 'manilla',
    connection: 'close',
    authorization: `Bearer ${ours.secret}`,
    'content-type': 'application/json',
    ...headers,
  }
  const lines = Object.entries(all).filter(([, value]) => value !== undefined)
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${path} HTTP/1.1\r\n${text}\r\n`
}
