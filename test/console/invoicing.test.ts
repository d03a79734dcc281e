import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { runSchedules } from '../../src/customers/schedules/run-schedules.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { readCopied } from '../support/clipboard.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, go, openConsole } from './open-console.js'

/**
 * A finance person creates a customer, writes an invoice while its preview adds it up, finalizes
 * it, and follows how a transfer pays a part of it.
 */

let site: Console
let page: Page
let ada: string
let invoice: string
let schedule: { reference: string }

beforeAll(async () => {
  site = await openConsole(await openBrowser(), { startsAt: noonInLagos() })
  // Credit stays credit until a person uses it.
  const body = { invoices: { applyCredit: false } }
  const { status, text } = await site.owner.ask('PATCH', '/v1/settings', { body })
  expect(status, text).toBe(200)
  await site.become(site.finance)
  page = await site.visit('/console')
})

const open = (path: string) => go(page, path)
const dialog = () => page.getByRole('dialog')
const main = () => page.locator('main')
const paper = () => main().locator('.invoice-paper')
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click()

/** Chooses in a field by typing, or in a list. */
async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).filter({ visible: true }).first().click()
}

/** Runs a journey and fails if the page reports an error or breaks its own content policy. */
async function journey(name: string, walk: () => Promise<void>): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await walk()
  expect(stop()).toEqual([])
  await picture(page, 'script', `console-${name}`)
  await page.setViewportSize(sizes.desktop)
}

/** Schedules make the invoices of a day at 06:00 in Lagos: before, nothing is due at once. */
function noonInLagos(): Date {
  const noon = new Date()
  noon.setUTCHours(11, 0, 0, 0)
  return noon
}

const lagosDay = (time: Date) => new Date(time.getTime() + 3_600_000).toISOString().slice(0, 10)

async function read(path: string) {
  const reply = await site.owner.ask('GET', path)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

/** Pays into the account of the customer. */
async function payInto(reference: string, amount: number): Promise<void> {
  const { items } = await read(`/v1/customers/${reference}/accounts`)
  const [{ accountNumber }] = items
  await site.post('/v1/test/bank-transfers', { accountNumber, amount })
  await site.settle()
}

describe('invoicing', () => {
  test('g i opens the invoices, which need a customer first', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.waitForURL('**/console/invoices')
    await journey('invoices-empty', async () => {
      await page.getByText('An invoice says what a customer owes you').waitFor()
    })
    for (const [path, name] of [
      ['/invoices/new', 'invoice-without-customers'],
      ['/invoices/schedules/new', 'schedule-without-customers'],
    ] as const) {
      await open(path)
      await journey(name, async () => {
        await page.getByText('Create a customer first').waitFor()
      })
    }
  })

  test('a customer is created, changed and found', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForURL('**/console/customers')
    await journey('customers-empty', async () => {
      await page.getByText('A customer pays you again and again').waitFor()
    })
    await main().getByRole('button', { name: 'New customer' }).first().click()
    await dialog().getByLabel('Name').fill('Ada Obi')
    await dialog().getByLabel('Email').fill('ada')
    await press('Create')
    await dialog().getByRole('alert').waitFor()
    await pictureDialog(page, 'screens/customers/customer-form FormDialog')
    await dialog().getByLabel('Email').fill('ada@example.com')
    await dialog().getByLabel('Your reference').fill('customer-77')
    await press('Create')
    await page.waitForURL(/\/console\/customers\/cus_\w+$/)
    await page.getByRole('heading', { level: 1, name: 'Ada Obi' }).waitFor()
    ada = page.url().split('/').at(-1)!
    await main().getByRole('button', { name: 'Edit' }).click()
    await dialog().getByLabel('Phone').fill('+2348012345678')
    await press('Save')
    await main().getByText('+2348012345678').waitFor()
    expect(await read(`/v1/customers/${ada}`)).toMatchObject({
      name: 'Ada Obi',
      email: 'ada@example.com',
      phone: '+2348012345678',
      externalReference: 'customer-77',
    })
    await site.post('/v1/customers', { name: 'Bola Ige' })
    await open('/customers?q=obi')
    await journey('customers', async () => {
      await main().getByText('customer-77').waitFor()
      expect(await main().getByText('Bola Ige').count()).toBe(0)
    })
  })

  test('the preview adds up what is typed, as the service does', async () => {
    await open(`/customers/${ada}`)
    await main().getByRole('link', { name: 'New invoice' }).click()
    await page.waitForURL('**/console/invoices/new?**')
    await paper().getByText('Ada Obi').waitFor()
    await page.getByLabel('Description').fill('Ankara fabric, 6 yards')
    await page.getByLabel('Quantity').fill('2')
    await page.getByLabel('Price of one').fill('4,500')
    await page.getByLabel('VAT').fill('7.5')
    await paper().getByText('₦9,675.00').waitFor()
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Description').nth(1).fill('Delivery')
    await page.getByLabel('Quantity').nth(1).fill('x')
    await page.getByText('Write a number such as 2 or 1.5.').waitFor()
    await page.getByLabel('Quantity').nth(1).fill('1')
    await page.getByLabel('Price of one').nth(1).fill('1,000.50')
    await choose('Discount', 'Percent of the subtotal')
    await page.getByLabel('Percent', { exact: true }).fill('10')
    await choose('Payment', 'In instalments')
    await page.getByLabel('Instalment 1', { exact: true }).fill('5,000')
    await page.getByLabel('Due', { exact: true }).first().fill('2036-01-31')
    await page.getByLabel('Due', { exact: true }).nth(1).fill('2036-02-29')
    await page.getByText('₦4,675.48 of the total has no date yet.').waitFor()
    await page.getByLabel('Instalment 2', { exact: true }).fill('4,675.48')
    await page.getByLabel('Note to the customer').fill('Thank you, Ada')
    await journey('invoice-editor', async () => {
      await paper().getByText('31 Jan 2036').waitFor()
      await paper().getByText('Discount 10 %').waitFor()
      await paper().getByText('₦9,675.48').waitFor()
    })
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.waitForURL(/\/console\/invoices\/ivc_\w+$/)
    invoice = page.url().split('/').at(-1)!
    expect(await read(`/v1/invoices/${invoice}`)).toMatchObject({
      status: 'DRAFT',
      customer: ada,
      total: 967_548,
      discount: { percent: '10' },
      memo: 'Thank you, Ada',
      instalments: [
        { amount: 500_000, dueAt: '2036-01-31T23:00:00.000Z' },
        { amount: 467_548, dueAt: '2036-02-29T23:00:00.000Z' },
      ],
    })
  })

  test('a draft is changed, and final once it has its number', async () => {
    await journey('invoice-draft', async () => {
      await page.getByText('This is a draft').waitFor()
      await paper().getByText('₦9,675.48').waitFor()
    })
    await main().getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL('**/change')
    await page.getByRole('button', { name: 'Remove line 2' }).click()
    await choose('Discount', 'None')
    await choose('Payment', 'All at once')
    await page.getByLabel('Due date').fill('2036-01-31')
    await paper().getByText('₦9,675.00').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.waitForURL(new RegExp(`/console/invoices/${invoice}$`))
    expect(await read(`/v1/invoices/${invoice}`)).toMatchObject({
      total: 967_500,
      discount: null,
      instalments: [],
      dueAt: '2036-01-31T23:00:00.000Z',
    })
    await main().getByRole('button', { name: 'Finalize' }).click()
    await dialog().getByText('Ada Obi owes you ₦9,675.00 then').waitFor()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs FinalizeDialog')
    await press('Finalize')
    await page.getByRole('heading', { level: 1, name: 'INV-000001' }).waitFor()
    await main().getByText('Finalized as INV-000001').waitFor()
    await main().getByRole('button', { name: 'Copy link' }).click()
    await main().getByRole('button', { name: 'Copied' }).waitFor()
    expect(await readCopied(page)).toBe((await read(`/v1/invoices/${invoice}`)).url)
  })

  test('a draft moves to another series, and another is deleted', async () => {
    const lines = [{ description: 'Repair', unitAmount: 250_000 }]
    const draft = await site.post('/v1/invoices', { customer: ada, lines })
    await open(`/invoices/${draft.reference}/change`)
    await page.getByLabel('Series').fill('1')
    await page.getByText('Write capital letters and digits').waitFor()
    await page.getByLabel('Series').fill('shop')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.waitForURL(new RegExp(`/console/invoices/${draft.reference}$`))
    await main().getByText('SHOP', { exact: true }).waitFor()
    expect(await read(`/v1/invoices/${draft.reference}`)).toMatchObject({ series: 'SHOP' })
    await main().getByRole('button', { name: 'More' }).click()
    await pictureDialog(page, 'screens/invoices/invoice draft')
    await page.getByRole('menuitem', { name: 'Delete draft' }).click()
    await dialog().getByText('The draft of ₦2,500.00 for Ada Obi is removed').waitFor()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs DeleteDialog')
    await press('Delete draft')
    await page.waitForURL('**/console/invoices')
    await page.getByText('The draft was deleted.').waitFor()
    await main().getByText('INV-000001').waitFor()
    expect(await read('/v1/invoices/counts')).toMatchObject({ total: 1, byStatus: { DRAFT: 0 } })
    const { items } = await read('/v1/audit-lines?action=invoice.delete')
    expect(items).toMatchObject([{ details: { reference: draft.reference } }])
  })

  test('a transfer pays a part, and the rest is credited', async () => {
    await open(`/customers/${ada}`)
    await main().getByRole('button', { name: 'Open bank account' }).click()
    await main().getByText('Sandbox Bank').waitFor()
    await open(`/invoices/${invoice}`)
    await payInto(ada, 500_000)
    await journey('invoice', async () => {
      await main().getByText('₦5,000.00 paid').first().waitFor()
      await main().getByText('Partly paid').first().waitFor()
    })
    await main().getByRole('button', { name: 'More' }).click()
    await pictureDialog(page, 'screens/invoices/invoice MoreMenu')
    await page.getByRole('menuitem', { name: 'Mail to the customer' }).click()
    await dialog().getByText('Ada Obi gets a mail').waitFor()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs SendDialog')
    await press('Mail it')
    await page.getByText('INV-000001 is on its way by mail.').waitFor()
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Credit' }).click()
    await dialog().getByLabel('Amount').fill('99,999')
    await press('Credit ₦99,999.00')
    await dialog().getByText('what is due or was paid').first().waitFor()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs CreditDialog')
    await dialog().getByLabel('Amount').fill('5,000')
    await dialog().getByLabel('Why').fill('One yard was damaged')
    await press('Credit ₦5,000.00')
    await main().getByText('₦5,000.00 credited').waitFor()
    await main().getByText('One yard was damaged').waitFor()
    expect(await read(`/v1/invoices/${invoice}`)).toMatchObject({
      status: 'PAID',
      amountDue: 0,
      amountPaid: 467_500,
      amountCredited: 500_000,
    })
    await open(`/customers/${ada}`)
    await journey('customer', async () => {
      await main().getByText('INV-000001').waitFor()
      // What had been paid beyond the rest is credit now.
      await main().getByText('₦325.00').first().waitFor()
      await main().getByText('−₦5,000.00').first().waitFor()
    })
  })

  test('a person moves what a payment paid to credit, and back', async () => {
    const lines = [{ description: 'Repair', unitAmount: 100_000 }]
    const repair = await site.post('/v1/invoices', { customer: ada, lines })
    await site.post(`/v1/invoices/${repair.reference}/finalize`, {})
    const { items } = await read('/v1/collections/payments')
    await open(`/payments/${items[0].reference}`)
    await journey('payment-of-customer', async () => {
      await page.getByRole('heading', { name: 'What it paid' }).waitFor()
      await main().getByRole('link', { name: 'INV-000001' }).waitFor()
    })
    await main().getByRole('button', { name: 'Change', exact: true }).click()
    await dialog().getByLabel('INV-000002').fill('9,000')
    await dialog().getByText('more than the payment').waitFor()
    await dialog().getByLabel('INV-000001').fill('325')
    await dialog().getByLabel('INV-000002').fill('1,000')
    await dialog().getByText('₦3,675.00').waitFor()
    await dialog().getByLabel('Why').fill('It was meant for the repair')
    await pictureDialog(page, 'screens/payments/allocations ChangeDialog')
    await press('Change')
    await main().getByRole('link', { name: 'INV-000002' }).waitFor()
    expect(await read(`/v1/invoices/${repair.reference}`)).toMatchObject({ status: 'PAID' })
    expect(await read(`/v1/invoices/${invoice}`)).toMatchObject({
      status: 'OPEN',
      amountDue: 467_500,
    })
    await main().getByRole('button', { name: 'Change', exact: true }).click()
    await dialog().getByLabel('INV-000001').fill('5,000')
    await dialog().getByLabel('INV-000002').fill('')
    await press('Change')
    await expect.poll(async () => (await read(`/v1/invoices/${invoice}`)).status).toBe('PAID')
    expect(await read(`/v1/invoices/${repair.reference}`)).toMatchObject({ amountDue: 100_000 })
    await site.post(`/v1/invoices/${repair.reference}/void`, {})
  })

  test('the list counts, and an unpaid invoice is voided', async () => {
    const lines = [{ description: 'Repair', unitAmount: 250_000 }]
    const { reference } = await site.post('/v1/invoices', { customer: ada, lines })
    await site.post(`/v1/invoices/${reference}/finalize`, {})
    await open('/invoices')
    await journey('invoices', async () => {
      await main().getByText('INV-000003').waitFor()
      await main()
        .getByRole('button', { name: /^Open\s*1$/ })
        .waitFor()
      await main()
        .getByRole('button', { name: /^Paid\s*1$/ })
        .waitFor()
    })
    await open(`/invoices?customer=${ada}&status=OPEN`)
    await main().getByText('Invoices of Ada Obi').waitFor()
    await main().getByText('INV-000003').click()
    await page.waitForURL(new RegExp(`/console/invoices/${reference}$`))
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Void' }).click()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs VoidDialog')
    await press('Void')
    await main().getByText('This invoice was voided').waitFor()
    expect(await read('/v1/invoices/counts')).toMatchObject({
      total: 3,
      byStatus: { DRAFT: 0, OPEN: 0, PARTIALLY_PAID: 0, PAID: 1, VOID: 2, OVERDUE: 0 },
    })
  })

  test('an invoice that only credit paid is voided, and gives it back', async () => {
    const { email, ...rest } = await read(`/v1/customers/${ada}`)
    const [{ amount: credit }] = rest.credit
    expect([email, credit > 0]).toEqual(['ada@example.com', true])
    const setting = (applyCredit: boolean) =>
      site.owner.ask('PATCH', '/v1/settings', { body: { invoices: { applyCredit } } })
    await setting(true)
    const lines = [{ description: 'Repair', unitAmount: credit }]
    const { reference } = await site.post('/v1/invoices', { customer: ada, lines })
    const paid = await site.post(`/v1/invoices/${reference}/finalize`, {})
    await setting(false)
    expect(paid).toMatchObject({ status: 'PAID', amountPaid: credit })
    // A payment paid the other one.
    await open(`/invoices/${invoice}`)
    await main().getByText('₦5,000.00 paid').first().waitFor()
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Credit' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Void' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await open(`/invoices/${reference}`)
    await main().getByText('Draft created').waitFor()
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Void' }).click()
    await dialog().getByText('gets back the credit of').waitFor()
    await pictureDialog(page, 'screens/invoices/invoice-dialogs credit')
    await press('Void')
    await main().getByText('This invoice was voided').waitFor()
    expect(await read(`/v1/customers/${ada}`)).toMatchObject({ credit: rest.credit })
  })

  test('a schedule is created, and makes an invoice', async () => {
    await open('/invoices')
    await main().getByRole('link', { name: 'Schedules' }).click()
    await page.waitForURL('**/console/invoices/schedules')
    await journey('schedules-empty', async () => {
      await page.getByText('A schedule makes an invoice for a customer').waitFor()
    })
    await open(`/customers/${ada}`)
    await main().getByText('No schedule for this customer.').waitFor()
    await main().getByRole('link', { name: 'New schedule' }).click()
    await page.waitForURL('**/console/invoices/schedules/new?**')
    await paper().getByText('Ada Obi').waitFor()
    await page.getByLabel('Description').fill('Rent of the shop')
    await page.getByLabel('Price of one').fill('45,000')
    await choose('Discount', 'Percent of the subtotal')
    await page.getByLabel('Percent', { exact: true }).fill('10')
    await choose('Day of the month', '31')
    await page.getByText('The last day in months that are shorter.').waitFor()
    const create = page.getByRole('button', { name: 'Create schedule' })
    await page.getByLabel('Months between invoices').fill('0')
    await page.getByText('Write a number from 1 to 24.').waitFor()
    expect(await create.isDisabled()).toBe(true)
    await page.getByLabel('Months between invoices').fill('2')
    await page.getByLabel('Starts').fill('2036-02-01')
    await page.getByLabel('Ends').fill('2036-02-02')
    await page.getByText('The first invoice is on 29 Feb 2036.').waitFor()
    expect(await create.isDisabled()).toBe(true)
    await page.getByLabel('Ends').fill('2036-12-31')
    await journey('schedule-editor', async () => {
      await page
        .getByText('The first invoice is made on Friday 29 February 2036 at 06:00 in Lagos.')
        .waitFor()
      await paper().getByText('₦40,500.00').first().waitFor()
    })
    // Today: what is due at once is said before.
    const today = site.clock.now()
    await choose('How often', 'Weekly')
    const weekday = today.toLocaleDateString('en', { weekday: 'long', timeZone: 'Africa/Lagos' })
    await choose('Day of the week', weekday)
    await page.getByLabel('Weeks between invoices').fill('1')
    await page.getByLabel('Due after').fill('5')
    await page.getByLabel('Starts').fill(lagosDay(today))
    await page.getByText('The first invoice is made as soon as you create the schedule.').waitFor()
    await create.click()
    await page.waitForURL(/\/console\/invoices\/schedules\/ivs_\w+$/)
    const path = `/v1/invoice-schedules/${page.url().split('/').at(-1)!}`
    schedule = await read(path)
    expect(schedule).toMatchObject({
      status: 'ACTIVE',
      customer: ada,
      frequency: 'weekly',
      every: 1,
      weekday: weekday.toLowerCase(),
      startsOn: lagosDay(today),
      endsOn: '2036-12-31',
      dueAfterDays: 5,
      total: 4_050_000,
      discount: { percent: '10' },
      series: 'INV',
    })
    await main().getByText('No invoice has been made yet.').waitFor()
    while ((await runSchedules({ db: site.db, mode: 'test' }, site.clock.now())) > 0);
    const { items } = await read(`/v1/invoices?schedule=${schedule.reference}`)
    expect(items).toMatchObject([{ status: 'OPEN', total: 4_050_000, period: lagosDay(today) }])
    await journey('schedule', async () => {
      await main().getByText(`Weekly on ${weekday}`).first().waitFor()
      await main().getByRole('link', { name: items[0].number }).waitFor()
      await main()
        .getByText(`${items[0].number} made for ${lagosDay(today)}`)
        .waitFor()
    })
    await main().getByRole('link', { name: items[0].number }).click()
    await page.waitForURL(new RegExp(`/console/invoices/${items[0].reference}$`))
    await journey('invoice-of-schedule', async () => {
      await main().getByRole('link', { name: /^For / }).waitFor()
    })
    await main().getByRole('link', { name: /^For / }).click()
    await page.waitForURL(new RegExp(`/console/invoices/schedules/${schedule.reference}$`))
  })

  test('a schedule is paused and resumed', async () => {
    const path = `/v1/invoice-schedules/${schedule.reference}`
    await main().getByRole('button', { name: 'Pause' }).click()
    await dialog().getByText('Ada Obi gets no invoices until you resume it').waitFor()
    await pictureDialog(page, 'screens/invoices/schedule StatusDialog')
    await press('Pause')
    await journey('schedule-paused', async () => {
      await main().getByText('This schedule is paused').waitFor()
    })
    expect(await read(path)).toMatchObject({ status: 'PAUSED', nextOn: null })
    await main().getByText('Chidi Eze paused it').waitFor()
    await main().getByRole('button', { name: 'Resume' }).click()
    await pictureDialog(page, 'screens/invoices/schedule resume')
    await press('Resume')
    await main().getByRole('button', { name: 'Pause' }).waitFor()
    expect(await read(path)).toMatchObject({ status: 'ACTIVE', runs: 1 })
  })

  test('a schedule is found by its customer and in the list, and ends', async () => {
    await open(`/customers/${ada}`)
    await main()
      .getByRole('link', { name: /^Weekly on / })
      .waitFor()
    await main().getByRole('link', { name: 'All schedules' }).click()
    await main().getByText('Schedules of Ada Obi').waitFor()
    await open('/invoices/schedules')
    await journey('schedules', async () => {
      await main().getByText('Weekly on ').waitFor()
    })
    await main().getByRole('button', { name: 'Status', exact: true }).click()
    await page.getByRole('option', { name: 'Ended' }).click()
    await main().getByText('No schedule matches.').waitFor()
    await main().getByRole('link', { name: 'Show all schedules' }).click()
    await main().getByText('Ada Obi').click()

    await main().getByRole('button', { name: 'End', exact: true }).click()
    await dialog().getByText('This cannot be undone').waitFor()
    await pictureDialog(page, 'screens/invoices/schedule end')
    await press('End schedule')
    await journey('schedule-ended', async () => {
      await main().getByText('This schedule has ended').waitFor()
      expect(await main().getByRole('button', { name: 'Resume' }).count()).toBe(0)
    })
    const ended = await read(`/v1/invoice-schedules/${schedule.reference}`)
    expect(ended).toMatchObject({ status: 'ENDED', nextOn: null })
    const audit = await read('/v1/audit-lines?action=invoice_schedule.change')
    const changes = audit.items.map(
      ({ details }: { details: { reference: string; body: { status: string } } }) =>
        `${details.reference} ${details.body.status}`,
    )
    // Lines of one moment are listed in any order.
    expect(changes.sort()).toEqual(
      ['ACTIVE', 'ENDED', 'PAUSED'].map((status) => `${schedule.reference} ${status}`),
    )
  })

  test('a schedule that cannot be read says so, and one that does not exist', async () => {
    await open('/invoices/schedules/ivs_06drtrktghy852xrt1hpxjswng')
    await page.getByRole('heading', { level: 1, name: 'Nothing was found here' }).waitFor()
    await page.route('**/v1/invoice-schedules*', (route) =>
      route.fulfill({ status: 409, json: { message: 'Not now.', code: 'internal_error' } }),
    )
    await open('/invoices/schedules?status=PAUSED')
    await page.getByText('This could not be loaded').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await main().getByText('No schedule matches.').waitFor()
  })

  test('a customer is erased once its name is typed', async () => {
    await open(`/customers/${ada}`)
    await main().getByRole('button', { name: 'More' }).click()
    await pictureDialog(page, 'screens/customers/customer MoreMenu')
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export all data' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe(`${ada}.json`)
    await main().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Erase personal data' }).click()
    const erase = dialog().getByRole('button', { name: 'Erase for good' })
    expect(await erase.isDisabled()).toBe(true)
    await dialog().getByLabel('Type “Ada Obi” to confirm').fill('Ada Obi')
    await pictureDialog(page, 'screens/customers/erase-dialog EraseDialog')
    await erase.click()
    await journey('customer-erased', async () => {
      await page.getByText('The personal data of this customer was erased').waitFor()
      expect(await main().getByText('ada@example.com').count()).toBe(0)
    })
    expect(await read(`/v1/customers/${ada}`)).toMatchObject({ email: null, phone: null })
  })
})
