import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normaliseName } from '../../src/screening/normalise-name.js'

describe('spelling of a name for comparison', () => {
  test.each([
    ['ADA OBI', 'ada obi'],
    ['Obi, Ada', 'ada obi'],
    ['  Obi   Ada ', 'ada obi'],
    ['Adá Öbi', 'ada obi'],
    ['Ada\u200B Obi', 'ada obi'],
    ['Ａｄａ Ｏｂｉ', 'ada obi'],
    ["O'NEIL", 'oneil'],
    ['O’Neil', 'oneil'],
    ['A.B.C. Trading (Nig.) Ltd.', 'abc ltd nig trading'],
    ['Al-Amin/Trading & Co', 'al amin co trading'],
    ['Straße Łódź Ørsted Æther', 'aether lodz orsted strasse'],
    ['İbrahim', 'ibrahim'],
    ['Ọlá Ṣọlá', 'ola sola'],
    ['Владимир Иванов', 'владимир иванов'],
    ['Company 7', '7 company'],
    ['—…!?', ''],
    ['', ''],
  ])('%j becomes %j', (name, compared) => {
    expect(normaliseName(name)).toBe(compared)
  })

  test('other names stay different: nothing is guessed', () => {
    for (const [one, other] of [
      ['Ada Obi', 'Ada Obi Junior'],
      ['Ada Obi', 'Ada Ob'],
      ['Mohammed Bello', 'Muhammad Bello'],
      ['Ada Ada', 'Ada'],
    ])
      expect(normaliseName(one!)).not.toBe(normaliseName(other!))
  })

  test('the order of words and the case never matter, and a spelling is its own spelling', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const compared = normaliseName(words.join(' '))
        expect(normaliseName(words.toReversed().join(', ').toUpperCase())).toBe(compared)
        expect(normaliseName(compared)).toBe(compared)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const compared = normaliseName(name)
        expect(normaliseName(compared)).toBe(compared)
      }),
    )
  })
})
