import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Document, dataOf, withoutRefs } from '../../sdk/scripts/document.js'
import type { Schema } from '../../sdk/scripts/print-schema.js'
import { Manilla } from '../../sdk/src/manilla.js'
import { csvColumns, csvHeader, csvRows, inBothUnits } from '../../src/api/server/csv.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const key = service.merchant.test.secret
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

const post = async (path: string, body: object) => {
  const headers = { 'idempotency-key': randomUUID() }
  const reply = await service.ask('POST', path, { key, body, headers })
  expect([path, reply.status, reply.text]).toEqual([path, 201, reply.text])
  return reply.json.data
}
const read = async (path: string) => (await service.ask('GET', path, { key })).json.data

async function exportOf(path: string): Promise<Record<string, string>[]> {
  const reply = await service.ask('GET', path, { key, headers: { accept: 'text/csv' } })
  expect(reply.status, reply.text).toBe(200)
  const [head, ...lines] = reply.text.trimEnd().split('\n')
  const names = head!.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [names[index]!, cell])),
  )
}

const minor = (decimal: string) => {
  const [whole, fraction = ''] = decimal.split('.')
  return String(BigInt(whole + fraction.padEnd(6, '0')))
}

beforeAll(async () => {
  await service.chain.advance(40)
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '1000' })
  await service.chain.advance(2)
})

describe('conversions and settlements', () => {
  test('a conversion has every amount in its own asset, in both units', async () => {
    const [sold, bought] = [
      await post('/v1/conversions/quotes', { from: 'USDC', to: 'NGN', amount: '25.5' }),
      await post('/v1/conversions/quotes', { from: 'NGN', to: 'USDC', amount: 100_000_000 }),
    ]
    for (const { reference } of [sold, bought]) {
      await post('/v1/conversions', { quote: reference })
      service.clock.advance(1_000)
    }
    const [ofNaira, ofCoins] = await exportOf('/v1/conversions')
    expect(ofNaira).toMatchObject({
      from: 'NGN',
      to: 'USDC',
      rate: bought.rate,
      sourceAmountMajor: '1000000.00',
      sourceAmountMinor: '100000000',
      feeMajor: '5000.00',
      feeMinor: '500000',
      targetAmountMinor: minor(bought.targetAmount),
    })
    expect(ofNaira!.targetAmountMajor).toMatch(/^\d+\.\d{6}$/)
    expect(Number(ofNaira!.targetAmountMajor)).toBe(Number(bought.targetAmount))
    expect(ofCoins).toMatchObject({
      from: 'USDC',
      to: 'NGN',
      sourceAmountMajor: '25.500000',
      sourceAmountMinor: '25500000',
      feeMajor: '0.127500',
      feeMinor: '127500',
      targetAmountMinor: String(sold.targetAmount),
    })
  })

  test('a settlement to a wallet has naira and coins, in both units', async () => {
    const settlement = { payTo: 'wallet', asset: 'USDC', walletAddress: wallet }
    await service.ask('PATCH', '/v1/settings', { key, body: { settlement } })
    const made = await post('/v1/settlements', { amount: 10_000_000 })
    const [row] = await exportOf('/v1/settlements')
    expect(row).toMatchObject({
      currency: 'NGN',
      amountMinor: '9950000',
      asset: 'USDC',
      assetAmountMinor: minor(made.assetAmount),
      assetFeeMinor: minor(made.assetFee),
    })
    expect(Number(row!.assetAmountMajor)).toBe(Number(made.assetAmount))
  })
})

describe('every export', () => {
  const file = path.resolve(import.meta.dirname, '../../openapi.json')
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document
  const exports = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const isExport = get?.responses['200']?.content?.['text/csv']
    const isList = get?.parameters?.some(({ name }) => name === 'cursor')
    return get && isExport && (isList || path.endsWith('/report')) ? [[path, get] as const] : []
  })

  test('can be written for Excel', () => {
    expect(exports.length).toBeGreaterThan(15)
    for (const [path, { parameters = [] }] of exports)
      expect([path, parameters.some(({ name }) => name === 'excel')]).toEqual([path, true])
  })

  const isAmount = (schema: Schema | undefined): boolean =>
    !!schema && (!!schema['x-unit'] || (schema.anyOf ?? []).some(isAmount))
  const fieldAt = (schema: Schema, [name, ...deeper]: string[]): Schema | undefined => {
    const variants = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
    const found = variants.find(({ properties }) => properties?.[name!])?.properties?.[name!]
    return deeper.length === 0 || !found ? found : fieldAt(found, deeper)
  }

  test('has no amount in one column', async () => {
    for (const [path, described] of exports) {
      if (path.includes('{') || path.endsWith('/report')) continue
      const item = withoutRefs(document, dataOf(described)).properties!.items!.items!
      const reply = await service.ask('GET', path, { key, headers: { accept: 'text/csv' } })
      const names = reply.text.split('\n')[0]!.split(',')
      const single = names.filter((name) => isAmount(fieldAt(item, name.split('.'))))
      expect([path, single]).toEqual([path, []])
    }
  })
})

describe('for Excel', () => {
  async function textOf(parts: AsyncIterable<string>): Promise<string> {
    let text = ''
    for await (const part of parts) text += part
    return text
  }

  test('an export begins with a byte order mark and writes account numbers as text', async () => {
    const transfer = {
      amount: 10_000,
      bankCode: '058',
      accountNumber: '0123456789',
      merchantReference: '00042',
    }
    await post('/v1/disbursements/bank-transfer', transfer)
    const path = '/v1/disbursements/bank-transfer'
    const plain = (await service.ask('GET', path, { key, headers: { accept: 'text/csv' } })).text
    // The SDK, because reading a response as text drops the mark.
    const manilla = new Manilla(key, { baseUrl: service.url })
    const excel = await textOf(manilla.bankTransfers.csv({ excel: '1' }))
    expect(await textOf(manilla.bankTransfers.csv())).toBe(plain)
    expect(plain).toContain(',0123456789,')
    expect(excel).toMatch(/^\ufeff/)
    expect(excel).toContain(',"\t0123456789",')
    expect(excel).toContain(',"\t058",')
    expect(excel).toContain('"\t00042"')
    expect(excel).toContain(',100.00,10000,')
    expect(excel.replace('\ufeff', '').replaceAll(/"\t(\d+)"/g, '$1')).toBe(plain)
  })

  test('another value is refused, and JSON is the same', async () => {
    const wrong = await service.ask('GET', '/v1/conversions?excel=yes', { key })
    expect([wrong.status, wrong.json.message]).toEqual([400, 'excel must be 1.'])
    expect(await read('/v1/conversions?excel=1')).toEqual(await read('/v1/conversions'))
  })

  test('text that Excel would change is kept; formulas stay text; numbers stay numbers', () => {
    const columns = csvColumns('name', 'count', 'asset', inBothUnits('amount'))
    const cellOf = (name: string) => {
      const items = [{ name, count: 12, asset: 'USDC', amount: '-1.5' }]
      const [first, ...others] = csvRows(columns, items, { forExcel: true }).split(',')
      expect(others.join(',')).toBe('12,USDC,-1.500000,-1500000\n')
      return first
    }
    for (const text of ['0123456789', '000013220214150522123456789012', '12-05', '1e10', '3/4'])
      expect(cellOf(text)).toBe(`"\t${text}"`)
    expect(cellOf('=1+1')).toBe("'=1+1")
    expect(cellOf('\t=1+1')).toBe("'\t=1+1")
    expect(cellOf('1=cmd|x')).toBe('1=cmd|x')
    expect(cellOf('order-7')).toBe('order-7')
    expect(csvHeader(columns, { forExcel: true })).toMatch(/^\ufeffname,count/)
  })
})
