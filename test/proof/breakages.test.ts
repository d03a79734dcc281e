import { readFileSync } from 'node:fs'
import path from 'node:path'
import { transformSync } from 'rolldown/utils'
import { describe, expect, test } from 'vitest'
import { applyBreakage } from './mutations/apply-breakage.js'
import { breakages } from './mutations/breakages.js'

const root = path.resolve(import.meta.dirname, '../..')

function readSource(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

test('every breakage has a name of its own', () => {
  const names = breakages.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

// `npm run proof:mutations` runs them for an hour. This finds at once what a change of the code
// leaves behind.
describe('every breakage applies to the code of today', () => {
  test.each(breakages)('$name', (breakage) => {
    for (const [file, text] of applyBreakage(breakage, readSource)) {
      expect(text).not.toBe(readSource(file))
      if (file.endsWith('.ts')) expect(transformSync(file, text, { lang: 'ts' }).errors).toEqual([])
    }
  })
})

test('a text that occurs twice is refused', () => {
  const edits = [{ file: 'src/ledger/book.ts', old: 'spendable', new: 'available' }]
  const breakage = { name: 'ambiguous', why: 'For this test.', paths: { of: [], named: [] }, edits }
  expect(() => applyBreakage(breakage, readSource)).toThrow('ambiguous: the text occurs')
})
