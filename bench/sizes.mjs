import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/**
 * Disk space of a payment, a payout and their events: `node bench/sizes.mjs` creates thousands of
 * each through the API of a real service with one webhook endpoint and prints how much every table
 * grew, indexes included. docs/operating/scaling.md has the result.
 */

const count = Number(process.env.SIZES_COUNT ?? 3_000)
const fewer = Math.ceil(count / 3)
const root = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'manilla-sizes-'))
chmodSync(home, 0o755)

const program = spawn(process.execPath, [join(root, 'bin/start.mjs')], {
  env: {
    ...process.env,
    MANILLA_HOME: home,
    PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_SECOND: '0',
    PUBLIC_RATE_LIMIT_PER_SECOND: '0',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let text = ''
program.stdout.on('data', (chunk) => {
  text += chunk
})
while (!text.includes('Press Ctrl-C to stop.')) await sleep(100)
const demo = JSON.parse(readFileSync(join(home, 'demo.json'), 'utf8'))
process.env.MANILLA_HOME = home
const { readConfig } = await import('../dist/base/config.js')
const { borrowDatabase } = await import('../dist/processes/open-database.js')
const database = new pg.Client((await borrowDatabase(readConfig())).url)
await database.connect()

async function ask(method, path, body, key) {
  const response = await fetch(demo.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${demo.test.secretKey}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
  })
  const json = await response.json()
  if (!json.status) throw new Error(`${path}: ${JSON.stringify(json)}`)
  return json.data
}

async function times(amount, one) {
  let next = 0
  const hand = async () => {
    while (next < amount) await one(next++)
  }
  await Promise.all(Array.from({ length: 64 }, hand))
}

async function measure() {
  await database.query('vacuum analyze')
  const { rows } = await database.query(`
    select relname as name, pg_total_relation_size(oid)::int8 as bytes,
      (xpath('/row/c/text()', query_to_xml('select count(*) as c from ' || oid::regclass, false, true, '')))[1]::text::int8 as count
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  return new Map(rows.map(({ name, bytes, count }) => [name, [Number(bytes), Number(count)]]))
}

async function settled() {
  const open = `select (select count(*) from payouts where status = 'SUBMITTED')
    + (select count(*) from deliveries where state = 'PENDING')
    + (select count(*) from notices where state = 'WAITING')
    + (select count(*) from sweeps where state = 'LIVE') as n`
  for (;;) {
    const { rows } = await database.query(open)
    if (Number(rows[0].n) === 0) return
    await sleep(500)
  }
}

async function phase(title, amount, one) {
  const before = await measure()
  await times(amount, one)
  await settled()
  const after = await measure()
  const grown = [...after].map(([name, [bytes, rows]]) => {
    const [oldBytes, oldRows] = before.get(name)
    return { name, rows: (rows - oldRows) / amount, bytes: Math.round((bytes - oldBytes) / amount) }
  })
  const shown = grown.filter(
    ({ name, rows, bytes }) => !name.startsWith('sandbox_') && (rows > 0.01 || bytes > 8),
  )
  shown.sort((one, other) => other.bytes - one.bytes)
  const sum = (field) => shown.reduce((total, one) => total + one[field], 0)
  console.log(
    `\n${title}, ${amount} of them: ${sum('rows').toFixed(2)} rows, ${sum('bytes')} bytes each`,
  )
  for (const { name, rows, bytes } of shown)
    console.log(`  ${name.padEnd(24)}${rows.toFixed(2).padStart(8)}${String(bytes).padStart(8)}`)
}

const receiver = createServer((request, response) =>
  request.resume().on('end', () => response.end()),
)
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
await ask('POST', '/v1/webhook-endpoints', { url: `http://127.0.0.1:${receiver.address().port}/` })
await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 900_000_000_000 })
await ask('POST', '/v1/test/balances/fund', { asset: 'USDC', amount: '1000000' })

const metadata = { order: 'a-1001' }
await phase('payment into a virtual account', count, async (n) => {
  const order = { merchantReference: `order-${n}`, amount: 500_000, metadata }
  const { accountNumber } = await ask(
    'POST',
    '/v1/collections/virtual-accounts',
    order,
    `order-${n}`,
  )
  await ask('POST', '/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
})
await phase('virtual account that is not paid', count, (n) =>
  ask(
    'POST',
    '/v1/collections/virtual-accounts',
    { merchantReference: `idle-${n}`, amount: 500_000, metadata },
    `idle-${n}`,
  ),
)
await phase('payment through a checkout session', fewer, async (n) => {
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const order = {
    amount: 500_000,
    description: 'Two loaves of agege bread',
    customer,
    merchantReference: `session-${n}`,
  }
  const { reference } = await ask('POST', '/v1/checkout/sessions', order, `session-${n}`)
  await ask('POST', `/public/checkout/${reference}/simulate`)
})
await phase('bank transfer', count, (n) => {
  const order = {
    amount: 500_000,
    bankCode: '058',
    accountNumber: '0123456789',
    merchantReference: `rent-${n}`,
    metadata,
  }
  return ask('POST', '/v1/disbursements/bank-transfer', order, `rent-${n}`)
})
await phase('crypto transfer', fewer, (n) => {
  const destinationAddress = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
  const order = {
    amount: '1',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress,
    merchantReference: `pay-${n}`,
    metadata,
  }
  return ask('POST', '/v1/disbursements/crypto', order, `pay-${n}`)
})

await database.query('vacuum full')
console.log('\nbytes of a row, indexes included, with nothing left free')
for (const [name, [bytes, rows]] of await measure())
  if (rows >= fewer && !name.startsWith('sandbox_'))
    console.log(`  ${name.padEnd(24)}${String(Math.round(bytes / rows)).padStart(8)}`)

await database.end()
receiver.close()
program.kill('SIGTERM')
await new Promise((resolve) => program.on('close', resolve))
rmSync(home, { recursive: true, force: true })
process.exit(0)
