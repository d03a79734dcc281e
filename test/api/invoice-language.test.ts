import { readFileSync } from 'node:fs'
import PdfDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { invoiceTexts } from '../../src/api/invoice-page/texts.js'
import { runDeadlines } from '../../src/customers/invoices/run-deadlines.js'
import { runSchedules } from '../../src/customers/schedules/run-schedules.js'
import { renderHtml } from '../../src/mail/render-html.js'
import { renderText } from '../../src/mail/render-text.js'
import { listAllMails, openContent } from '../../src/mail/store-mails.js'
import { sql } from '../../src/postgres/sql.js'
import { openInvoicedShop } from '../support/invoiced-shop.js'
import { openWithBank } from '../support/open-with-bank.js'

const service = await openWithBank()
const { db, clock, seal } = service
const dayMs = 86_400_000
const inDays = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString()
const get = async (url: string) =>
  (await service.ask('GET', new URL(url, service.url).pathname)).text
/** What a reader sees. */
const wordsOf = (text: string) =>
  text
    .replace(/<(style|script)[\s\S]*?<\/\1>|<head>[\s\S]*?<\/head>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

/** A shop whose customer has no account of its own, and an address. */
async function openShop() {
  const shop = await openInvoicedShop(service)
  const customer = await shop.ask('POST', '/v1/customers', {
    name: 'Awa Diop',
    email: 'awa@example.com',
  })
  const ofCustomer = { customer: customer.reference }
  return { ...shop, invoice: (more: object) => shop.invoice(1_000_000, { ...ofCustomer, ...more }) }
}

test('an invoice is in English unless its merchant says otherwise', async () => {
  const { ask, send, invoice, customer } = await openShop()
  expect(await invoice({})).toMatchObject({ language: 'en' })
  const lines = [{ description: 'Tissu', unitAmount: 100_000 }]
  const body = { customer: customer.reference, lines }
  const { reference } = await ask('POST', '/v1/invoices', body)
  const path = `/v1/invoices/${reference}`
  expect(await ask('PATCH', path, { language: 'fr' })).toMatchObject({ language: 'fr' })
  expect(await ask('PATCH', path, { memo: 'Merci' })).toMatchObject({ language: 'fr' })
  for (const language of ['de', 'EN', null, 1]) {
    const refused = await send('POST', '/v1/invoices', { ...body, language })
    expect([refused.status, refused.json.details[0].field]).toEqual([400, 'language'])
  }
  await expect(db.rows(sql`update invoices set language = 'de'`)).rejects.toThrow(
    'invoice_language_is_known',
  )
})

test('the page of an invoice in French is in French, and so is its session', async () => {
  const { ask, invoice } = await openShop()
  await ask('PATCH', '/v1/settings', { checkout: { supportEmail: 'aide@shop.example' } })
  const made = await invoice({
    language: 'fr',
    discount: { percent: '2.5' },
    instalments: undefined,
    dueAt: '2036-03-01',
  })
  const text = await get(made.url)
  expect(text).toContain('<html lang="fr">')
  const words = wordsOf(text)
  for (const shown of [
    'Montant à payer ₦9,750.00 À payer au plus tard le 1er mars 2036',
    'Numéro de facture INV-000001 Facturé à Awa Diop',
    'Remise (2,5 %) −₦250.00',
    'Comment payer',
    'Payer ₦9,750.00',
    'Des questions ? Contactez',
  ])
    expect(words).toContain(shown)
  expect(words).not.toMatch(/\b(Amount|Invoice|Pay|Due|Test mode|Powered)\b/)
  const pressed = await fetch(`${service.url}${new URL(made.url).pathname}/pay`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  })
  const session = await get(pressed.headers.get('location')!)
  expect(session).toContain('<html lang="fr">')
  expect(wordsOf(session)).toContain('Facture INV-000001')
  expect(wordsOf(session)).not.toMatch(/\b(Send|Copy|Account|Amount|Pay)\b/)
})

test('the PDF names its language, and its font has every letter of all texts', async () => {
  const { invoice } = await openShop()
  const made = await invoice({ language: 'fr' })
  const pdf = await fetch(`${service.url}${new URL(made.url).pathname}/invoice.pdf`)
  expect(pdf.status).toBe(200)
  expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1')).toContain('/Lang (fr)')
  const files = ['api/invoice-page/texts.ts', 'api/checkout-page/texts.ts', 'base/languages.ts']
  const sources = files.map((file) =>
    readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8'),
  )
  const letters = new Set([...sources.join(''), '\u00a0', ...datesOfYear()])
  letters.delete('\n')
  expect(letters.size).toBeGreaterThan(100)
  for (const weight of ['Regular', 'SemiBold']) {
    const url = new URL(`../../src/api/documents/fonts/NotoSans-${weight}.ttf`, import.meta.url)
    const document = new PdfDocument({ font: '' }) as unknown as OpenDocument
    const { font } = document.font(readFileSync(url))._font
    const missing = [...letters].filter((one) => !font.hasGlyphForCodePoint(one.codePointAt(0)!))
    expect(missing, weight).toEqual([])
  }
})

type Font = { hasGlyphForCodePoint(codePoint: number): boolean }
type OpenDocument = { font(bytes: Buffer): { _font: { font: Font } } }

function datesOfYear(): string {
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2036, month, 15)))
  return months.map((time) => invoiceTexts.fr.date(time)).join('')
}

test('mails about an invoice in French are in French', async () => {
  const { ask, invoice, merchant } = await openShop()
  await ask('PATCH', '/v1/settings', {
    checkout: { supportEmail: 'aide@shop.example' },
    mails: { invoices: true, reminders: true, reminderDays: [7] },
  })
  await invoice({ language: 'fr', dueAt: inDays(2) })
  clock.advance(11 * dayMs)
  await runDeadlines({ db, mode: 'test' }, clock.now())
  const own = await db.rows(sql<{ id: string }>`
    select id from mails where environment_id = ${merchant.environments.test.id}`)
  const ids = new Set(own.map(({ id }) => id))
  const mails = (await listAllMails(db, { limit: 100 })).filter(({ id }) => ids.has(id))
  const kinds = mails.map(({ kind }) => kind).toSorted()
  expect(kinds).toEqual(['invoice', 'invoice_reminder'])
  for (const mail of mails) {
    const content = openContent(seal, mail)
    expect(content.subject).toMatch(/^Test\u00a0: (Facture|Rappel) /)
    const page = renderHtml(content, { hasLogo: false })
    expect(page).toContain('<html lang="fr">')
    const plain = renderText(content)
    expect(plain).toContain('Bonjour Awa Diop')
    expect(plain).toContain('Des questions')
    for (const written of [plain, wordsOf(page)])
      expect(written).not.toMatch(/\b(Invoice|From|Due|Dear|Questions\?|Or open|paid)\b/)
  }
})

test('a schedule passes its language on', async () => {
  const { ask, customer } = await openShop()
  const { reference } = await ask('POST', '/v1/invoice-schedules', {
    customer: customer.reference,
    frequency: 'weekly',
    language: 'fr',
    lines: [{ description: 'Loyer', unitAmount: 100_000 }],
  })
  const path = `/v1/invoice-schedules/${reference}`
  expect(await ask('GET', path)).toMatchObject({ language: 'fr' })
  const run = async () => {
    clock.advance(7 * dayMs)
    await runSchedules({ db, mode: 'test' }, clock.now())
    return (await ask('GET', `/v1/invoices?schedule=${reference}`)).items[0].language
  }
  expect(await run()).toBe('fr')
  await ask('PATCH', path, { language: 'en' })
  expect(await run()).toBe('en')
})
