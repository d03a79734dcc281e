import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { takesGzip } from '../edge/accept.js'
import type { Document } from '../edge/route.js'

const zip = promisify(gzip)

type Asked = { headers: IncomingHttpHeaders }

type Page = {
  status: number
  text: string
  nonce: string
  /** Sites that may show it in a frame. */
  frameOrigins?: string[]
}

export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/** A page with its own policy, compressed where the browser takes that. */
export async function answerPage(asked: Asked, page: Page): Promise<Document> {
  const isZipped = takesGzip(asked.headers['accept-encoding'])
  return {
    status: page.status,
    contentType: 'text/html; charset=utf-8',
    body: isZipped ? await zip(page.text) : page.text,
    headers: { ...headersOf(page), ...(isZipped && { 'content-encoding': 'gzip' }) },
  }
}

/**
 * Nothing but what came with this answer may run or be shown. The address holds the reference, so
 * no other site is told where somebody came from; our own forms need to say it.
 */
export function headersOf({ nonce, frameOrigins = [] }: Pick<Page, 'nonce' | 'frameOrigins'>) {
  const isFramed = frameOrigins.length > 0
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? frameOrigins.join(' ') : "'none'"}`,
  ]
  return {
    'content-security-policy': policy.join(';'),
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    vary: 'accept-encoding',
    // It knows no list of sites: where there is one, the policy alone decides.
    ...(isFramed && { 'x-frame-options': undefined }),
  }
}
