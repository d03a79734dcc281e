import { expect, test } from 'vitest'
import { createVatReader } from '../../src/ledger/vat-rates.js'
import { sql } from '../../src/postgres/sql.js'
import { expectAllProofs } from '../support/sound-books.js'
import { accounts, openMarket } from './shop.js'

const { db, service, clock, openShop, pass } = await openMarket()

type Shop = Awaited<ReturnType<typeof openShop>>

/** Commas that are not in a quoted text. */
const outsideQuotes = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/

async function exportRows(shop: Shop, path: string): Promise<Record<string, string>[]> {
  const headers = { accept: 'text/csv' }
  const { text } = await service.ask('GET', path, { key: shop.merchant.test.secret, headers })
  const [names, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(outsideQuotes))
  return rows.map((row) =>
    Object.fromEntries(names!.map((name, index) => [name.replace('\uFEFF', ''), row[index]!])),
  )
}

test('exports name the sub-account that paid, and batches the VAT of their fees', async () => {
  await db.rows(sql`
    insert into vat_rates (mode, holds_from, basis_points, given_by, created_at)
    values ('test', '2020-01-01', 750, 'ada', '2020-01-01')`)
  await createVatReader(db)()
  const shop = await openShop()
  const bankAccount = { bankCode: '058', accountNumber: accounts.completes }
  const ada = await shop.addFunded(2_000_000, { name: 'Ada Fabrics', bankAccount })
  const items = [1, 2].map((row) => ({ amount: 100_000 * row, ...bankAccount }))
  const created = await shop.post('/v1/disbursements/batches', {
    kind: 'bank_transfer',
    from: ada.reference,
    items,
  })
  expect(created.status, created.text).toBe(201)
  const batch = `/v1/disbursements/batches/${created.json.data.reference}`
  await pass(2)
  const submitted = await shop.post(`${batch}/submit`)
  expect(submitted.status, submitted.text).toBe(200)
  await pass(10)
  const ended = await shop.get(batch)
  const vatIn = (fee: number) => Math.round((fee * 75) / 1_075)
  expect(ended).toMatchObject({ status: 'COMPLETED', feeVat: vatIn(ended.fee) })
  expect(ended.paid).toMatchObject({ fee: ended.fee, feeVat: vatIn(ended.fee) })
  expect(ended.fee).toBeGreaterThan(0)
  const paid = (await shop.get(`${batch}/items`)).items
  for (const item of paid) expect(item.feeVat).toBe(vatIn(item.fee))
  clock.advance(1_000)
  const settled = await shop.post(`/v1/subaccounts/${ada.reference}/settlements`)
  expect(settled.status, settled.text).toBe(201)
  await shop.fund(1_000_000)
  await shop.payOut({})

  const [exported] = await exportRows(shop, '/v1/disbursements/batches')
  expect(exported).toMatchObject({ from: ada.reference, feeVatMinor: String(vatIn(ended.fee)) })
  const [row] = await exportRows(shop, `${batch}/items`)
  expect(row).toMatchObject({ feeVatMinor: String(vatIn(paid[0].fee)) })
  for (const path of ['/v1/disbursements', '/v1/disbursements/bank-transfer']) {
    const rows = await exportRows(shop, path)
    expect(rows.map(({ from }) => from).sort()).toEqual([
      '',
      ...Array.from({ length: rows.length - 1 }, () => ada.reference),
    ])
  }
  const [settlement] = await exportRows(shop, `/v1/settlements?subaccount=${ada.reference}`)
  expect(settlement).toMatchObject({ subaccount: ada.reference })
  await expectAllProofs(db)
})
