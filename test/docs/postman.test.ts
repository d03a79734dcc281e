import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { root } from '../support/doc-pages.js'
import type { OpenApi } from '../support/render-postman.js'

/** test/generated.test.ts keeps the collection current; this checks that it works. */

type Item = { name: string; request: Request }
type Request = {
  method: string
  auth?: { type: string }
  header: { key: string; value: string; disabled?: boolean }[]
  url: { raw: string; path: string[]; variable?: { key: string }[] }
  body?: { mode: string; raw: string }
}

const read = (name: string) => JSON.parse(readFileSync(path.join(root, name), 'utf8'))
const document = read('openapi.json') as OpenApi
const collection = read('docs/manilla.postman_collection.json')
const items = (collection.item as { item: Item[] }[]).flatMap(({ item }) => item)
const pathOf = ({ url }: Request) =>
  `/${url.path.map((word) => word.replace(/^:(.+)/, '{$1}')).join('/')}`

test('it is valid format 2.1', () => {
  expect(collection.info.schema).toBe(
    'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  )
  expect(collection.auth.bearer[0].value).toBe('{{secretKey}}')
  expect(collection.variable.map(({ key }: { key: string }) => key)).toEqual([
    'baseUrl',
    'secretKey',
  ])
  for (const { request } of items) {
    expect(request.url.raw).toMatch(/^\{\{baseUrl\}\}\//)
    const named = request.url.path.filter((word) => word.startsWith(':'))
    expect((request.url.variable ?? []).map(({ key }) => `:${key}`).sort()).toEqual(named.sort())
  }
})

test('it has every operation once', () => {
  const served = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
  )
  const listed = items.map(({ request }) => `${request.method} ${pathOf(request)}`)
  expect(listed.toSorted()).toEqual(served.toSorted())
})

test('payouts have a new idempotency key each time', () => {
  const keyed = items.filter(({ request }) =>
    request.header.some(({ key, disabled }) => key === 'Idempotency-Key' && !disabled),
  )
  expect(keyed.map(({ request }) => pathOf(request))).toEqual([
    '/v1/disbursements/crypto',
    '/v1/disbursements/bank-transfer',
    '/v1/disbursements/batches',
    '/v1/disbursements/batches/{reference}/submit',
    '/v1/disbursements/batches/{reference}/retry',
    '/v1/claims',
    '/v1/conversions',
    '/v1/subaccounts/{reference}/close',
    '/v1/subaccounts/{reference}/transfers',
    '/v1/subaccounts/{reference}/settlements',
    '/v1/invoices',
    '/v1/invoices/{reference}/send',
    '/v1/invoices/{reference}/credit',
    '/v1/invoice-schedules',
    '/v1/settlements',
  ])
  for (const { request } of keyed)
    expect(request.header.find(({ key }) => key === 'Idempotency-Key')!.value).toBe('{{$guid}}')
})

// Custom formats are checked by the server; types, patterns and names here.
test('every example body is valid for its operation', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const wrong = items.flatMap(({ name, request }) => {
    const operation = document.paths[pathOf(request)]![request.method.toLowerCase()]!
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema || !request.body) return schema || request.body ? [name] : []
    const check = ajv.compile({ ...schema, components: document.components })
    return check(JSON.parse(request.body.raw)) ? [] : [`${name}: ${ajv.errorsText(check.errors)}`]
  })
  expect(wrong).toEqual([])
})
