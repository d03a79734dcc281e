import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Manilla, NotFoundError } from 'manilla'

/** A shop of one product whose customers pay without leaving its page. */

const { INLINE_PORT = '4001', MANILLA_KEY, MANILLA_URL, MANILLA_HOME } = process.env
const { key, baseUrl } = findAccount()
const payOrigin = new URL(baseUrl).origin
const manilla = new Manilla(key, { baseUrl })
const scripts = readFileSync(new URL('shop.js', import.meta.url))
const styles = readFileSync(new URL('shop.css', import.meta.url))
const sellable = { amount: 1_250_000, description: 'Two loaves of agege bread' }

/** What inline.js needs: it and the payment page come from Manilla, all else from here. */
const policy = [
  "default-src 'none'",
  `script-src 'self' ${payOrigin}`,
  `frame-src ${payOrigin}`,
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Key and URL from the environment, else of the demo merchant that `npm start` created. */
function findAccount() {
  if (MANILLA_KEY) return { key: MANILLA_KEY, baseUrl: MANILLA_URL || 'http://127.0.0.1:8080' }
  const home = MANILLA_HOME || fileURLToPath(new URL('../../.manilla', import.meta.url))
  const demo = JSON.parse(readFileSync(join(home, 'demo.json'), 'utf8'))
  return { key: demo.test.secretKey, baseUrl: demo.baseUrl }
}

const server = createServer((request, response) =>
  route(request, response).catch((error) => {
    console.error(error)
    const isUnknown = error instanceof NotFoundError
    send(response, isUnknown ? 404 : 502, page(isUnknown ? 'Page not found' : 'Try again', ''))
  }),
)
await once(server.listen(Number(INLINE_PORT), '127.0.0.1'), 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const origin = `http://127.0.0.1:${port}`
await allowFrame()
console.log(`The shop is open at ${origin}`)

/** Browsers show the payment page only in frames of origins that the merchant lists. */
async function allowFrame() {
  const { frameOrigins } = (await manilla.settings.get()).checkout
  if (frameOrigins.includes(origin)) return
  // Settings list at most ten: the oldest makes room.
  await manilla.settings.update({
    checkout: { frameOrigins: [...frameOrigins, origin].slice(-10) },
  })
}

async function route(request, response) {
  const [, folder, reference, rest] = new URL(request.url, origin).pathname.split('/')
  if (request.url === '/shop.js') return send(response, 200, scripts, 'text/javascript')
  if (request.url === '/shop.css') return send(response, 200, styles, 'text/css')
  if (request.url === '/') return send(response, 200, page('On the shelf today', order()))
  if (request.method === 'POST' && folder === 'orders') {
    const customer = { name: 'Ada Obi', email: 'ada@example.com' }
    const session = await manilla.checkout.sessions.create({ ...sellable, customer })
    return response.writeHead(303, { location: `/orders/${session.reference}` }).end()
  }
  if (folder !== 'orders' || !reference) return send(response, 404, page('Page not found', ''))
  // The only truth about a payment: what Manilla tells the server. Ship on the webhook.
  const session = await manilla.checkout.sessions.get(reference)
  if (rest === 'status')
    return send(response, 200, JSON.stringify({ status: session.status }), 'application/json')
  return send(response, 200, page('Your order', pay(session)))
}

function order() {
  return `<p>${sellable.description}, ${naira(sellable.amount)}</p>
    <form method="post" action="/orders"><button>Order</button></form>`
}

/** @param {import('manilla').CheckoutSession} session */
function pay({ url, amount, status, reference }) {
  const button = `<manilla-button session="${url}">Pay ${naira(amount)}</manilla-button>
    <noscript><p><a href="${url}">Go to payment</a></p></noscript>`
  return `<p>${sellable.description}</p>
    <p role="status" data-order="${reference}">${status === 'paid' ? 'Paid' : 'Not paid yet'}</p>
    ${status === 'pending' ? button : ''}`
}

function page(title, main) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">
    <script src="${payOrigin}/inline.js" defer></script><script src="/shop.js" defer></script>
    </head><body><main><h1>${title}</h1>${main}</main></body></html>`
}

function send(response, status, body, type = 'text/html') {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' }
  response.writeHead(status, { ...headers, 'content-security-policy': policy }).end(body)
}

function naira(kobo) {
  return (kobo / 100).toLocaleString('en-NG', { style: 'currency', currency: 'NGN' })
}
