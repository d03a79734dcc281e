import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { closeSettled } from '../../src/payouts/settlements/close-subaccounts.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, go, openConsole } from './open-console.js'

/**
 * A finance person makes two sub-accounts and a rule, sees the preview, and follows a payment that
 * is split, refunded, and owed by a seller who has spent the money.
 */

let site: Console
let page: Page
let payment: string

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.become(site.finance)
  page = await site.visit('/console')
})

const open = (path: string) => go(page, path)
const dialog = () => page.getByRole('dialog')
const main = () => page.locator('main')
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click()

/** Chooses in a field by typing, or in a list. */
async function choose(label: string, option: string, at = 0): Promise<void> {
  await page.getByRole('combobox', { name: label }).nth(at).click()
  await page.getByRole('option', { name: option }).filter({ visible: true }).first().click()
}

/** New entries wait behind a button, unless the list was read after them. */
async function showEntry(what: string): Promise<void> {
  const button = page.getByRole('button', { name: /^Show \d new entr/ })
  const isShown = async () => {
    if ((await main().getByText(what).count()) > 0) return true
    if ((await button.count()) > 0) await button.click()
    return false
  }
  await expect.poll(isShown, { timeout: 20_000 }).toBe(true)
}

/** Runs a journey and fails if the page reports an error or breaks its own content policy. */
async function journey(name: string, walk: () => Promise<void>): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await walk()
  expect(stop()).toEqual([])
  await picture(page, 'script', `console-${name}`)
  await page.setViewportSize(sizes.desktop)
}

async function read(path: string) {
  const reply = await site.owner.ask('GET', path)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

async function subaccountOf(name: string) {
  const { items } = await read('/v1/subaccounts')
  return items.find((one: { name: string }) => one.name === name)
}

async function createSeller(name: string, accountNumber: string): Promise<void> {
  await open('/subaccounts')
  await main().getByRole('button', { name: 'New sub-account' }).first().click()
  await dialog().getByLabel('Name of the seller').fill(name)
  await choose('Bank', 'Guaranty Trust Bank')
  await dialog().getByLabel('Account number').fill(accountNumber)
  await dialog().getByText('The bank names').waitFor()
}

describe('a marketplace', () => {
  test('g u opens the list, which says what a sub-account is', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.waitForURL('**/console/subaccounts')
    await journey('subaccounts-empty', async () => {
      await page.getByText('A sub-account holds the money of a seller beside yours').waitFor()
    })
  })

  test('a rule needs a sub-account first', async () => {
    await open('/subaccounts/rules/new')
    await journey('split-rule-without-subaccounts', async () => {
      await page.getByText('Create a sub-account first').waitFor()
    })
  })

  test('a sub-account is created with a bank account that the bank names', async () => {
    await createSeller('Ada Fabrics', '0123456789')
    await dialog().getByLabel('Your reference').fill('seller-1')
    await choose('Schedule', 'Every day')
    await pictureDialog(page, 'screens/subaccounts/subaccount-form FormDialog')
    await press('Create')
    await page.waitForURL(/\/console\/subaccounts\/sub_\w+$/)
    await page.getByRole('heading', { level: 1, name: 'Ada Fabrics' }).waitFor()
    await createSeller('Bola Shoes', '0123456797')
    await press('Create')
    await page.waitForURL(/\/console\/subaccounts\/sub_\w+$/)
    const ada = await subaccountOf('Ada Fabrics')
    expect(ada).toMatchObject({
      externalReference: 'seller-1',
      bankAccount: { bankCode: '058', accountNumber: '0123456789' },
      settlement: { schedule: 'daily' },
    })
    // The same reference again is refused at its field.
    await createSeller('Ada Again', '0123456789')
    await dialog().getByLabel('Your reference').fill('seller-1')
    await press('Create')
    await dialog().getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
  })

  test('the preview divides while the rule is typed, and refuses at the line', async () => {
    await open('/subaccounts/rules')
    await journey('split-rules-empty', async () => {
      await page.getByText('A split rule says who gets what of a payment').waitFor()
    })
    await main().getByRole('link', { name: 'New rule' }).first().click()
    await page.waitForURL('**/console/subaccounts/rules/new')
    await page.getByText('Choose a sub-account and a share for each line').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Marketplace')
    await choose('Sub-account', 'Ada Fabrics')
    await page.getByLabel('Percent').fill('70.01')
    await main().getByText('₦7,001.00').waitFor()
    await page.getByRole('button', { name: 'Add line' }).click()
    await choose('Sub-account', 'Bola Shoes', 1)
    await page.getByLabel('Percent').nth(1).fill('40')
    // 110.01 % is refused at the second line.
    await page.getByText('brings all percentages to 110.01').first().waitFor()
    await journey('split-rule-refused', async () => {
      const second = main().locator('section', { hasText: 'Line 2' })
      await second.getByText('brings all percentages to 110.01').first().waitFor()
    })
    await page.getByLabel('Percent').nth(1).fill('20')
    await page.getByRole('button', { name: 'Add limits or a release date' }).nth(1).click()
    await page.getByLabel('At most').fill('1,500')
    await choose('Released', 'Days after the payment')
    await page.getByLabel('Days', { exact: true }).fill('2')
    await journey('split-rule-new', async () => {
      await main().getByText('₦1,500.00').first().waitFor()
      await main()
        .getByText(/pending until/)
        .waitFor()
      await main().getByText('Nothing was rounded off.').waitFor()
    })
    await page.getByLabel('A payment of').fill('100.03')
    await main()
      .getByText(/Rounded off: 0\.\d+ kobo in all, for you\./)
      .waitFor()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.waitForURL(/\/console\/subaccounts\/rules\/spl_\w+$/)
    await journey('split-rule', async () => {
      await page.getByRole('heading', { level: 1, name: 'Marketplace' }).waitFor()
      await main().getByText('20 %, at most ₦1,500.00').waitFor()
      await main().getByText('2 days after the payment').waitFor()
    })
  })

  test('a change is a version, and the one before stays', async () => {
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByText('This becomes version 2.').waitFor()
    await page.getByLabel('Percent').first().fill('60')
    await choose('Who bears the fee', 'You and the sub-accounts')
    await journey('split-rule-change', async () => {
      await main().getByText('Ada Fabrics').first().waitFor()
      await main()
        .locator('td', { hasText: /₦59\d\d\.\d\d|₦5,9\d\d\.\d\d/ })
        .waitFor()
    })
    await page.getByRole('button', { name: 'Save version' }).click()
    await page.waitForURL(/\/console\/subaccounts\/rules\/spl_\w+$/)
    await main().getByText('60 %').waitFor()
    await choose('Version', 'Version 1')
    await main().getByText('70.01 %').waitFor()
    await journey('split-rule-older', async () => {
      await page.getByText('Accounts that were created with this version keep it.').waitFor()
    })
    await open('/subaccounts/rules')
    await journey('split-rules', async () => {
      await page.getByText('Ada Fabrics: 60 % · Bola Shoes: 20 %, at most ₦1,500.00').waitFor()
    })
  })

  test('a payment link with the rule is paid, and the payment shows its shares', async () => {
    await open('/collect?new=link')
    await dialog().getByLabel('Amount').fill('10,000')
    await dialog().getByLabel('What for').fill('Cloth and shoes')
    await dialog().getByLabel("Customer's name").fill('Chuka Okafor')
    await dialog().getByLabel("Customer's email").fill('chuka@example.com')
    await choose('Split', 'Marketplace')
    await press('Create')
    await page.waitForURL(/\/console\/collect\/links\/cs_\w+$/)
    const session = page.url().split('/').at(-1)!
    const shown = await site.ask('GET', `/public/checkout/${session}`)
    const { accountNumber } = shown.json.data.bankTransfer
    const paid = await site.post('/v1/test/bank-transfers', { accountNumber, amount: 1_000_000 })
    await site.settle()
    const { items } = await read(`/v1/collections/payments?q=${paid.reference}`)
    payment = items[0].reference
    await open(`/payments/${payment}`)
    await journey('payment-split', async () => {
      await page.getByRole('heading', { name: 'Split' }).waitFor()
      await main()
        .getByRole('row', { name: /Bola Shoes.*Pending until/ })
        .waitFor()
      await main()
        .getByRole('row', { name: /Ada Fabrics.*Credited/ })
        .waitFor()
      await main().getByText('Left to you').waitFor()
    })
  })

  test('the page of a sub-account shows balances, statement and where it is paid', async () => {
    await page.getByRole('link', { name: 'Ada Fabrics' }).click()
    await page.waitForURL(/\/console\/subaccounts\/sub_\w+$/)
    await journey('subaccount', async () => {
      await main().getByText('Share of a payment').waitFor()
      await main().getByText('012 345 6789').waitFor()
      await main().getByText('Every day').waitFor()
    })
  })

  test('money moves to the merchant, and the refund finds too little', async () => {
    const ada = await subaccountOf('Ada Fabrics')
    await main().getByRole('button', { name: 'Move money' }).click()
    await choose('Direction', 'From Ada Fabrics')
    await dialog().getByLabel('Amount').fill('5,000')
    await dialog()
      .getByText(/available$/)
      .waitFor()
    await pictureDialog(page, 'screens/subaccounts/transfer-dialog TransferDialog')
    await dialog().getByRole('button', { name: 'Move ₦5,000.00' }).dblclick()
    await dialog().waitFor({ state: 'detached' })
    await showEntry('Moved out')
    const moved = await read(`/v1/subaccounts/${ada.reference}`)
    expect(ada.balances[0].available - moved.balances[0].available).toBe(500_000)

    // The merchant pays what the fee took.
    await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000_000 })
    await open(`/payments/${payment}`)
    await main().getByRole('button', { name: 'Refund' }).click()
    await dialog().getByText('Sub-accounts give back their shares in proportion.').waitFor()
    await dialog().getByRole('button', { name: 'Refund ₦10,000.00' }).click()
    await dialog().waitFor({ state: 'detached' })
    await journey('payment-split-refunded', async () => {
      await main()
        .getByRole('row', { name: /Ada Fabrics.*₦6,000\.00/ })
        .waitFor()
    })
    await open(`/subaccounts/${ada.reference}`)
    await journey('subaccount-owes', async () => {
      await page.getByText(/^Ada Fabrics owes you ₦5,\d{3}\.\d\d$/).waitFor()
      await page.getByText('Its next shares and what you move to it pay this first').waitFor()
    })
    await page.getByRole('button', { name: 'See what was taken back' }).click()
    await main()
      .getByRole('row', { name: /Taken back by a refund/ })
      .waitFor()
  })

  test('what is moved to it pays what it owes first, and the rest is settled', async () => {
    const { reference } = await subaccountOf('Ada Fabrics')
    await open(`/subaccounts/${reference}`)
    await main().getByRole('button', { name: 'Move money' }).click()
    await dialog().getByLabel('Amount').fill('20,000')
    await press('Move ₦20,000.00')
    await dialog().waitFor({ state: 'detached' })
    await showEntry('Paid back to you')
    await page.getByText(/owes you/).waitFor({ state: 'detached' })
    await main().getByRole('button', { name: 'Settle' }).click()
    await pictureDialog(page, 'screens/subaccounts/settle-dialog SettleDialog')
    await dialog().getByLabel('Amount').fill('10,000')
    await press('Settle ₦10,000.00')
    await page.waitForURL(/\/console\/settlements\/set_\w+$/)
    await journey('settlement-of-subaccount', async () => {
      await page.getByRole('heading', { level: 1, name: '₦10,000.00' }).waitFor()
      await main().getByRole('link', { name: 'Ada Fabrics' }).waitFor()
    })
    await site.settle()
    await open(`/subaccounts/${reference}`)
    await main()
      .getByRole('row', { name: /₦10,000\.00.*Arrived/ })
      .waitFor()
  })

  test('it is edited, paused and resumed', async () => {
    const more = async (name: string) => {
      await main().getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await pictureDialog(page, 'screens/subaccounts/subaccount MoreMenu', {
      open: () => main().getByRole('button', { name: 'More' }).click(),
    })
    await page.keyboard.press('Escape')
    await more('Edit')
    await dialog().getByLabel('Email').fill('ada@example.com')
    await press('Save')
    await main().getByText('ada@example.com').waitFor()
    await more('Pause payouts')
    await journey('subaccount-paused', async () => {
      await page.getByText('Paused: it gets its shares, but nothing is paid out.').waitFor()
    })
    expect(await main().getByRole('button', { name: 'Settle' }).count()).toBe(0)
    await more('Resume payouts')
    await main().getByRole('button', { name: 'Settle' }).waitFor()
  })

  test('someone is paid from it, with stamp duty beside the fee', async () => {
    const preset = { body: { mode: 'test' } }
    const levied = await site.owner.ask('POST', '/operator/v1/levies/presets/nigeria', preset)
    expect(levied.status, levied.text).toBe(200)
    const { reference } = await subaccountOf('Ada Fabrics')
    await site.post(`/v1/subaccounts/${reference}/transfers`, {
      from: 'merchant',
      asset: 'NGN',
      amount: 1_500_000,
    })
    await open(`/subaccounts/${reference}`)
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Pay someone from it' }).click()
    await page.waitForURL('**/console/payouts/new?from=sub_*')
    await choose('Bank', 'Guaranty Trust Bank')
    await page.getByLabel('Account number').fill('0123456797')
    await page.getByText('confirms this name').waitFor()
    await page.getByLabel('Amount').fill('90,000')
    await page.getByText('The sub-account has not enough.').waitFor()
    await page.getByLabel('Amount').fill('12,000')
    await journey('payout-from-subaccount', async () => {
      await main().getByText('Stamp duty').waitFor()
      await main().getByText('₦12,075.00').waitFor()
      await main().getByText('₦19,915.00').waitFor()
    })
    await page.getByRole('button', { name: 'Send', exact: false }).last().click()
    await page.waitForURL(/\/console\/payouts\/bt_\w+$/)
    await main().getByRole('link', { name: 'Ada Fabrics' }).waitFor()
    await main().getByText('₦50.00').first().waitFor()
    const { items } = await read(`/v1/disbursements/bank-transfer?subaccount=${reference}`)
    expect(items[0]).toMatchObject({ amount: 1_200_000, levy: 5_000, from: reference })
  })

  test('a batch is paid from it', async () => {
    const { reference } = await subaccountOf('Ada Fabrics')
    await open('/payouts/batches/new')
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'suppliers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('accountNumber,bankCode,amountNaira\n0123456797,058,1000'),
    })
    await choose('Paid from', 'Ada Fabrics')
    await journey('batch-from-subaccount', async () => {
      await page.getByRole('button', { name: 'Upload and check' }).click()
      await page.waitForURL(/\/console\/payouts\/batches\/bat_\w+$/)
      await main().getByRole('link', { name: 'Ada Fabrics' }).waitFor()
    })
    const { items } = await read('/v1/disbursements/batches')
    expect(items[0]).toMatchObject({ from: reference })
  })

  test('the balances say that the money of sellers is elsewhere, and still add up', async () => {
    await open('/balances')
    await journey('balances-with-subaccounts', async () => {
      await page.getByText('what belongs to sellers is in their').waitFor()
      await main().locator('.sums').getByText('Sub-accounts').waitFor()
    })
    const sums = await main().locator('.sums dd').allInnerTexts()
    const units = sums.map((text) => BigInt(text.replace('−', '-').replace(/[₦,.+\s]/g, '')))
    const closing = units.pop()
    expect(units.reduce((sum, amount) => sum + amount, 0n)).toBe(closing)
  })

  test('closing says what happens to the money, and what must happen first', async () => {
    const bola = await subaccountOf('Bola Shoes')
    const close = async () => {
      await open(`/subaccounts/${bola.reference}`)
      await main().getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Close for good' }).click()
    }
    await close()
    // The refund took back the share with the part of the fee, which only the share had borne.
    await dialog().getByText('It owes you ₦15.00, more than it has.').waitFor()
    expect(await dialog().getByRole('button', { name: 'Close for good' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await site.post(`/v1/subaccounts/${bola.reference}/transfers`, {
      from: 'merchant',
      asset: 'NGN',
      amount: 300_000,
    })
    await close()
    await dialog().getByText('Move ₦2,985.00 to your balance').waitFor()
    await dialog()
      .getByLabel(/^Pay its naira out to/)
      .check()
    await pictureDialog(page, 'screens/subaccounts/close-dialog CloseDialog')
    await press('Pay out and close')
    await journey('subaccount-closing', async () => {
      await page.getByText('Its money is on the way to its bank account.').waitFor()
    })
    await site.settle()
    expect(await closeSettled(site.db, site.clock.now())).toBe(1)
    await open(`/subaccounts/${bola.reference}`)
    await journey('subaccount-closed', async () => {
      await page.getByText('Closed. It gets no shares and pays nothing out').waitFor()
    })
    // A rule that names it can no longer be used, and its page says why.
    const { items } = await read('/v1/split-rules')
    await open(`/subaccounts/rules/${items[0].reference}`)
    await page
      .getByText(/names a closed sub-account/)
      .first()
      .waitFor()
  })

  test('the list shows balances, filters and an export', async () => {
    await open('/subaccounts')
    await journey('subaccounts', async () => {
      await main()
        .getByRole('row', { name: /Ada Fabrics.*Active/ })
        .waitFor()
      await main()
        .getByRole('row', { name: /Bola Shoes.*Closed/ })
        .waitFor()
    })
    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Paused' }).click()
    await page.getByText('No sub-account matches these filters.').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^sub-accounts-test-until-.*\.csv$/)
  })
})

describe('by role', () => {
  const visitAs = async (role: 'owner' | 'developer' | 'support' | 'viewer', path: string) => {
    // An open page would notice that its session is gone, and leave.
    await page.goto('about:blank')
    await site.become(await addPerson(site, { role }))
    await page.goto(`${site.url}/console${path}`)
    await page.waitForSelector('main h1')
  }

  test('an owner creates a key that reads one sub-account', async () => {
    const { reference } = await subaccountOf('Ada Fabrics')
    await visitAs('owner', `/subaccounts/${reference}`)
    await main().getByRole('button', { name: 'Create key' }).click()
    await dialog().getByText('The key reads the balances, statement and payouts').waitFor()
    await dialog().getByLabel('Name').fill('Page of Ada')
    await press('Create key')
    const key = await dialog().locator('code, pre').first().innerText()
    await press('Done')
    await journey('subaccount-key', async () => {
      await main().getByText('Page of Ada').waitFor()
    })
    const own = await site.ask('GET', '/v1/balances', { key: key.trim() })
    expect(own.status, own.text).toBe(200)
    expect((await site.ask('GET', '/v1/subaccounts', { key: key.trim() })).status).toBe(403)
    await open('/keys')
    await main().getByRole('link', { name: 'Ada Fabrics' }).waitFor()
  })

  test('a viewer sees sub-accounts and rules, and changes none', async () => {
    const { reference } = await subaccountOf('Ada Fabrics')
    await visitAs('viewer', `/subaccounts/${reference}`)
    await main().getByText('Share of a payment').waitFor()
    for (const name of ['Move money', 'Settle', 'More', 'Create key'])
      expect(await main().getByRole('button', { name }).count()).toBe(0)
    await open('/subaccounts/rules')
    expect(await main().getByRole('link', { name: 'New rule' }).count()).toBe(0)
  })

  test('support sees a split payment without the split', async () => {
    await visitAs('support', `/payments/${payment}`)
    const { reference } = await subaccountOf('Ada Fabrics')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Split' }).count()).toBe(0)
    for (const text of [reference.slice(0, 12), 'Ada Fabrics'])
      expect(await main().getByText(text).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Sub-accounts' }).count()).toBe(0)
  })
})
