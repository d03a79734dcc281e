import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * Runs a shop of Medusa on PostgreSQL with this provider, beside a Manilla, and buys there over
 * HTTP. Takes some minutes: Medusa creates its tables first.
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const app = join(here, 'app')
const repository = join(here, '../../..')
const home = mkdtempSync(join(tmpdir(), 'manilla-medusa-'))
// PostgreSQL runs as another account when root runs this.
chmodSync(home, 0o755)
const closing = []

execFileSync(process.execPath, [join(repository, 'bin/build-when-needed.mjs')], {
  stdio: 'inherit',
})
execFileSync(process.execPath, [join(repository, 'sdk/scripts/build.mjs')], { stdio: 'inherit' })
execFileSync(process.execPath, [join(here, '../scripts/build.mjs')], { stdio: 'inherit' })
const { Manilla, signWebhook } = await import('manilla')
const { startEmbeddedServer } = await import(join(repository, 'dist/postgres/embedded/server.js'))
const { default: pg } = await import('pg')

try {
  const port = await freePort()
  const manilla = await startManilla()
  const { secret } = await manilla.client.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/hooks/payment/manilla_manilla`,
    events: ['checkout.session.*'],
  })
  const shop = await startShop({ port, secret, ...manilla })
  await buyAndReturn(shop, manilla.client)
  await buyAndVanish(shop, manilla.client)
  await changeTheCart(shop, manilla.client)
  await forge(shop, manilla.client)
} finally {
  for (const close of closing.reverse()) await close()
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

async function startManilla() {
  const child = run([join(repository, 'bin/start.mjs')], { MANILLA_HOME: home, PORT: '0' })
  await child.untilPrinted('Press Ctrl-C to stop.')
  const { baseUrl, test } = JSON.parse(readFileSync(join(home, 'demo.json'), 'utf8'))
  return { baseUrl, key: test.secretKey, client: new Manilla(test.secretKey, { baseUrl }) }
}

async function startShop({ port, secret, baseUrl, key }) {
  const server = await startEmbeddedServer({
    dataDirectory: join(home, 'medusa-postgres/data'),
    settings: { fsync: 'off', max_connections: '100' },
  })
  closing.push(() => server.stop())
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('create database medusa')
  await admin.end()
  // Medusa connects by TCP only.
  const socket = join(new URL(server.url).searchParams.get('host'), '.s.PGSQL.5432')
  const databasePort = await openDoor(socket)
  const database = `postgresql://${new URL(server.url).username}@127.0.0.1:${databasePort}/medusa`
  const seeded = join(home, 'seeded.json')
  const env = {
    DATABASE_URL: database,
    MANILLA_KEY: key,
    MANILLA_URL: baseUrl,
    WEBHOOK_SECRET: secret,
    SEEDED: seeded,
    PORT: String(port),
    NODE_ENV: 'production',
    MEDUSA_DISABLE_TELEMETRY: '1',
  }
  await medusa(env, 'db:migrate', '--skip-scripts').ended
  await medusa(env, 'exec', './src/scripts/seed.js').ended
  const login = { email: 'ada@example.com', password: 'for-tests-only' }
  await medusa(env, 'user', '-e', login.email, '-p', login.password).ended
  const url = `http://127.0.0.1:${port}`
  medusa(env, 'start')
  for (let second = 0; !(await isUp(url)); second += 1) {
    assert(second < 120, 'Medusa does not answer')
    await sleep(1_000)
  }
  const made = JSON.parse(readFileSync(seeded, 'utf8'))
  const call = (token) => async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-publishable-api-key': made.key,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = await response.json().catch(() => ({}))
    return { status: response.status, json }
  }
  const { json } = await call()('POST', '/auth/user/emailpass', login)
  return { url, made, store: call(), admin: call(json.token) }
}

async function readOrders({ admin }) {
  const { json } = await admin('GET', '/admin/orders?fields=total,payment_status&order=-created_at')
  return json.orders
}

/** A cart with an address, a courier and a payment session. */
async function fillCart({ store, made }, quantity) {
  const post = async (path, body) => {
    const { status, json } = await store('POST', path, body)
    assert.equal(status, 200, `${path}: ${JSON.stringify(json)}`)
    return json
  }
  const address = { first_name: 'Ada', last_name: 'Obi', address_1: '1 Marina', city: 'Lagos' }
  const { cart } = await post('/store/carts', {
    region_id: made.region,
    email: 'ada@example.com',
    shipping_address: { ...address, country_code: 'ng' },
    items: [{ variant_id: made.variant, quantity }],
  })
  await post(`/store/carts/${cart.id}/shipping-methods`, { option_id: made.option })
  const { payment_collection: collection } = await post('/store/payment-collections', {
    cart_id: cart.id,
  })
  return { id: cart.id, collection: collection.id, session: () => pay(collection.id) }

  async function pay(collectionId) {
    const path = `/store/payment-collections/${collectionId}/payment-sessions`
    const { payment_collection: found } = await post(path, {
      provider_id: 'pp_manilla_manilla',
      data: { email: 'ada@example.com', name: 'Ada Obi' },
    })
    return found.payment_sessions[0]
  }
}

/** The customer pays on the page and the storefront completes the cart. */
async function buyAndReturn(shop, manilla) {
  const cart = await fillCart(shop, 3)
  const session = await cart.session()
  // 3 × 1,200.50 and 1,500.25 for the courier.
  assert.deepEqual([session.amount, session.data.amount], [5101.75, 510_175])
  assert.equal((await manilla.checkout.sessions.get(session.data.reference)).amount, 510_175)

  const early = await shop.store('POST', `/store/carts/${cart.id}/complete`)
  assert.deepEqual([early.status, early.json.type], [400, 'not_allowed'])

  await manilla.checkout.simulate(session.data.reference)
  const done = await shop.store('POST', `/store/carts/${cart.id}/complete`)
  assert.equal(done.json.type, 'order', JSON.stringify(done.json))
  console.log(`Paid and completed: order ${done.json.order.display_id}`)

  const fields =
    'fields=payment_status,total,*payment_collections.payments,*payment_collections.payments.refunds'
  const read = async () =>
    (await shop.admin('GET', `/admin/orders/${done.json.order.id}?${fields}`)).json.order
  const order = await read()
  assert.deepEqual([order.payment_status, order.total], ['captured', 5101.75])
  const [payment] = order.payment_collections[0].payments
  assert.equal(payment.amount, 5101.75)

  const refund = (amount) => shop.admin('POST', `/admin/payments/${payment.id}/refund`, { amount })
  const { status, json } = await refund(1500.25)
  assert.equal(status, 200, JSON.stringify(json))
  const [paid] = (await manilla.checkout.sessions.get(session.data.reference)).payments
  assert.equal(paid.amountAccepted, 360_150)
  assert.equal((await refund(3601.51)).status, 400)
  assert.equal((await refund(3601.5)).status, 200)
  assert.equal((await read()).payment_status, 'refunded')
  console.log('Refunded in two parts, and not a kobo more')
}

/** The customer pays and never returns: the webhook completes the cart. */
async function buyAndVanish(shop, manilla) {
  const before = await readOrders(shop)
  const cart = await fillCart(shop, 1)
  const session = await cart.session()
  await manilla.checkout.simulate(session.data.reference)
  let orders = before
  for (let second = 0; orders.length === before.length; second += 1) {
    assert(second < 60, 'The webhook did not complete the cart')
    await sleep(1_000)
    orders = await readOrders(shop)
  }
  assert.deepEqual([orders[0].total, orders[0].payment_status], [2700.75, 'captured'])
  // The storefront that completes it too gets the same order.
  const again = await shop.store('POST', `/store/carts/${cart.id}/complete`)
  assert.equal(again.json.order.id, orders[0].id)
  assert.equal((await readOrders(shop)).length, before.length + 1)
  console.log('Completed by webhook, once')
}

/** A changed cart gets a new session; a paid one keeps its payment. */
async function changeTheCart(shop, manilla) {
  const cart = await fillCart(shop, 1)
  const before = await cart.session()
  const { made, store } = shop
  const items = `/store/carts/${cart.id}/line-items`
  assert.equal((await store('POST', items, { variant_id: made.variant, quantity: 1 })).status, 200)
  assert.equal((await manilla.checkout.sessions.get(before.data.reference)).status, 'cancelled')
  const after = await cart.session()
  assert.deepEqual([before.data.amount, after.data.amount], [270_075, 390_125])

  // Paid, but the webhook has not come yet: the money must not lose its cart.
  for await (const { id } of manilla.webhookEndpoints.list())
    await manilla.webhookEndpoints.update(id, { enabled: false })
  await manilla.checkout.simulate(after.data.reference)
  const { status, json } = await store('POST', items, { variant_id: made.variant, quantity: 5 })
  assert.equal(status, 500, JSON.stringify(json))
  const done = await store('POST', `/store/carts/${cart.id}/complete`)
  assert.equal(done.json.order.total, 3901.25, JSON.stringify(done.json))
  console.log('Replaced the session of a changed cart, and kept the payment of a paid one')
}

/** Medusa answers every webhook with 200 and reads it later: nothing may come of a forged one. */
async function forge(shop, manilla) {
  const before = await readOrders(shop)
  const cart = await fillCart(shop, 1)
  const { data } = await cart.session()
  const session = { ...(await manilla.checkout.sessions.get(data.reference)), status: 'paid' }
  const body = JSON.stringify({ id: 'evt_1', type: 'checkout.session.paid', data: session })
  const signed = await signWebhook(body, `whsec_${Buffer.alloc(24, 1).toString('base64')}`)
  const headers = { 'content-type': 'application/json', ...signed }
  const url = `${shop.url}/hooks/payment/manilla_manilla`
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200)
  // Medusa reads webhooks after five seconds.
  await sleep(10_000)
  assert.equal((await readOrders(shop)).length, before.length)
  console.log('Ignored a forged webhook')
}

function medusa(env, ...words) {
  const command = join(here, '../node_modules/@medusajs/cli/cli.js')
  return run([command, ...words], env, app)
}

function run(words, env, cwd = home) {
  const { PATH, HOME, TMPDIR = tmpdir() } = process.env
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
      if (process.env.VERBOSE) process.stdout.write(chunk)
    })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  closing.push(async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
  })
  const ended = exited.then((code) => assert.equal(code, 0, `${words.slice(-2)}:\n${text}`))
  ended.catch(() => {})
  return {
    ended,
    async untilPrinted(words) {
      while (!text.includes(words)) {
        assert.equal(child.exitCode, null, text)
        await sleep(50)
      }
    },
  }
}

/** A TCP port that leads to a Unix socket. */
async function openDoor(path) {
  const door = createServer((client) => {
    const server = connect(path)
    client.pipe(server).pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ])
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  closing.push(() => door.close())
  return door.address().port
}

async function isUp(url) {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
