import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isDescribed } from '../../src/api/openapi/field-descriptions.js'
import type { Operation } from '../../src/api/reference/document.js'
import { banks, resolveAccount } from '../../src/simulation/sandbox-bank/judge-account.js'
import { openManilla, withDirectory } from '../support/open-manilla.js'

const run = promisify(execFile)
const { ask, url, port, wire, addMerchant } = await openManilla({
  demoKey: 'sk_test_demo',
  rails: withDirectory({
    listBanks: async () => banks,
    resolveName: async (account) => resolveAccount(account),
  }),
})
const document = (await ask('GET', '/openapi.json')).json
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) =>
  Object.values(methods),
)
const { text: introduction } = await ask('GET', '/docs/')
const linksOf = (page: string) =>
  [...page.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, to]) => to!)

/** As sent, which fetch does not show. */
async function fetchRaw(address: string, headers: Record<string, string> = {}) {
  const sent = request(url + address, { headers })
  sent.end()
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    sent.on('response', resolve).on('error', reject),
  )
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

describe('the pages', () => {
  test.each(['/', '/docs', '/docs/'])('%s shows the introduction', async (address) => {
    // Follows redirects.
    const response = await fetch(url + address)
    const type = response.headers.get('content-type')
    expect([response.status, type]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toBe(introduction)
  })

  test('allow nothing inline and nothing from elsewhere', async () => {
    const { headers } = await ask('GET', '/docs/')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none';script-src 'self';style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(introduction).not.toMatch(/<style|<script>| style=| on\w+=/)
  })

  // Every page that can be reached is read once: links lead to pages, anchors to places on them,
  // and no page is larger than a phone on a slow network can show at once.
  test('have no dead links, and stay small', async () => {
    const pages = new Map<string, string>()
    const wrong: string[] = []
    const waiting = ['/docs/', ...operations.map((one) => `/docs/operations/${one.operationId}`)]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (pages.has(next)) continue
      const { status, body, headers } = await fetchRaw(next, { 'accept-encoding': 'br' })
      const text = status === 200 ? brotliDecompressSync(body).toString() : ''
      pages.set(next, text)
      if (status !== 200) wrong.push(`${next}: ${status} ${body}`)
      if (status !== 200 || !headers['content-type']?.startsWith('text/html')) continue
      const elements = text.match(/<[a-z]/g)!.length
      const packed = body.length
      // The references of all commands and variables are long tables.
      const most = /(cli|configuration|reference\/events)$/.test(next) ? 3_000 : 1_500
      if (elements > most || packed > 16_000) wrong.push(`${next}: ${elements}, ${packed} bytes`)
      waiting.push(
        ...linksOf(text)
          // reference-markdown.test.ts reads those.
          .filter((to) => to.startsWith('/') && !to.endsWith('.md'))
          .map((to) => to.split('#')[0]!),
      )
    }
    for (const [page, text] of pages)
      for (const to of linksOf(text).filter((link) => /^[/#].*#|^#/.test(link))) {
        const [target, anchor] = to.split('#') as [string, string]
        const isThere = pages.get(target || page)?.includes(` id="${anchor}"`)
        if (!isThere) wrong.push(`${page} → ${to}`)
      }
    expect(wrong).toEqual([])
    expect(pages.size).toBeGreaterThan(operations.length + 20)
  })

  test('name the unit of an amount, once', async () => {
    const settle = (await ask('GET', '/docs/operations/createSettlement')).text
    expect(settle).toContain('<code>amount</code> <small>integer in kobo, at least 1</small>')
    const account = (await ask('GET', '/docs/operations/createVirtualAccount')).text
    expect(account).toMatch(/<small>integer, at least 1, required<\/small>\s+<p>Amount in kobo\./)
  })

  test('answer 404 to unknown paths; the document has one address', async () => {
    for (const address of ['/docs/openapi.json', '/docs/operations/x', '/docs/assets/x.js'])
      expect((await ask('GET', address)).status).toBe(404)
  })
})

// As the page shows them without script; the commands in them exist on macOS and on Linux.
test('curl examples succeed as shown, also where query parameters are required', async () => {
  const { test: keys } = await addMerchant('Bola')
  const env = { PATH: process.env.PATH, MANILLA_URL: url, MANILLA_KEY: keys.secret }
  const entities: Record<string, string> = { amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'" }
  const needing = operations.filter(({ parameters = [] }) =>
    parameters.some((one) => one.in === 'query' && one.required),
  )
  expect(needing.length).toBeGreaterThan(2)
  for (const { operationId } of [...needing, { operationId: 'fundTestBalance' }]) {
    const { text } = await ask('GET', `/docs/operations/${operationId}`)
    const [, shown = ''] = /id="curl"\s*>([^<]*)</.exec(text) ?? []
    const curl = shown.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
    const { stdout } = await run('sh', ['-c', `${curl} -s`], { env })
    const isCsv = operationId === 'getPayoutBatchTemplate'
    if (isCsv) expect(stdout).toContain('accountNumber,')
    else expect(JSON.parse(stdout), curl).toMatchObject({ status: true })
  }
})

describe('delivery', () => {
  const assets = linksOf(introduction).filter((to) => to.startsWith('/docs/assets/'))

  test.each(['/docs/', '/openapi.json', ...assets])(
    '%s is compressed, with ETags',
    async (file) => {
      const plain = await fetchRaw(file)
      const isAsset = file.startsWith('/docs/assets/')
      expect(plain.headers['cache-control']).toBe(
        isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
      const tags = new Set([plain.headers.etag])
      for (const [encoding, decompress] of Object.entries(unpack)) {
        const packed = await fetchRaw(file, { 'accept-encoding': encoding })
        expect(packed.headers).toMatchObject({
          'content-encoding': encoding,
          vary: 'accept-encoding',
        })
        expect(decompress(packed.body).equals(plain.body)).toBe(true)
        expect(packed.body.length).toBeLessThan(plain.body.length / 2)
        const etag = packed.headers.etag!
        tags.add(etag)
        for (const known of [etag, `W/${etag}`, `"old", ${etag}`]) {
          const again = await fetchRaw(file, {
            'accept-encoding': encoding,
            'if-none-match': known,
          })
          expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag])
        }
        expect((await fetchRaw(file, { 'if-none-match': etag })).status).toBe(200)
      }
      expect(tags.size).toBe(3)
    },
  )
})

describe('the demo key', () => {
  const keyFor = async (host: string, more = '') => {
    const head = `GET /docs/demo-key HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`
    return (await wire(head)).json.key
  }

  test('is filled in for a browser on this machine', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect(await keyFor(host)).toBe('sk_test_demo')
  })

  test('is kept from proxies and foreign host names', async () => {
    expect(await keyFor('pay.example')).toBeNull()
    for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via'])
      expect(await keyFor(`127.0.0.1:${port}`, `${name}: 127.0.0.1\r\n`)).toBeNull()
  })
})

test('every field is described', () => {
  const missing = new Set<string>()
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties = {}, title } = node as { properties?: object; title?: string }
    for (const [field, schema] of Object.entries(properties))
      if (!isDescribed(schema)) missing.add(`${title ?? name}.${field}`)
    for (const [key, child] of Object.entries(node))
      if (key !== 'example' && key !== 'examples')
        visit(child, /^[a-z]+[A-Z]/.test(key) ? key : name)
  }
  visit(document, '')
  for (const one of operations as { operationId: string; parameters?: object[] }[])
    for (const parameter of (one.parameters ?? []) as { name: string; description?: string }[])
      if (!parameter.description) missing.add(`${one.operationId} ${parameter.name}`)
  expect([...missing]).toEqual([])
})

/** Descriptions that are right for fields of several names. */
const shared = [
  /^A decimal amount; null to disable\.$/,
  /^Reference from the response that created it\.$/,
  /^Number of items; with a plus/,
  /^Solana wallet address\./,
  /^Wallet address of the recipient\.$/,
  /^Name of the (bank|account holder)\.$/,
  /^When the (bank confirmed that the money arrived|event happened)\.$/,
  /^What happens to a payment that does not match/,
]

test('no field has the description of another one', () => {
  const namesOf = new Map<string, Set<string>>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties = {}, name, in: place, description } = node as Record<string, unknown>
    const fields = Object.entries(properties as Record<string, { description?: string }>)
    const described = fields.map(([field, schema]) => [field, schema.description] as const)
    if (place) described.push([name as string, description as string])
    for (const [field, text] of described)
      if (text) namesOf.set(text, (namesOf.get(text) ?? new Set()).add(field))
    for (const [key, child] of Object.entries(node))
      if (key !== 'example' && key !== 'examples') visit(child)
  }
  visit(document)
  const leaked = [...namesOf]
    .filter(([text, names]) => names.size > 1 && !shared.some((one) => one.test(text)))
    .map(([text, names]) => `${[...names].join(', ')}: ${text}`)
  expect(leaked).toEqual([])
})

// The API has a version of its own; service and SDK are released together.
test('versions agree', () => {
  const versionOf = (file: string): string =>
    JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')).version
  const version = versionOf('package.json')
  expect(versionOf('sdk/package.json')).toBe(version)
  expect(introduction).toContain(`version ${document.info.version} of the API`)
  expect(introduction).toContain(`manilla@${version}`)
  expect(introduction).toContain(`API ${document.info.version} · Manilla ${version}`)
})
