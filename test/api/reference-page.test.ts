import { expect, test } from 'vitest'
import { openManilla } from '../support/open-manilla.js'

const { ask } = await openManilla()

// The root URL redirects to the page, which loads its script and the document from this server: the
// content security policy allows no other.
test('the reference is a page, its script and the document, all from this server', async () => {
  for (const path of ['/', '/docs', '/docs/']) {
    const { status, headers, text } = await ask('GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toContain("connect-src 'self'")
    expect(text).toContain('<script src="js/scalar.js">')
    expect(text).toContain('"url":"/openapi.json"')
  }
  const script = await ask('GET', '/docs/js/scalar.js')
  expect(script.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
  expect(script.text).toContain('@scalar/api-reference')
  expect((await ask('GET', '/openapi.json')).json.openapi).toBe('3.1.0')
})

test('the document has one address', async () => {
  for (const path of ['/docs/openapi.json', '/docs/openapi.yaml'])
    expect((await ask('GET', path)).status).toBe(404)
})
