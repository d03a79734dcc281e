import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isSoundPng } from '../../src/merchants/settings/read-logo.js'
import { drawPng } from '../support/draw-png.js'

test('whole pictures can be drawn', () => {
  expect(isSoundPng(drawPng())).toBe(true)
  expect(isSoundPng(drawPng({ colourType: 6 }))).toBe(true)
  expect(isSoundPng(drawPng({ side: 1_024 }))).toBe(true)
})

// A program that trusts such a file would wait for bytes without end, fail later, or run out of memory.
const unsound: Record<string, Buffer> = {
  empty: Buffer.alloc(0),
  'cut off': drawPng().subarray(0, 60),
  'not compressed': drawPng({ data: Buffer.from('no deflate stream') }),
  'with fewer pixels than it says': drawPng({ pixels: Buffer.alloc(40) }),
  'with more pixels than it says': drawPng({ data: deflateSync(Buffer.alloc(30_000_000)) }),
  'with a filter that does not exist': drawPng({ pixels: Buffer.alloc(97 * 32, 9) }),
  'too large': drawPng({ side: 1_025 }),
  'without pixels': drawPng({ side: 0 }),
  interlaced: drawPng({ interlace: 1 }),
  'with a colour type that does not exist': drawPng({ colourType: 5 }),
  'with a palette that is not there': drawPng({ colourType: 3, pixels: Buffer.alloc(33 * 32) }),
  'with a depth that is not drawn': drawPng({ bits: 16, pixels: Buffer.alloc(193 * 32) }),
}

test.each(Object.entries(unsound))('a picture is refused: %s', (_name, png) => {
  expect(isSoundPng(png)).toBe(false)
})

test('a wrong length or checksum is refused', () => {
  const png = drawPng()
  for (let at = 8; at < png.length; at += 1) {
    const changed = Buffer.from(png)
    changed[at]! ^= 0x40
    expect(isSoundPng(changed), `byte ${at}`).toBe(false)
  }
})
