/**
 * The load generator: a closed loop over keep-alive connections, or an open one at a fixed rate. As
 * cheap as possible, because it shares the machine with what it measures: it parses only the status
 * line and the length of a response. One process runs every plan, so that its own code is warm too.
 * A plan with a `mix` sends its requests in turn, each with its own path, key and body; results are
 * also summed up by the `kind` of a request, if it has one.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const rateTickMs = 5

/** Runs for `runMs` or `count` requests, whichever ends first. */
async function load(plan) {
  const run = randomBytes(6).toString('hex')
  const start = performance.now()
  const end = start + (plan.runMs ?? Number.POSITIVE_INFINITY)
  const countMax = plan.count ?? Number.POSITIVE_INFINITY
  const latencies = []
  const statuses = {}
  let sent = 0
  let sample
  let refused
  const kinds = new Map()

  const isOver = () => sent >= countMax || performance.now() >= end
  const mayStart = plan.perSecond
    ? () => sent < ((performance.now() - start) / 1000) * plan.perSecond
    : () => true

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
        isIdle = !mayStart()
        if (isIdle) return setTimeout(send, rateTickMs)
        sentAt = performance.now()
        const number = sent++
        if (plan.mix) sentPlan = plan.mix[number % plan.mix.length]
        const bytes = plan.notices
          ? noticeRequest(plan, run, number)
          : request(sentPlan, `${run}-${number}`)
        socket.write(bytes)
      }
      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      socket.on('connect', send)
      socket.on('error', reject)
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
        text = ''
        send()
      })
    })

  await Promise.all(Array.from({ length: plan.connections }, runConnection))
  const seconds = (performance.now() - start) / 1000
  return {
    sent,
    seconds,
    perSecond: sent / seconds,
    ...percentilesOf(latencies),
    kinds: [...kinds].map(([kind, { latencies, failed }]) => ({
      kind,
      sent: latencies.length,
      failed,
      ...percentilesOf(latencies),
    })),
    statuses,
    sample,
    /** The first response whose status is not 2xx. */
    refused,
  }
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

/** `#` in a body stands for a text that differs between requests. */
function request({ method, path, key, body: template }, idempotencyKey) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
  if (!template) return `${head}\r\n`
  const body = template.replace('#', idempotencyKey)
  return `${head}Content-Type: application/json\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A notice of a payment to the next account, signed like the sandbox bank's. */
function noticeRequest({ path, notices: { key, first, amount } }, run, number) {
  const accountNumber = String(first + number).padStart(10, '0')
  const sender = {
    name: 'CHINEDU OKAFOR',
    accountNumber: '0123456789',
    bankCode: '058',
    bankName: 'Guaranty Trust Bank',
  }
  const data = {
    id: `sbp_${run}${number}`,
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
