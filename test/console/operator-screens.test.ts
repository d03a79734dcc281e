import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { day, minute } from '../../src/base/clock.js'
import { markForReview } from '../../src/payouts/attempts/review-payouts.js'
import { recordReconciliation } from '../../src/payouts/reconciliation/reconciliations.js'
import { sql } from '../../src/postgres/sql.js'
import { isFull, listenForErrors, picture } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson, type Person } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, go, openConsole } from './open-console.js'

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
      insert into notices (rail, mode, id, report, body, state, due_at, received_at)
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

const open = (path: string) => go(page, `/operator${path}`)

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
    ['exchange', '/exchange', 'Position, live'],
    ['levies', '/levies', 'No levy is charged.'],
    ['vat', '/levies/vat', 'No rate was set'],
    ['margins', '/levies/margins', 'Margin per rail and day'],
    ['reconciliation', '/reconciliation', 'Not in the books'],
    ['rails', '/rails', 'Pause payouts'],
    ['freezes', '/freezes', 'Nothing is frozen.'],
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

describe.runIf(isFull)('dialogs of operators', () => {
  const press = (name: string) =>
    page.locator('main').getByRole('button', { name, exact: true }).first().click()

  test.each([
    ['screens/operator/merchants CreateDialog', '/merchants', 'New merchant'],
    ['screens/operator/merchant Screen', '/merchants/:merchant', 'Suspend'],
    ['screens/operator/merchant Screen 2', '/merchants/:merchant', 'View as merchant'],
    ['screens/operator/credit-dialog CreditDialog', '/merchants/:merchant', 'Credit a balance'],
    ['screens/operator/merchant Keys', '/merchants/:merchant', 'Revoke'],
    ['screens/operator/kyc-review Screen', '/kyc/:merchant', 'Ask for more'],
    ['screens/operator/fee-dialog FeeDialog', '/fees/:merchant', 'Change'],
    ['screens/operator/payouts DecideDialog', '/payouts', 'Decide'],
    ['screens/operator/rails Screen', '/rails', 'Pause payouts'],
    ['screens/operator/freeze-dialog FreezeDialog', '/freezes', 'Freeze payouts'],
    ['screens/operator/freeze-dialog merchant', '/merchants/:merchant', 'Freeze payouts'],
    ['screens/operator/reconciliation Differences', '/reconciliation', 'Note'],
    ['screens/operator/positions StockDialog', '/exchange', 'Add NGN, live'],
    ['screens/operator/positions LimitDialog', '/exchange', 'Limit NGN, live'],
    ['screens/operator/rate-history RateHistory', '/exchange', 'History'],
    ['screens/operator/set-rate-dialog SetRateDialog', '/exchange', 'Set rate'],
    ['screens/operator/levy-dialogs PresetDialog', '/levies', 'Switch on Nigeria'],
    ['screens/operator/levy-dialogs SetLevyDialog', '/levies', 'Set levy'],
    ['screens/operator/levy-dialogs DebitDialog', '/levies', 'Change sandbox-bank'],
    ['screens/operator/vat SetRateDialog', '/levies/vat', 'New rate'],
  ])('%s', async (id, path, name) => {
    await page.keyboard.press('Escape')
    await open(path.replace(':merchant', site.merchant.reference))
    await press(name)
    await pictureDialog(page, id)
  })

  test('a held notice', async () => {
    await open('/notices')
    await press('Open')
    await page.getByText('As the bank sent it').waitFor()
    await pictureDialog(page, 'screens/operator/notices NoticeDialog')
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await pictureDialog(page, 'screens/operator/notices AssignDialog')
  })

  test('a rate that sources disagree with', async () => {
    const pair = { buy: '1580', sell: '1600' }
    const rate = { ...pair, origin: 'operator', givenBy: 'ope@example.com', expiresAt: null }
    const readAt = site.clock.now().toISOString()
    const read = { buy: '1790', sell: '1820', readAt, problem: null }
    const items = [
      {
        asset: 'USDC',
        rate: { ...rate, createdAt: readAt },
        isMissing: false,
        median: { buy: '1790', sell: '1820' },
        sources: ['bank-a', 'bank-b', 'market'].map((name) => ({ source: name, ...read })),
      },
    ]
    const data = { items, maxAgeSeconds: 600, maxDeviationPercent: 10 }
    await page.route('**/operator/v1/rates', (route) => route.fulfill({ json: { data } }))
    await page.goto(`${site.url}/console/operator/exchange`)
    await press('Clear')
    await pictureDialog(page, 'screens/operator/rate-card ClearDialog')
    await page.keyboard.press('Escape')
    await press('Accept the median')
    await pictureDialog(page, 'screens/operator/rate-card AcceptDialog')
    await page.unrouteAll()
    await page.goto(`${site.url}/console/operator`)
  })
})

test('the keys of a new merchant stay until the operator has stored them', async () => {
  await open('/merchants')
  await page.getByRole('button', { name: 'New merchant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name that payers see').fill('Bola Foods')
  await dialog.getByRole('button', { name: 'New merchant' }).click()
  await dialog.getByText('They are not shown again.').waitFor()
  await pictureDialog(page, 'screens/operator/merchants ShownKeys')
  await page.keyboard.press('Escape')
  await dialog.getByText(/^sk_test_/).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Bola Foods' }).waitFor()
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
  await pictureDialog(page, 'screens/operator/actions ActionDialog')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('Nothing waits.').waitFor()
  const [payout] = await site.db.rows(sql<{ status: string }>`
    select status from payouts where status = 'FAILED'`)
  expect(payout).toEqual({ status: 'FAILED' })
  expect(stuck).toMatch(/^bt_/)
})

test('one operator freezes a rail, and two thaw it', async () => {
  await site.become(ada)
  await page.goto(`${site.url}/console/operator/freezes`)
  await page.getByRole('button', { name: 'Freeze payouts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'What' }).click()
  await page.getByRole('option', { name: 'Rail' }).click()
  await dialog.getByRole('combobox', { name: 'Rail' }).click()
  await page.getByRole('option', { name: site.bank.name }).click()
  await dialog.getByLabel('Reason').fill('Payouts arrive twice')
  await pictureDialog(page, 'screens/operator/freeze-dialog rail')
  await dialog.getByRole('button', { name: 'Freeze', exact: true }).click()
  await page.getByRole('row', { name: /Payouts arrive twice.*All merchants/ }).waitFor()
  const owner = await addPerson(site, { role: 'owner', name: 'Sade Cole' })
  const frozen = await owner.ask('POST', '/v1/freezes', {
    body: { kind: 'recipient', subject: '058/0123456796', reason: 'Complaint 77' },
  })
  expect(frozen.status, frozen.text).toBe(201)
  await page.goto(`${site.url}/console/operator/freezes`)
  await page.getByRole('row', { name: /058\/0123456796.*Ada Stores · test/ }).waitFor()
  await picture(page, 'script', 'console-operator-freezes-filled')
  const listed = (await owner.ask('GET', '/v1/freezes')).json.data.items
  const ofOperator = listed.filter((freeze: { isOfOperator: boolean }) => freeze.isOfOperator)
  expect(ofOperator).toMatchObject([{ frozenBy: { name: 'The operator' } }])

  await page
    .getByRole('row', { name: /Payouts arrive twice/ })
    .getByRole('button', { name: 'Thaw' })
    .click()
  await dialog.getByLabel('Reason').fill('The bank has repaired it')
  await pictureDialog(page, 'screens/operator/freezes Screen')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await page.getByText('Waits for another operator').first().waitFor()
  await site.become(obi)
  await page.goto(`${site.url}/console/operator/actions`)
  await page.getByRole('button', { name: 'Open' }).click()
  await dialog.getByText(`rail ${site.bank.name}`).waitFor()
  await picture(page, 'script', 'console-operator-confirm-thaw')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('Nothing waits.').waitFor()
  await open('/freezes')
  await page.getByText('Complaint 77').waitFor()
  expect(await page.getByText('Payouts arrive twice').count()).toBe(0)
})

test('two operators set the first rate and the live stock; smaller changes need one', async () => {
  const confirmAs = async (person: Person, kind: string) => {
    await site.become(person)
    await page.goto(`${site.url}/console/operator/actions`)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText(`Confirm: ${kind}`).waitFor()
    await picture(page, 'script', `console-operator-confirm-${kind.split(' ').at(-1)}`)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Nothing waits.').waitFor()
    await open('/exchange')
  }
  await open('/exchange')
  const setRate = async (buy: string, sell: string) => {
    await page.getByRole('button', { name: 'Set rate' }).first().click()
    await page.getByLabel('Buy: naira').fill(buy)
    await page.getByLabel('Sell: naira').fill(sell)
    await page.getByRole('dialog').getByRole('button', { name: 'Set rate' }).click()
  }
  await setRate('1,580', '1,600')
  await page.getByText('Another operator must confirm the first one.').waitFor()
  await picture(page, 'script', 'console-operator-rate')
  await page.getByRole('button', { name: 'Propose this rate' }).click()
  await page.getByText('you proposed it, another operator must confirm it').waitFor()
  await confirmAs(ada, 'Set a rate')
  await page.getByText('₦1,600.00').waitFor()
  // The clock of tests stands still, and the newest rate counts.
  site.clock.advance(1_000)
  await setRate('1,590', '1,610')
  await page.getByText('₦1,610.00').waitFor()
  await page.getByRole('button', { name: 'History' }).first().click()
  await page.getByRole('dialog').getByText('1580 / 1600').waitFor()
  await picture(page, 'script', 'console-operator-rate-history')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Add NGN, live' }).click()
  await page.getByLabel('Amount').fill('350,000')
  await page.getByLabel('Note').fill('Own money')
  await page.getByRole('button', { name: 'Propose' }).click()
  await page.getByText('Add ₦350,000.00 to the exchange, live').waitFor()
  await picture(page, 'script', 'console-operator-exchange-waiting')
  await confirmAs(obi, 'Add to the exchange')
  await page.getByText('₦350,000.00').first().waitFor()

  await page.getByRole('button', { name: 'Add NGN, test' }).click()
  await page.getByLabel('Amount').fill('250,000')
  await page.getByLabel('Note').fill('Float of November')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('₦250,000.00').first().waitFor()
  await page.getByRole('button', { name: 'Limit NGN, test' }).click()
  await page.getByLabel('At most').fill('900,000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('₦900,000.00').waitFor()
  await picture(page, 'script', 'console-operator-exchange-filled')
})

test('an operator switches on stamp duty and VAT, and reads what they bring', async () => {
  const dialog = page.getByRole('dialog')
  const main = page.locator('main')
  const choose = async (label: string, option: string) => {
    await dialog.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await open('/levies')
  await main.getByRole('button', { name: 'Switch on Nigeria' }).first().click()
  await choose('Mode', 'Test')
  await dialog.getByRole('button', { name: 'Switch on', exact: true }).click()
  await main.getByRole('row', { name: /₦50\.00 from ₦10,000\.00 on.*Test.*In force/ }).waitFor()
  await main.getByRole('button', { name: `Change ${site.bank.name}` }).click()
  await choose('Debits it', 'With each transfer')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await main.getByRole('row', { name: /With each transfer/ }).waitFor()

  await main.getByRole('link', { name: 'VAT and fees' }).click()
  await main.getByRole('button', { name: 'New rate' }).first().click()
  await dialog.getByLabel('Percent').fill('7,5')
  await dialog.getByText('Write a percentage such as 7.5.').waitFor()
  await dialog.getByLabel('Percent').fill('7.5')
  await choose('Mode', 'Test')
  await dialog.getByRole('button', { name: 'Set rate' }).click()
  await main.getByRole('row', { name: /7\.5 %.*Test.*Begins later/ }).waitFor()

  site.clock.advance(minute)
  const sent = await site.payOut(2_000_000)
  expect(sent).toMatchObject({ levy: 5_000 })
  await site.settle()
  await open('/levies/vat')
  await main.getByRole('button', { name: 'Test', exact: true }).click()
  await main
    .getByRole('row', { name: /Ada Stores/ })
    .first()
    .waitFor()
  await main
    .getByRole('row', { name: /All merchants/ })
    .first()
    .waitFor()
  await picture(page, 'script', 'console-operator-vat-filled')
  await open('/levies/margins')
  await main.getByRole('button', { name: 'Test', exact: true }).click()
  await main
    .getByRole('row', { name: /Sum of these days/ })
    .first()
    .waitFor()
  await picture(page, 'script', 'console-operator-margins-filled')

  // Read a moment ago, before the transfer arrived.
  await page.goto(`${site.url}/console/operator/levies`)
  await main.getByRole('row', { name: /sandbox-bank.*₦50\.00/ }).waitFor()
  await picture(page, 'script', 'console-operator-levies-filled')
  await main.getByRole('button', { name: 'End levies' }).click()
  await choose('Mode', 'Test')
  await pictureDialog(page, 'screens/operator/levy-dialogs EndDialog')
  await dialog.getByRole('button', { name: 'End levies' }).click()
  await main.getByRole('row', { name: /^None.*In force/ }).waitFor()
  await main.getByRole('row', { name: /₦50\.00 from.*Overridden/ }).waitFor()
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
