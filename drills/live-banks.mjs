/**
 * npm run drill:banks -- [--bank paystack]
 *
 * Goes live with each provider's emulator, as an operator would: a fresh service with BANK_LIVE,
 * KYC, live keys, then every naira operation over HTTP, and at the end `reconcile` and
 * `verify-ledger`. Everything runs on loopback in a temporary folder.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCaller, isReady, readAvailable, readEmulator } from './emulator.mjs'
import { runDrill } from './run-drill.mjs'
import { waitUntil } from './wait-until.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const providers = ['paystack', 'monnify', 'flutterwave']
const customer = {
  name: 'Chuka Okafor',
  email: 'chuka@example.com',
  phone: '+2348012345678',
  bvn: '22222222226',
}

async function drill({ site, options: { bank } }) {
  const chosen = bank === 'all' ? providers : [bank]
  let isRight = true
  for (const provider of chosen) isRight = (await goLive(site, provider)) && isRight
  return isRight
}

async function goLive(site, provider) {
  console.log(`\n${provider}`)
  const emulator = await startEmulator(site, provider)
  const service = await startService(site, provider, emulator)
  await emulator.control('notices', { url: `${service.url}/rails/${provider}/notices/live` })
  const checks = new Checks()
  try {
    await approve(service)
    await collect(service, emulator, checks)
    await payOut(service, emulator, checks)
    checks.note('reconcile is clean', await passes(service, 'reconcile'))
    checks.note('verify-ledger proves the books', await passes(service, 'verify-ledger'))
    checks.note('no secret in any log', !hasSecrets(site, provider, emulator))
  } catch (error) {
    checks.note(`finished: ${error.message}`, false)
  }
  service.process.signal('SIGTERM')
  await service.process.ended
  emulator.process.signal('SIGTERM')
  return checks.areAllRight
}

class Checks {
  areAllRight = true

  note(what, isRight) {
    console.log(`  ${isRight ? '✓' : '✗'} ${what}`)
    if (!isRight) this.areAllRight = false
  }
}

async function startEmulator(site, provider) {
  const name = `${provider}-emulator`
  const script = path.join(root, 'bin', 'emulator.mjs')
  const started = site.start(name, [process.execPath, script, provider])
  await waitUntil(`${name} starts`, 60_000, () => isReady(started.readLog()))
  return { process: started, ...readEmulator(started.readLog()) }
}

async function startService(site, provider, { variables }) {
  const home = path.join(site.folder, `home-${provider}`)
  const port = await site.takePort()
  const env = { MANILLA_HOME: home, PORT: String(port), NAIRA_MIN_LIVE: '100', ...variables }
  const script = path.join(root, 'bin', 'start.mjs')
  const started = site.start(`service-${provider}`, [process.execPath, script], { env })
  await waitUntil('the service starts', 120_000, () => started.readLog().includes('is ready'))
  const demo = JSON.parse(readFileSync(path.join(home, 'demo.json'), 'utf8'))
  const url = `http://127.0.0.1:${port}`
  const manilla = async (...args) => {
    const script = path.join(root, 'bin', 'manilla.mjs')
    const { code, out, err } = await site.run([process.execPath, script, ...args], { env })
    if (code !== 0) throw new Error(`manilla ${args.join(' ')}: ${out}${err}`)
  }
  return {
    process: started,
    url,
    demo,
    manilla,
    provider,
    call: createLiveCaller(url, demo),
    available: () => readAvailable(createCaller(url, demo.live.secretKey)),
  }
}

/** Throws unless the call succeeds, and returns what it answered. */
function createLiveCaller(url, { live }) {
  const call = createCaller(url, live.secretKey)
  return async (method, route, sent) => {
    const { status, body } = await call(method, route, sent)
    if (status >= 300) throw new Error(`${method} ${route}: ${JSON.stringify(body)}`)
    return body.data
  }
}

async function approve({ manilla, demo }) {
  const { id } = demo.merchant
  await manilla('kyc', 'approve', id)
  const args = ['bank-accounts', 'add', id, '--mode', 'live', '--bank-code', '058']
  const account = ['--account-number', '0123456789', '--account-name', 'Demo', '--any-name']
  await manilla(...args, ...account, '--primary')
}

const virtualAccounts = '/v1/collections/virtual-accounts'

async function collect(service, emulator, checks) {
  const { call } = service
  const account = await call('POST', virtualAccounts, {
    merchantReference: 'order-1',
    amount: 500_000,
  })
  await emulator.control('pay', { accountNumber: account.accountNumber, amount: '5000' })
  const paid = await becomes(call, `${virtualAccounts}/${account.reference}`, 'PAID')
  checks.note('virtual account paid and credited', paid)
  const { items } = await call('GET', '/v1/events?limit=20')
  const isAnnounced = items.some(({ type }) => type === 'virtual_account.paid')
  checks.note('event for webhooks emitted', isAnnounced)

  const dedicated = await call('POST', '/v1/collections/dedicated-accounts', {
    externalReference: 'customer-1',
    customer,
  })
  for (const amount of ['70000', '30000'])
    await emulator.control('pay', { accountNumber: dedicated.accountNumber, amount })
  const received = await waitUntil('credited', 30_000, async () => {
    return (await service.available()) >= 10_400_000
  }).then(
    () => true,
    () => false,
  )
  checks.note('dedicated account credited twice', received)

  const session = await call('POST', '/v1/checkout/sessions', {
    amount: 250_000,
    description: 'Two loaves of bread',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  })
  const page = await fetch(`${service.url}/checkout/${session.reference}`)
  const text = await page.text()
  const { accountNumber } = await call('GET', `${virtualAccounts}/${session.virtualAccount}`)
  checks.note('checkout page shows the account', text.replace(/\s/g, '').includes(accountNumber))
  await emulator.control('pay', { accountNumber, amount: '2500' })
  const isPaid = await becomes(call, `/v1/checkout/sessions/${session.reference}`, 'paid')
  checks.note('checkout session paid', isPaid)
}

const transfers = '/v1/disbursements/bank-transfer'

async function payOut({ call }, emulator, checks) {
  const send = async (amount) => {
    const { items } = await call('GET', '/v1/banks')
    const { code } = items.find(({ code }) => code === '058') ?? items[0]
    return call('POST', transfers, { amount, bankCode: code, accountNumber: '0123456789' })
  }
  const completed = await send(1_000_000)
  checks.note(
    'bank transfer completed',
    await becomes(call, `${transfers}/${completed.reference}`, 'COMPLETED'),
  )

  await emulator.control('faults', { arePayoutsHeld: true })
  const failing = await send(2_000_000)
  const { reference } = failing
  await waitUntil('the bank has it', 30_000, () =>
    emulator.control('settle', { reference, state: 'failed' }),
  )
  checks.note(
    'bank transfer failed',
    await becomes(call, `${transfers}/${failing.reference}`, 'FAILED'),
  )
  await emulator.control('faults', { arePayoutsHeld: false })

  await emulator.control('reverse', { reference: completed.reference })
  const reversed = await becomes(call, `${transfers}/${completed.reference}`, 'REVERSED', 150_000)
  checks.note('reversed after success, money back', reversed)

  const { items } = await call('GET', '/v1/collections/payments?limit=1')
  const payment = items[0]
  await call('POST', `/v1/collections/payments/${payment.reference}/refund`, {})
  const isBack = await becomes(
    call,
    `/v1/collections/payments/${payment.reference}`,
    'RETURNED',
    60_000,
  )
  checks.note('payment refunded', isBack)
}

async function becomes(call, route, status, timeoutMs = 30_000) {
  let last
  const isReached = await waitUntil(status, timeoutMs, async () => {
    last = await call('GET', route)
    return last.status === status
  }).then(
    () => true,
    () => false,
  )
  if (!isReached) console.log(`    ${route} is ${JSON.stringify(last)}`)
  return isReached
}

async function passes({ manilla }, command) {
  try {
    await manilla(command)
    return true
  } catch (error) {
    console.log(error.message)
    return false
  }
}

/** The keys of the provider must not appear in what the service writes. */
function hasSecrets(site, provider, { variables }) {
  const log = site.readLog(`service-${provider}`)
  return Object.entries(variables)
    .filter(([name]) => /KEY|SECRET/.test(name))
    .some(([, value]) => log.includes(value))
}

runDrill({ name: 'Live banks', defaults: { bank: 'all' }, programs: [] }, drill)
