import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Manilla, ManillaError, WebhookError } from 'manilla'
import { explain, findAccount, findSecret } from './connect.mjs'
import { openOrders } from './orders.mjs'
import { orderPage, payUrl, problemPage, shelfPage } from './pages.mjs'
import { openShop, readOrder } from './shop.mjs'

const { STORE_PORT = '4000', STORE_URL, STORE_DATA } = process.env
const folder = STORE_DATA || fileURLToPath(new URL('.data', import.meta.url))
const styles = readFileSync(new URL('shop.css', import.meta.url))
const bodyLimit = 1_000_000
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

async function open() {
  const { key, baseUrl } = findAccount()
  const manilla = new Manilla(key, { baseUrl })
  const { merchant, mode } = await manilla.profile.get({ maxRetries: 0 })
  // Until the shop is ready, answer 503 with Retry-After; Manilla retries.
  let answer = async (_request, response) => response.writeHead(503, { 'retry-after': 1 }).end()
  const server = createServer((request, response) => answer(request, response))
  await once(server.listen(Number(STORE_PORT), '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const origin = STORE_URL || `http://127.0.0.1:${port}`

  const endpoint = { url: `${origin}/webhooks`, file: join(folder, 'endpoint.json') }
  const secret = await findSecret(manilla, endpoint)
  const orders = openOrders(join(folder, 'orders.json'))
  const shop = openShop({ manilla, orders, secret })
  const look = { name: merchant.displayName, isTest: mode === 'test' }
  answer = (request, response) =>
    route({ request, response, shop, orders, origin, look }).catch((error) =>
      refuse(response, error, look),
    )
  await shop.catchUp()
  console.log(`${merchant.displayName} is open at ${origin}`)
}

async function route({ request, response, shop, orders, origin, look }) {
  const [path] = request.url.split('?')
  switch (`${request.method} ${path}`) {
    case 'POST /webhooks':
      // The raw bytes: a parsed and serialized body does not match its signature.
      await shop.hear(await readBody(request), request.headers)
      return response.writeHead(204).end()
    case 'POST /orders': {
      const wanted = readOrder(new URLSearchParams(`${await readBody(request)}`), origin)
      if (!wanted) return show(response, 400, problemPage(look, 'Please fill in the whole form.'))
      const order = await shop.sell(wanted)
      // A closed order cannot be paid: show its own page.
      const location = order.status === 'waiting' ? payUrl(order) : `/orders/${order.id}`
      return response.writeHead(303, { location }).end()
    }
    case 'GET /':
      return show(response, 200, shelfPage(look, randomUUID()))
    case 'GET /shop.css':
      return response.writeHead(200, { 'content-type': 'text/css' }).end(styles)
  }
  const order = request.method === 'GET' && orders.find(path.replace('/orders/', ''))
  if (!order) return show(response, 404, problemPage(look, 'Page not found.'))
  // A redirect is not proof of payment: anyone can open this URL. The page shows what the webhook
  // reported, and reloads while that may change.
  const isMoving = order.status === 'waiting' || order.status === 'paid'
  return show(response, 200, orderPage(look, order), isMoving ? { refresh: '3' } : {})
}

function show(response, status, page, more = {}) {
  response.writeHead(status, { ...pageHeaders, ...more }).end(page)
}

async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) throw new Error('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Manilla retries anything but 2xx. Customers may reload: it stays one order. */
function refuse(response, error, look) {
  const isUnproven = error instanceof WebhookError
  console.error(isUnproven ? `Webhook refused, ${error.problem}: ${error.message}` : error)
  if (isUnproven) return response.writeHead(400).end()
  const words = 'The payment page is not available. Reload to try again.'
  show(response, error instanceof ManillaError ? 502 : 500, problemPage(look, words))
}

await open().catch((error) => {
  console.error(explain(error))
  process.exit(1)
})
