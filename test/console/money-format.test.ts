import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Asset,
  formatCompact,
  formatDigits,
  formatMoney,
  parseMoney,
  toUnits,
  toWire,
} from '../../console/src/parts/money-format.js'

const assets = fc.constantFrom<Asset>('NGN', 'USDC', 'USDT')
const amounts = fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n })

describe('money in the console', () => {
  test.each([
    [1_250_000, 'NGN', '₦12,500.00'],
    [-5n, 'NGN', '−₦0.05'],
    [0, 'NGN', '₦0.00'],
    ['25.5', 'USDC', '25.50 USDC'],
    ['0.000001', 'USDT', '0.000001 USDT'],
    ['-12480.55', 'USDC', '−12,480.55 USDC'],
    ['1000000', 'USDC', '1,000,000.00 USDC'],
  ] as const)('%s %s is shown as %s', (amount, asset, shown) => {
    expect(formatMoney(amount, asset)).toBe(shown)
  })

  test('what is shown reads back as the same amount, to the last unit', () => {
    fc.assert(
      fc.property(amounts, assets, (units, asset) => {
        expect(parseMoney(formatDigits(units, asset), asset)).toBe(units)
        expect(toUnits(toWire(units, asset), asset)).toBe(units)
      }),
    )
  })

  test.each(['12.345', 'abc', '1e6', '-5', '1.2.3', '١٢'])('%s is not an amount', (text) => {
    expect(parseMoney(text, 'NGN')).toBeUndefined()
  })

  test('an empty field is no amount, and separators do not matter', () => {
    expect(parseMoney(' ', 'NGN')).toBeNull()
    expect(parseMoney('₦12,500.5', 'NGN')).toBe(1_250_050n)
    expect(parseMoney('12500.', 'NGN')).toBe(1_250_000n)
  })

  test('axes have short labels', () => {
    expect(formatCompact(25_000_000n, 'NGN')).toBe('₦250k')
    expect(formatCompact(250_000_000n, 'NGN')).toBe('₦2.5m')
    expect(formatCompact('12', 'USDC')).toBe('12')
  })
})
