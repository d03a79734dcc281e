import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { day } from '../../src/base/clock.js'
import { recordReconciliation } from '../../src/payouts/reconciliations.js'
import { markForReview } from '../../src/payouts/review-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson, type Person } from '../support/people.js'
import { type Console, openConsole } from './open-console.js'

/** The operator's screens with data, and a decision that needs two operators. */

let site: Console
let page: Page
let ada: Person
let obi: Person
let stuck: string

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  const { db, clock, merchant, post, payOut, collect } = site
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 90_000_000 })
  stuck = (await payOut(34_000_000, '9900000062')).reference
  await site.settle()
  clock.advance(3 * day)
  await markForReview(site, clock.now())
  await collect(1_250_000)
  await db.transaction(async (tx) => {
    tx.write(sql`
      insert into notices (rail, mode, id, announced, body, state, due_at, received_at)
      values (${site.bank.name}, 'test', 'sbp_lost', ${JSON.stringify({
        id: 'sbp_lost',
        accountNumber: '0418827731',
        amount: '500000',
        currency: 'NGN',
        sender: {
          name: 'OBI EMEKA',
          accountNumber: '0123456789',
          bankCode: '058',
          bankName: 'GTBank',
        },
        sessionId: null,
        narration: 'Rice',
        receivedAt: clock.now().toISOString(),
      })}, '{"event":"payment.received"}', 'UNMATCHED', ${clock.now()}, ${clock.now()})`)
    tx.write(sql`
      update environments set kyc_status = 'SUBMITTED'
      where id = ${merchant.environments.live.id}`)
  })
  await recordReconciliation(db, clock.now(), {
    rail: site.bank.name,
    dueAt: new Date(clock.now().getTime() + day),
    position: 0n,
    differences: [
      { kind: 'not_in_books', name: 'sbt_1', inBooks: 'nothing', atRail: '₦5,000.00 completed' },
    ],
  })
  ada = await addPerson(site, { isOperator: true, name: 'Ope Okoro' })
  obi = await addPerson(site, { isOperator: true, name: 'Bisi Ade' })
  await site.become(ada)
  page = await site.visit('/console/operator')
})

async function open(path: string): Promise<void> {
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  // Within the page: loading it anew takes much longer.
  const to = JSON.stringify(`/console/operator${path}`)
  await page.evaluate(
    `history.pushState({}, '', ${to}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await page.waitForSelector('main h1')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

describe('screens of operators', () => {
  test.each([
    ['health', '', 'manilla doctor'],
    ['merchants', '/merchants', 'Ada Stores'],
    ['merchant', '/merchants/:merchant', 'API keys'],
    ['kyc', '/kyc', 'Ada Stores'],
    ['kyc-review', '/kyc/:merchant', 'Approve'],
    ['fees', '/fees', 'Ada Stores'],
    ['merchant-fees', '/fees/:merchant', 'Bank transfer'],
    ['payouts', '/payouts', '₦340,000.00'],
    ['notices', '/notices', '0418827731'],
    ['treasury', '/treasury', 'Test hot wallet'],
    ['reconciliation', '/reconciliation', 'Not in the books'],
    ['rails', '/rails', 'Pause payouts'],
    ['operators', '/operators', 'Bisi Ade'],
    ['audit', '/audit', 'Audit log'],
    ['actions', '/actions', 'Nothing waits.'],
  ])('%s', async (name, path, shown) => {
    const stop = listenForErrors(page, { isConsoleRead: true })
    await open(path.replace(':merchant', site.merchant.reference))
    await page.locator('main').getByText(shown).first().waitFor()
    expect(stop()).toEqual([])
    await picture(page, 'script', `console-operator-${name}`)
  })
})

test('one operator proposes the outcome of a payout, and another one confirms it', async () => {
  await open('/payouts')
  await page.getByRole('button', { name: 'Decide', exact: true }).click()
  await page.getByLabel('Failed: the money goes back').check()
  await page.getByLabel('I know that it did not land').check()
  await page.getByLabel('Evidence').fill('The bank cancelled it, ticket 17')
  await picture(page, 'script', 'console-operator-decide')
  await page.getByRole('button', { name: 'Propose' }).click()
  await page.getByText('Waits for another operator').first().waitFor()

  await open('/actions')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText('You proposed it. Another operator must confirm it.').waitFor()
  expect(await page.getByRole('button', { name: 'Confirm', exact: true }).count()).toBe(0)

  await site.become(obi)
  await page.goto(`${site.url}/console/operator/actions`)
  await page.getByRole('button', { name: 'Open' }).click()
  await picture(page, 'script', 'console-operator-confirm')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('Nothing waits.').waitFor()
  const [payout] = await site.db.rows(sql<{ status: string }>`
    select status from payouts where status = 'FAILED'`)
  expect(payout).toEqual({ status: 'FAILED' })
  expect(stuck).toMatch(/^bt_/)
})

test('an operator views a merchant read-only, with a reason', async () => {
  await open(`/merchants/${site.merchant.reference}`)
  await page.getByRole('button', { name: 'View as merchant' }).click()
  await page.getByLabel('Reason').fill('Ticket 18')
  await page.getByRole('button', { name: 'View', exact: true }).click()
  await page.waitForURL(`${site.url}/console/`)
  await page.getByText('Operator, read only').first().waitFor()
  expect(await page.getByText('New payout').count()).toBe(0)
})
