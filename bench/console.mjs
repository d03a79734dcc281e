/**
 * node bench/console.mjs [live | load]: how soon a payment is visible on an open list of the
 * console, and how long its pages take to load on a slow phone. See README.md.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { describeMachine, median, printCells } from './report.mjs'
import { startService } from './start-manilla.mjs'

const [only] = process.argv.slice(2)
const paymentCount = Number(process.env.CONSOLE_PAYMENTS ?? 60)
const rounds = Number(process.env.CONSOLE_ROUNDS ?? 3)
/** A page of the list. */
const rowsShown = 20
const phone = { width: 360, height: 740 }
const cpuSlowdown = 4
/** A page that changes nothing for this long has loaded. */
const quietMs = 3_000
const loadMaxMs = 90_000

const networks = [
  ['slow 3G', { latency: 400, kilobitsPerSecond: 400 }],
  ['fast 3G', { latency: 150, kilobitsPerSecond: 1_600 }],
]
const pages = [
  ['sign-in', '/console/sign-in', '#email'],
  ['Home', '/console/', 'main h1'],
  ['Payments', '/console/payments', 'main table'],
]

/** Notes when the offer of new rows appears. */
const noteOffers = `
  globalThis.offeredAt = null
  new MutationObserver(() => {
    globalThis.offeredAt = document.querySelector('button.new')
      ? (globalThis.offeredAt ?? Date.now()) : null
  }).observe(document.documentElement, { childList: true, subtree: true })`

/** Notes when the page last became complete: nothing on it is loading. */
const noteUsable = (selector) => `
  globalThis.usableAt = null
  globalThis.changedAt = 0
  new MutationObserver(() => {
    globalThis.changedAt = performance.now()
    const isUsable = document.querySelector(${JSON.stringify(selector)}) &&
      !document.querySelector('[aria-busy=true]')
    globalThis.usableAt = isUsable ? (globalThis.usableAt ?? performance.now()) : null
  }).observe(document, { attributes: true, childList: true, subtree: true })`

await buildOrExit()
const home = mkdtempSync(path.join(tmpdir(), 'manilla-bench-'))
chmodSync(home, 0o755)
const env = { MANILLA_HOME: home, LOG_LEVEL: 'silent' }
const service = await startService('start.mjs', { env })
const browser = await chromium.launch({
  ...(process.env.MANILLA_TEST_BROWSER && { executablePath: process.env.MANILLA_TEST_BROWSER }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  const { cpu, cores } = describeMachine()
  console.log(`${cores} × ${cpu}; Chromium ${browser.version()}`)
  const pay = await openPayer()
  for (let count = 0; count < rowsShown; count += 1) await pay()
  const session = await signIn()
  if (only !== 'load') await measureLive(session, pay)
  if (only !== 'live') await measureLoads(session)
} finally {
  await browser.close()
  await service.stop()
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Returns a function that pays into one account, and returns when that was answered. */
async function openPayer() {
  const file = path.join(home, 'demo.json')
  while (!existsSync(file)) await sleep(100)
  const { secretKey } = JSON.parse(readFileSync(file, 'utf8')).test
  let count = 0
  const post = async (target, body) => {
    count += 1
    const response = await fetch(service.url + target, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
        'idempotency-key': `bench-${count}`,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${target} answered ${response.status}: ${text}`)
    return JSON.parse(text).data
  }
  const { accountNumber } = await post('/v1/collections/dedicated-accounts', {
    externalReference: 'bench',
    customer: { name: 'Chuka Okafor', email: 'chuka@example.com', bvn: '22222222222' },
  })
  return async () => {
    const sender = { name: 'CHUKA OKAFOR' }
    await post('/v1/test/bank-transfers', { accountNumber, amount: 1_250_000, sender })
    return Date.now()
  }
}

/** Cookies of the demo merchant's owner. */
async function signIn() {
  const manilla = fileURLToPath(new URL('../bin/manilla.mjs', import.meta.url))
  const said = execFileSync(process.execPath, [manilla, 'console'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  const link = /http\S+\/console\/start\/\S+/.exec(said)
  if (!link) throw new Error(`this has no link: ${said}`)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link[0])
  await page.waitForSelector('main h1')
  const storageState = await context.storageState()
  await context.close()
  return { storageState, origin: new URL(link[0]).origin }
}

async function measureLive({ storageState, origin }, pay) {
  const context = await browser.newContext({ storageState })
  const page = await context.newPage()
  await page.goto(`${origin}/console/payments`)
  await page.waitForSelector('main table')
  await page.evaluate(noteOffers)
  await sleep(quietMs)
  const times = []
  while (times.length < paymentCount) {
    // Not in step with any interval of the service.
    await sleep(200 + Math.random() * 300)
    const answeredAt = await pay()
    await page.waitForSelector('button.new')
    times.push((await page.evaluate('offeredAt')) - answeredAt)
    await page.click('button.new')
    await page.waitForSelector('button.new', { state: 'detached' })
  }
  await context.close()
  const sorted = times.toSorted((left, right) => left - right)
  const at = (share) => sorted[Math.ceil(sorted.length * share) - 1]
  console.log(
    `\n${times.length} payments, from the bank's answer to the offer in the list: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`,
  )
}

async function measureLoads(session) {
  const rows = []
  for (const [network, conditions] of networks)
    for (const [name, target, selector] of pages) {
      const loads = []
      for (let round = 0; round < rounds; round += 1)
        loads.push(await load(session, { conditions, target, selector }))
      rows.push({ network, name, loads })
    }
  console.log(`\nCold cache, processor ${cpuSlowdown} times slower, median of ${rounds}`)
  const middle = (field, unit) => (row) =>
    (median(row.loads.map((one) => one[field])) / 1_000).toFixed(unit)
  printCells(
    [
      ['network', ({ network }) => network],
      ['page', ({ name }) => name],
      ['first content s', middle('paintedMs', 1)],
      ['usable s', middle('usableMs', 1)],
      ['kB', middle('bytes', 0)],
      ['requests', ({ loads }) => String(median(loads.map(({ requests }) => requests)))],
    ],
    rows,
  )
}

async function load({ storageState, origin }, { conditions, target, selector }) {
  const isSignIn = selector === '#email'
  const context = await browser.newContext({
    viewport: phone,
    ...(!isSignIn && { storageState }),
  })
  const page = await context.newPage()
  page.setDefaultTimeout(loadMaxMs)
  const devtools = await context.newCDPSession(page)
  let [bytes, requests] = [0, 0]
  devtools.on('Network.requestWillBeSent', () => {
    requests += 1
  })
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  const { latency, kilobitsPerSecond } = conditions
  const throughput = (kilobitsPerSecond * 1_000) / 8
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  await page.addInitScript(noteUsable(selector))
  await page.goto(origin + target, { waitUntil: 'commit', timeout: loadMaxMs })
  await page.waitForSelector(selector)
  for (;;) {
    await sleep(quietMs / 10)
    const isDone = `usableAt !== null && performance.now() - changedAt > ${quietMs}`
    if (await page.evaluate(isDone)) break
  }
  const measured = await page.evaluate(`({
    usableMs: usableAt,
    paintedMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  })`)
  await context.close()
  return { ...measured, bytes, requests }
}
