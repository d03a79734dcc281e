import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Manilla, WebhookError } from '../dist/sdk/src/manilla.js'

/** Takes money through a service, as test/sdks/README.md says: `node sdk/journey.mjs`. */

const { MANILLA_URL, MANILLA_KEY, JOURNEY } = process.env
const manilla = new Manilla(MANILLA_KEY, { baseUrl: MANILLA_URL })
const name = `journey-${JOURNEY}`

let beganMs = performance.now()
function report(step, detail = '') {
  const nowMs = performance.now()
  process.stdout.write(`${`${step} ${Math.round(nowMs - beganMs)} ms ${detail}`.trim()}\n`)
  beganMs = nowMs
}

async function until(what, find) {
  const deadlineMs = performance.now() + 20_000
  for (;;) {
    const found = await find()
    if (found) return found
    if (performance.now() > deadlineMs) throw new Error(`No ${what} within 20 seconds.`)
    await sleep(100)
  }
}

const events = []
let secret
const server = createServer(async (request, response) => {
  try {
    events.push(await manilla.webhooks.verify(await text(request), request.headers, secret))
    response.end()
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    response.writeHead(400).end()
  }
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${server.address().port}`
const endpoint = await manilla.webhookEndpoints.create({ url })
secret = endpoint.secret
try {
  report('listen', url)
  await travel()
} finally {
  await manilla.webhookEndpoints.delete(endpoint.id)
  server.close()
  server.closeAllConnections()
}

async function travel() {
  const account = await manilla.virtualAccounts.create({ merchantReference: name, amount: 500_000 })
  report('account', account.reference)

  const { accountNumber } = account
  await manilla.test.bankTransfers.create({ accountNumber, amount: 500_000 })
  report('pay')

  const isOurs = ({ type, data }) =>
    type === 'virtual_account.paid' && data.reference === account.reference
  const event = await until('webhook', () => events.find(isOurs))
  report('webhook', event.id)

  const accountReference = account.reference
  const [payment] = (await manilla.payments.list({ accountReference }).page()).items
  await manilla.payments.refund(payment.reference, { amount: 200_000 })
  await until('refund', async () => {
    const { items } = await manilla.payments.returns(payment.reference).page()
    return items.some(({ status }) => status === 'SENT' || status === 'RETURNED')
  })
  report('refund', payment.reference)

  const payout = await manilla.bankTransfers.create({
    amount: 250_000,
    bankCode: '058',
    accountNumber: '0123456789',
    merchantReference: `${name}-payout`,
  })
  await until('completed payout', async () => {
    const { status } = await manilla.bankTransfers.get(payout.reference)
    return status === 'COMPLETED'
  })
  report('payout', payout.reference)

  const toItem = ([bankCode, accountNumber], index) => {
    const merchantReference = `${name}-salary-${index + 1}`
    return { amount: 100_000, bankCode, accountNumber, merchantReference }
  }
  const accounts = [
    ['058', '0123456789'],
    ['044', '0123456797'],
  ]
  const { reference } = await manilla.batches.create({
    kind: 'bank_transfer',
    items: accounts.map(toItem),
  })
  const waitFor = (wanted) =>
    until(`${wanted} batch`, async () => (await manilla.batches.get(reference)).status === wanted)
  await waitFor('READY')
  await manilla.batches.submit(reference)
  await waitFor('COMPLETED')
  report('batch', reference)

  const quote = await manilla.conversions.quote({ from: 'NGN', to: 'USDC', amount: 1_000_000 })
  const conversion = await manilla.conversions.create({ quote: quote.reference })
  report('conversion', conversion.reference)

  const found = []
  for await (const transfer of manilla.bankTransfers.list({ limit: 2 }))
    if (transfer.merchantReference?.startsWith(`${name}-`)) found.push(transfer)
  if (found.length !== 3) throw new Error(`There are ${found.length} payouts, not 3.`)
  report('list', found.length)
}
