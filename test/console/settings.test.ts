import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { decideKyc } from '../../src/merchants/kyc/kyc-submissions.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { allowCopying, readCopied } from '../support/clipboard.js'
import { openWithBank, type ServiceWithBank } from '../support/open-with-bank.js'
import { addPerson, type Person } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'
import { go } from './open-console.js'

/** Journeys through keys, quick start and settings, as an owner. */

let service: ServiceWithBank
let page: Page

beforeAll(async () => {
  const browser = await openBrowser()
  service = await openWithBank()
  const owner = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await allowCopying(context)
  await context.addCookies([{ name: 'manilla', value: owner.token, url: service.url }])
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
  await page.goto(`${service.url}/console`)
  await page.waitForSelector('main h1')
})

const open = (path: string) => go(page, path)

/** Runs a journey and fails if the page reports an error or breaks its own content policy. */
async function journey(name: string, walk: () => Promise<void>): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await walk()
  expect(stop()).toEqual([])
  await picture(page, 'script', `console-${name}`)
  await page.setViewportSize(sizes.desktop)
}

const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const choose = async (label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}
/** Closes the notification, so that the next one is of the next change. */
const seeSaved = async () => {
  const saved = page.getByRole('alert').filter({ hasText: 'Saved.' })
  await saved.getByRole('button', { name: 'Close' }).click()
  await saved.waitFor({ state: 'detached' })
}
const statusWith = async (key: string, path: string) =>
  (await service.ask('GET', path, { key })).status

async function expectButtonsInside(frame: Locator): Promise<void> {
  const outer = (await frame.boundingBox())!
  for (const each of await frame.getByRole('button').all()) {
    const inner = (await each.boundingBox())!
    expect(inner.x).toBeGreaterThanOrEqual(outer.x)
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
  }
}

describe('the palette', () => {
  // Its code is loaded when it is first opened, which takes longer than the next key.
  test('keys typed right after Ctrl K are searched for, not obeyed by the page', async () => {
    await open('/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('conversion')
    await expect.poll(() => dialog().getByRole('textbox').inputValue()).toBe('conversion')
    expect(page.url()).not.toContain('/payouts/new')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  test('it finds settings, themes and what can be done', async () => {
    const find = async (typed: string, command: string) => {
      await page.keyboard.press('Control+k')
      await dialog().getByRole('textbox').fill(typed)
      await dialog().getByText(command).click()
    }
    await find('settlement', 'Go to Settlements')
    await page.waitForURL('**/console/settlements')
    await find('approvals', 'Go to Settings: Approvals')
    await page.waitForURL('**/console/settings/approvals')
    await find('dark', 'Theme: Dark')
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await find('light', 'Theme: Light')
    await find('colleague', 'Invite a member')
    await dialog().getByText('Invite a person').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/\/console\/team$/)
  })
})

describe('the frame', () => {
  test('the focus follows a navigation to its heading, and / opens the search', async () => {
    await open('/')
    await page.getByRole('link', { name: 'Payments' }).first().click()
    await page.waitForURL('**/console/payments')
    await page.locator('h1:focus').filter({ hasText: 'Payments' }).waitFor()
    await page.keyboard.press('/')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('okafor')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/payments?q=okafor&mode=test')
    await button('Received').click()
    await button('This month').click()
    await page.waitForURL(/from=\d{4}-\d\d-01&to=\d{4}-\d\d-\d\d/)
  })

  test('the band of test mode moves the clock, and being offline is said', async () => {
    await button('Move the clock').click()
    await page.getByRole('menuitem', { name: 'Forward by 3 days' }).click()
    await page.getByText('Test clock +3 days').waitFor()
    await page.evaluate(`dispatchEvent(new Event('offline'))`)
    await page.getByText('You are offline.').waitFor()
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByText('You are offline.').waitFor({ state: 'detached' })
  })
})

describe('keys', () => {
  test('a restricted key is made, copied, rolled and revoked', async () => {
    await open('/keys')
    await journey('keys-create', async () => {
      await button('Create key').click()
      await dialog().getByLabel('Name').fill('Shop backend')
      await dialog().getByRole('radio', { name: 'Restricted' }).check()
      await dialog().getByRole('checkbox', { name: 'Read balances and the statement' }).check()
    })
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await dialog().getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => readCopied(page)).toMatch(/^sk_test_/)
    const key = (await readCopied(page))!
    expect([await statusWith(key, '/v1/balances'), await statusWith(key, '/v1/events')]).toEqual([
      200, 403,
    ])
    await dialog().getByRole('button', { name: 'Done' }).click()

    await button('Actions: Shop backend').click()
    await page.getByRole('menuitem', { name: 'Roll' }).click()
    await dialog().getByRole('button', { name: 'Roll' }).click()
    await dialog().getByRole('button', { name: 'Done' }).click()
    await page.getByText('Rolled').first().waitFor()
    await journey('keys', async () => {
      await button('Actions: Shop backend').first().click()
      await page.getByRole('menuitem', { name: 'Revoke' }).click()
      await dialog().getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('The key is revoked.').waitFor()
    })
  })

  test('quick start runs every call with the test key and shows the event', async () => {
    await open('/quick-start')
    await journey('quick-start', async () => {
      await button('Create a test key').click()
      await page
        .getByText(/Authorization: Bearer sk_test_\w{38}/)
        .first()
        .waitFor()
      for (const step of ['1. Check your key', '2. Create a checkout session'])
        await button(`Run: ${step}`).click()
      await page.getByRole('link', { name: 'Open the payment page' }).waitFor()
      await button('Run: 3. Pay as a customer').click()
      await page
        .getByText(/payment\.\w+|virtual_account\.paid|checkout/)
        .first()
        .waitFor()
      await page.getByText('201').nth(1).waitFor()
    })
  })
})

const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

describe('settings', () => {
  test('the preview shows a look before it is saved', async () => {
    await open('/settings')
    await journey('settings-checkout', async () => {
      await page.getByLabel('Name shown to payers').fill('Chi Bakery')
      await page.getByLabel('Colour', { exact: true }).fill('#7a1f5c')
      const preview = page.frameLocator('iframe')
      await preview.getByText('Chi Bakery').first().waitFor()
      await button('Save').click()
      await seeSaved()
    })
    const { json } = await service.ask('GET', '/v1/settings', {
      key: service.merchant.test.secret,
    })
    expect(json.data.checkout).toMatchObject({ displayName: 'Chi Bakery', colour: '#7a1f5c' })
  })

  test('policies, settlements and fees', async () => {
    await open('/settings/payments')
    await journey('settings-payments', async () => {
      await choose('Too little: Bank transfer', 'Hold')
      await page.getByRole('textbox', { name: 'Naira' }).fill('50000')
      await button('Save').click()
      await seeSaved()
    })
    // Where it was before.
    await open('/settings/settlements')
    await page.waitForURL('**/console/settlements/schedule')
    await journey('settlement-schedule', async () => {
      await choose('Schedule', 'Every week')
      await button('Save').click()
      await seeSaved()
    })
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await journey('settlement-destination', async () => {
      await choose('Paid to', 'A wallet, in a stablecoin')
      await choose('Stablecoin', 'USDT')
      await dialog().getByLabel('Solana address').fill('not an address')
    })
    await dialog().getByRole('button', { name: 'Change' }).click()
    await dialog().getByText('must be').first().waitFor()
    await dialog().getByLabel('Solana address').fill(wallet)
    await dialog().getByRole('button', { name: 'Change' }).click()
    await seeSaved()
    await page.getByText(wallet).waitFor()
    const { json } = await service.ask('GET', '/v1/settings', {
      key: service.merchant.test.secret,
    })
    expect(json.data).toMatchObject({
      policies: { bank: { underpayment: 'hold' } },
      lowBalance: { NGN: 5_000_000 },
      settlement: { schedule: 'weekly', payTo: 'wallet', asset: 'USDT', walletAddress: wallet },
    })
    await open('/settings/fees')
    await journey('settings-fees', async () => {
      await page.getByText('at most ₦2,000.00').waitFor()
    })
  })

  test('a bank account is added after the bank has named its holder', async () => {
    await open('/settings/bank-accounts')
    await button('Add bank account').click()
    await choose('Bank', 'Guaranty Trust Bank')
    await dialog().getByLabel('Account number').fill('012 345 6789')
    await dialog()
      .getByText(/confirms this name/)
      .waitFor()
    await dialog().getByRole('button', { name: 'Add bank account' }).click()
    await journey('settings-bank-accounts', async () => {
      await page.getByText('Primary', { exact: true }).waitFor()
    })
  })

  test('KYC is filled in, documented, submitted and questioned', async () => {
    await open('/settings/kyc')
    const fill = (label: string, value: string) =>
      page.getByLabel(label, { exact: true }).first().fill(value)
    await fill('Legal name', 'Ada Stores')
    await choose('Type', 'Sole trader')
    await fill('Address', '12 Allen Avenue')
    await fill('City', 'Ikeja')
    await fill('State', 'Lagos')
    await fill('What do you sell?', 'Bread')
    await fill('Name', 'Ada Obi')
    await fill('Email', 'ada@example.com')
    await fill('Phone', '+2348012345678')
    await button('Add person').click()
    await fill('Full name', 'Ada Obi')
    await choose('Position', 'Owner')
    await fill('Date of birth', '1990-05-01')
    await fill('BVN', '22212345678')
    await button('Save draft').click()
    await page.getByText('2 things are missing').waitFor()
    for (const kind of ['Identity document of an owner or director', 'Proof of address']) {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button(`Upload: ${kind}`).click(),
      ])
      const file = { name: 'paper.pdf', mimeType: 'application/pdf', buffer: pdf }
      await chooser.setFiles(file)
      await button(`Add another: ${kind}`).waitFor()
    }
    await journey('settings-kyc', async () => {
      await button('Submit').click()
      await pictureDialog(page, 'screens/settings/kyc KycPage')
      await dialog().getByRole('button', { name: 'Submit' }).click()
      await page.getByText('Under review', { exact: true }).waitFor()
    })
    const { merchantId } = service.merchant.environments.live
    await service.db.transaction((tx) =>
      decideKyc(tx, service.clock.now(), {
        merchantId,
        outcome: 'ask',
        note: 'The paper is not readable.',
        decidedBy: 'operator',
      }),
    )
    // The console may still show what it read a moment ago.
    await page.reload()
    await journey('settings-kyc-asked', async () => {
      await page.getByText('The paper is not readable.').waitFor()
    })
  })
})

const pdf = Buffer.from('%PDF-1.7\n% a paper\n')

describe('people', () => {
  const act = async (action: string) => {
    await button('Actions: Chidi Eze').click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }

  test('a member gets another role and is disabled, and their keys are named', async () => {
    const chidi = await addPerson(service, { role: 'admin', name: 'Chidi Eze' })
    const body = { name: 'Key of Chidi', kind: 'secret' }
    const { key } = (await chidi.ask('POST', '/v1/api-keys', { body })).json.data
    await open('/team')
    await act('Change access')
    await choose('Role', 'Developer')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Access changed').waitFor()
    expect((await chidi.ask('GET', '/v1/balances')).status).toBe(401)
    await act('Disable')
    await dialog().getByText('Key of Chidi (Test)').waitFor()
    await dialog().getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    expect(await statusWith(key, '/v1/balances')).toBe(200)
  })

  test('a person is invited by a link that is shown once', async () => {
    await open('/team')
    await button('Invite').click()
    await dialog().getByLabel('Email').fill('Bola@example.com')
    await dialog().getByRole('button', { name: 'Make the link' }).click()
    await dialog().getByText('/console/join/').first().waitFor()
    for (const size of [sizes.desktop, sizes.phone]) {
      await page.setViewportSize(size)
      await expectButtonsInside(dialog())
    }
    // The link is shown once: Esc must not lose it.
    await page.keyboard.press('Escape')
    await dialog().getByRole('button', { name: 'Done' }).click()
    await button('Withdraw: bola@example.com').waitFor()
    expect(await page.content()).not.toContain('/console/join/')
  })

  test('a link for a new password is listed beside invitations, and withdrawn', async () => {
    const efe = await addPerson(service, { role: 'finance', name: 'Efe Ojo' })
    await page.goto(`${service.url}/console/team`)
    await button('Actions: Efe Ojo').click()
    await page.getByRole('menuitem', { name: 'Link for a new password' }).click()
    await dialog().getByRole('button', { name: 'Make the link' }).click()
    await dialog().getByText('/console/join/').first().waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row').filter({ hasText: efe.email })
    await row.filter({ hasText: 'New password · Finance' }).waitFor()
    await journey('team-links', async () => {
      await page.getByText('Open links').waitFor()
    })
    await button(`Withdraw: ${efe.email}`).click()
    await page.getByText('Link withdrawn').waitFor()
    await row.filter({ hasText: 'New password' }).waitFor({ state: 'detached' })
  })

  test('a member without live access gives none, and does not see who lacks a factor', async () => {
    const admin = await addPerson(service, { role: 'admin', maySeeLive: false })
    const context = await page.context().browser()!.newContext({ reducedMotion: 'reduce' })
    await context.addCookies([{ name: 'manilla', value: admin.token, url: service.url }])
    const theirs = await context.newPage()
    theirs.setDefaultTimeout(15_000)
    await theirs.goto(`${service.url}/console/team`)
    await theirs.getByRole('button', { name: 'Invite' }).click()
    const live = theirs.getByRole('checkbox', { name: 'May see live mode' })
    expect(await live.isDisabled()).toBe(true)
    expect(await live.isChecked()).toBe(false)
    expect(await theirs.getByText('Second factor', { exact: true }).count()).toBe(0)
    await context.close()
  })

  test('You says what the session counts as, and refuses a weak password', async () => {
    await open('/you')
    await page.getByText('This session counts as one with a second factor').waitFor()
    await button('Set a password').click()
    const set = () => dialog().getByRole('button', { name: 'Set a password' }).click()
    await dialog().getByLabel('New password').fill('password1234')
    await set()
    await dialog().getByText('is one of those that are guessed first').first().waitFor()
    await dialog().getByLabel('New password').fill('lagoon copper violin thirteen')
    await set()
    await page.getByText('You have a password.').waitFor()
  })
})

describe('controls of payouts', () => {
  const rule = async () => {
    const { json } = await service.ask('GET', '/v1/settings', { key: service.merchant.test.secret })
    return json.data.approvals.controls
  }
  const control = (name: string) => page.getByRole('switch', { name: new RegExp(`^${name}`) })
  const amount = () => page.getByRole('textbox', { name: 'At most' })
  const hooks = 'https://shop.example/hooks'
  let admin: Person

  beforeAll(async () => {
    admin = await addPerson(service, { role: 'admin', name: 'Efua Mensah' })
    const body = { url: hooks, events: ['payment.*'] }
    const created = await admin.ask('POST', '/v1/webhook-endpoints', { body })
    expect(created.status, created.text).toBe(201)
  })

  /** The page of another member, in a browser of their own. */
  async function visitAs({ token }: Person): Promise<Page> {
    const context = await page.context().browser()!.newContext({ reducedMotion: 'reduce' })
    await context.addCookies([{ name: 'manilla', value: token, url: service.url }])
    const theirs = await context.newPage()
    theirs.setDefaultTimeout(15_000)
    await theirs.setViewportSize(sizes.desktop)
    await theirs.goto(`${service.url}/console/settings/approvals`)
    await theirs.getByRole('switch', { name: 'Callback' }).waitFor()
    return theirs
  }

  test('an owner sets a callback and a limit, and problems stand at their fields', async () => {
    // The console may still show the endpoints that it read before.
    await page.goto(`${service.url}/console/settings/approvals`)
    await control('Callback').check()
    await page.getByLabel('URL').fill('shop.example')
    await page.getByLabel('Minutes to decide').fill('30')
    expect(await page.getByRole('combobox', { name: 'Signed with' }).inputValue()).toBe(hooks)
    await control('Limits per hour').check()
    await page.getByText('Enter an amount or a number').waitFor()
    expect(await button('Save rule').isDisabled()).toBe(true)
    await amount().fill('500,000')
    await button('Save rule').click()
    await page.getByText('must be an absolute URL').first().waitFor()
    expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('URL').fill('https://shop.example/approve')
    await page.getByLabel('Minutes to decide').fill('9999')
    await button('Save rule').click()
    await page.getByLabel('Minutes to decide').and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByLabel('Minutes to decide').fill('30')
    expect(await page.getByLabel('Minutes to decide').getAttribute('aria-invalid')).not.toBe('true')
    await journey('controls', async () => {
      await control('Possible duplicates').check()
      await control('Recipients').check()
      await control('Cooling-off for new recipients').check()
    })
    await control('Recipients').uncheck()
    await button('Save rule').click()
    await page.getByText('The rule applies now.').first().waitFor()
    const limit = { per: 'recipient', window: 'day', currency: 'NGN', amount: 50_000_000 }
    expect(await rule()).toEqual({
      callback: {
        url: 'https://shop.example/approve',
        signedBy: expect.stringMatching(/^we_/),
        retryMinutes: 30,
      },
      recipients: null,
      velocity: [{ ...limit, count: null, above: 'approve' }],
      duplicates: { minutes: 60, requires: 'confirmation' },
    })
  })

  test('another member sees what a change would change, and confirms it', async () => {
    await amount().fill('900,000')
    await button('Add limit').click()
    await amount().nth(1).fill('2,000,000')
    await button('Remove limit 2').click()
    await button('Save rule').click()
    await page.getByText('The rule waits for a second member.').first().waitFor()
    const theirs = await visitAs(admin)
    await theirs.getByText('Before: ₦500,000.00 for each recipient in 24 hours').waitFor()
    await theirs.getByText('After: ₦900,000.00 for each recipient in 24 hours').waitFor()
    expect(await theirs.locator('.rule-changes dt').allTextContents()).toEqual([
      'Limits per hour, day or month',
    ])
    await picture(theirs, 'script', 'console-controls-confirm')
    await theirs.getByRole('button', { name: 'Confirm' }).click()
    await theirs.getByText('The rule applies now.').first().waitFor()
    expect(await rule()).toMatchObject({ velocity: [{ amount: 90_000_000 }] })
    await theirs.context().close()
  })

  test('a member who may not change controls sees them', async () => {
    const theirs = await visitAs(await addPerson(service, { role: 'finance' }))
    expect(await theirs.getByLabel('URL').inputValue()).toBe('https://shop.example/approve')
    expect(await theirs.getByLabel('URL').isDisabled()).toBe(true)
    expect(await theirs.getByRole('textbox', { name: 'At most' }).inputValue()).toBe('900,000.00')
    expect(await theirs.getByRole('switch', { name: /^Recipients/ }).isChecked()).toBe(false)
    for (const name of ['Save rule', 'Add limit', 'Remove limit 1'])
      expect(await theirs.getByRole('button', { name }).count()).toBe(0)
    await picture(theirs, 'script', 'console-controls-seen')
    await theirs.context().close()
  })
})
