/**
 * A closed loop over keep-alive connections. As cheap as possible, because it shares the machine
 * with what it measures: it parses only the status line and the length of an answer.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'

async function load(plan) {
  const times = []
  const answers = {}
  const run = randomBytes(6).toString('hex')
  const start = performance.now()
  const from = start + (plan.warmMs ?? 0)
  const until = plan.count ? Number.POSITIVE_INFINITY : from + plan.runMs
  const startedAt = Date.now()
  let sent = 0
  const loop = () =>
    new Promise((resolve, reject) => {
      const socket = connect(plan.port, '127.0.0.1')
      let sentAt = 0
      let text = ''
      const ask = () => {
        sentAt = performance.now()
        if (sentAt >= until || sent === plan.count) return socket.end(resolve)
        const number = sent++
        socket.write(plan.notices ? notice(plan, run, number) : request(plan, `${run}-${number}`))
      }
      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      socket.on('connect', ask)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        text += chunk
        const end = text.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (text.length < end + 4 + length) return
        const now = performance.now()
        if (now >= from && now < until) {
          const status = text.slice(9, 12)
          answers[status] = (answers[status] ?? 0) + 1
          times.push(now - sentAt)
        }
        text = ''
        ask()
      })
    })
  await Promise.all(Array.from({ length: plan.connections }, loop))
  times.sort((left, right) => left - right)
  return {
    startedAt,
    sent,
    cpu: process.cpuUsage(),
    perSecond: Math.round(times.length / (plan.runMs / 1000)),
    p50: times[times.length >> 1] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    answers,
  }
}

function request({ method, path, key, body }, idempotencyKey) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
  if (!body) return `${head}\r\n`
  return `${head}Content-Type: application/json\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A notice of a payment to the next account, signed like the sandbox bank's. */
function notice({ path, notices: { key, first, amount } }, run, number) {
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

process.once('message', async (plan) => {
  process.send?.(await load(plan))
  process.disconnect()
})
