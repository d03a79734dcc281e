import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { patternIssues } from '../../src/api/parse/validation.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { feeOperationNames } from '../../src/merchants/settings/fee-schedules.js'
import { sql } from '../../src/postgres/sql.js'
import { createConformance } from '../support/conformance.js'
import { openManilla, type Reply, type TestService } from '../support/open-manilla.js'

type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown }> }
  responses?: Record<string, { description?: string; content?: Record<string, unknown> }>
}

const service = await openManilla({ rateLimitPerSecond: 1_000 })
const { ask, merchant } = service
const key = merchant.test.secret
const fund = '/v1/test/balances/fund'
const document = (await ask('GET', '/openapi.json')).json
const paths = document.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
)

function bodyOf(id: string): unknown {
  const { operation } = operations.find((one) => one.operation.operationId === id)!
  return operation.requestBody!.content['application/json']!.example
}

/** A bank and the mail relay have no API key: they sign their notices and may repeat them. */
function isForBanks(name: string): boolean {
  return name.startsWith('POST /rails/') || name === 'POST /mail/bounces'
}

/** A payer has no API key either. */
function isForEveryone(name: string): boolean {
  return name.includes(' /public/')
}

function needsKey(name: string): boolean {
  return !isForBanks(name) && !isForEveryone(name)
}

describe('the document', () => {
  test('in the repository equals the one served', () => {
    const file = path.resolve(import.meta.dirname, '../../openapi.json')
    expect(existsSync(file), 'openapi.json is missing: run `npm run generate`').toBe(true)
    const committed = JSON.parse(readFileSync(file, 'utf8'))
    expect(committed, 'openapi.json is out of date: run `npm run generate`').toEqual(document)
  })

  test('is OpenAPI 3.1 and carries the version of the interface', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.0.0')
  })

  test('requires a body exactly where one is needed', () => {
    const named = (id: string) =>
      operations.find(({ operation }) => operation.operationId === id)!.operation.requestBody
    for (const id of ['cancelCheckoutSession', 'simulatePublicCheckout', 'refundPayment'])
      expect(named(id)).toMatchObject({ required: false })
    for (const id of ['createCheckoutSession', 'resolvePayment', 'changeSettings'])
      expect(named(id)).toMatchObject({ required: true })
  })

  // A refusal by pattern is explained in words, so every pattern needs some.
  test('has an explanation for every pattern', () => {
    const sent = operations.map(({ operation }) => [operation.parameters, operation.requestBody])
    const found = JSON.stringify(sent).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)
    const patterns = new Set([...found].map(([, text]) => JSON.parse(text!) as string))
    expect(patterns.size).toBeGreaterThan(8)
    expect([...patterns].filter((pattern) => !patternIssues[pattern])).toEqual([])
  })

  // Linters, SDK generators and other languages compile patterns without the `u` flag of JavaScript.
  test('has patterns that mean the same with and without Unicode mode, for their examples', () => {
    let compared = 0
    JSON.stringify(document, (_key, value) => {
      const { pattern, examples, example } = (value ?? {}) as Record<string, unknown>
      if (typeof pattern !== 'string') return value
      expect(pattern).not.toMatch(/\\p\{|\(\?[=!<]/)
      for (const text of [examples, example].flat().filter((one) => typeof one === 'string')) {
        expect([text, new RegExp(pattern).test(text)]).toEqual([text, true])
        expect([text, new RegExp(pattern, 'u').test(text)]).toEqual([text, true])
        compared += 1
      }
      return value
    })
    expect(compared).toBeGreaterThan(40)
  })

  test('gives every operation an example key of its own', () => {
    const keys = operations.flatMap(({ operation }) =>
      (operation.parameters ?? [])
        .filter(({ name }) => name === 'Idempotency-Key')
        .map(({ example }) => example),
    )
    expect(keys.length).toBeGreaterThan(20)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('shows a session that is pending in the future, and what a bank and a quote really answer', () => {
    const exampleOf = (id: string, status: string) =>
      operations.find(({ operation }) => operation.operationId === id)!.operation.responses![
        status
      ]!.content!['application/json'] as { example: { data: Record<string, never> } }
    const session = exampleOf('createCheckoutSession', '201').example.data
    expect(Date.parse(session.expiresAt!)).toBeGreaterThan(Date.now())
    expect(exampleOf('createBankTransfer', '201').example.data).toMatchObject({
      status: 'SUBMITTED',
      sessionId: null,
    })
    for (const id of ['quoteBankTransfer', 'quoteCryptoTransfer']) {
      const { lines } = exampleOf(id, '200').example.data as unknown as {
        lines: { operation: string }[]
      }
      for (const { operation } of lines) expect(feeOperationNames).toContain(operation)
    }
    for (const id of ['createCheckoutSession', 'createVirtualAccount', 'createCryptoWallet'])
      expect(JSON.stringify(bodyOf(id))).not.toContain('expiresAt')
  })

  test('describes every event of the checkout stream', () => {
    const { operation } = operations.find(({ name }) => name.endsWith('/stream'))!
    const media = operation.responses!['200']!.content!['text/event-stream'] as {
      schema: { pattern: string; description: string }
      examples: Record<string, { summary: string; value: string }>
    }
    expect(Object.keys(media.examples)).toEqual(['opened', 'changed', 'heartbeat'])
    const sent = new RegExp(media.schema.pattern)
    const texts = Object.values(media.examples).map(({ value }) => value)
    for (const text of [...texts, texts.join(''), ''])
      expect([text, sent.test(text)]).toEqual([text, true])
    for (const text of ['changed', 'event: paid\ndata: {}\n\n', 'event: changed\n\n'])
      expect([text, sent.test(text)]).toEqual([text, false])
  })

  test('has unique operation ids', () => {
    expect(operations.length).toBeGreaterThan(5)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(operations)('$name is documented', ({ name, operation }) => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
    expect(operation.summary).toMatch(/^[A-Z].+[^.]$/)
    expect(operation.description).toMatch(/\.$/)
    expect(operation.tags).toHaveLength(1)
    expect(operation.security!.length > 0).toBe(needsKey(name))
    const schemes = Object.keys(document.components.securitySchemes)
    for (const need of operation.security!)
      expect(schemes).toEqual(expect.arrayContaining(Object.keys(need)))

    const responses = Object.entries(operation.responses!)
    expect(responses.filter(([status]) => status.startsWith('2'))).toHaveLength(1)
    for (const status of ['400', '429', '500', '503', ...(isForEveryone(name) ? [] : ['401'])])
      expect(Object.keys(operation.responses!)).toContain(status)
    for (const [status, response] of responses) {
      expect(response.description).toMatch(/\.$/)
      const isStream = name.endsWith('/stream') && status === '200'
      const isFile = /\/batches\/(template|.*\/report)$/.test(name) && status === '200'
      const isPdf = /\/(pdf|receipt)$/.test(name) && status === '200'
      const file = isPdf ? 'application/pdf' : isFile ? 'text/csv' : 'application/json'
      expect(response.content).toHaveProperty([isStream ? 'text/event-stream' : file])
    }
  })

  test('documents Idempotency-Key on every POST that changes something and nothing else', () => {
    for (const { name, operation } of operations) {
      const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === 'header')
      const isKeyed =
        name.startsWith('POST') && needsKey(name) && !/\/(quotes?|preview)$/.test(name)
      const expected = isKeyed ? ['Idempotency-Key'] : []
      expect([name, headers.map((header) => header.name)]).toEqual([name, expected])
    }
  })
})

describe('real answers', () => {
  const requests: { name: string; method: string; path: string; body?: object }[] = [
    { name: 'GET /v1/balances', method: 'GET', path: '/v1/balances' },
    { name: 'GET /v1/balance-entries', method: 'GET', path: '/v1/balance-entries' },
    { name: 'GET /v1/settings', method: 'GET', path: '/v1/settings' },
    { name: 'PATCH /v1/settings', method: 'PATCH', path: '/v1/settings', body: {} },
    { name: 'GET /v1/profile', method: 'GET', path: '/v1/profile' },
    { name: `POST ${fund}`, method: 'POST', path: fund, body: { asset: 'NGN', amount: 5 } },
  ]
  const met = new Map<string, Set<number>>(requests.map(({ name }) => [name, new Set()]))

  /** `ask` validates every answer against the document, here and in all other tests. */
  async function meet(at: TestService, change: (request: (typeof requests)[number]) => object) {
    const replies: Reply[] = []
    for (const request of requests) {
      const question = { key: at.merchant.test.secret, body: request.body, ...change(request) }
      const { path = request.path, ...rest } = question as typeof question & { path?: string }
      const reply = await at.ask(request.method, path, rest)
      met.get(request.name)!.add(reply.status)
      replies.push(reply)
    }
    return replies
  }

  async function issueRestrictedKey(): Promise<string> {
    const issued = await service.db.transaction((tx) =>
      issueKey(tx, service.clock.now(), {
        seal: service.seal,
        environment: merchant.environments.test,
        kind: 'secret',
        name: 'Restricted',
        expiresAt: null,
        allowedAddresses: [],
        permissions: ['developers.see'],
      }),
    )
    return issued.key.reveal()
  }

  test('match the document on success', async () => {
    for (const reply of await meet(service, () => ({})))
      expect(Object.keys(reply.json)).toEqual(['status', 'message', 'data'])
    const headers = { accept: 'text/csv' }
    const csv = await ask('GET', '/v1/balance-entries', { key, headers })
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
    await ask('GET', '/v1/profile', { key: merchant.live.public })
  })

  test('match the document for invalid requests', async () => {
    const csv = { accept: 'text/csv' }
    await meet(service, (one) => (one.method === 'GET' ? { headers: csv } : {}))
    await meet(service, ({ path }) => ({ path: `${path}?nope=1` }))
    await meet(service, () => ({ key: 'sk_test_wrong' }))
    const hasBody = ({ body }: { body?: object }) => body !== undefined
    await meet(service, (one) => (hasBody(one) ? { body: ' '.repeat(70_000) } : {}))
    const headers = { 'content-type': 'text/plain' }
    await meet(service, (one) => (hasBody(one) ? { headers } : {}))
    await meet(service, ({ path }) => (path === fund ? { key: merchant.live.secret } : {}))
    const unknown = '?subaccount=sub_unknown'
    const ofSubaccounts = ['/v1/balances', '/v1/balance-entries']
    await meet(service, ({ path }) =>
      ofSubaccounts.includes(path) ? { path: path + unknown } : {},
    )
    const restricted = await issueRestrictedKey()
    await meet(service, () => ({ key: restricted }))
    const most = { asset: 'NGN', amount: Number.MAX_SAFE_INTEGER }
    await meet(service, ({ path }) => (path === fund ? { body: most } : {}))
  })

  test('match the document when rate limited', async () => {
    const limited = await openManilla({ rateLimitPerSecond: 1 })
    await limited.ask('GET', '/v1/balances', { key: limited.merchant.test.secret })
    await meet(limited, () => ({}))
  })

  test('match the document on internal errors', async () => {
    const broken = await openManilla()
    await broken.ask('GET', '/v1/balances', { key: broken.merchant.test.secret })
    for (const table of ['ledger_accounts', 'ledger_transfers', 'environment_settings'])
      await broken.db.rows(sql`drop table ${sql.identifier(table)} cascade`)
    await meet(broken, () => ({}))
  })

  // 409 and 503 need a blocked database; the tests that arrange one cover them.
  test('cover every documented status', () => {
    for (const [name, statuses] of met) {
      const { operation } = operations.find((one) => one.name === name)!
      const promised = Object.keys(operation.responses!).map(Number)
      const others = promised.filter((status) => ![409, 503].includes(status))
      expect([name, [...statuses].toSorted()]).toEqual([name, others.toSorted()])
    }
  })
})

describe('the validator of answers', () => {
  const conform = createConformance(document)
  const answer = (status: number, json: unknown, type = 'application/json; charset=utf-8') => {
    const headers = new Headers({ 'content-type': type })
    return { status, headers, text: JSON.stringify(json), json }
  }
  const good = { status: true, message: 'Balances', data: { items: [] } }

  test('accepts a valid answer', () => {
    conform('GET', '/v1/balances?x=1', answer(200, good))
  })

  test.each([
    ['a status that is not documented', answer(418, good), /does not promise/],
    ['another type', answer(200, good, 'text/html'), /does not promise/],
    ['a missing field', answer(200, { ...good, message: undefined }), /must have required/],
    ['a field of another type', answer(200, { ...good, message: 5 }), /must be string/],
    ['a field that is not documented', answer(200, { ...good, extra: 1 }), /additional/],
    ['the envelope of a failure', answer(200, { ...good, status: false }), /equal to one of/],
  ])('finds %s', (_name, wrong, message) => {
    expect(() => conform('GET', '/v1/balances', wrong)).toThrow(message)
  })
})
