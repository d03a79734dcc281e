import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Refusal } from '../../base/refusal.js'
import { takesGzip } from '../server/accept.js'
import type { Document } from '../server/route.js'

export type PageScript = { fileName: string; text: string; zipped: Buffer }

/** Compiled from web/. Found in dist/ also when this file runs from src/. */
const compiled = new URL('../../../dist/web/', import.meta.url)

/** The name contains a hash of the script, so browsers may cache it forever. */
export function readPageScript(name: 'checkout' | 'sign-in'): PageScript {
  const text = readFileSync(new URL(`${name}-script.js`, compiled), 'utf8')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return { fileName: `${name}-${hash}.js`, text, zipped: gzipSync(text, { level: 9 }) }
}

export function answerScript(
  script: PageScript,
  { name, headers }: { name: string; headers: IncomingHttpHeaders },
): Document {
  if (name !== script.fileName)
    throw new Refusal('not_found', { message: 'File not found. Reload the page.' })
  const isZipped = takesGzip(headers['accept-encoding'])
  return {
    status: 200,
    contentType: 'text/javascript; charset=utf-8',
    body: isZipped ? script.zipped : script.text,
    headers: {
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
  }
}
