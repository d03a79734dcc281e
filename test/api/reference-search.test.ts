import { request } from 'node:http'
import { expect, test } from 'vitest'
import { buildSearchIndex } from '../../src/api/reference/build-search.js'
import {
  type ApiDocument,
  listOperations,
  pathOfOperation,
} from '../../src/api/reference/document.js'
import { readGuides } from '../../src/api/reference/guides.js'
import { variables } from '../../src/base/config.js'
import { codes, reasons } from '../../src/base/refusals.js'
import { openSearch, readPages } from '../../web/search-pages.js'
import { openManilla } from '../support/open-manilla.js'

const { ask, url } = await openManilla()
const document: ApiDocument = (await ask('GET', '/openapi.json')).json
const index = buildSearchIndex(document, await readGuides())
const search = openSearch(JSON.parse(JSON.stringify(index)))

test.each([
  ['refund', '/docs/operations/refundPayment'],
  ['Refund a payment', '/docs/operations/refundPayment'],
  ['idempotency_in_progress', '/docs/reference/errors#idempotency_in_progress'],
  ['MANILLA_SECRET', '/docs/operating/configuration#MANILLA_SECRET'],
  ['create virtual account', '/docs/operations/createVirtualAccount'],
  ['how do I create a virtual account', '/docs/operations/createVirtualAccount'],
  ['createVirtualAccount', '/docs/operations/createVirtualAccount'],
  ['/v1/banks/resolve', '/docs/operations/resolveBankAccount'],
  ['idempotency', '/docs/guides/idempotency'],
  ['idempotancy', '/docs/guides/idempotency'],
  ['idempotentcy', '/docs/guides/idempotency'],
  ['webhoks', '/docs/guides/webhooks'],
  ['aprovals', '/docs/guides/approvals'],
  ['insufficient_balance', '/docs/reference/errors#insufficient_balance'],
  ['rate limit per second', '/docs/operating/configuration#RATE_LIMIT_PER_SECOND'],
  ['payment.held', '/docs/events#payment.held'],
  ['agents', '/docs/guides/agents'],
  ['kubernetes', '/docs/operating/deployment'],
])('“%s” finds %s first', (query, address) => {
  const { found } = search(query)
  const [first] = found.map((hit) => hit.address.replace(/(deployment)#.*/, '$1'))
  expect(first).toBe(address)
})

test('says what it searched instead of a misspelt word, and nothing else', () => {
  expect(search('idempotancy').instead).toBe('idempotency')
  expect(search('idempotency').instead).toBeNull()
  for (const nothing of ['', '  ', '???', 'xqzwv', 'the of a'])
    expect(search(nothing).found).toEqual([])
  // What a reader has typed so far is a beginning, not a mistake.
  expect(search('idemp')).toMatchObject({ instead: null })
  expect(search('idemp').found[0]!.address).toBe('/docs/guides/idempotency')
})

test('finds words of texts, and fields of requests', () => {
  const addresses = (query: string) => search(query).found.map(({ address }) => address)
  expect(addresses('maxRate').slice(0, 2).toSorted()).toEqual([
    '/docs/operations/createBankTransfer',
    '/docs/operations/createCryptoTransfer',
  ])
  expect(addresses('byte order mark').some((one) => one.startsWith('/docs/guides/finding'))).toBe(
    true,
  )
  expect(addresses('narration')).toContain('/docs/operations/createBankTransfer')
})

test('every page of the index exists, and every operation, error, variable and guide is in it', async () => {
  const operationPages = new Set(listOperations(document).map(pathOfOperation))
  const addresses = new Set(readPages(index).map(({ address }) => address))
  const missing: string[] = []
  const texts = new Map<string, string>()
  for (const address of addresses) {
    const [page = '', anchor] = address.split('#')
    // reference-page.test.ts reads the pages of all operations.
    if (operationPages.has(page)) continue
    if (!texts.has(page)) texts.set(page, (await ask('GET', page)).text)
    const text = texts.get(page)!
    if (anchor === undefined ? !text.startsWith('<!doctype') : !text.includes(` id="${anchor}"`))
      missing.push(address)
  }
  expect(missing).toEqual([])
  for (const page of operationPages) expect(addresses).toContain(page)
  const count = (kind: string) => index.pages.filter((page) => page[0] === kind).length
  const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods))
  expect(count('o')).toBe(operations.length)
  expect(count('e')).toBe(Object.keys({ ...codes, ...reasons }).length)
  expect(count('v')).toBe(Object.keys(variables.properties).length)
  expect(count('g')).toBe((await readGuides()).size)
})

// What a browser fetches when a reader begins to search, beside the page itself.
test('index and script are less than 50 kB to transfer, however a browser accepts them', async () => {
  const page = (await ask('GET', '/docs/')).text
  const parts = ['data-index', 'data-search'].map(
    (name) => new RegExp(`${name}="([^"]+)"`).exec(page)![1]!,
  )
  // The script of the page, too: it shows what was found.
  const script = /<script type="module" src="([^"]+)"/.exec(page)![1]!
  const sizes: Record<string, number> = {}
  for (const encoding of ['br', 'gzip']) {
    sizes[encoding] = 0
    for (const file of [...parts, script]) sizes[encoding] += await sizeOf(file, encoding)
    expect(sizes[encoding], encoding).toBeLessThan(50_000)
  }
  console.info(`search: ${sizes.br} bytes with br, ${sizes.gzip} with gzip`)
})

/** As sent: fetch would decompress it. */
function sizeOf(file: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + file, { headers: { 'accept-encoding': encoding } }, (response) => {
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      response.on('end', () => resolve(size))
    })
    sent.on('error', reject)
    sent.end()
  })
}
