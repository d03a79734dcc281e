/**
 * Measures what one merchant can do to another: `node bench/neighbours.mjs [scenario …]`.
 *
 * One API process on a real PostgreSQL with fsync on. A neighbour reads its balance, funds it, opens
 * accounts and is paid all the time; its latencies are measured in turns without and with the disturbance, so that both
 * figures come from the same minutes on the same machine. Exits with 1 where the disturbed p99 is
 * more than three times the undisturbed one.
 *
 * NEIGHBOURS_TURNS (6) and NEIGHBOURS_SECONDS (5) set how many turns of each kind there are and how
 * long each takes.
 */
import { fork } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from '../bin/build-when-needed.mjs'

await buildOrExit()
const { Secret } = await import('../dist/base/secret.js')
const { createSeal } = await import('../dist/base/sealed.js')
const { Database } = await import('../dist/postgres/database.js')
const { startEmbeddedServer } = await import('../dist/postgres/embedded/server.js')
const { migrate } = await import('../dist/postgres/migrations/migrate.js')
const { sql } = await import('../dist/postgres/sql.js')
const { createMerchant } = await import('../dist/merchants/create-merchant.js')
const { issueKey } = await import('../dist/merchants/keys/issue-key.js')
const { toIdempotencyKey } = await import('../dist/idempotency/key.js')
const { connect } = await import('../dist/postgres/wire/connection.js')

const secret = 'b'.repeat(64)
const turns = Number(process.env.NEIGHBOURS_TURNS ?? 6)
const turnMs = Number(process.env.NEIGHBOURS_SECONDS ?? 5) * 1_000
const mostTimesSlower = 3
/** Concurrent requests of the neighbour: few, so that it does not load the service itself. */
const callers = { read: 2, fund: 2, open: 1, pay: 1 }

/**
 * `prepare` runs once. `disturb` starts the disturbance and returns how to stop it; it is called
 * again for each disturbed turn.
 */
const scenarios = [
  {
    name: 'rare-filter',
    what: '20 times a second, a merchant with 300,000 events lists those of a type that it has none of',
    async prepare({ db, noisy }) {
      await db.rows(sql`
        insert into events
        select ${noisy.environmentId}, gen_random_uuid(), 'virtual_account.paid',
          gen_random_uuid(), gen_random_uuid(), 1, repeat('x', 500),
          now() - n * interval '1 second'
        from generate_series(1, 300000) n`)
      await db.rows(sql`vacuum analyze events`)
    },
    async disturb({ call, noisy }) {
      return pace(20, () =>
        call({ key: noisy.key, path: '/v1/events?type=payment.refund_failed&limit=100' }),
      )
    },
  },
  {
    name: 'held-key',
    what: '10 times a second, a merchant repeats requests whose keys another transaction holds',
    async disturb({ call, noisy, databaseUrl }) {
      const keys = Array.from({ length: 4 }, (_, index) => `held ${index}`)
      const holder = await connect(databaseUrl, 'holder')
      await holder.query('begin')
      for (const key of keys) {
        const { digest } = toIdempotencyKey(key, { method: 'POST', path: '/', body: {} })
        const text = 'select pg_advisory_xact_lock($1, uuid_hash($2))'
        await holder.query({ text, values: [noisy.environmentId, digest] })
      }
      const stop = pace(10, (count) => call(funding(noisy, keys[count % keys.length])))
      return endHolder(holder, stop)
    },
  },
  {
    name: 'held-row',
    what: '20 times a second, a merchant funds a balance that another transaction holds',
    async disturb({ call, noisy, databaseUrl }) {
      await call(funding(noisy))
      const holder = await connect(databaseUrl, 'holder')
      await holder.query('begin')
      const text = 'select from ledger_accounts where environment_id = $1 for update'
      await holder.query({ text, values: [noisy.environmentId] })
      return endHolder(
        holder,
        pace(20, () => call(funding(noisy))),
      )
    },
  },
  {
    name: 'clock-mover',
    what: 'a merchant with 10,000 open accounts moves its test clock again and again, and is paid',
    async prepare({ db, call, noisy }) {
      await call(opening(noisy))
      await db.rows(sql`
        insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
          account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, variance,
          amount_received, amount_accepted, amount_held, amount_returning, amount_returned,
          event_sequence, expires_at, due_at, created_at)
        select environment_id, gen_random_uuid(), kind, rail, (8000000000 + n)::text,
          (8000000000 + n)::text, account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, variance,
          0, 0, 0, 0, 0, event_sequence, now() + interval '1 day', now() + interval '1 day', now()
        from collection_accounts, generate_series(1, 10000) n
        where environment_id = ${noisy.environmentId} and kind = 'virtual_account'`)
      await db.rows(sql`vacuum analyze collection_accounts`)
    },
    async disturb({ call, noisy }) {
      const body = JSON.stringify({ seconds: 1 })
      const key = noisy.key
      const path = '/v1/test/clock/advance'
      const stops = [
        repeat(() => call({ key, method: 'POST', path, body })),
        pace(20, () => call(paying(noisy))),
      ]
      return async () => {
        const counts = await Promise.all(stops.map((stop) => stop()))
        return counts.reduce(addCounts)
      }
    },
  },
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0) {
  console.error(`Unknown scenario: ${unknown}. Known: ${scenarios.map(({ name }) => name)}`)
  process.exit(2)
}

const folder = mkdtempSync(path.join(tmpdir(), 'manilla-neighbours-'))
chmodSync(folder, 0o755)
const server = await startEmbeddedServer({ dataDirectory: path.join(folder, 'data') })
let isWithin = true
try {
  await migrate(server.url)
  const db = new Database(server.url, () => {})
  const seal = createSeal(new Secret(secret))
  for (const scenario of scenarios) {
    if (wanted.length > 0 && !wanted.includes(scenario.name)) continue
    const api = await startApi()
    const call = createCaller(api.port)
    const [noisy, quiet] = [await hire(db, seal, 'Noisy'), await hire(db, seal, 'Quiet')]
    const context = { db, call, noisy, quiet, databaseUrl: server.url }
    for (const merchant of [noisy, quiet])
      merchant.accountNumber = await openDedicated(api, merchant)
    await scenario.prepare?.(context)
    console.log(`${scenario.name}: ${scenario.what}`)
    isWithin = report(await measureInTurns(scenario, context)) && isWithin
    await api.stop()
  }
  await db.close()
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(isWithin ? 0 : 1)

async function measureInTurns({ disturb }, context) {
  const empty = () => ({ read: [], fund: [], open: [], pay: [] })
  const figures = { undisturbed: empty(), disturbed: empty() }
  // The first turn compiles the code that the others measure.
  await measure(context, empty())
  let noise = {}
  for (let turn = 1; turn <= turns; turn += 1) {
    await measure(context, figures.undisturbed)
    const stop = await disturb(context)
    await measure(context, figures.disturbed)
    noise = addCounts(noise, (await stop()) ?? {})
  }
  return { figures, noise }
}

/** One turn of the neighbour: closed loops, so that a slow answer is counted and not hidden. */
async function measure({ call, quiet }, times) {
  const until = performance.now() + turnMs
  const loop = async (kind, ask) => {
    while (performance.now() < until) {
      const start = performance.now()
      const status = await ask()
      if (status !== 200 && status !== 201) throw new Error(`the neighbour was answered ${status}`)
      times[kind].push(performance.now() - start)
    }
  }
  const asks = {
    read: () => call({ key: quiet.key, path: '/v1/balances' }),
    fund: () => call(funding(quiet)),
    open: () => call(opening(quiet)),
    pay: () => call(paying(quiet)),
  }
  await Promise.all(
    Object.entries(asks).flatMap(([kind, ask]) =>
      Array.from({ length: callers[kind] }, () => loop(kind, ask)),
    ),
  )
}

function report({ figures, noise }) {
  const table = {}
  let isEachWithin = true
  for (const [kind, name] of [
    ['read', 'GET /v1/balances'],
    ['fund', 'POST /v1/test/balances/fund'],
    ['open', 'POST /v1/collections/virtual-accounts'],
    ['pay', 'POST /v1/test/bank-transfers'],
  ]) {
    const [before, after] = [figures.undisturbed[kind], figures.disturbed[kind]]
    const timesSlower = percentile(after, 0.99) / percentile(before, 0.99)
    isEachWithin &&= timesSlower <= mostTimesSlower
    table[name] = {
      'undisturbed p50 ms': rounded(percentile(before, 0.5)),
      'disturbed p50 ms': rounded(percentile(after, 0.5)),
      'undisturbed p99 ms': rounded(percentile(before, 0.99)),
      'disturbed p99 ms': rounded(percentile(after, 0.99)),
      'p99 times': rounded(timesSlower),
      answers: `${before.length} / ${after.length}`,
    }
  }
  console.table(table)
  console.log(`  answers to the disturbance: ${JSON.stringify(noise)}`)
  console.log(`  p99 within ${mostTimesSlower} times: ${isEachWithin ? 'yes' : 'NO'}`)
  return isEachWithin
}

function funding({ key }, idempotencyKey) {
  const body = JSON.stringify({ asset: 'NGN', amount: 1 })
  return { key, method: 'POST', path: '/v1/test/balances/fund', body, idempotencyKey }
}

function opening({ key }) {
  const body = JSON.stringify({ merchantReference: 'order', amount: 500_000 })
  return { key, method: 'POST', path: '/v1/collections/virtual-accounts', body }
}

function paying({ key, accountNumber }) {
  const body = JSON.stringify({ accountNumber, amount: 100 })
  return { key, method: 'POST', path: '/v1/test/bank-transfers', body }
}

async function openDedicated({ port }, { key }) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/collections/dedicated-accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ externalReference: 'neighbours' }),
  })
  const { data } = await response.json()
  return data.accountNumber
}

/** Ends the disturbance first, so that requests waiting for the held row are answered. */
function endHolder(holder, stop) {
  return async () => {
    const ended = stop()
    await holder.query('rollback')
    await holder.end()
    return ended
  }
}

/** Sends the next call when the last one was answered. */
function repeat(ask) {
  const counts = {}
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const status = await ask()
      counts[status] = (counts[status] ?? 0) + 1
    }
  })()
  return async () => {
    isOver = true
    await running
    return counts
  }
}

/**
 * Sends a call at a fixed rate, without waiting for answers. The returned function stops, waits for
 * open calls and returns the counts by status.
 */
function pace(perSecond, ask) {
  const counts = {}
  const open = new Set()
  let count = 0
  const timer = setInterval(() => {
    count += 1
    const asked = ask(count).then((status) => {
      counts[status] = (counts[status] ?? 0) + 1
      open.delete(asked)
    })
    open.add(asked)
  }, 1_000 / perSecond)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
    return counts
  }
}

function addCounts(one, other) {
  const sum = { ...one }
  for (const [status, count] of Object.entries(other)) sum[status] = (sum[status] ?? 0) + count
  return sum
}

function percentile(times, share) {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function rounded(number) {
  return Number(number.toFixed(1))
}

/** Returns the status of a call and drops its body. */
function createCaller(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  let count = 0
  return ({ key, method = 'GET', path: where, body, idempotencyKey }) =>
    new Promise((resolve, reject) => {
      count += 1
      const headers = { authorization: `Bearer ${key}` }
      if (body) {
        headers['content-type'] = 'application/json'
        headers['idempotency-key'] = idempotencyKey ?? `neighbours-${process.pid}-${count}`
      }
      const asked = request({ host: '127.0.0.1', port, agent, method, path: where, headers })
      asked.on('error', reject)
      asked.on('response', (response) => {
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode)).resume()
      })
      asked.end(body)
    })
}

async function hire(db, seal, name) {
  return db.transaction(async (tx) => {
    const { environments } = await createMerchant(tx, new Date(), name)
    const environment = environments.test
    const order = { seal, kind: 'secret', environment, name, expiresAt: null, allowedAddresses: [] }
    const issued = await issueKey(tx, new Date(), order)
    return { environmentId: environment.id, key: issued.key.reveal() }
  })
}

async function startApi() {
  const child = fork(fileURLToPath(new URL('./server.mjs', import.meta.url)), [], {
    env: {
      ...process.env,
      DATABASE_URL: server.url,
      MANILLA_SECRET: secret,
      RATE_LIMIT_PER_SECOND: '0',
      PUBLIC_RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { port } = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the API process ended with ${code}`)))
  })
  return {
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}
