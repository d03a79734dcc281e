import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { listenForErrors, picture } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { type Console, fill, go, openConsole } from './open-console.js'

/**
 * The screens of a merchant with data: no script error, no breach of the content policy, accessible
 * in one size and color scheme. `npm run pages` checks all of them and takes pictures. The files
 * about payouts, settings, sign-in and operators take the pictures of their own screens.
 */

let site: Console
let page: Page
let paths: Record<string, string>

const lists = {
  home: '',
  payments: '/payments',
  payouts: '/payouts',
  batches: '/payouts/batches',
  'batch-new': '/payouts/batches/new',
  recipients: '/payouts/recipients',
  claims: '/payouts/claims',
  freezes: '/payouts/freezes',
  cases: '/cases',
  balances: '/balances',
  conversions: '/balances/conversions',
  convert: '/balances/convert',
  'settlement-schedule': '/settlements/schedule',
  collect: '/collect',
  'quick-start': '/quick-start',
  keys: '/keys',
  webhooks: '/webhooks',
  events: '/events',
  requests: '/requests',
  team: '/team',
  audit: '/audit',
  mails: '/mails',
  'mails-suppressed': '/mails/suppressed',
  settings: '/settings',
  you: '/you',
}
const details = [
  'payment-held',
  'payment-receipt',
  'payout',
  'payout-waiting',
  'recipient',
  'recipient-disabled',
  'claim',
  'claim-locked',
  'case',
  'statement',
  'conversion',
  'link',
  'endpoint',
  'event',
  'request',
  'mail',
]

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.owner.ask('PATCH', '/v1/settings', {
    body: { policies: { bank: { overpayment: 'hold' } } },
  })
  const { payments, payouts, endpoint } = await fill(site)
  const waiting = await askForPayout()
  expect(payments[0]!.status).toBe('HELD')
  expect(waiting.status).toBe('PENDING')
  paths = {
    ...lists,
    'payment-held': `/payments/${payments[0]!.reference}`,
    'payment-receipt': `/payments/${payments[1]!.reference}/receipt`,
    payout: `/payouts/${payouts[0].reference}`,
    'payout-waiting': `/payouts/${waiting.reference}`,
    recipient: `/payouts/recipients/${await recipient()}`,
    'recipient-disabled': `/payouts/recipients/${await disabledRecipient()}`,
    claim: `/payouts/claims/${await claim()}`,
    'claim-locked': `/payouts/claims/${await lockedClaim()}`,
    case: `/cases/${await openCase([payments[0]!.reference, payouts[1].reference])}`,
    statement: '/balances/statement',
    conversion: `/balances/conversions/${await convert()}`,
    link: `/collect/links/${(await newest('/v1/checkout/sessions')).reference}`,
    endpoint: `/webhooks/${endpoint.id}`,
    event: `/events/${(await newest('/v1/events')).id}`,
    mail: `/mails/${(await newest('/v1/mails')).reference}`,
    request: `/requests/${(await newest('/v1/request-logs?method=POST')).requestId}`,
  }
  await site.become(site.owner)
  page = await site.visit('/console')
})

/** A payout of a colleague that waits for the owner. */
async function askForPayout(): Promise<Record<string, string>> {
  const rule = { NGN: { each: 100_000_000, perDay: null }, USDC: null, USDT: null }
  await site.owner.ask('PATCH', '/v1/settings/approvals', {
    body: { appliesTo: 'console', ...rule },
  })
  const body = { amount: 185_000_000, bankCode: '058', accountNumber: '0123456789' }
  return (await site.finance.ask('POST', '/v1/disbursements/bank-transfer', { body })).json.data
}

/** One that was paid. */
async function recipient(): Promise<string> {
  const account = { bankCode: '058', accountNumber: '0123456789' }
  const { reference } = await site.post('/v1/recipients', { ...account, label: 'Ada, bakery' })
  await site.post('/v1/disbursements/bank-transfer', { amount: 250_000, recipient: reference })
  return reference
}

async function disabledRecipient(): Promise<string> {
  const address = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
  const { reference } = await site.post('/v1/recipients', { address })
  return (await site.post(`/v1/recipients/${reference}/disable`, {})).reference
}

async function claim(more: object = {}): Promise<string> {
  const body = { amount: 1_250_000, description: 'Refund of order 1001', ...more }
  return (await site.post('/v1/claims', body)).reference
}

/** One whose secret word was guessed too often. */
async function lockedClaim(): Promise<string> {
  const reference = await claim({ recipientName: 'Ada Obi', secretWord: 'harmattan' })
  await site.db.rows(sql`
    update claims set guesses = 5 where id = ${fromReference(prefixes.claim, reference)!}`)
  return reference
}

async function openCase(items: string[]): Promise<string> {
  const body = { kind: 'RECALL', title: 'Sent to the wrong account', items }
  return (await site.post('/v1/cases', body)).reference
}

/** Naira to coins, so that lists and statements have a conversion. */
async function convert(): Promise<string> {
  const wanted = { from: 'NGN', to: 'USDC', amount: 16_000_000 }
  const { reference } = await site.post('/v1/conversions/quotes', wanted)
  return (await site.post('/v1/conversions', { quote: reference })).reference
}

async function newest(path: string): Promise<Record<string, string>> {
  return (await site.owner.ask('GET', path)).json.data.items[0]
}

describe('screens of a merchant', () => {
  test.each([...Object.keys(lists), ...details])('%s', async (name) => {
    const stop = listenForErrors(page, { isConsoleRead: true })
    await go(page, paths[name]!)
    expect(stop()).toEqual([])
    await picture(page, 'script', `console-${name}`)
  })
})
