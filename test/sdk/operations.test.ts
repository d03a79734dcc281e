import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Document, dataOf, describedBy, listRows } from '../../sdk/scripts/document.js'
import type { Operation } from '../../sdk/src/operations.js'

/** The SDK and the API must offer the same operations. */

const file = path.resolve(import.meta.dirname, '../../openapi.json')
const document = JSON.parse(readFileSync(file, 'utf8')) as Document
const rows = listRows()

/** Not for merchants' programs: notices from banks and the mail relay, and streams for pages. */
const isLeftOut = (name: string) => /^POST \/(rails|mail)\//.test(name) || name.endsWith('/stream')
const nameOf = ({ method, path }: Operation) => `${method} ${path}`

test('SDK and openapi.json have the same operations', () => {
  const promised = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .filter((name) => !isLeftOut(name))
  expect(promised.length).toBeGreaterThan(50)
  expect([...new Set(rows.map(([, row]) => nameOf(row)))].sort()).toEqual(promised.sort())
})

describe.each(rows)('%s', (_, row) => {
  const described = describedBy(document, row)
  const body = described.requestBody?.content['application/json'].schema
  // Without `limit`, the list of banks comes whole: callers get an array and pass nothing.
  const isWhole = row.path === '/v1/banks'
  const query = (described.parameters ?? []).filter(
    (parameter) => parameter.in === 'query' && !isWhole,
  )

  test('takes the documented input', () => {
    const hasBody = Object.keys(body?.oneOf ?? body?.properties ?? {}).length > 0
    expect(row.takes).toBe(hasBody ? 'body' : query.length > 0 ? 'query' : 'nothing')
  })

  test('returns the documented data', () => {
    if (row.gives === 'csv') {
      expect(Object.keys(described.responses['200']!.content)).toContain('text/csv')
      return
    }
    if (row.gives === 'pdf') {
      expect(Object.keys(described.responses['200']!.content)).toEqual(['application/pdf'])
      return
    }
    const fields = Object.keys(dataOf(described).properties ?? {})
    const isPaged = query.some(({ name }) => name === 'cursor')
    if (isPaged) expect([row.gives, fields]).toEqual(['pages', ['items', 'nextCursor']])
    else if (fields.includes('items')) expect(row.gives).toBe('items')
    // What is erased is answered as it is since.
    else if (described.operationId === 'eraseCustomer') expect(row.gives).toBe('data')
    else expect(row.gives).toBe(row.method === 'DELETE' ? 'nothing' : 'data')
  })

  test('is public if it needs no key', () => {
    const { security } = described as { security?: unknown[] }
    expect(row.isPublic).toBe((security ?? []).length === 0)
  })
})
