import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { openWithBank } from '../support/open-with-bank.js'
import { listenForErrors, openContexts, picture, reopen } from './checkout-pictures.js'

/** The page of a claim, without script, as most recipients on phones meet it. */

const service = await openWithBank()
const key = service.merchant.test.secret
let page: Page
let bare: Page

async function post(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  return (await service.ask('POST', path, { key, body, headers })).json.data
}

const create = (more: object = {}) =>
  post('/v1/claims', {
    amount: 1_250_000,
    description: 'Refund of order 1001',
    recipientName: 'Ada Obi',
    ...more,
  })

beforeAll(async () => {
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  const contexts = await openContexts(await openBrowser())
  page = await contexts.script.newPage()
  bare = await contexts.bare.newPage()
})

/** Checks accessibility in a page with script, which this page does not need. */
async function look(url: string, name: string): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await reopen(page, url)
  await picture(page, 'script', `claim-${name}`)
  expect(stop()).toEqual([])
}

test('the recipient fills in the form, corrects it, confirms and is paid, without script', async () => {
  const { url } = await create({ secretWord: 'harmattan' })
  await look(url, 'form')
  await bare.goto(url)
  await bare.getByLabel('Your bank').selectOption('058')
  await bare.getByLabel('Account number').fill('0123456789')
  await bare.getByLabel('Secret word').fill('wrong word')
  await bare.getByRole('button', { name: 'Continue' }).click()
  await bare.getByRole('alert').getByText('This is not the secret word').waitFor()
  await picture(bare, 'bare', 'claim-wrong-word')
  // What was right is still there; the word is not.
  expect(await bare.getByLabel('Account number').inputValue()).toBe('0123456789')
  expect(await bare.getByLabel('Secret word').inputValue()).toBe('')
  await bare.getByLabel('Secret word').fill('harmattan')
  await bare.getByRole('button', { name: 'Continue' }).click()
  await bare.getByRole('heading', { name: 'Is this your account?' }).waitFor()
  await picture(bare, 'bare', 'claim-confirm')
  await bare.getByRole('button', { name: 'Send me ₦12,500' }).click()
  await bare.getByRole('heading', { name: 'On its way' }).waitFor()
  expect(bare.url()).toBe(url)
  await look(url, 'sent')
  await service.pass(10)
  await bare.reload()
  await bare.getByRole('heading', { name: 'Paid' }).waitFor()
  await look(url, 'paid')
})

test('the confirmation, and the form after a transfer that failed', async () => {
  const { url } = await create()
  await reopen(page, url)
  await page.getByLabel('Your bank').selectOption('999')
  await page.getByLabel('Account number').fill('9900000027')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Send me/ }).waitFor()
  await picture(page, 'script', 'claim-confirm')
  await page.getByRole('button', { name: /^Send me/ }).click()
  await page.getByRole('heading', { name: 'On its way' }).waitFor()
  await service.pass(10)
  await look(url, 'reopened')
  await page.getByText('The last transfer failed').waitFor()
})

test('what cannot be claimed', async () => {
  const cancelled = await create()
  await post(`/v1/claims/${cancelled.reference}/cancel`, {})
  await look(cancelled.url, 'cancelled')
  await page.getByRole('heading', { name: 'This link was cancelled' }).waitFor()
  const stop = listenForErrors(page, { isConsoleRead: false })
  await reopen(page, `${service.url}/claim/unknown`)
  await page.getByRole('heading', { name: 'Link not found' }).waitFor()
  await picture(page, 'script', 'claim-unknown')
  expect(stop()).toEqual([])
})
