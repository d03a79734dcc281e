/**
 * The load generator: a closed loop over keep-alive connections, or an open one at a fixed rate. As
 * cheap as possible, because it shares the machine with what it measures: it parses only the status
 * line and the length of a response. One process runs every plan, so that its own code is warm too.
 * A plan with a `mix` sends its requests in turn, each with its own path, key and body; results are
 * also summed up by the `kind` of a request, if it has one. A request that `keeps` a field of its
 * response adds the value to a pool, from which a later one that `takes` the pool gets it.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { toHistogram } from './histogram.mjs'

const rateTickMs = 5
/** Bounds of a plan that has only the other one. */
const runMsMax = 30 * 60_000
const countMax = 10_000_000
/** A server that is silent for longer has failed. */
const answerMsMax = 60_000
/** Values per pool. The oldest is dropped: quotes expire, and memory must not grow. */
const keptMax = 1_000
/** By the name of the pool. They outlive a plan, so that the next one has values from its start. */
const pools = new Map()

/** Runs for `runMs` or `count` requests, whichever ends first. */
async function load(plan) {
  const run = randomBytes(6).toString('hex')
  const start = performance.now()
  const end = start + (plan.runMs ?? runMsMax)
  const wanted = plan.count ?? countMax
  const latencies = []
  const statuses = {}
  let sent = 0
  let turn = 0
  let sample
  let refused
  const kinds = new Map()

  const isOver = () => sent >= wanted || performance.now() >= end
  const mayStart = plan.perSecond
    ? () => sent < ((performance.now() - start) / 1000) * plan.perSecond
    : () => true

  /** The next request of the mix. One whose pool is empty is left out; undefined if all are. */
  const nextOfMix = () => {
    for (let skipped = 0; skipped < plan.mix.length; skipped += 1) {
      const next = plan.mix[turn++ % plan.mix.length]
      if (!next.takes) return next
      const taken = take(next.takes)
      if (taken !== undefined) return { ...next, taken }
    }
    return undefined
  }

  const runConnection = () =>
    new Promise((resolve, reject) => {
      const socket = connect(plan.port, '127.0.0.1')
      let sentAt = 0
      let sentPlan = plan
      let text = ''
      let isIdle = true
      const send = () => {
        if (socket.destroyed) return
        if (isOver()) return socket.end(resolve)
        const next = mayStart() ? (plan.mix ? nextOfMix() : plan) : undefined
        isIdle = next === undefined
        if (isIdle) return setTimeout(send, rateTickMs)
        sentPlan = next
        sentAt = performance.now()
        const number = sent++
        const bytes = plan.notices
          ? noticeRequest(plan.path, { ...plan.notices, ...nameNotice(run, number, plan.notices) })
          : sentPlan.notice
            ? noticeRequest(sentPlan.path, {
                accountNumber: sentPlan.taken,
                ...sentPlan.notice,
                id: `${run}${number}`,
              })
            : request(sentPlan, `${run}-${number}`)
        socket.write(bytes)
      }
      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      socket.on('connect', send)
      socket.on('error', reject)
      socket.setTimeout(answerMsMax, () => {
        if (!isIdle) socket.destroy(new Error('the server does not answer'))
      })
      // At a low rate, connections may be idle for longer than the server keeps them.
      socket.on('close', () =>
        isIdle
          ? resolve(isOver() ? undefined : runConnection())
          : reject(new Error('the server closed a connection')),
      )
      socket.on('data', (chunk) => {
        // The server says why it closes a connection on which no request arrived.
        if (isIdle) return
        text += chunk
        const headEnd = text.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (text.length < headEnd + 4 + length) return
        const latency = performance.now() - sentAt
        latencies.push(latency)
        const status = text.slice(9, 12)
        if (sentPlan.kind) addToKind(kinds, sentPlan.kind, latency, status)
        statuses[status] = (statuses[status] ?? 0) + 1
        sample ??= { status: Number(status), body: text.slice(headEnd + 4) }
        if (status[0] !== '2') refused ??= text
        else if (sentPlan.keeps) keep(sentPlan.keeps, text)
        text = ''
        send()
      })
    })

  await Promise.all(Array.from({ length: plan.connections }, runConnection))
  const seconds = (performance.now() - start) / 1000
  if (sent < wanted && plan.runMs === undefined)
    throw new Error(`${sent} of ${wanted} requests were sent in ${Math.round(seconds)} s`)
  return {
    sent,
    seconds,
    perSecond: sent / seconds,
    ...percentilesOf(latencies),
    kinds: [...kinds].map(([kind, { latencies, failed }]) => ({
      kind,
      sent: latencies.length,
      failed,
      histogram: toHistogram(latencies),
      ...percentilesOf(latencies),
    })),
    statuses,
    sample,
    /** The first response whose status is not 2xx. */
    refused,
  }
}

/** Adds the first value of a field in a response to its pools. */
function keep({ field, as }, response) {
  const value = new RegExp(`"${field}":"([^"]+)"`).exec(response)?.[1]
  if (value === undefined) return
  for (const name of as) {
    const pool = pools.get(name) ?? []
    pools.set(name, pool)
    // Copied, because a slice would keep the whole response in memory.
    pool.push({ value: Buffer.from(value, 'latin1').toString('latin1'), at: performance.now() })
    if (pool.length > keptMax) pool.shift()
  }
}

/** The oldest value of a pool, if it is old enough. */
function take({ pool: name, minAgeMs = 0 }) {
  const pool = pools.get(name)
  if (!pool?.length || performance.now() - pool[0].at < minAgeMs) return undefined
  return pool.shift().value
}

function addToKind(kinds, kind, latency, status) {
  const one = kinds.get(kind) ?? { latencies: [], failed: 0 }
  kinds.set(kind, one)
  one.latencies.push(latency)
  if (status[0] !== '2') one.failed += 1
}

function percentilesOf(latencies) {
  latencies.sort((left, right) => left - right)
  return {
    p50: latencies[latencies.length >> 1] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

/** `#` in a body stands for a text that differs between requests, `@` for the value taken. */
function request({ method, path, key, body: template, taken }, idempotencyKey) {
  const target = taken === undefined ? path : path.replace('@', taken)
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
  if (!template) return `${head}\r\n`
  const named = template.replace('#', idempotencyKey)
  const body = taken === undefined ? named : named.replace('@', taken)
  return `${head}Content-Type: application/json\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** The next account of a range. */
function nameNotice(run, number, { first }) {
  return { id: `${run}${number}`, accountNumber: String(first + number).padStart(10, '0') }
}

/** A notice of a payment, signed like the sandbox bank's. */
function noticeRequest(path, { key, id, accountNumber, amount }) {
  const sender = {
    name: 'CHINEDU OKAFOR',
    accountNumber: '0123456789',
    bankCode: '058',
    bankName: 'Guaranty Trust Bank',
  }
  const data = {
    id: `sbp_${id}`,
    accountNumber,
    currency: 'NGN',
    sender,
    sessionId: '000058261115085656123456789012',
    narration: 'order',
    amount,
    paidAt: new Date().toISOString(),
  }
  const body = JSON.stringify({ event: 'payment.received', data })
  const signature = createHmac('sha512', Buffer.from(key, 'hex')).update(body).digest('hex')
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Sandbox-Signature: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

process.on('message', async (plan) => process.send?.(await load(plan)))
process.on('disconnect', () => process.exit(0))
process.send?.({})
