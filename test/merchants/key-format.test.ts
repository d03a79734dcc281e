import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hintOf, type KeyFormat, makeKey, parseKey } from '../../src/merchants/keys/key-format.js'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const formats: KeyFormat[] = [
  { kind: 'secret', mode: 'test' },
  { kind: 'secret', mode: 'live' },
  { kind: 'public', mode: 'test' },
  { kind: 'public', mode: 'live' },
]

test('a key shows its kind and mode, and its hint reveals nothing', () => {
  for (const format of formats) {
    const key = makeKey(format)
    const text = key.reveal()
    expect(text).toMatch(/^(sk|pk)_(test|live)_[0-9A-Za-z]{38}$/)
    expect(parseKey(text)).toEqual(format)
    expect(hintOf(key)).toBe(`${text.slice(0, 8)}…${text.slice(-4)}`)
    expect(JSON.stringify({ key })).not.toContain(text.slice(8))
  }
})

// The checksum covers the prefix, so a test key cannot be retyped as a live one.
test('a wrong character, swapped neighbours or another prefix fail the checksum', () => {
  const text = makeKey({ kind: 'secret', mode: 'test' }).reveal()
  for (let at = 8; at < text.length; at += 1) {
    for (const letter of alphabet) {
      if (letter === text[at]) continue
      expect(parseKey(text.slice(0, at) + letter + text.slice(at + 1))).toBeUndefined()
    }
    const swapped = text.slice(0, at - 1) + text[at] + text[at - 1] + text.slice(at + 1)
    if (swapped !== text) expect(parseKey(swapped)).toBeUndefined()
  }
  expect(parseKey(text.replace('sk_', 'pk_'))).toBeUndefined()
  expect(parseKey(text.replace('_test_', '_live_'))).toBeUndefined()
})

test('texts that are not keys are refused without an error', () => {
  const text = makeKey({ kind: 'public', mode: 'live' }).reveal()
  const near = [`${text}\n`, ` ${text}`, `${text}0`, text.slice(1), text.toUpperCase(), '']
  for (const wrong of near) expect(parseKey(wrong)).toBeUndefined()
  fc.assert(fc.property(fc.string(), (wrong) => parseKey(wrong) === undefined))
})

// A byte modulo 62 would make the first eight characters a quarter more likely.
test('every character is equally likely', () => {
  const counts = new Map<string, number>()
  const keys = 10_000
  for (let made = 0; made < keys; made += 1)
    for (const letter of makeKey(formats[0]!).reveal().slice(8, 40))
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const expected = (keys * 32) / alphabet.length
  expect(counts.size).toBe(alphabet.length)
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected))
})
