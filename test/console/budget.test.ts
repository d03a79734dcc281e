import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

type Chunk = { file: string; css?: string[]; imports?: string[]; isEntry?: boolean }

const folder = new URL('../../dist/console/', import.meta.url)
const chunks: Record<string, Chunk> = JSON.parse(
  readFileSync(new URL('.vite/manifest.json', folder), 'utf8'),
)

const scriptBytesMax = 235_000
const styleBytesMax = 22_000

/** The chunks that load at once with these. */
function withImports(names: string[]): Chunk[] {
  const seen = new Set(names)
  for (const name of seen) for (const next of chunks[name]!.imports ?? []) seen.add(next)
  return [...seen].map((name) => chunks[name]!)
}

const zippedBytes = (files: string[]) =>
  [...new Set(files)]
    .map((file) => gzipSync(readFileSync(new URL(file, folder)), { level: 9 }).length)
    .reduce((sum, bytes) => sum + bytes, 0)

// Phones on slow networks load this before they show anything.
test('the first load of the console stays small', () => {
  const entry = Object.keys(chunks).find((name) => chunks[name]!.isEntry)!
  const first = withImports([entry, 'src/screens/home/home.tsx'])
  const scriptBytes = zippedBytes(first.map(({ file }) => file))
  const styleBytes = zippedBytes(first.flatMap(({ css = [] }) => css))
  console.log(`console first load: ${scriptBytes} bytes of script, ${styleBytes} of styles, gzip`)
  expect(scriptBytes).toBeLessThanOrEqual(scriptBytesMax)
  expect(styleBytes).toBeLessThanOrEqual(styleBytesMax)
})
