import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { takesGzip } from '../server/accept.js'
import type { Document } from '../server/route.js'

const zip = promisify(gzip)

type PageRequest = { headers: IncomingHttpHeaders }

type Page = {
  status: number
  text: string
  nonce: string
  /** Sites that may show the page in a frame. */
  frameOrigins?: string[]
  /** Whether our own pages get no referrer either: the URL gives access, and no form needs it. */
  hidesReferrer?: boolean
}

export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/** A page with its content security policy, compressed if the browser accepts gzip. */
export async function answerPage(request: PageRequest, page: Page): Promise<Document> {
  const isFramed = (page.frameOrigins ?? []).length > 0
  const isZipped = takesGzip(request.headers['accept-encoding'])
  return {
    status: page.status,
    contentType: 'text/html; charset=utf-8',
    body: isZipped ? await zip(page.text) : page.text,
    headers: {
      ...headersOf(page),
      // X-Frame-Options cannot list sites, so frame-ancestors alone decides.
      ...(isFramed && { 'x-frame-options': undefined }),
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
  }
}

/** Where the browser goes after a form: reloading that page sends nothing again. */
export function redirectTo(location: string): Document {
  return { status: 303, body: '', contentType: 'text/plain', headers: { location } }
}

/**
 * Only content of this response may run or load. The URL contains the session reference, so other
 * sites get no referrer; our own forms need it.
 */
export function headersOf({
  nonce,
  frameOrigins = [],
  hidesReferrer = false,
}: Pick<Page, 'nonce' | 'frameOrigins' | 'hidesReferrer'>) {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameOrigins.join(' ') || "'none'"}`,
  ]
  return {
    'content-security-policy': policy.join(';'),
    'referrer-policy': hidesReferrer ? 'no-referrer' : 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    vary: 'accept-encoding',
  }
}
