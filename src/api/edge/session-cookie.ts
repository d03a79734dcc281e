import type { IncomingHttpHeaders } from 'node:http'

/** What decides the name of the cookie. */
type Connection = { protocol: 'http' | 'https'; headers: IncomingHttpHeaders }

/**
 * The cookie of the console. Its `__Host-` name makes browsers refuse it without `Secure`, so on
 * loopback, where the service runs without TLS, it has a plain name.
 */
const secureName = '__Host-manilla'
const plainName = 'manilla'

/** The session token of a request; undefined without one. */
export function readSessionToken(request: Connection): string | undefined {
  const { cookie } = request.headers
  if (!cookie) return undefined
  const wanted = isSecure(request) ? secureName : plainName
  for (const part of cookie.split(';')) {
    const at = part.indexOf('=')
    if (at !== -1 && part.slice(0, at).trim() === wanted) return part.slice(at + 1).trim()
  }
  return undefined
}

/** No expiry: the browser forgets it when it closes, the service after the session's limits. */
export function sessionCookie(request: Connection, token: string): string {
  const [name, secure] = isSecure(request) ? [secureName, '; Secure'] : [plainName, '']
  return `${name}=${token}; Path=/; HttpOnly; SameSite=Strict${secure}`
}

/** Makes the browser forget the session. */
export function clearedCookie(request: Connection): string {
  return `${sessionCookie(request, '')}; Max-Age=0`
}

/** Plain HTTP is accepted on loopback only. */
function isSecure(request: Connection): boolean {
  return request.protocol === 'https' || !isLoopbackHost(request.headers.host)
}

export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.replace(/:\d+$/, '')
  return name === '127.0.0.1' || name === 'localhost' || name === '[::1]'
}
