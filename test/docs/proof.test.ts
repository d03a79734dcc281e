import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error the benchmarks are plain JavaScript
import { renderProof } from '../../bench/render-proof.mjs'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the page of proofs shows the published runs', () => {
  expect(read('docs/operating/proof.md')).toBe(renderProof(JSON.parse(read('bench/proof.json'))))
})
