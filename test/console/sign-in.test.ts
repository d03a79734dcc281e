import { Secret, TOTP } from 'otpauth'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { addMembership } from '../../src/team/users.js'
import { picture } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { openManilla, type TestService } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { addUser, goodPassword } from '../support/sign-in.js'
import { pictureDialog } from './dialog-pictures.js'

/** Journeys of people who sign in, with a real browser and a virtual authenticator. */

let service: TestService
let url: string
let context: BrowserContext
let newContext: () => Promise<BrowserContext>
beforeAll(async () => {
  service = await openManilla()
  // Browsers refuse passkeys for 127.0.0.1.
  url = `http://localhost:${service.port}`
  const browser = await openBrowser()
  newContext = async () => {
    const opened = await browser.newContext({ reducedMotion: 'reduce' })
    opened.setDefaultTimeout(15_000)
    return opened
  }
  context = await newContext()
})

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: service.clock.now().getTime(),
  })

async function submitPassword(page: Page, email: string): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', goodPassword)
  await page.click('form button')
}

/** A device that verifies its user and keeps passkeys. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const heading = (page: Page, text: string) =>
  page.waitForSelector(`h1:has-text("${text}")`, { state: 'visible' })

let link: string

test('an owner adds an app, signs in with its codes, and invites', async () => {
  const email = 'amaka@example.com'
  await addUser(service, { email, name: 'Amaka Obi', role: 'owner' })
  const page = await context.newPage()
  await page.goto(`${url}/console/team`)
  await heading(page, 'Sign in')
  await picture(page, 'script', 'console-sign-in')
  // Each page lets people type at once, into the first field that is empty.
  await page.waitForSelector('#email:focus')
  await page.fill('#email', email)
  await page.fill('#password', 'not the password')
  await page.click('form button')
  await page.waitForSelector('#problem:visible')
  await page.waitForSelector('#password:focus')
  await submitPassword(page, email)
  await heading(page, 'Add a second factor')
  const secret = (await page.locator('.card .mono').textContent())!.replaceAll(' ', '')
  await picture(page, 'script', 'console-second-factor')
  await page.waitForSelector('#code:focus')
  await page.fill('#code', codeOf(secret))
  await page.click('form button')
  await heading(page, 'Keep these recovery codes')
  expect(await page.locator('.codes li').count()).toBe(10)
  await page.click('text=Continue to the console')
  // The page that needed the sign-in.
  await heading(page, 'Team')
  expect(new URL(page.url()).pathname).toBe('/console/team')

  // An open console would notice, and go to the sign-in page itself.
  await page.goto('about:blank')
  await context.clearCookies()
  // The code of this step was used.
  service.clock.advance(30_000)
  await page.goto(`${url}/console/you`)
  await heading(page, 'Sign in')
  await submitPassword(page, email)
  await heading(page, 'Enter a code')
  await picture(page, 'script', 'console-code')
  await page.fill('#code', '000000')
  await page.click('form button')
  await page.waitForSelector('text=This code is wrong')
  await page.fill('#code', codeOf(secret))
  await page.click('form button')
  await heading(page, 'You')
  await page.waitForSelector('text=Codes of an app are your second factor.')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await pictureDialog(page, 'screens/you/totp RemoveDialog')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await pictureDialog(page, 'screens/you/passkeys AddDialog')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Make new codes' }).click()
  await pictureDialog(page, 'screens/you/codes CodesCard')
  await page.getByRole('dialog').getByRole('button', { name: 'Make new codes' }).click()
  const stored = page.getByRole('button', { name: 'I have stored them' })
  await stored.waitFor()
  await pictureDialog(page, 'screens/you/codes ShownCodes')
  // Shown once: Esc must not lose them.
  await page.keyboard.press('Escape')
  await stored.click()

  await page.click('a:has-text("Team")')
  await heading(page, 'Team')
  await page.click('button:has-text("Invite")')
  await page.fill('input[type=email]', 'bayo@example.com')
  await page.click('button:has-text("Make the link")')
  await page.waitForSelector('text=Pass this link on')
  const text = await page.locator('[role=dialog]').textContent()
  link = /http:\/\/[\w.:]+(\/console\/join\/[\w-]{43})/.exec(text!)![1]!
  await page.click('button:has-text("Done")')
  await page.waitForSelector('text=Open links')
  await page.close()
})

test('the invited person joins, adds a passkey and signs in with it alone', async () => {
  const phone = await newContext()
  const page = await phone.newPage()
  await page.setViewportSize({ width: 360, height: 740 })
  await addAuthenticator(page)
  await page.goto(url + link)
  await heading(page, 'Join Ada Stores')
  await picture(page, 'script', 'console-join')
  await page.waitForSelector('#name:focus')
  await page.fill('#name', 'Bayo Ade')
  await page.fill('#password', goodPassword)
  await page.click('form button')
  await heading(page, 'Add a second factor')
  await page.click('#passkey')
  await page.waitForURL(`${url}/console`)
  await page.waitForSelector('main h1')

  await page.goto('about:blank')
  await phone.clearCookies()
  await page.goto(`${url}/console/you`)
  await heading(page, 'Sign in')
  await page.click('#passkey')
  await heading(page, 'You')
  const session = await page.evaluate('fetch("/console/session").then((answer) => answer.json())')
  expect((session as { data: object }).data).toMatchObject({
    user: { name: 'Bayo Ade', passkeys: 1, hasTotp: false },
    hasSecondFactor: true,
  })

  // A change of the password asks for the passkey again.
  service.clock.advance(6 * 60_000)
  await page.click('button:has-text("Change password")')
  await page.fill('[role=dialog] input[type=password]', 'seven wet lamps hum at noon')
  await page.click('[role=dialog] button[type=submit]')
  await page.waitForSelector('button:has-text("Use a passkey")')
  await pictureDialog(page, 'frame/step-up-dialog StepUp')
  await page.click('button:has-text("Use a passkey")')
  await page.waitForSelector('text=Password set')
  await page.getByRole('button', { name: /^Remove: / }).click()
  await pictureDialog(page, 'screens/you/passkeys RemoveDialog')
  await phone.close()
})

test('an invited user with an account signs in from the same page, and joins', async () => {
  const email = 'efe@example.com'
  await addUser(service, { email, name: 'Efe Obi' })
  const owner = await addPerson(service, { role: 'owner' })
  const body = { email, role: 'finance', maySeeLive: true }
  const made = await owner.ask('POST', '/v1/team/invitations', { body })
  const page = await (await newContext()).newPage()
  await page.goto(url + new URL(made.json.data.url).pathname)
  await heading(page, 'Join Ada Stores')
  await page.fill('#name', 'Efe Obi')
  await page.fill('#password', 'seven wet lamps hum at noon')
  await page.click('form button')
  await page.waitForSelector('text=enter its password')
  await picture(page, 'script', 'console-join-refused')
  await page.waitForSelector('#password:focus')
  await page.click('a:has-text("sign in")')
  await heading(page, 'Sign in')
  await submitPassword(page, email)
  await heading(page, 'Add a second factor')
  await page.click('text=Later')
  await heading(page, 'Join Ada Stores')
  await picture(page, 'script', 'console-join-accept')
  await page.click('button:has-text("Join")')
  await page.waitForURL(`${url}/console`)
  await page.waitForSelector('main h1')
  await page.close()
})

test('a member who is signed out of one merchant signs in again to see it', async () => {
  const email = 'femi@example.com'
  const { userId } = await addUser(service, { email, name: 'Femi Ojo', role: 'finance' })
  const other = await service.addMerchant('Bola Foods')
  await service.db.transaction(async (tx) => {
    const merchantId = fromReference(prefixes.merchant, other.reference)!
    const membership = { merchantId, userId, role: 'finance', maySeeLive: true } as const
    addMembership(tx, service.clock.now(), membership)
  })
  const page = await (await newContext()).newPage()
  await page.goto(`${url}/console/team`)
  await submitPassword(page, email)
  await page.click('text=Later')
  await heading(page, 'Team')
  const owner = await addPerson(service, { role: 'owner' })
  const path = `/v1/team/users/${toReference(prefixes.user, userId)}/end-sessions`
  expect((await owner.ask('POST', path)).status).toBe(200)
  // The open console notices, and leads to the sign-in page, which asks.
  await heading(page, 'Sign in')
  await page.goto('about:blank')
  // The other merchant needs no new session.
  const session = await page.context().request.get(`${url}/v1/balances`, {
    headers: { 'manilla-merchant': other.reference, 'manilla-mode': 'test' },
  })
  expect(session.status()).toBe(200)
  await page.goto(`${url}/console/team`)
  await heading(page, 'Sign in')
  await submitPassword(page, email)
  await page.click('text=Later')
  await heading(page, 'Team')
  await page.close()
})

test('in live mode a code is asked for once, and what was typed is sent after it', async () => {
  const email = 'dayo@example.com'
  const { secret } = await addUser(service, { email, role: 'owner', hasTotp: true })
  const page = await (await newContext()).newPage()
  await page.goto(`${url}/console/keys`)
  await submitPassword(page, email)
  await heading(page, 'Enter a code')
  await page.fill('#code', codeOf(secret))
  await page.click('form button')
  await heading(page, 'API keys')
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  service.clock.advance(6 * 60_000)

  const dialogs = page.getByRole('dialog')
  const create = async (name: string) => {
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await dialogs.getByLabel('Name').fill(name)
    await dialogs.getByRole('button', { name: 'Create key' }).click()
  }
  await create('Shop backend')
  const asked = dialogs.filter({ hasText: 'Confirm that it is you' })
  const code = asked.getByRole('textbox')
  await code.waitFor()
  await pictureDialog(page, 'frame/step-up-dialog code')
  await code.fill('000000')
  await asked.getByRole('button', { name: 'Confirm' }).click()
  await asked.getByText('This code is wrong').waitFor()
  expect(await code.inputValue()).toBe('')
  await code.fill(codeOf(secret))
  await page.keyboard.press('Enter')
  await dialogs.getByText('sk_live_').waitFor()
  expect(await asked.count()).toBe(0)
  await dialogs.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Shop backend').waitFor()

  await create('Shop worker')
  await dialogs.getByText('sk_live_').waitFor()
  await page.close()
})
