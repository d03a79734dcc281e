import { fromReference, prefixes } from '../../src/base/ids.js'
import { createPasswords, savePassword } from '../../src/team/passwords.js'
import type { Role } from '../../src/team/permissions.js'
import { newTotpSecret, saveTotpSecret } from '../../src/team/totp.js'
import { addMembership, createUser } from '../../src/team/users.js'
import type { Reply, TestService } from './open-manilla.js'

/** Stored with each password, so that a test need not wait for half a second. */
export const quickCost = { cost: 2 ** 10, blockSize: 8, parallelism: 1 }

type Wanted = {
  email: string
  name?: string
  password?: string
  role?: Role
  isOperator?: boolean
  /** An authenticator app. */
  hasTotp?: boolean
  merchant?: string
}

export const goodPassword = 'ripe mango under seven umbrellas'

/** A user with a password, as after joining. Returns the secret of the authenticator app, too. */
export async function addUser(
  { db, clock, seal, merchant }: Pick<TestService, 'db' | 'clock' | 'seal' | 'merchant'>,
  wanted: Wanted,
) {
  const { email, name = 'Ngozi Ade', password = goodPassword, isOperator = false } = wanted
  const now = clock.now()
  const hashed = await createPasswords(quickCost).hash(password)
  const secret = newTotpSecret()
  const userId = await db.transaction(async (tx) => {
    const userId = createUser(tx, now, { email, name, isOperator })
    savePassword(tx, now, userId, hashed)
    if (wanted.hasTotp) saveTotpSecret(tx, now, { userId, sealed: seal.seal(secret), step: 0 })
    const merchantId = fromReference(prefixes.merchant, wanted.merchant ?? merchant.reference)!
    if (wanted.role)
      addMembership(tx, now, { merchantId, userId, role: wanted.role, maySeeLive: true })
    return userId
  })
  return { userId, email, name, password, secret }
}

type Sent = { headers?: Record<string, string>; body?: unknown; form?: Record<string, string> }

/** A browser with cookies, without script. It is on a page of the service unless told otherwise. */
export function openJar(url: string) {
  const cookies = new Map<string, string>()

  async function send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const { headers = {}, body, form } = sent
    const isChange = method !== 'GET'
    const content = form ? new URLSearchParams(form).toString() : body && JSON.stringify(body)
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const all: Record<string, string> = {
      ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
      ...(isChange && { origin: url, 'sec-fetch-site': 'same-origin' }),
      ...(isChange && !form && { 'x-manilla-console': '1' }),
      ...(content !== undefined && { 'content-type': type }),
      ...headers,
    }
    const given = Object.entries(all).filter(([, value]) => value !== '')
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: given as [string, string][],
      ...(content !== undefined && { body: content as string }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (cookie.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const json = isJson && text !== '' ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, json }
  }
  return {
    cookies,
    get: (path: string, sent?: Sent) => send('GET', path, sent),
    post: (path: string, body: unknown = {}, sent?: Sent) => send('POST', path, { body, ...sent }),
    submit: (path: string, form: Record<string, string>, sent?: Sent) =>
      send('POST', path, { form, ...sent }),
    remove: (path: string, sent?: Sent) => send('DELETE', path, sent),
    patch: (path: string, body: unknown, sent?: Sent) => send('PATCH', path, { body, ...sent }),
  }
}

export type Jar = ReturnType<typeof openJar>
