import type { IncomingHttpHeaders } from 'node:http'

/** What decides the name of the cookie. */
type Connection = { protocol: 'http' | 'https'; headers: IncomingHttpHeaders }

/**
 * The cookie of the console. Its `__Host-` name makes browsers refuse it without `Secure`, so on
 * loopback, where the service runs without TLS, it has a plain name.
 */
const sessionName = 'manilla'
/** Between the password and the second factor. */
const stepName = 'manilla-step'

/** The session token of a request; undefined without one. */
export function readSessionToken(request: Connection): string | undefined {
  return readCookie(request, sessionName)
}

/** The token of a sign-in whose password was right. */
export function readStepToken(request: Connection): string | undefined {
  return readCookie(request, stepName)
}

function readCookie(request: Connection, name: string): string | undefined {
  const { cookie } = request.headers
  if (!cookie) return undefined
  const wanted = nameOf(request, name)
  for (const part of cookie.split(';')) {
    const at = part.indexOf('=')
    if (at !== -1 && part.slice(0, at).trim() === wanted) return part.slice(at + 1).trim()
  }
  return undefined
}

/** No expiry: the browser forgets it when it closes, the service after the session's limits. */
export function sessionCookie(request: Connection, token: string): string {
  return writeCookie(request, sessionName, token)
}

export function stepCookie(request: Connection, token: string): string {
  return writeCookie(request, stepName, token)
}

function writeCookie(request: Connection, name: string, token: string): string {
  const secure = isSecure(request) ? '; Secure' : ''
  return `${nameOf(request, name)}=${token}; Path=/; HttpOnly; SameSite=Strict${secure}`
}

/** Makes the browser forget the session. */
export function clearedCookie(request: Connection): string {
  return `${sessionCookie(request, '')}; Max-Age=0`
}

export function clearedStepCookie(request: Connection): string {
  return `${stepCookie(request, '')}; Max-Age=0`
}

function nameOf(request: Connection, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name
}

/** Plain HTTP is accepted on loopback only. */
function isSecure(request: Connection): boolean {
  return request.protocol === 'https' || !isLoopbackHost(request.headers.host)
}

export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.replace(/:\d+$/, '')
  return name === '127.0.0.1' || name === 'localhost' || name === '[::1]'
}
