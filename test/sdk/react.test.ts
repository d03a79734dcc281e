import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'
import { openCheckout } from '../pages/open-checkout.js'
import { openReceiver } from '../support/receiver.js'

/** The components for React, in a shop of another origin. */

const root = path.resolve(import.meta.dirname, '../..')
const { service, browser, open } = await openCheckout()
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-react-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A page of a merchant, bundled. */
const app = `
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ManillaButton, useManilla } from '${path.join(root, 'sdk/react/react.ts')}'

const search = new URLSearchParams(location.search)
const [src, session, missing] = ['src', 'session', 'missing'].map((name) => search.get(name))

function Shop() {
  const [line, setLine] = useState('Nothing yet')
  const open = useManilla({ src: missing })
  const onError = (error) => setLine(error.message)
  return h('main', {},
    h(ManillaButton, { src, session, onError, onResult: ({ status }) => setLine(status) }, 'Pay now'),
    h('button', { onClick: () => open({ session }).catch(onError) }, 'Broken'),
    h('p', { role: 'status' }, line))
}
createRoot(document.querySelector('#app')).render(h(Shop))`

async function bundle(): Promise<string> {
  const input = path.join(folder, 'app.js')
  writeFileSync(input, app)
  const made = await rolldown({
    input,
    resolve: { modules: [path.join(root, 'node_modules')] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await made.generate({ format: 'iife' })
  await made.close()
  return output[0].code
}

test('a React page shows a session, has its result, and reports what fails', async () => {
  const script = await bundle()
  const shop = await openReceiver((response, { path: asked }) => {
    const isPage = asked.startsWith('/?')
    response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
    response.end(
      isPage
        ? '<link rel="icon" href="data:,"><div id="app"></div><script src="/app.js"></script>'
        : script,
    )
  })
  await service.ask('PATCH', '/v1/settings', {
    key: service.merchant.test.secret,
    body: { checkout: { frameOrigins: [new URL(shop.url).origin] } },
  })
  const { url } = await open()
  const page = await browser.newPage()
  const query = new URLSearchParams({
    src: `${service.url}/inline.js`,
    missing: `${service.url}/inline/0.0.0.js`,
    session: url,
  })
  await page.goto(`${new URL(shop.url).origin}/?${query}`)
  await page.getByRole('button', { name: 'Pay now' }).click()
  const frame = page.frameLocator('iframe')
  await frame.getByRole('button', { name: 'Simulate transfer' }).click()
  await frame.getByRole('link', { name: 'Return to Ada Stores', exact: true }).click()
  await page.getByText('paid', { exact: true }).waitFor()
  const scripts = `document.querySelectorAll('script[src$="/inline.js"]').length`
  expect(await page.evaluate(scripts)).toBe(1)

  // Without the script that was loaded, the hook reports what it cannot load.
  await page.reload()
  await page.route(`${service.url}/inline.js`, (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'Broken' }).click()
  await page.getByText('/inline/0.0.0.js could not be loaded.').waitFor()
  await page.close()
})
