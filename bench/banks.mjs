/**
 * npm run bench:banks -- [provider …]
 *
 * One service with the sandbox bank in test mode and a provider's emulator in live mode: accounts
 * opened, payments from the payer's transfer until posted, and payouts created a second, beside
 * each other. Then the provider answers after five seconds, and not at all: what its callers see,
 * and what the callers of other rails notice.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCaller, isReady, readAvailable, readEmulator } from '../drills/emulator.mjs'
import { startService } from './start-manilla.mjs'

const run = promisify(execFile)
const bin = (name) => fileURLToPath(new URL(`../bin/${name}`, import.meta.url))
const providers = process.argv.slice(2)
const count = Number(process.env.BENCH_COUNT ?? 1_000)
const connections = 32
const slowSeconds = Number(process.env.BENCH_SECONDS ?? 15)
const amount = 500_000
const transfer = { amount: 10_000, bankCode: '058', accountNumber: '0123456789' }

for (const provider of providers.length > 0 ? providers : ['paystack', 'monnify', 'flutterwave'])
  await measure(provider)

async function measure(provider) {
  const home = mkdtempSync(path.join(tmpdir(), 'manilla-bench-'))
  const emulator = await startEmulator(provider)
  const env = {
    ...emulator.variables,
    MANILLA_HOME: home,
    NAIRA_MIN_LIVE: '100',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'silent',
  }
  const service = await startService('start.mjs', { env })
  try {
    await emulator.control('notices', { url: `${service.url}/rails/${provider}/notices/live` })
    await emulator.control('float', { amount: '900000000' })
    const demoFile = path.join(home, 'demo.json')
    await waitFor(() => existsSync(demoFile))
    await sleep(1_000)
    const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
    const manilla = (...args) =>
      run(process.execPath, [bin('manilla.mjs'), ...args], { env: { ...process.env, ...env } })
    const { id } = demo.merchant
    await manilla('kyc', 'approve', id)
    const own = ['--bank-code', '058', '--account-number', '0123456789', '--account-name', 'Ada']
    const added = ['bank-accounts', 'add', id, '--mode', 'live', ...own, '--any-name', '--primary']
    await manilla(...added)
    const test = createCaller(service.url, demo.test.secretKey)
    const live = createCaller(service.url, demo.live.secretKey)
    const paySandbox = (accountNumber) =>
      test('POST', '/v1/test/bank-transfers', { accountNumber, amount })
    const payProvider = (accountNumber) =>
      emulator.control('pay', { accountNumber, amount: String(amount / 100) })
    console.log(`\n${provider} beside the sandbox bank, ${count} each, ${connections} connections`)
    const banks = [
      ['sandbox bank', test, paySandbox],
      [provider, live, payProvider],
    ]
    for (const [name, call, pay] of banks) console.log(row(name, await measureBank(call, pay)))
    await measureTrouble({ provider, emulator, live, test })
  } finally {
    await service.stop()
    emulator.child.kill('SIGTERM')
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

function row(name, { opened, posted, created }) {
  const per = (value) => String(Math.round(value)).padStart(6)
  return `  ${name.padEnd(14)}${per(opened)} accounts/s${per(posted)} payments posted/s${per(created)} payouts/s`
}

async function measureBank(call, pay) {
  const numbers = []
  const create = async (index) => {
    const { body } = await call('POST', '/v1/collections/virtual-accounts', {
      merchantReference: `order-${index}`,
      amount,
    })
    numbers.push(body.data.accountNumber)
  }
  const opened = await rate(count, create)
  const before = await readAvailable(call)
  await pay(numbers[0])
  await waitFor(async () => (await readAvailable(call)) > before)
  const perPayment = (await readAvailable(call)) - before
  const wanted = before + perPayment * count
  const start = performance.now()
  const [, ...others] = numbers
  await each(others.length, (index) => pay(others[index]))
  await waitFor(async () => (await readAvailable(call)) >= wanted)
  const posted = (others.length / (performance.now() - start)) * 1_000
  const created = await rate(count, () => call('POST', '/v1/disbursements/bank-transfer', transfer))
  return { opened, posted, created }
}

/** The provider is in trouble: how long do its callers wait, and do others notice? */
async function measureTrouble({ provider, emulator, live, test }) {
  const bank = () => live('POST', '/v1/disbursements/bank-transfer', transfer)
  const others = {
    'GET balances': () => test('GET', '/v1/balances'),
    'sandbox transfer': () => test('POST', '/v1/disbursements/bank-transfer', transfer),
    'crypto transfer': () =>
      test('POST', '/v1/disbursements/crypto', {
        amount: '0.01',
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1w',
      }),
  }
  const troubles = {
    'answers at once': {},
    'answers after 5 s': { delayMs: 5_000 },
    'does not answer': { delayMs: 0, down: 'silent' },
    'refuses connections': { down: 'refused' },
    'works again': { down: 'no' },
  }
  for (const [name, faults] of Object.entries(troubles)) {
    await emulator.control('faults', faults)
    const end = performance.now() + slowSeconds * 1_000
    const underWay = Object.entries({ [provider]: bank, ...others }).map(async ([what, work]) => {
      const samples = await load(work, what === provider ? 64 : 2, end)
      return `    ${what.padEnd(18)}${describe(samples)}`
    })
    console.log(`  ${provider} ${name}`)
    for (const line of await Promise.all(underWay)) console.log(line)
  }
}

async function load(work, callers, end) {
  const samples = []
  const caller = async () => {
    while (performance.now() < end) {
      const start = performance.now()
      const { status } = await work()
      samples.push({ status, ms: performance.now() - start })
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return samples
}

function describe(samples) {
  const times = samples.map(({ ms }) => ms).sort((one, other) => one - other)
  const at = (share) => `${Math.round(times[Math.floor((times.length - 1) * share)])} ms`
  const counts = new Map()
  for (const { status } of samples) counts.set(status, (counts.get(status) ?? 0) + 1)
  const statuses = [...counts].map(([status, number]) => `${number} × ${status}`).join(', ')
  return `p50 ${at(0.5).padStart(8)}  p99 ${at(0.99).padStart(8)}   ${statuses}`
}

async function rate(times, work) {
  const start = performance.now()
  await each(times, work)
  return (times / (performance.now() - start)) * 1_000
}

async function each(times, work) {
  let next = 0
  const caller = async () => {
    while (next < times) {
      const index = next
      next += 1
      await work(index)
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
}

async function waitFor(check) {
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (await check()) return
    await sleep(20)
  }
  throw new Error('not within a minute')
}

async function startEmulator(provider) {
  const child = spawn(process.execPath, [bin('emulator.mjs'), provider], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.on('exit', () => child.kill('SIGTERM'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await waitFor(() => isReady(output))
  return { child, ...readEmulator(output) }
}
