import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** Where the build puts what web/ compiles to; the same seen from src/ and from dist/. */
const file = new URL('../../../dist/web/checkout-island.js', import.meta.url)

export type Island = { name: string; text: string; zipped: Buffer }

/** Its name changes with what it says, so that browsers may keep it for ever. */
export function readIsland(): Island {
  const text = readFileSync(file, 'utf8')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return { name: `island-${hash}.js`, text, zipped: gzipSync(text, { level: 9 }) }
}
