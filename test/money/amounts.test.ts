import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as cli from '../../sdk/cli/money.js'
import { limits } from '../../src/base/limits.js'
import {
  formatDecimal,
  formatMoney,
  parseDecimal,
  parseMoney,
  toWire,
} from '../../src/money/amounts.js'
import { type Asset, assetNames, assets } from '../../src/money/assets.js'

const { ledgerMax, wireMax } = limits.money
const asset = fc.constantFrom(...assetNames)
const amount = fc.oneof(
  fc.constantFrom(1n, 9n, 10n, 99n, 100n, 999_999n, 1_000_000n, 1_000_001n, wireMax, ledgerMax),
  fc.bigInt({ min: 1n, max: ledgerMax }),
)

function parse(text: string, of: Asset = 'USDC') {
  return parseDecimal(text, of)
}

test('every amount survives formatting and parsing', () => {
  fc.assert(
    fc.property(amount, asset, (units, of) => {
      expect(parseDecimal(formatDecimal(units, of), of)).toBe(units)
    }),
  )
})

// No leading zeros but the one before the point, no trailing zeros.
test('formatted amounts are canonical', () => {
  fc.assert(
    fc.property(amount, asset, (units, of) => {
      const text = formatDecimal(units, of)
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      expect(text.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(assets[of].decimals)
    }),
  )
})

// Within the allowed digits.
test('leading and trailing zeros change nothing', () => {
  fc.assert(
    fc.property(amount, fc.nat(8), fc.nat(8), (units, before, behind) => {
      const [whole, fraction = ''] = formatDecimal(units, 'USDC').split('.')
      const padded = `${'0'.repeat(before)}${whole}.${fraction}${'0'.repeat(behind + 1)}`
      fc.pre(padded.length - 1 <= limits.money.decimalDigitsMax)
      expect(parse(padded)).toBe(units)
    }),
  )
})

// Exact arithmetic on digits: no floats, no rounding.
test('a text means its digits, counted in the smallest unit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.bigInt({ min: 0n, max: 999_999n }),
      (whole, fraction) => {
        fc.pre(whole + fraction > 0n)
        const text = `${whole}.${fraction.toString().padStart(6, '0')}`
        expect(parse(text)).toBe(whole * 1_000_000n + fraction)
      },
    ),
  )
})

test.each([
  ['1', 'USDC', 1_000_000n],
  ['0.000001', 'USDC', 1n],
  ['25.50', 'USDT', 25_500_000n],
  ['0.10', 'USDC', 100_000n],
  ['007', 'USDC', 7_000_000n],
  ['0.1000000000000000000', 'USDC', 100_000n],
  ['9223372036854.775807', 'USDC', ledgerMax],
  ['0.01', 'NGN', 1n],
  ['12.5', 'NGN', 1_250n],
] as const)('"%s" of %s is %s units', (text, of, units) => {
  expect(parse(text, of)).toBe(units)
})

// Anything else is refused with words that complete "amount …".
describe('refused', () => {
  // biome-ignore format: a list of texts reads better in a block
  const notDigits = [
    '', ' ', '.', '1.', '.5', '-1', '+1', '1e6', '1E6', '1,000', '1_000', '0x10', 'Infinity', 'NaN',
    '1 ', ' 1', '1\n', '1.5.5', '１', '٣', '1٫5', '--', 'null', 'one', '1.-5', '₦5', '1\u00a0000',
  ]
  test.each(notDigits)('%j, which is not a decimal number', (text) => {
    expect(parse(text)).toEqual({ issue: expect.stringContaining('a decimal number') })
  })

  test.each(['0', '0.0', '0.000000', '00000000000000000000'])('%j, which is zero', (text) => {
    expect(parse(text)).toEqual({ issue: 'must be greater than zero' })
  })

  test.each([
    ['0.0000001', 'USDC'],
    ['1.0000010000001', 'USDT'],
    ['0.001', 'NGN'],
  ] as const)('%j of %s, which would have to be rounded', (text, of) => {
    expect(parse(text, of)).toEqual({ issue: expect.stringContaining('decimal places') })
  })

  test.each(['1'.repeat(21), `${'1'.repeat(10)}.${'0'.repeat(11)}`, `${'0'.repeat(20)}1`])(
    '%j, which has too many digits',
    (text) => {
      expect(parse(text)).toEqual({ issue: 'must have at most 20 digits' })
    },
  )

  test.each(['9223372036854.775808', '99999999999999999999'])(
    '%j, which the ledger cannot hold',
    (text) => {
      expect(parse(text)).toEqual({ issue: 'must be at most 9223372036854.775807' })
    },
  )
})

// No text makes the parser throw or return an invalid amount.
test('any text is either a valid positive amount or an issue', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789..-e '), maxLength: 25 })
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits), asset, (text, of) => {
      const read = parseDecimal(text, of)
      if (typeof read === 'bigint') expect(read > 0n && read <= ledgerMax).toBe(true)
      else expect(read.issue).toMatch(/^must /)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  [0n, 'USDC', '0'],
  [-1n, 'USDC', '-0.000001'],
  [-1_500_000n, 'USDT', '-1.5'],
  [1_000_000n, 'USDC', '1'],
  [-250n, 'NGN', '-2.5'],
] as const)('%s of %s is written %s', (units, of, text) => {
  expect(formatDecimal(units, of)).toBe(text)
})

// Naira are integers of kobo, within the range that JSON parsers agree on.
test('naira are written as exact integers, coins as decimal strings', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -wireMax, max: wireMax }), (kobo) => {
      const sent: unknown = JSON.parse(JSON.stringify(toWire(kobo, 'NGN')))
      expect(BigInt(sent as number)).toBe(kobo)
    }),
  )
  expect(toWire(ledgerMax, 'USDC')).toBe('9223372036854.775807')
  expect(() => toWire(wireMax + 1n, 'NGN')).toThrow('NGN fits the wire')
  expect(() => toWire(-wireMax - 1n, 'NGN')).toThrow('NGN fits the wire')
})

test.each([
  [1n, '₦0.01'],
  [50n, '₦0.50'],
  [0n, '₦0.00'],
  [10_000n, '₦100.00'],
  [99_999n, '₦999.99'],
  [-1_200n, '−₦12.00'],
  [-123_456_701n, '−₦1,234,567.01'],
  [wireMax, '₦90,071,992,547,409.91'],
])('%s kobo are written as %s', (kobo, written) => {
  expect(formatMoney(kobo, 'NGN')).toBe(written)
})

test('coins are written with their name', () => {
  expect(formatMoney(25_500_000n, 'USDC')).toBe('25.5 USDC')
  expect(formatMoney(-1_234_567_000_001n, 'USDT')).toBe('−1,234,567.000001 USDT')
})

// The command line ships without the service, so each has its own reader and writer of amounts.
test('the service and the command line read and write the same amounts', () => {
  const amount = fc.bigInt({ min: 1n, max: wireMax })
  fc.assert(
    fc.property(
      amount,
      fc.constantFrom('NGN', 'USDC'),
      fc.boolean(),
      (units, asset, isNegative) => {
        const shown = formatMoney(isNegative ? -units : units, asset)
        const wire = toWire(isNegative ? -units : units, asset)
        expect(cli.formatMoney(wire, asset)).toBe(shown)
        const written = formatMoney(units, asset)
        expect(parseMoney(written, asset)).toBe(units)
        const { decimal } = cli.parseMoney(written)!
        expect(asset === 'NGN' ? cli.toKobo(decimal) : decimal).toBe(toWire(units, asset))
      },
    ),
    { numRuns: 300 },
  )
  for (const text of [
    '1,5',
    '5,0',
    ',5',
    '1,2345',
    '0.001',
    '1e3',
    '-5',
    '₦',
    '₦-5',
    'N',
    'NN5',
    'N5 USDC',
    '5 USDC',
    '',
  ]) {
    expect(typeof parseMoney(text, 'NGN'), text).toBe('object')
    const written = cli.parseMoney(text)
    expect(
      written?.asset === 'USDC' || !written || cli.toKobo(written.decimal) === undefined,
      text,
    ).toBe(true)
  }
  const written = ['5000', '5,000', '₦5,000', '₦ 5000.00', 'NGN 5000', '5000 NGN', ' 5000.0 ']
  for (const text of [...written, 'N5000', 'N5,000', 'N 5000.00']) {
    expect(parseMoney(text, 'NGN'), text).toBe(500_000n)
    expect(cli.toKobo(cli.parseMoney(text)!.decimal), text).toBe(500_000)
  }
})
