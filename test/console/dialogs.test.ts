import { readdirSync, readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { isFull, sizes, takeScreenshot } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson, type Person } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, fill, go, openConsole } from './open-console.js'

/** Every dialog and menu of the console has pictures in `npm run pages`, looked at by people. */

const source = new URL('../../console/src/', import.meta.url)
/** What dialogs are made of. */
const bases = new Set([
  'parts/confirm-dialog ConfirmDialog',
  'screens/operator/reason-dialog ReasonDialog',
])

/** `screens/you/codes ShownCodes`: the file and the component; a second one has the number 2. */
function listDialogs(): string[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const text = readFileSync(new URL(file, source), 'utf8')
      const opened = text.matchAll(
        /^\s*(?:\{.*&& )?<(?:(?:Confirm|Reason)?Dialog|Menu|Popover|CommandList)(?=[\s>])/gm,
      )
      const found = [...opened].map(({ index }) => {
        const before = text.slice(0, index)
        const [, name] = [...before.matchAll(/^(?:export )?(?:function|const) (\w+)/gm)].at(-1)!
        return `${file.replace('.tsx', '')} ${name}`
      })
      return found.map((id, at) => {
        const count = found.slice(0, at + 1).filter((one) => one === id).length
        return count === 1 ? id : `${id} ${count}`
      })
    })
    .filter((id) => !bases.has(id))
}

test('every dialog and menu has an entry with pictures', () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    .join('\n')
  const pictured = [...tests.matchAll(/'((?:frame|parts|screens)\/[\w/-]+ [A-Z]\w*(?: \d)?)'/g)]
    .map(([, id]) => id!)
    .filter((id) => !bases.has(id))
  const dialogs = listDialogs()
  expect(dialogs.length).toBeGreaterThan(60)
  expect(dialogs.sort()).toEqual([...new Set(pictured)].sort())
})

describe.runIf(isFull)('pictures of a merchant', () => {
  let site: Console
  let page: Page
  let paths: Record<
    'held' | 'accepted' | 'waiting' | 'endpoint' | 'link' | 'batch' | 'recipient' | 'claim',
    string
  >

  beforeAll(async () => {
    site = await openConsole(await openBrowser())
    await site.owner.ask('PATCH', '/v1/settings', {
      body: { policies: { bank: { overpayment: 'hold' } } },
    })
    const { payments, endpoint } = await fill(site)
    const other = await site.addMerchant('Bola Foods and Household Supplies')
    await addPerson(site, { role: 'owner', merchant: other.reference })
    const rule = { NGN: { each: 100_000_000, perDay: null }, USDC: null, USDT: null }
    await site.owner.ask('PATCH', '/v1/settings/approvals', {
      body: { appliesTo: 'console', ...rule },
    })
    const to = { bankCode: '058', accountNumber: '0123456789' }
    const asked = await site.finance.ask('POST', '/v1/disbursements/bank-transfer', {
      body: { amount: 185_000_000, ...to },
    })
    const items = [{ ...to, amount: 900_000 }]
    const batch = await site.post('/v1/disbursements/batches', {
      kind: 'bank_transfer',
      name: 'November salaries',
      items,
    })
    const recipient = await site.post('/v1/recipients', to)
    const claim = await site.post('/v1/claims', { amount: 1_250_000, description: 'Refund' })
    const link = (await site.owner.ask('GET', '/v1/checkout/sessions?status=pending')).json.data
    for (const accountNumber of ['0123456789', '9900000073'])
      await site.owner.ask('POST', '/v1/bank-accounts', {
        body: { bankCode: '058', accountNumber, isPrimary: false },
      })
    paths = {
      held: `/payments/${payments[0]!.reference}`,
      accepted: `/payments/${payments[1]!.reference}`,
      waiting: `/payouts/${asked.json.data.reference}`,
      endpoint: `/webhooks/${endpoint.id}`,
      link: `/collect/links/${link.items[0].reference}`,
      batch: `/payouts/batches/${batch.reference}`,
      recipient: `/payouts/recipients/${recipient.reference}`,
      claim: `/payouts/claims/${claim.reference}`,
    }
    await site.become(site.owner)
    page = await site.visit('/console')
  })

  const button = (name: string | RegExp): Locator =>
    page.getByRole('button', { name }).filter({ visible: true }).first()
  const inDialog = (name: string): Locator =>
    page.getByRole('dialog').getByRole('button', { name, exact: true })

  /** Closes what is open, and opens a screen in the large size. */
  async function open(path: string): Promise<void> {
    await page.keyboard.press('Escape')
    await go(page, path)
  }

  async function become(person: Person): Promise<void> {
    await site.become(person)
    await page.goto(`${site.url}/console`)
    await page.waitForSelector('main h1')
  }

  const menus: [string, string, string | RegExp, 'phone' | 'desktop' | undefined][] = [
    ['frame/merchant-menu MerchantMenu', '/', /^Merchants: /, undefined],
    ['frame/user-menu UserMenu', '/', 'Your account', 'desktop'],
    ['frame/top-bar NewMenu', '/', /^New$/, 'desktop'],
    ['frame/tabs More', '/', /^More$/, 'phone'],
    ['frame/test-band ClockMenu', '/', 'Move the clock', undefined],
    ['parts/filters OneFilter', '/payments', /^Received$/, undefined],
    ['screens/balances/period-menu PeriodMenu', '/balances', /^Period: /, undefined],
    ['screens/developers/keys Actions', '/keys', /^Actions: /, undefined],
    ['screens/team/team Actions', '/team', 'Actions: Chidi Eze', undefined],
  ]
  test.each(menus)('%s', async (id, path, name, only) => {
    await open(path)
    await pictureDialog(page, id, {
      open: () => button(name).click(),
      ...(only && { only }),
    })
  })

  test('more filters', async () => {
    for (const name of ['Amount', 'Method', 'Search']) {
      await open('/payments')
      await pictureDialog(page, `parts/filters ${name.toLowerCase()}`, {
        open: () => page.locator('main').getByRole('button', { name, exact: true }).click(),
      })
    }
  })

  test('the menu of a payment', async () => {
    await open(paths.held)
    await pictureDialog(page, 'screens/payments/payment Requery', {
      open: () => page.locator('main').getByRole('button', { name: 'More' }).click(),
    })
  })

  test('palette and keys', async () => {
    await open('/')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByText('Go to Payments').waitFor()
    await pictureDialog(page, 'frame/palette commands')
    await page.getByRole('dialog').getByRole('textbox').fill('okafor')
    await page.getByText('from CHUKA OKAFOR').first().waitFor()
    await pictureDialog(page, 'frame/palette Palette')
    await page.getByRole('dialog').getByRole('textbox').fill('nothing has this name')
    await page.getByText('Nothing found').waitFor()
    await pictureDialog(page, 'frame/palette nothing')
    await open('/')
    await page.keyboard.press('?')
    await page.getByText('Use single keys').waitFor()
    await pictureDialog(page, 'frame/keys-help KeysHelp')
  })

  const asked: [string, string, string | RegExp][] = [
    ['screens/balances/fund-dialog FundDialog', '/balances', 'Add test money'],
    ['screens/collect/create-dialog CreateDialog', '/collect', 'One-time link'],
    ['screens/settings/bank-accounts AddDialog', '/settings/bank-accounts', 'Add bank account'],
    ['screens/settings/bank-accounts ChangeDialog', '/settings/bank-accounts', 'Make primary'],
    ['screens/team/member-dialogs InviteDialog', '/team', 'Invite'],
    ['screens/you/password PasswordDialog', '/you', /password/],
    ['screens/developers/endpoint-form EndpointForm', '/webhooks', 'Endpoint'],
    ['screens/developers/create-key CreateKeyDialog', '/keys', 'Create key'],
  ]
  test.each(asked)('%s', async (id, path, name) => {
    await open(path)
    await page.locator('main').getByRole('button', { name }).first().click()
    await pictureDialog(page, id)
  })

  test('the other forms of Collect', async () => {
    for (const [kind, name] of [
      ['accounts', 'Virtual account'],
      ['dedicated', 'Dedicated account'],
      ['wallets', 'Wallet'],
      ['dedicated-wallets', 'Dedicated wallet'],
    ] as const) {
      await open(`/collect/${kind}`)
      await page.locator('main').getByRole('button', { name }).first().click()
      await pictureDialog(page, `screens/collect/create-dialog ${kind}`)
    }
  })

  test('a payment, a payout, a link and a batch', async () => {
    for (const [id, path, name] of [
      ['screens/payments/decision Confirm', paths.held, /^Accept/],
      ['screens/payments/decision return', paths.held, 'Return'],
      ['screens/payments/refund-dialog RefundDialog', paths.accepted, 'Refund'],
      ['screens/payouts/decide DecideWithReason', paths.waiting, 'Reject…'],
      ['screens/collect/details End', paths.link, 'Cancel it'],
      ['screens/collect/pay-dialog PayDialog', paths.link, 'Pay as customer'],
      ['screens/batches/batch-page Cancel', paths.batch, 'Cancel batch'],
      ['screens/recipients/recipient EditDialog', paths.recipient, 'Edit label'],
      ['screens/recipients/recipient StatusDialog', paths.recipient, 'Disable'],
      ['screens/claims/claim Actions', paths.claim, 'Cancel claim'],
    ] as const) {
      await open(path)
      await page.locator('main').getByRole('button', { name }).first().click()
      await pictureDialog(page, id)
    }
  })

  test('a new recipient', async () => {
    await open('/payouts/recipients')
    await page.locator('main').getByRole('button', { name: 'New recipient' }).first().click()
    await pictureDialog(page, 'screens/recipients/new-recipient NewRecipient')
  })

  test('a new claim, and its link', async () => {
    await open('/payouts/claims')
    await page.locator('main').getByRole('button', { name: 'New claim' }).first().click()
    await pictureDialog(page, 'screens/claims/new-claim NewClaim')
    await page.getByRole('dialog').getByLabel('Amount').fill('12,500')
    await page.getByRole('dialog').getByLabel('For', { exact: true }).fill('Refund of order 1001')
    await inDialog('Set ₦12,500.00 aside').click()
    await page.getByRole('dialog').getByText('/claim/').first().waitFor()
    await pictureDialog(page, 'screens/claims/claim-link ClaimLink')
    await inDialog('Done').click()
  })

  test('a refund by link, and the page of its claim', async () => {
    await open(paths.accepted)
    await button('Refund').click()
    await page.getByRole('dialog').getByLabel('Amount to refund').fill('10.00')
    await page.getByRole('dialog').getByRole('radio', { name: 'Send a link' }).click()
    await page.getByRole('dialog').getByLabel('E-mail address').fill('ada@example.com')
    await pictureDialog(page, 'screens/payments/send-back-by-link')
    await inDialog('Refund ₦10.00').click()
    await page.getByRole('dialog').getByText('/claim/').first().waitFor()
    await inDialog('Done').click()
    await page.getByRole('link', { name: 'By link' }).click()
    await page.getByText('Returns payment').waitFor()
    await takeScreenshot(page, 'claim-of-payment', { fullPage: false })
  })

  test('a refusal in a dialog', async () => {
    await open(paths.accepted)
    await button('Refund').click()
    await page.getByLabel('Amount to refund').fill('99,999.00')
    await inDialog('Refund ₦99,999.00').click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await pictureDialog(page, 'screens/payments/refund-dialog refused')
  })

  test('members', async () => {
    for (const [id, name] of [
      ['screens/team/member-dialogs ChangeDialog', 'Change access'],
      ['screens/team/member-dialogs DisableDialog', 'Disable'],
      ['screens/team/member-dialogs EndSessionsDialog', 'Sign out'],
      ['screens/team/member-dialogs LinkDialog', 'Link for a new password'],
    ] as const) {
      await open('/team')
      await button('Actions: Chidi Eze').click()
      await page.getByRole('menuitem', { name, exact: true }).click()
      await pictureDialog(page, id)
    }
    await inDialog('Make the link').click()
    await page.getByRole('dialog').getByText('/console/join/').first().waitFor()
    await pictureDialog(page, 'screens/team/shown-link ShownLink')
    await inDialog('Done').click()
  })

  test('keys', async () => {
    const act = async (name: string) => {
      await open('/keys')
      await button(/^Actions: /).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Revoke')
    await pictureDialog(page, 'screens/developers/keys RevokeDialog')
    await act('Roll')
    await pictureDialog(page, 'screens/developers/keys RollDialog')
    await inDialog('Roll').click()
    await inDialog('Done').waitFor()
    await pictureDialog(page, 'screens/developers/shown-key ShownKeyDialog')
    await inDialog('Done').click()
  })

  test('an endpoint', async () => {
    const settings = async (name: string) => {
      await open(paths.endpoint)
      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByRole('tabpanel').getByRole('button', { name, exact: true }).click()
    }
    await settings('Switch off')
    await pictureDialog(page, 'screens/developers/endpoint-detail Settings')
    await settings('Delete')
    await pictureDialog(page, 'screens/developers/endpoint-detail Settings 2')
    await settings('Send missed events')
    await page.getByText(/will be sent|Nothing was missed/).waitFor()
    await pictureDialog(page, 'screens/developers/recover-dialog RecoverDialog')
    await open(paths.endpoint)
    await page.getByRole('tab', { name: 'Signing secret' }).click()
    await button('Rotate secret').click()
    await pictureDialog(page, 'screens/developers/endpoint-detail Secret')
    await inDialog('Rotate secret').click()
    await inDialog('I have stored it').waitFor()
    await pictureDialog(page, 'screens/developers/secret-dialog SecretDialog')
    // Shown once: Esc must not lose it.
    await page.keyboard.press('Escape')
    await inDialog('I have stored it').click()
  })

  test('where settlements go', async () => {
    await open('/settlements/schedule')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('combobox', { name: 'Paid to' }).click()
    await page.getByRole('option', { name: 'A wallet, in a stablecoin' }).click()
    await pictureDialog(page, 'screens/settlements/schedule DestinationDialog')
    await open('/settlements')
    await button('Settle now').click()
    await pictureDialog(page, 'screens/settlements/settle-dialog SettleDialog')
  })

  test('a note that is withdrawn', async () => {
    await open(paths.accepted)
    await page.getByLabel('Add a note').fill('Called the customer back.')
    await button('Add note').click()
    await button('Withdraw').click()
    await pictureDialog(page, 'parts/notes Withdraw')
  })

  test('an authenticator app', async () => {
    await open('/you')
    await button('Set up').click()
    await page.getByLabel('Code that the app shows').waitFor()
    await pictureDialog(page, 'screens/you/totp ConfirmTotp')
  })

  test('what support asks for', async () => {
    await become(await addPerson(site, { role: 'support', name: 'Sade Cole' }))
    await open(paths.held)
    await button('Ask for a decision…').click()
    await pictureDialog(page, 'screens/payments/requests Ask')
    await page.setViewportSize(sizes.desktop)
  })
})
