import { spawn } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../support/after-file.js'
import { follow } from '../support/program.js'
import { openCheckout } from './open-checkout.js'

/** The example shop whose customers pay in a dialog. */

const { service, browser } = await openCheckout()
const program = follow(
  spawn(process.execPath, [path.resolve(import.meta.dirname, '../../examples/inline/start.mjs')], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      MANILLA_KEY: service.merchant.test.secret,
      MANILLA_URL: service.url,
      INLINE_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  }),
)
afterFile(async () => {
  program.signal('SIGTERM')
  await program.ended
})
await program.untilPrinted('is open at')
const [url = ''] = /http\S+/.exec(program.text()) ?? []

test('a customer orders, closes the dialog, opens it again and pays', async () => {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text())
  })
  await page.goto(url)
  await page.getByRole('button', { name: 'Order' }).click()
  await page.getByRole('button', { name: 'Pay ₦12,500.00' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Not paid yet').waitFor()
  await page.getByRole('button', { name: 'Pay ₦12,500.00' }).click()
  await page.frameLocator('iframe').getByRole('button', { name: 'Simulate transfer' }).click()
  await page.frameLocator('iframe').getByRole('heading', { name: 'Payment successful' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Paid', { exact: true }).waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  await page.reload()
  await page.getByText('Paid', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await page.close()
})

test('a customer who claims to have paid is not believed', async () => {
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Order' }).click()
  await page.evaluate(`document.dispatchEvent(
    new CustomEvent('manilla-result', { detail: { status: 'paid', session: 'cs_1' } }))`)
  await page.getByText('Not paid yet').waitFor()
  expect(await page.getByText('Paid', { exact: true }).count()).toBe(0)
  await page.close()
})
