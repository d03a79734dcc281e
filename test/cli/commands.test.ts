import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { afterAll, describe, expect, test } from 'vitest'
import { findAccess } from '../../sdk/cli/access.js'
import { filterAliases } from '../../sdk/cli/flag-aliases.js'
import { described } from '../../sdk/cli/flags.js'
import { movesMoney } from '../../sdk/cli/live-moves.js'
import { formatNaira } from '../../sdk/cli/money.js'
import { createProgram } from '../../sdk/cli/program.js'
import { type Flag, readFlags } from '../../sdk/cli/read-flags.js'
import { formatAnswer, formatFields, formatList } from '../../sdk/cli/show.js'
import { type Terminal, tableWidth } from '../../sdk/cli/terminal.js'
import { listRows } from '../../sdk/scripts/document.js'
import { printFlags } from '../../sdk/scripts/print-flags.js'
import { inEither } from '../../src/base/shapes.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'
import { openTerminal } from './terminal.js'

const service = await openWithBank()
const { test: keys, live } = service.merchant
const terminal = openTerminal({ MANILLA_KEY: keys.secret, MANILLA_URL: service.url })
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-cli-'))
afterAll(() => {
  terminal.close()
  rmSync(folder, { recursive: true, force: true })
})

const { run, ask } = terminal
const apiDescription = readFileSync(path.resolve(import.meta.dirname, '../../openapi.json'), 'utf8')

/** The lines of a table, as cells. */
function cellsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
}

/** Every leaf command with its full name. */
function listCommands(command: Command, words: string[] = []): string[] {
  if (command.commands.length === 0) return [words.join(' ')]
  return command.commands.flatMap((one) => listCommands(one, [...words, one.name()]))
}

test('every operation of the client is a command', () => {
  const terminal = { print() {}, note() {}, columns: 80 } as unknown as Terminal
  const commands = listCommands(createProgram(terminal, '0.0.0', []))
  const kebab = (text: string) => text.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)
  const wanted = listRows().map(([name]) => kebab(name).replaceAll('.', ' '))
  expect(commands).toEqual(expect.arrayContaining(wanted))
  const own = ['listen', 'trigger', 'pay', 'logs tail', 'login', 'logout', 'whoami', 'mcp']
  expect(commands.toSorted()).toEqual([...wanted, ...own, 'events resend'].toSorted())
})

describe('flags build the request', () => {
  test('with numbers, nested fields and JSON', async () => {
    const words = ['--amount', '5,000', '--description', 'Bread', '--metadata', '{"b":1,"a":[2]}']
    const customer = ['--customer.name', 'Ada Obi', '--customer.email', 'ada@example.com']
    const session = await ask('checkout', 'sessions', 'create', ...words, ...customer)
    const wanted = { name: 'Ada Obi', email: 'ada@example.com' }
    expect(session).toMatchObject({ amount: 500_000, customer: wanted, metadata: { a: [2], b: 1 } })
    expect(await ask('checkout', 'sessions', 'get', session.reference)).toEqual(session)
  })

  // The request has kobo for naira and decimals for coins; people write neither unit wrong.
  test.each([
    ['NGN', '2500', 250_000],
    ['NGN', '2500.5', 250_050],
    ['NGN', '₦2,500.05', 250_005],
    ['ngn', 'N2,500', 250_000],
    ['USDC', '25', '25'],
    ['USDC', '25.5 USDC', '25.5'],
    ['usdc', '25', '25'],
  ])('with an amount of %s written as %s', async (asset, amount, sent) => {
    const funding = await ask('test', 'fund', '--asset', asset, '--amount', amount)
    expect(funding).toMatchObject({ asset: asset.toUpperCase(), amount: sent })
  })

  test.each([
    ['NGN', '2500.005'],
    ['NGN', '25 USDC'],
    ['NGN', '-5'],
    ['NGN', '1,5'],
    ['NGN', '90071992547409.92'],
    ['USDC', '₦25'],
    ['USDC', '25 USDT'],
  ])('and refuses an amount of %s written as %s', async (asset, amount) => {
    const { code, err } = await run('test', 'fund', '--asset', asset, `--amount=${amount}`)
    expect([code, err]).toEqual([2, expect.stringContaining('--amount must be')])
  })

  test('and says of a correct amount that it is too large', async () => {
    const amount = '99999999999999999999'
    const most = 'at most ₦90,071,992,547,409.91'
    const { err } = await run('virtual-accounts', 'create', '--amount', amount)
    expect(err).toContain(`--amount must be ${most}, not ${amount}.`)
    expect((await run('pay', '1000000000', amount)).err).toContain(most)
  })

  test('in the currency of the payment that is refunded', async () => {
    const { accountReference } = await ask(
      'dedicated-accounts',
      'create',
      '--external-reference',
      'refunded',
    )
    const { reference } = await ask('pay', accountReference, '5000')
    await ask('test', 'fund', '--asset', 'NGN', '--amount', '5000')
    const refunded = await ask('payments', 'refund', reference, '--amount', '1,000.50')
    expect(refunded).toMatchObject({ amountReturning: 100_050 })
    expect((await run('payments', 'refund', reference, '--amount', '6000')).err).toContain(
      `At most ₦3,999.50 of ${reference} can be refunded, not ₦6,000.00.`,
    )
  })

  test('on top of --data, as text or from a file', async () => {
    const file = path.join(folder, 'order.json')
    writeFileSync(file, '{"merchantReference":"from-file","amount":1000}')
    const made = await ask('virtual-accounts', 'create', '--data', `@${file}`, '--amount', '20')
    expect(made).toMatchObject({ merchantReference: 'from-file', amount: 2_000 })
    const data = '{"policies":{"bank":{"underpayment":"hold"}}}'
    const changed = ['--data', data, '--policies.bank.overpayment', 'hold']
    const { policies } = await ask('settings', 'update', ...changed)
    expect(policies.bank).toMatchObject({ underpayment: 'hold', overpayment: 'hold' })
  })

  test('and the same idempotency key runs once', async () => {
    const order = ['--amount', '7', '--merchant-reference', 'once', '--idempotency-key', 'once-1']
    const [first, second] = [
      await ask('virtual-accounts', 'create', ...order),
      await ask('virtual-accounts', 'create', ...order),
    ]
    expect(second).toEqual(first)
    const list = await ask('virtual-accounts', 'list', '--merchant-reference', 'once')
    expect(list.items).toHaveLength(1)
  })
})

describe('batches', () => {
  const line = '0123456789,058,500\n'

  test('are uploaded from a CSV file, shown and submitted', async () => {
    const file = path.join(folder, 'salaries.csv')
    writeFileSync(file, `accountNumber,bankCode,amountNaira\n${line}`)
    const batch = await ask('batches', 'create', file)
    expect(batch).toMatchObject({ name: 'salaries', status: 'VALIDATING', amount: 50_000 })
    const shown = await run('batches', 'show', batch.reference)
    expect(shown.out).toContain(batch.reference)
    const named = await run('batches', 'create', file, '--name', 'November')
    expect(named.out).toMatch(/^bat_\w+ {2}VALIDATING\n {2}1 item, ₦500\.00 plus ₦0\.00 in fees/)
    const early = await run('batches', 'submit', batch.reference)
    expect([early.code, early.err]).toEqual([1, expect.stringContaining('still being validated')])
    const report = await run('batches', 'report', batch.reference)
    expect(report.out).toMatch(/^row,status,/)
    const template = await run('batches', 'template', '--kind', 'crypto_transfer')
    expect(template.out).toContain('destinationAddress,amount,asset')
  })

  test('have a reference before they are checked, and a stopped upload is followed by it', async () => {
    const file = path.join(folder, 'slow.csv')
    writeFileSync(file, `accountNumber,bankCode,amountNaira\n${line}`)
    for (const flags of [[], ['--json']]) {
      const { result, progress, stop } = terminal.start(
        ...['batches', 'create', file, '--wait', ...flags],
      )
      await until(() => result.err !== '')
      const [, reference] = /^Created (bat_\w+)\./.exec(result.err)!
      expect(progress).toEqual([`Checking ${reference}`])
      const { code, out, err } = await stop()
      expect([code, out]).toEqual([130, ''])
      expect(err).toContain(`Stopped waiting; ${reference} is still being checked.`)
      expect(err).toContain(`manilla batches show ${reference}`)
      expect(err).not.toContain('Run the command again')
    }
  })

  test('may be JSON, and problems name the line or the field', async () => {
    const file = path.join(folder, 'batch.json')
    const items = [{ amount: 50_000, bankCode: '058', accountNumber: '0123456789' }]
    writeFileSync(file, JSON.stringify({ kind: 'bank_transfer', items }))
    expect(await ask('batches', 'create', file, '--name', 'Json')).toMatchObject({ name: 'Json' })
    writeFileSync(file, '{')
    expect((await run('batches', 'create', file)).err).toContain('not valid JSON')
    writeFileSync(file, `accountNumber,bankCode,amountNaira\n${line}123,058,x\n`)
    const { code, err } = await run('batches', 'create', file)
    expect([code, err]).toEqual([1, expect.stringContaining('line 3, accountNumber')])
    expect(err).toContain('line 3, amountNaira')
    expect((await run('batches', 'create', path.join(folder, 'none.csv'))).code).toBe(2)
  })
})

describe('pay', () => {
  test.each([
    ['what is asked for', [], 500_000],
    ['naira as people write them', ['1,234.5'], 123_450],
    ['a kobo', ['0.01'], 1],
  ])('%s', async (_, amount, paid) => {
    const account = ['--amount', '5000', '--merchant-reference', 'pay-1']
    const { reference, accountNumber } = await ask('virtual-accounts', 'create', ...account)
    const result = await run('pay', reference, ...amount)
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining(formatNaira(paid)) })
    expect(await ask('virtual-accounts', 'get', reference)).toMatchObject({ amountReceived: paid })
    expect((await run('pay', accountNumber)).out).toContain('₦5,000.00')
  })

  test('finds a session by its reference and refuses an unknown reference', async () => {
    const order = ['--amount', '900', '--description', 'x', '--customer.name', 'A']
    const made = ['checkout', 'sessions', 'create', ...order, '--customer.email', 'a@example.com']
    const { reference } = await ask(...made)
    await ask('pay', reference)
    expect(await ask('checkout', 'sessions', 'get', reference)).toMatchObject({ status: 'paid' })
    expect((await run('pay', 'ada', '5')).code).toBe(2)
    expect((await run('pay', reference, '--asset', 'USDC')).code).toBe(2)
    await ask('dedicated-accounts', 'create', '--external-reference', 'ada')
    expect((await run('pay', 'ada', '5')).out).toContain('₦5.00')
    expect((await run('pay', '1000000000', '1.005')).code).toBe(2)
  })

  test('prints the result, and pays the unpaid account first', async () => {
    const account = ['--amount', '5000', '--merchant-reference', 'fate']
    await ask('virtual-accounts', 'create', ...account)
    await ask('virtual-accounts', 'create', ...account)
    expect((await run('pay', 'fate', '4000')).out).toContain('(underpaid)')
    expect((await run('pay', 'fate')).out).toContain(': accepted.')
    expect((await run('pay', 'fate')).out).toContain(': accepted.')
    expect((await run('pay', 'fate')).out).toContain('(duplicate payment)')
  })

  test.each(['1,5', '5,0', ',5', '1,2345', '0.001', '1e3', '-5', '5,,5x', ''])(
    'refuses the amount "%s"',
    async (amount) => {
      expect((await run('pay', '1000000000', amount)).code).toBe(2)
    },
  )
})

describe('exit codes', () => {
  test.each([
    [0, ['balances', 'list']],
    [0, ['--help']],
    [0, ['virtual-accounts', 'create', '--help']],
    [0, ['--version']],
    [1, ['virtual-accounts', 'get', 'va_none']],
    [1, ['virtual-accounts', 'create', '--amount', '5']],
    [2, ['virtual-accounts', 'create', '--amount', 'five']],
    [2, ['virtual-accounts', 'create', '--nonsense', '5']],
    [2, ['virtual-accounts', 'get']],
    [2, ['virtual-accounts']],
    [2, ['nonsense']],
    [2, ['settings', 'update', '--data', '[1]']],
    [2, ['settings', 'update', '--data', '@/nowhere']],
    [2, ['settings', 'update', '--data', '{']],
    [
      2,
      ['settings', 'update', '--data', '{"policies":"x"}', '--policies.bank.overpayment', 'hold'],
    ],
    [2, ['listen', '--port', 'x']],
    [2, ['balances', 'list', '--live']],
  ])('exit code %i: manilla %s', async (code, words) => {
    const result = await run(...words)
    expect(result.code, result.err).toBe(code)
    if (code > 0) expect(result.err).not.toBe('')
    if (code > 0) expect(result.out).toBe('')
  })

  test('exit code 3 without an answer, with a hint how to start the service', async () => {
    const nowhere = openTerminal({ MANILLA_KEY: keys.secret, MANILLA_URL: 'http://127.0.0.1:9' })
    const result = await nowhere.run('profile', 'get')
    expect(result.code).toBe(3)
    expect(result.err).toContain('npm start')
    nowhere.close()
  }, 30_000)

  test('a refusal names each field and the request id', async () => {
    const { err } = await run('virtual-accounts', 'create', '--amount', '0')
    expect(err).toMatch(/^ {4}--merchant-reference is required$/m)
    expect(err).toMatch(/^ {4}--amount must be at least ₦0\.01/m)
    expect(err).toMatch(/→ .+/)
    expect(err).not.toContain('details')
    const nested = ['checkout', 'sessions', 'create', '--customer.email', 'x', '--data', '{"x":1}']
    const wrong = (await run(...nested)).err
    expect(wrong).toMatch(/^ {4}--customer\.email must be/m)
    expect(wrong).toMatch(/^ {4}x is not/m)
    expect(err).toMatch(/request req_/)
    const json = await run('virtual-accounts', 'create', '--amount', '0', '--json')
    expect(JSON.parse(json.err)).toMatchObject({ code: 'validation_failed', status: 400 })
  })
})

test.each([
  [1, ['virtual-accounts', 'get', 'va_none']],
  [2, ['virtual-accounts', 'list', '--nonsense']],
  [2, ['virtual-accounts', 'get']],
  [2, ['settings', 'update', '--data', '{']],
])('with --json every failure is JSON: exit code %i, manilla %s', async (code, words) => {
  const result = await run(...words, '--json')
  expect([result.code, result.out]).toEqual([code, ''])
  expect(JSON.parse(result.err).message).not.toBe('')
})

test('--data can name the asset', async () => {
  const made = await ask('test', 'fund', '--data', '{"asset":"USDT"}', '--amount', '25')
  expect(made).toMatchObject({ asset: 'USDT', amount: '25' })
})

test.each([
  ['virtual_acount.paid', 'virtual_account.paid'],
  ['checkout.sesion.piad', 'checkout.session.paid'],
  ['virtual_account.pay', 'virtual_account.paid'],
  ['VIRTUAL_ACCOUNT.PAID', 'virtual_account.paid'],
  ['payment.hold', 'payment.held'],
  [
    'paid',
    'virtual_account.paid, checkout.session.paid, invoice.paid, settlement.paid, subaccount_settlement.paid, crypto_wallet.paid',
  ],
  ['payment.explodes', 'payment.held, payment.returning, payment.returned'],
])('trigger %s suggests %s', async (typo, suggestion) => {
  const { code, err } = await run('trigger', typo)
  expect([code, err]).toEqual([2, expect.stringContaining(`Did you mean ${suggestion}`)])
})

test('trigger suggests nothing for a word that is close to nothing', async () => {
  expect((await run('trigger', 'loyalty_points')).err).toContain('manilla trigger --help')
})

test('a list can be filtered by day and by the names that people use', async () => {
  const order = ['--amount', '5', '--merchant-reference', 'order-77']
  const { reference } = await ask('virtual-accounts', 'create', ...order)
  const found = await ask('virtual-accounts', 'list', '--order', 'order-77')
  expect(found.items).toMatchObject([{ reference }])
  const from = ['request-logs', 'list', '--path', '/v1/collections/virtual-accounts', '--from']
  expect((await ask(...from, '2026-01-01')).items).not.toEqual([])
  expect((await ask(...from, '9999-01-01')).items).toEqual([])
  // Every alias that a list has is free, and names one of its own filters.
  for (const [name, { flags }] of Object.entries(described))
    for (const alias of Object.values(filterAliases))
      expect(
        flags.map(([flag]) => flag),
        name,
      ).not.toContain(alias)
})

describe('a list for people', () => {
  const pay = async (order: string, amount: string) => {
    await ask('virtual-accounts', 'create', '--amount', amount, '--merchant-reference', order)
    return ask('pay', order)
  }

  test('shows payer and order, and keeps the payer on a narrow terminal', async () => {
    const { reference } = await pay('wide-1', '12500')
    const payment = await ask('payments', 'get', reference)
    const { name } = payment.sender
    const inLagos = new Date(Date.parse(payment.createdAt) + 3_600_000).toISOString()
    const shown = inLagos.slice(0, 16).replace('T', ' ')
    const listed = ['payments', 'list', '--order', 'wide-1']
    const [head, row] = cellsOf((await run(...listed)).out)
    const first = [
      'reference',
      'createdAt (Lagos)',
      'status',
      'amount',
      'payer',
      'merchantReference',
    ]
    expect(head!.slice(0, 6)).toEqual(first)
    const cells = [reference, shown, 'ACCEPTED', '₦12,500.00', name, 'wide-1']
    expect(row!.slice(0, 6)).toEqual(cells)
    const narrow = openTerminal(terminal.env, { columns: 80 })
    const { out } = await narrow.run(...listed)
    for (const line of out.trim().split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    const [, kept] = cellsOf(out)
    expect(kept!.slice(0, 4)).toEqual([reference, shown.slice(5), 'ACCEPTED', '₦12,500.00'])
    expect(`${name}…`.startsWith(kept![4]!.slice(0, 8))).toBe(true)
    narrow.close()
  })

  test('of requests shows time, path and request id at any width', async () => {
    // Requests of one millisecond are in no order, and earlier tests asked for the same.
    service.clock.advance(1)
    await run('virtual-accounts', 'get', 'va_none')
    const words = ['request-logs', 'list', '--status', '404', '--method', 'get']
    const newest = async () => (await ask(...words)).items[0]
    // Requests are logged after their answers: an earlier one may be the newest for a moment.
    const now = service.clock.now().toISOString()
    await until(async () => (await newest())?.createdAt === now)
    const { requestId } = await newest()
    for (const columns of [70, 120]) {
      const sized = openTerminal(terminal.env, { columns })
      const [head, row] = cellsOf((await sized.run(...words)).out)
      expect(head!.slice(1, 5)).toEqual(['method', 'path', 'status', 'requestId'])
      expect(row!.slice(3, 5)).toEqual(['404', requestId])
      expect(row![0]).toMatch(/\d\d-\d\d \d\d:\d\d:\d\d$/)
      expect(row![2]).toMatch(/va_none$/)
      sized.close()
    }
  })

  test('is as wide as the terminal, else as COLUMNS, else 120', () => {
    expect(tableWidth(90, '220')).toBe(90)
    expect(tableWidth(undefined, '220')).toBe(220)
    for (const wrong of [undefined, '', '0', '-5', '1e3', 'x'])
      expect(tableWidth(undefined, wrong)).toBe(120)
  })

  test('of transfers has one column for bank and coin recipients', () => {
    const rows = [
      { reference: 'bt_1', currency: 'NGN', amount: 5, accountName: 'ADA OBI', narration: null },
      { reference: 'ct_1', asset: 'USDC', amount: '2.5', destinationAddress: '9xQe' },
    ]
    const money = { fields: ['amount'] }
    const shown = formatList({ hasColors: false, columns: 120 }, rows, { money })
    expect(cellsOf(shown)).toEqual([
      ['reference', 'amount', 'recipient'],
      ['bt_1', '₦0.05', 'ADA OBI'],
      ['ct_1', '2.5 USDC', '9xQe'],
    ])
  })

  test('of conversions has both amounts, on 120 columns', () => {
    const rows = [
      {
        reference: 'cnv_019b8d62-7a80-7c31-9f04-5ad2be61e0f7',
        status: 'COMPLETED',
        quote: 'cq_019b8d62-7a80-7c31-9f04-5ad2be61e0f7',
        from: 'NGN',
        to: 'USDC',
        rate: '1605.25',
        sourceAmount: 100_000_000,
        fee: 500_000,
        targetAmount: '619.841128',
        transferReference: null,
        createdAt: '2026-01-05T09:00:00.000Z',
      },
    ]
    const money = { fields: ['sourceAmount', 'fee', 'targetAmount'] }
    const style = { money, operation: 'conversions.list' }
    const [head, row] = cellsOf(formatList({ hasColors: false, columns: 120 }, rows, style))
    expect(head!.slice(1, 7)).toEqual([
      'createdAt (Lagos)',
      ...['sourceAmount', 'targetAmount', 'to', 'from', 'rate'],
    ])
    expect(row!.slice(2, 7)).toEqual(['₦1,000,000.00', '619.841128', 'USDC', 'NGN', '1605.25'])
  })

  test('of batch items says what is wrong, in a code if the terminal is narrow', () => {
    const item = { row: 1, asset: 'NGN', amount: 50_000, accountNumber: '0123456789', warnings: [] }
    const problem = { reason: 'name_mismatch', message: 'The account belongs to ADA OBI.' }
    const warnings = [
      { code: 'paid_recently', message: 'Paid on 2026-11-01.' },
      { code: 'in_another_batch', message: 'Row 1 of bat_1 pays the same.' },
    ]
    const rows = [
      { ...item, status: 'INVALID', accountName: null, problem },
      { ...item, status: 'VALID', accountName: 'ADA OBI', problem: null, warnings },
    ]
    const style = { money: { fields: ['amount'] }, operation: 'batches.items' }
    const show = (columns: number) =>
      cellsOf(formatList({ hasColors: false, columns }, rows, style)).map((row) => row.slice(5))
    expect(show(160)).toEqual([
      ['problem', 'warnings'],
      [problem.message, '-'],
      ['-', 'Paid on 2026-11-01. Row 1 of bat_1 pays the same.'],
    ])
    expect(show(110)).toEqual([
      ['problem', 'warnings'],
      ['name_mismatch', '-'],
      ['-', 'paid_recently in_another_batch'],
    ])
  })

  test('is in the timeline: time, title and amount', async () => {
    const { reference } = await pay('timed-1', '700')
    const { out } = await run('timeline', 'get', reference)
    const [fields = '', table = ''] = out.split('\n\n')
    expect(fields).toMatch(new RegExp(`^reference +${reference}\ntruncated +false$`))
    const [head, ...rows] = cellsOf(table)
    expect(head!.slice(0, 3)).toEqual(['at (Lagos)', 'title', 'amount'])
    const { items } = await ask('timeline', 'get', reference)
    expect(rows.map(([, title]) => title)).toEqual(
      items.map((item: { title: string }) => item.title),
    )
    expect(rows.map(([, , amount]) => amount)).toContain('₦700.00')
  })

  test('has times in Lagos, as filters mean them, and takes what it printed', () => {
    const created = {
      createdAt: '2026-11-16T23:41:05.123Z',
      metadata: { at: '2026-11-16T00:00:00Z' },
    }
    expect(formatFields(created).split('\n')).toEqual([
      'createdAt    2026-11-17 00:41:05 Lagos',
      'metadata.at  2026-11-16T00:00:00Z',
    ])
    const [, row] = cellsOf(formatList({ hasColors: false, columns: 80 }, [created]))
    expect(row![0]).toBe('2026-11-17 00:41')
    const { flags } = described['payments.list']!
    const read = (from: string) => readFlags(flags, { from }, { data: {} }).from
    expect(read('2026-11-17 00:41')).toBe('2026-11-17T00:41:00+01:00')
    expect(read('2026-11-17T00:41:05')).toBe('2026-11-17T00:41:05+01:00')
    for (const asIs of ['2026-11-17', '2026-11-17T00:41:05Z', 'yesterday'])
      expect(read(asIs)).toBe(asIs)
  })

  test('is in a report: days in Lagos, amounts in naira', async () => {
    const data = {
      currency: 'NGN',
      change: { amount: -5 },
      bucket: 'day',
      timeZone: 'Africa/Lagos',
      from: '2026-11-15T23:00:00.000Z',
      metadata: { lines: [{ a: 1 }] },
      buckets: [{ from: '2026-11-15T23:00:00.000Z', amount: 123_456, count: 2 }],
    }
    const { money } = described['reports.received']!
    const shown = formatAnswer({ hasColors: false, columns: 80 }, data, {
      money: { fields: money },
      operation: 'reports.received',
    })
    expect(shown.split('\n')).toEqual([
      'currency            NGN',
      'change.amount       −₦0.05',
      'bucket              day',
      'timeZone            Africa/Lagos',
      'from                2026-11-16 00:00',
      'metadata.lines.0.a  1',
      '',
      'from (Lagos)     amount  count',
      '2026-11-16    ₦1,234.56  2',
    ])
    const { code, out } = await run('reports', 'balance', '--bucket', 'HOUR')
    expect([code, out]).toEqual([0, expect.stringMatching(/\nfrom \(Lagos\) +closing +lowest\n/)])
  })

  test('can be found by words', async () => {
    const { reference } = await pay('found-1', '300')
    for (const words of [
      ['search', 'found-1'],
      ['search', 'list', '--q', 'found-1'],
    ])
      expect((await run(...words)).out).toContain(reference)
    expect(await ask('search', 'order:found-1', 'status:accepted')).toMatchObject([{ reference }])
  })
})

test('an idempotency key is offered where the API takes one', async () => {
  const help = async (...words: string[]) => (await run(...words, '--help')).out
  expect(await help('bank-transfers', 'quote')).not.toContain('--idempotency-key')
  expect(await help('bank-transfers', 'create')).toContain('--idempotency-key')
})

test('an export has a description of its own', () => {
  for (const [name, { about }] of Object.entries(described)) {
    expect(about, name).not.toContain('text/csv')
    if (!name.endsWith('.csv')) continue
    expect(about).toMatch(/^Export [a-z -]+ as CSV to stdout\. /)
    expect(about, name).not.toContain('nextCursor')
  }
})

describe('with a live key', () => {
  const { configFolder } = terminal
  const confirming = (answer?: string) =>
    openTerminal({ MANILLA_KEY: live.secret, MANILLA_URL: service.url }, { answer, configFolder })
  const transfer = ['bank-transfers', 'create', '--amount', '60,000.50', '--bank-code', '058']
  const sent = [...transfer, '--account-number', '0123456789', '--live']

  // The balance is empty: what gets past the question is refused by the service, with exit code 1.
  test('a transfer asks first, and shows amount, recipient and merchant', async () => {
    const { code, err } = await confirming('no').run(...sent)
    expect([code, err]).toEqual([1, expect.stringContaining('Not confirmed. Nothing was done.')])
    expect(err).toMatch(/Send +₦60,000\.50\n/)
    expect(err).toMatch(/Recipient +0123456789 at /)
    expect(err).toMatch(/Merchant +Ada Stores\n/)
  })

  test('a settlement asks first, too', async () => {
    const settle = ['settlements', 'create', '--live']
    const { code, err } = await confirming('no').run(...settle, '--amount', '5000')
    expect([code, err]).toEqual([1, expect.stringContaining('Not confirmed. Nothing was done.')])
    expect(err).toMatch(/Settle +₦5,000\.00\n +Recipient +your primary bank account\n/)
    expect((await confirming('no').run(...settle)).err).toMatch(/Settle +as much as possible\n/)
  })

  test.each([
    ['yes', confirming('yes'), []],
    ['--yes', confirming(), ['--yes']],
  ])('%s sends it', async (_, terminal, words) => {
    const { err } = await terminal.run(...sent, ...words)
    expect(err).not.toContain('Nothing was done')
    expect(err).toMatch(/request req_/)
  })

  test.each([
    sent,
    ['payments', 'refund', 'pay_1', '--live'],
    ['payments', 'resolve', 'pay_1', '--action', 'accept', '--live'],
    ['crypto-transfers', 'create', '--amount', '5', '--asset', 'USDC', '--live'],
  ])('%s %s is refused without a terminal', async (...words) => {
    const { code, out, err } = await confirming().run(...words)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('Add --yes')])
  })

  // A new operation asks until it is listed as harmless.
  test('exactly these operations ask', () => {
    const asking = listRows().filter(([name, row]) => movesMoney(name, row))
    expect(asking.map(([name]) => name)).toEqual([
      'payments.resolve',
      'payments.refund',
      'cryptoTransfers.create',
      'bankTransfers.create',
      'batches.submit',
      'claims.create',
      'subaccounts.update',
      'subaccounts.close',
      'subaccounts.transfer',
      'subaccounts.settle',
      'conversions.create',
      'settlements.create',
    ])
  })

  test('reads and harmless writes do not ask', async () => {
    const { err } = await confirming().run(
      'settings',
      'update',
      '--checkout.color',
      '#0a7d4f',
      '--live',
    )
    expect(err).not.toContain('Add --yes')
    expect((await confirming().run('balances', 'list', '--live')).code).toBe(0)
  })
})

// As in `manilla payments csv | head`, with an export that would never end.
test('an export ends when its reader leaves', async () => {
  const endless = await openReceiver((response) => {
    response.writeHead(200, { 'content-type': 'text/csv' })
    Readable.from(repeat('pay_1,ACCEPTED\n'.repeat(5_000))).pipe(response)
  })
  const manilla = path.resolve(import.meta.dirname, '../../bin/manilla.mjs')
  const line = `"${process.execPath}" "${manilla}" payments csv | head -n 1`
  const env = { ...process.env, MANILLA_KEY: keys.secret, MANILLA_URL: endless.url }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line], { env })
  expect([stdout, stderr]).toEqual(['pay_1,ACCEPTED\n', ''])
})

function* repeat(text: string): Generator<string> {
  for (;;) yield text
}

// A page of a filtered log may be empty and still have a next page.
test('logs tail reads a bounded number of pages, however long the log is', async () => {
  const log = await openReceiver((response, { path: asked }) => {
    const isProfile = asked.startsWith('/v1/profile')
    const data = isProfile ? { merchant: {}, mode: 'test' } : { items: [], nextCursor: 'on' }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ status: true, message: 'Page', data }))
  })
  const far = openTerminal({ MANILLA_KEY: keys.secret, MANILLA_URL: log.url })
  const tailing = far.start('logs', 'tail', '--status', '5xx')
  await until(() => log.received.length > 12)
  expect((await tailing.stop()).code).toBe(0)
  const looks = log.received.filter(({ path: asked }) => !asked.includes('cursor='))
  expect(log.received.length).toBeLessThanOrEqual(looks.length * 10)
  expect(looks.length).toBeGreaterThan(2)
  far.close()
})

// Both save to one file: the one that ends last must not overwrite the other's entry.
test('two merchants listening at once keep their secrets', async () => {
  const other = await service.addMerchant('Bola Foods')
  const { configFolder } = terminal
  const env = { MANILLA_KEY: other.test.secret, MANILLA_URL: service.url }
  const beside = openTerminal(env, { configFolder })
  const first = terminal.start('listen', '--json')
  await until(() => first.result.out.includes('whsec_'))
  const second = beside.start('listen', '--json')
  await until(() => second.result.out.includes('whsec_'))
  await second.stop()
  await first.stop()
  const again = beside.start('listen', '--json')
  await until(() => again.result.out.includes('whsec_'))
  await again.stop()
  expect(again.result.out).toBe(second.result.out)
  expect(again.result.out).not.toBe(first.result.out)
})

describe('which key is used', () => {
  test('a live key is used only with --live', async () => {
    const careful = openTerminal({ MANILLA_KEY: live.secret, MANILLA_URL: service.url })
    expect(await careful.run('balances', 'list')).toMatchObject({ code: 2 })
    expect(await careful.run('balances', 'list', '--live')).toMatchObject({ code: 0 })
    careful.close()
  })

  // Commands for trying things out must never move real money.
  test.each([
    ['trigger', 'crypto_transfer.submitted'],
    ['pay', '1000000000', '5'],
    ['test', 'fund', '--asset', 'NGN', '--amount', '5'],
    ['checkout', 'simulate', 'cs_1'],
  ])('%s never accepts a live key', async (...words) => {
    const careful = openTerminal({ MANILLA_KEY: live.secret, MANILLA_URL: service.url })
    expect((await careful.run(...words)).code).toBe(2)
    expect((await careful.run(...words, '--live')).code).toBe(2)
    careful.close()
  })

  test('environment variables win over a login, a login over the demo merchant', () => {
    const home = mkdtempSync(path.join(folder, 'home-'))
    const configFolder = mkdtempSync(path.join(folder, 'config-'))
    const base = { env: {}, homes: [home], configFolder } as unknown as Terminal
    expect(() => findAccess(base, 'test')).toThrow('No test API key')
    const demo = { baseUrl: 'http://demo', test: { secretKey: 'sk_test_demo' }, live: {} }
    writeFileSync(path.join(home, 'demo.json'), JSON.stringify(demo))
    expect(findAccess(base, 'test').key).toBe('sk_test_demo')
    const login = { baseUrl: 'http://login', test: 'sk_test_login' }
    writeFileSync(path.join(configFolder, 'login.json'), JSON.stringify(login))
    expect(findAccess(base, 'test').key).toBe('sk_test_login')
    const env = { MANILLA_KEY: 'sk_test_env' }
    expect(findAccess({ ...base, env }, 'test')).toMatchObject({ key: 'sk_test_env' })
    writeFileSync(path.join(configFolder, 'login.json'), '{')
    expect(() => findAccess(base, 'test')).toThrow('Cannot read')
  })

  test('a configured service is never replaced by another', async () => {
    const home = mkdtempSync(path.join(folder, 'home-'))
    const demo = { baseUrl: 'http://demo', test: { secretKey: 'a' }, live: { secretKey: 'b' } }
    writeFileSync(path.join(home, 'demo.json'), JSON.stringify(demo))
    const named = openTerminal({ MANILLA_URL: service.url }, { homes: [home] })
    expect((await named.run('balances', 'list')).code).toBe(2)
    named.close()
    const fresh = openTerminal({}, { homes: [home], input: keys.secret })
    await fresh.run('login', '--url', `${service.url}/`)
    expect((await fresh.run('balances', 'list')).code).toBe(0)
    const result = await fresh.run('balances', 'list', '--live')
    expect([result.code, result.err]).toEqual([2, expect.stringContaining('without a live key')])
    fresh.close()
  })

  test('whoami names the merchant and never prints the key', async () => {
    const result = await run('whoami')
    expect(result.out).toContain('MANILLA_KEY')
    expect(result.out).not.toContain(keys.secret)
  })
})

// A module that is not bundled with the program has its own Failure: its hint and exit code get lost.
test('all modules of the program are bundled together', () => {
  const bin = path.resolve(import.meta.dirname, '../../bin')
  const program = readFileSync(path.join(bin, 'run-manilla.mjs'), 'utf8')
  const bundle = readFileSync(path.join(bin, 'bundle.mjs'), 'utf8')
  const imported = [...program.matchAll(/'\.\.\/dist\/(.+)\.js'/g)].map(([, name]) => name)
  expect(imported.length).toBeGreaterThan(2)
  for (const name of imported) expect(bundle).toContain(`  '${name}',\n`)
})

test('text from payers cannot control the terminal', () => {
  const shown = formatFields({ sender: { name: '\u001b[2Jgone\u202e\u0007' }, list: ['\u001b'] })
  for (const sign of ['\u001b', '\u0007', '\u202e']) expect(shown).not.toContain(sign)
  expect(shown).toContain('\\u001b[2Jgone')
})

test('field names and arguments cannot control the terminal', async () => {
  expect(formatFields({ metadata: { '\u001b[31mred': 1 } })).not.toContain('\u001b')
  for (const words of [['trigger'], ['virtual-accounts', 'get'], ['virtual-accounts']]) {
    const { err } = await run(...words, '\u001b]0;title\u0007')
    expect(err).not.toMatch(/(?!\n)\p{Cc}/u)
  }
})

test('people read naira and coins with their unit, programs the answer as it is', async () => {
  const { out } = await run('test', 'fund', '--asset', 'NGN', '--amount', '2500')
  expect(out).toMatch(/^amount +₦2,500\.00$/m)
  await ask('test', 'fund', '--asset', 'USDC', '--amount', '25.5')
  const list = (await run('balances', 'list')).out
  expect(list).toMatch(/^NGN +₦[\d,]+\.\d\d +₦\d[\d,.]+ +₦\d[\d,.]+$/m)
  expect(list).toMatch(/^USDC +[\d.]+ USDC +0 USDC +0 USDC$/m)
  const [naira] = await ask('balances', 'list')
  expect(Number.isInteger(naira.available)).toBe(true)
  const transfer = ['--bank-code', '058', '--account-number', '0123456789']
  await ask('bank-transfers', 'create', '--amount', '12', ...transfer)
  expect((await run('balance-entries', 'list', '--asset', 'NGN')).out).toContain('−₦12.00')
  const tooMuch = await run('bank-transfers', 'create', '--amount', '6000000.50', ...transfer)
  expect(tooMuch.err).toMatch(/needs ₦6,000,050\.50 with its fee; ₦[\d,.]+ is available/)
  const { items } = await ask('events', 'list', '--type', 'bank_transfer.submitted')
  expect((await run('events', 'get', items[0].id)).out).toMatch(/^data\.amount +₦12\.00$/m)
})

test('a nested amount is naira too, and flag names are lower case', async () => {
  const set = async (value: string) =>
    (await ask('settings', 'update', '--low-balance.ngn', value)).lowBalance.NGN
  expect([await set('50.50'), await set('null')]).toEqual([5_050, null])
  const schedule = ['--settlement.reserve', '5000', '--settlement.minimum', '₦1,000']
  const { settlement } = await ask('settings', 'update', ...schedule)
  expect(settlement).toMatchObject({ reserve: 500_000, minimum: 100_000 })
  expect((await run('settings', 'get')).out).toMatch(/^settlement\.reserve +₦5,000\.00$/m)
})

// An amount without a unit in openapi.json would be sent and shown as kobo.
test('no flag speaks of kobo, and every amount in kobo has its unit in openapi.json', () => {
  for (const [name, { flags }] of Object.entries(described))
    for (const [flag, , about] of flags) expect(about, `${name} ${flag}`).not.toMatch(/kobo/i)
  const unmarked: string[] = []
  JSON.parse(apiDescription, (_, value) => {
    const { description, anyOf = [], schema } = Object(value)
    const forms = [Object(value), ...anyOf, Object(schema), ...(Object(schema).anyOf ?? [])]
    const isScalar = forms.some(({ type }) => type === 'integer' || type === 'string')
    if (isScalar && /\bkobo\b/i.test(description) && !forms.some((form) => form['x-unit']))
      unmarked.push(description)
    return value
  })
  expect(unmarked).toEqual([])
})

test('a filter in kobo or coins is written in naira, or in the currency beside it', () => {
  const document = JSON.parse(apiDescription)
  document.paths['/v1/collections/payments'].get.parameters.push({
    name: 'leastAmount',
    in: 'query',
    description: 'At least this: kobo if `currency` is NGN or absent, else a decimal.',
    schema: { type: 'string', ...inEither },
  })
  const about = 'At least this: naira if currency is NGN or absent, else a decimal.'
  expect(printFlags(document)).toContain(`['leastAmount', 'amount', '${about}', false, false]`)
  const flags: Flag[] = [
    ['leastAmount', 'amount', about, false, false],
    ['currency', 'text', '', false, false],
  ]
  const read = (given: object) => readFlags(flags, { ...given }, { data: {} })
  expect(read({ leastAmount: '5,000' })).toEqual({ leastAmount: 500_000 })
  expect(read({ leastAmount: '₦5,000' })).toEqual({ leastAmount: 500_000, currency: 'NGN' })
  expect(read({ leastAmount: '25.5 USDC' })).toEqual({ leastAmount: '25.5', currency: 'USDC' })
  expect(read({ leastAmount: '25.5', currency: 'USDC' })).toEqual({
    leastAmount: '25.5',
    currency: 'USDC',
  })
})

test('large amounts of naira are exact', () => {
  expect(formatNaira(9_007_199_254_740_991)).toBe('₦90,071,992,547,409.91')
  expect(formatNaira(5)).toBe('₦0.05')
})

describe('login', () => {
  const address = ['--url', service.url]

  test('saves a valid key, readable by its owner only, until logout', async () => {
    const fresh = openTerminal({}, { input: `${keys.secret}\n` })
    const result = await fresh.run('login', ...address)
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).not.toContain(keys.secret)
    const file = path.join(fresh.configFolder, 'login.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await fresh.ask('whoami')).toMatchObject({ mode: 'test', source: file })
    await fresh.run('logout')
    expect((await fresh.run('whoami')).code).toBe(2)
    fresh.close()
  })

  test.each([
    [2, 'not a key', 'hello'],
    [2, 'a public key', keys.public],
    [1, 'a key that is not known', `${keys.secret.slice(0, -1)}!`],
  ])('exit code %i, and nothing kept, for %s', async (code, _, input) => {
    const fresh = openTerminal({}, { input })
    expect((await fresh.run('login', ...address)).code).toBe(code)
    expect(existsSync(path.join(fresh.configFolder, 'login.json'))).toBe(false)
    fresh.close()
  })
})
