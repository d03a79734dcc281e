import { expect, test } from 'vitest'
import { filterActions } from '../../console/src/screens/business/texts.js'
import { actionOf } from '../../src/api/auth/audit-call.js'
import { sql } from '../../src/postgres/sql.js'
import { expectAccessible, sizes, takeScreenshot } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

const service = await openManilla()
const browser = await openBrowser()

test('every action of the filter is one of an operation', () => {
  const operations = service.routes.map(({ operation }) => operation)
  const actions = operations.flatMap((operation) => [
    actionOf(operation),
    actionOf(operation).replace(/\.list$/, '.export'),
  ])
  expect(actions).toEqual(expect.arrayContaining([...filterActions]))
})

test('people read the audit log, look into a line, filter, verify and export', async () => {
  const owner = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
  const url = 'https://shop.example/<script>alert(1)</script>'
  await owner.ask('PATCH', '/v1/settings', { body: { lowBalance: { NGN: 900 } } })
  service.clock.advance(60_000)
  await owner.ask('POST', '/v1/webhook-endpoints', { body: { url, description: '<b>Orders</b>' } })
  const context = await browser.newContext({ reducedMotion: 'reduce', acceptDownloads: true })
  await context.addCookies([{ name: 'manilla', value: owner.token, url: service.url }])
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.clock.setFixedTime(service.clock.now())
  await page.setViewportSize(sizes.desktop)
  await page.goto(`${service.url}/console/audit`)
  const rows = page.locator('table tbody tr:not(.detail)')
  await rows.nth(1).waitFor()
  expect(await rows.allTextContents()).toEqual([
    expect.stringContaining('Ada ObiCreated webhook endpoint'),
    expect.stringContaining('Ada ObiChanged settings'),
  ])
  await rows.nth(1).getByRole('button', { name: 'Details' }).click()
  const detail = await page.locator('tr.detail').textContent()
  expect(detail).toContain(owner.email)
  expect(detail).toContain('"NGN": 900')
  await expectAccessible(page)
  await takeScreenshot(page, 'console-audit-desktop-light')

  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('All 2 lines are as they were written.').waitFor()
  await page.getByText('Verified just now').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  expect((await download).suggestedFilename()).toBe('audit-lines.csv')

  await page.setViewportSize(sizes.phone)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${service.url}/console/audit?action=settings.change`)
  await rows.first().waitFor()
  expect(await rows.count()).toBe(1)
  await expectAccessible(page)
  await takeScreenshot(page, 'console-audit-phone-dark')
  await service.db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    await tx.rows(sql`update audit_lines set actor = 'eve' where number = 1`)
  })
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('line 1 was edited').waitFor()
  expect(errors).toEqual([])
  await context.close()
})
