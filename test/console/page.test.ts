import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

const service = await openManilla()
const { url } = service

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('the page of the console', () => {
  test('every path of the console shows it, with a new nonce each time', async () => {
    const answers = await Promise.all(
      ['/console', '/console/payments', '/console/payments/pay_x?q=1'].map((path) => get(path)),
    )
    const nonces = answers.map(({ status, headers, text }) => {
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-frame-options')).toBe('DENY')
      const [, nonce = ''] = /<meta name="style-nonce" content="([^"]+)">/.exec(text)!
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none';script-src 'self';style-src 'self' 'nonce-${nonce}';` +
          "img-src 'self' data:;connect-src 'self';frame-src 'self';frame-ancestors 'none';" +
          "base-uri 'none';form-action 'self'",
      )
      return nonce
    })
    expect(new Set(nonces).size).toBe(3)
  })

  // An unknown name must not show the page, whose script would send the user there again.
  test('pages that the server renders are not found until a route renders them', async () => {
    const { status } = await get('/console/session/unknown')
    expect(status).toBe(404)
  })

  test('its files may be kept without end and are compressed', async () => {
    const { text } = await get('/console')
    const [, script = ''] = /<script type="module" src="([^"]+)">/.exec(text)!
    const plain = await get(script, { 'accept-encoding': 'identity' })
    expect(plain.status).toBe(200)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const encoding of ['br', 'gzip'] as const) {
      const packed = await service.app.inject({
        url: script,
        headers: { 'accept-encoding': encoding },
      })
      expect(packed.headers['content-encoding']).toBe(encoding)
      expect(unpack[encoding](packed.rawPayload).toString()).toBe(plain.text)
    }
  })

  test('no other file can be read', async () => {
    for (const name of ['x.js', '..%2f.vite%2fmanifest.json', '..%2f..%2fpackage.json'])
      expect((await get(`/console/assets/${name}`)).status, name).toBe(404)
  })
})

describe('CONSOLE=off', () => {
  test('neither pages nor sessions work', async () => {
    const off = await openManilla({ beside: service, hasConsole: false })
    const { token } = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
    const cookie = `manilla=${token}`
    for (const path of ['/console', '/console/payments', '/console/session', '/console/start/x'])
      expect((await fetch(off.url + path, { headers: { cookie } })).status, path).toBe(404)
    const headers = {
      cookie,
      'manilla-merchant': service.merchant.reference,
      'manilla-mode': 'test',
    }
    expect((await fetch(`${url}/v1/balances`, { headers })).status).toBe(200)
    expect((await fetch(`${off.url}/v1/balances`, { headers })).status).toBe(401)
  })
})

describe('CONSOLE_URL', () => {
  test('other hosts of the API do not show the console', async () => {
    const elsewhere = await openManilla({
      beside: service,
      consoleUrl: 'https://console.example.com',
    })
    expect((await fetch(`${elsewhere.url}/console`)).status).toBe(404)
    const { app } = elsewhere
    const own = await app.inject({ url: '/console', headers: { host: 'console.example.com' } })
    expect(own.statusCode).toBe(200)
  })
})
