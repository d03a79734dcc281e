import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { koboOfNaira, koboOfText, nairaOfKobo } from '../../../src/rails/bank/naira.js'
import { parseWithNumberTexts } from '../../../src/rails/bank/number-texts.js'

const kobo = fc.bigInt({ min: 0n, max: 10n ** 15n })

describe('naira', () => {
  it('survives a round trip', () => {
    fc.assert(fc.property(kobo, (amount) => koboOfNaira(nairaOfKobo(amount)) === amount))
  })

  it.each([
    ['1500', 150_000n],
    ['1500.5', 150_050n],
    ['1500.50', 150_050n],
    ['0.01', 1n],
    ['100.0000', 10_000n],
    ['-12.30', -1_230n],
  ])('reads %s', (text, amount) => {
    expect(koboOfNaira(text)).toBe(amount)
  })

  it.each(['26.875', '', '.5', '1e3', 'NaN', '1,000', '١'])('does not round %s', (text) => {
    expect(koboOfNaira(text)).toBeUndefined()
  })

  it('reads whole kobo only', () => {
    expect(koboOfText('25000')).toBe(25_000n)
    expect(koboOfText('25000.0')).toBe(25_000n)
    expect(koboOfText('25000.5')).toBeUndefined()
  })
})

describe('JSON with numbers as texts', () => {
  it('equals JSON.parse but for numbers', () => {
    const withTexts = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, one: unknown) =>
        typeof one === 'number' ? JSON.stringify(one) : one,
      )
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseWithNumberTexts(text)).toEqual(withTexts(JSON.parse(text)))
      }),
    )
  })

  it('keeps every digit', () => {
    const text = '{"fee":26.875,"id":123456789012345678901,"list":[1.10,-0.0,1e5],"text":"12"}'
    expect(parseWithNumberTexts(text)).toEqual({
      fee: '26.875',
      id: '123456789012345678901',
      list: ['1.10', '-0.0', '1e5'],
      text: '12',
    })
  })

  it.each(['', '{', '<html>', '{"a":01}'])('refuses %j', (text) => {
    expect(() => parseWithNumberTexts(text)).toThrow()
  })
})
