import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { writeAuditLine } from '../../audit/write-line.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { ConsoleSite } from '../../team/passkeys.js'
import type { SignedIn } from '../../team/sessions.js'
import { isLoopbackHost, readSessionToken, readStepToken } from '../auth/session-cookie.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import type { RouteRequest } from '../server/route.js'

/** A request of a user, before or after they have signed in. */
export type Visit = {
  now: Date
  requestId: string
  address: string
  network: string
  browser: string
  headers: IncomingHttpHeaders
  protocol: 'http' | 'https'
  site: ConsoleSite
  /** Token of the session that the browser has now. */
  sessionToken: string | undefined
  /** Token of a sign-in whose password was right. */
  stepToken: string | undefined
}

type VisitRequest = Pick<
  RouteRequest<never, never, never>,
  'now' | 'requestId' | 'address' | 'network' | 'headers' | 'protocol'
>

export function visitOf(
  { consoleUrl }: Pick<ApiParts, 'consoleUrl'>,
  request: VisitRequest,
): Visit {
  const { now, requestId, address, network, headers, protocol } = request
  return {
    now,
    requestId,
    address,
    network,
    browser: headers['user-agent'] ?? '',
    headers,
    protocol,
    site: siteOf(consoleUrl, headers.host ?? ''),
    sessionToken: readSessionToken(request),
    stepToken: readStepToken(request),
  }
}

/**
 * A proxy that ends TLS may hide the protocol. Browsers use passkeys only over TLS, or on
 * loopback.
 */
function siteOf(consoleUrl: string | undefined, host: string): ConsoleSite {
  if (consoleUrl !== undefined) return { origins: [consoleUrl], host: new URL(consoleUrl).hostname }
  const url = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined
  const name = url?.hostname ?? ''
  const plain = isLoopbackHost(host) ? [`http://${host}`] : []
  return { origins: [`https://${host}`, ...plain], host: name }
}

/** Browsers refuse passkeys for addresses that are numbers. */
export function takesPasskeys({ host }: ConsoleSite): boolean {
  return host !== '' && isIP(host.replace(/^\[|\]$/g, '')) === 0
}

type UserAct = {
  email: string
  action: string
  details?: Record<string, unknown>
  /** The user who acts, if they are signed in. */
  by?: Pick<SignedIn, 'userId' | 'sessionId'> | undefined
}

/** Signing in and factors belong to the installation, not to a merchant. */
export function auditUser(tx: Tx, visit: Visit, act: UserAct): void {
  const { now, address, requestId } = visit
  const { email, action, details = {}, by } = act
  const actor = by
    ? ({
        kind: 'user',
        userId: by.userId,
        sessionId: by.sessionId,
        email,
        permissions: nothing,
      } as const)
    : email
  writeAuditLine(tx, now, { actor, action, details, address, requestId })
}

const nothing: ReadonlySet<string> = new Set()
