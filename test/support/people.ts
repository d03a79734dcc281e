import { randomUUID } from 'node:crypto'
import type { Route } from '../../src/api/server/route.js'
import type { Mode } from '../../src/base/environment.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import type { Role } from '../../src/team/permissions.js'
import { createSession } from '../../src/team/sessions.js'
import { addMembership, createUser } from '../../src/team/users.js'
import type { Reply, TestService } from './open-manilla.js'
import { checkOperatorAnswer } from './operator-answers.js'

type Described = {
  role?: Role
  /** The merchant's reference; the merchant of the service, if absent. */
  merchant?: string
  maySeeLive?: boolean
  isOperator?: boolean
  hasSecondFactor?: boolean
  /** False: a factor was proven too long ago for a step-up. */
  hasStepUp?: boolean
  name?: string
}

type Request = {
  mode?: Mode
  /** Sent as JSON, unless it is a file. */
  body?: unknown
  headers?: Record<string, string>
  merchant?: string
}

export type Person = Awaited<ReturnType<typeof addPerson>>

/** A person who is signed in to the console, as a browser would be. */
export async function addPerson(
  service: Pick<TestService, 'db' | 'clock' | 'url' | 'merchant'> & { routes?: Route[] },
  described: Described = {},
) {
  const { role, isOperator = false, hasSecondFactor = true, hasStepUp = true } = described
  const merchant = described.merchant ?? service.merchant.reference
  const now = service.clock.now()
  const email = `${randomUUID()}@example.com`
  const name = described.name ?? 'Chidi Eze'
  const { userId, token } = await service.db.transaction(async (tx) => {
    const userId = createUser(tx, now, { email, name, isOperator })
    const merchantId = fromReference(prefixes.merchant, merchant)!
    const { maySeeLive = true } = described
    if (role) addMembership(tx, now, { merchantId, userId, role, maySeeLive })
    const hour = 3_600_000
    const provenAt = hasStepUp ? now : new Date(now.getTime() - hour)
    const place = { address: '127.0.0.1', browser: 'test' }
    const session = { userId, isOperator, hasSecondFactor, provenAt, ...place }
    return { userId, token: createSession(tx, now, session) }
  })
  const cookie = `manilla=${token}`

  async function ask(method: string, path: string, request: Request = {}): Promise<Reply> {
    const { mode = 'test', body, headers = {} } = request
    const isChange = method !== 'GET' && method !== 'HEAD'
    const response = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie,
        'manilla-merchant': request.merchant ?? merchant,
        'manilla-mode': mode,
        ...(isChange && { 'x-manilla-console': '1', origin: service.url }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    // A stream lasts for minutes.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (isStream) await response.body!.cancel()
    const text = isStream ? '' : await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const json = isJson && text !== '' ? JSON.parse(text) : undefined
    if (response.status === 200 && json)
      checkOperatorAnswer(service.routes ?? [], method, path, json.data)
    return { status: response.status, headers: response.headers, text, json }
  }
  return { userId, email, name, token, cookie, ask }
}
