import { connect } from 'node:net'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, test } from 'vitest'
import { hour, minute } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { createStartLink } from '../../src/team/start-links.js'
import { openManilla, readReply, type TestService } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { addUser, goodPassword, type Jar, openJar } from '../support/sign-in.js'

let service: TestService
beforeAll(async () => {
  service = await openManilla({ trustProxy: true })
})

let counted = 0
const newEmail = () => {
  counted += 1
  return `person${counted}@example.com`
}

/** Each test has a network of its own, so that failures of one do not lock out another. */
let networks = 0
const fromNewNetwork = () => {
  networks += 1
  return { 'x-forwarded-for': `203.0.113.${networks}` }
}

const signInPath = '/console/sign-in'
const codePath = `${signInPath}/code`
const me = '/console/session'

/** 303 after success. */
async function signIn(jar: Jar, email: string, password = goodPassword, headers = {}) {
  return jar.submit(signInPath, { email, password }, { headers })
}

function codeOf(secret: string, atMs = service.clock.now().getTime()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs })
}

/** What the page says went wrong. */
function problemIn(text: string): string | undefined {
  return /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
}

async function listAudit(email: string): Promise<string[]> {
  const rows = await service.db.rows(sql<{ action: string }>`
    select action from audit_lines where actor = ${email} order by created_at, action`)
  return rows.map(({ action }) => action)
}

describe('sessions', () => {
  test('a sign-in never continues a session that the browser had', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    const fixed = 'A'.repeat(43)
    jar.cookies.set('manilla', fixed)
    expect((await signIn(jar, user.email)).status).toBe(303)
    const first = jar.cookies.get('manilla')!
    expect(first).not.toBe(fixed)

    await signIn(jar, user.email)
    const second = jar.cookies.get('manilla')!
    expect(second).not.toBe(first)
    expect((await jar.get(me)).status).toBe(200)
    // The session that was replaced is over.
    jar.cookies.set('manilla', first)
    expect((await jar.get(me)).json.reason).toBe('session_expired')
  })

  test('the cookie is for this host alone, and no script or other site sees it', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const plain = await signIn(openJar(service.url), user.email)
    expect(plain.headers.getSetCookie()[0]).toMatch(
      /^manilla=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const headers = { 'x-forwarded-proto': 'https' }
    const secure = await signIn(openJar(service.url), user.email, goodPassword, headers)
    expect(secure.headers.getSetCookie()[0]).toMatch(
      /^__Host-manilla=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('a session ends when idle, when its time is over and when it is ended', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    service.clock.advance(11 * hour)
    expect((await jar.get(me)).status).toBe(200)
    service.clock.advance(11 * hour)
    expect((await jar.get(me)).status).toBe(200)
    service.clock.advance(12 * hour)
    expect((await jar.get(me)).json.reason).toBe('session_expired')

    await signIn(jar, user.email)
    for (let passed = 0; passed < 7 * 24; passed += 8) {
      expect((await jar.get(me)).status).toBe(200)
      service.clock.advance(8 * hour)
    }
    expect((await jar.get(me)).json.reason).toBe('session_expired')

    await signIn(jar, user.email)
    const { items } = (await jar.get(`${me}/sessions`)).json.data
    expect(items).toHaveLength(1)
    const phone = openJar(service.url)
    await signIn(phone, user.email)
    const { items: both } = (await jar.get(`${me}/sessions`)).json.data
    const other = both.find((one: { isCurrent: boolean }) => !one.isCurrent)
    expect((await jar.remove(`${me}/sessions/${other.id}`)).status).toBe(200)
    expect((await phone.get(me)).json.reason).toBe('session_expired')
    expect((await jar.remove(me)).status).toBe(200)
    expect(jar.cookies.has('manilla')).toBe(false)
  })

  test('sessions of operators are shorter', async () => {
    const user = await addUser(service, { email: newEmail(), isOperator: true })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    service.clock.advance(30 * minute)
    expect((await jar.get(me)).json.reason).toBe('session_expired')
  })

  test('a new role or password ends the sessions of the user', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const user = await addUser(service, { email: newEmail(), role: 'viewer' })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    const team = await owner.ask('GET', '/v1/team/users')
    const { id } = team.json.data.items.find(({ email }: { email: string }) => email === user.email)
    const changed = await owner.ask('PATCH', `/v1/team/users/${id}`, { body: { role: 'finance' } })
    expect(changed.json.data.role).toBe('finance')
    expect((await jar.get(me)).json.reason).toBe('session_expired')

    await signIn(jar, user.email)
    const laptop = openJar(service.url)
    await signIn(laptop, user.email)
    const fresh = 'eleven purple kettles sing softly'
    expect((await jar.post(`${me}/own-password`, { password: fresh })).status).toBe(200)
    expect((await jar.get(me)).status).toBe(200)
    expect((await laptop.get(me)).json.reason).toBe('session_expired')
    expect((await signIn(laptop, user.email, goodPassword, fromNewNetwork())).status).toBe(401)
    expect((await signIn(laptop, user.email, fresh)).status).toBe(303)
  })

  test('a cookie and an API key together are refused', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const headers = { authorization: `Bearer ${service.merchant.test.secret}` }
    const reply = await owner.ask('GET', '/v1/balances', { headers })
    expect(reply.status).toBe(401)
    expect(reply.json.message).toBe('Send an API key or the cookie of the console, not both.')
  })
})

describe('requests from elsewhere', () => {
  const foreign: Record<string, Record<string, string>> = {
    'without our header': { 'x-manilla-console': '' },
    'without an origin': { origin: '', 'sec-fetch-site': '' },
    'with a foreign origin': { origin: 'https://evil.example', 'sec-fetch-site': '' },
    'that the browser calls cross-site': { 'sec-fetch-site': 'cross-site' },
    'from a sibling domain': { 'sec-fetch-site': 'same-site' },
  }

  test.each(Object.keys(foreign))('changes %s are refused', async (name) => {
    const owner = await addPerson(service, { role: 'owner' })
    const jar = openJar(service.url)
    jar.cookies.set('manilla', owner.token)
    const headers = {
      'manilla-merchant': service.merchant.reference,
      'manilla-mode': 'test',
      ...foreign[name],
    }
    const replies = [
      await jar.post('/v1/checkout/sessions', { amount: 100_000 }, { headers }),
      await jar.post('/v1/team/invitations', { email: 'x@example.com' }, { headers }),
      await jar.post(`${me}/own-password`, { password: goodPassword }, { headers }),
      await jar.post(`${me}/passkey/options`, {}, { headers }),
      await jar.remove(me, { headers }),
    ]
    expect(replies.map(({ status, json }) => `${status} ${json.reason}`)).toEqual(
      Array.from({ length: 5 }, () => '403 foreign_origin'),
    )
    expect((await jar.get(me)).status).toBe(200)
  })

  test('forms of other sites do nothing, and no form reaches the API', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const jar = openJar(service.url)
    const form = { email: owner.email, password: goodPassword }
    const pages = ['/console/sign-in', '/console/sign-in/code', '/console/join/abc']
    for (const path of pages)
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': '' },
        { origin: '', 'sec-fetch-site': '' },
        { origin: 'null', 'sec-fetch-site': '' },
      ]) {
        const reply = await jar.submit(path, form, { headers })
        expect(reply.status, path).toBe(403)
        expect(reply.headers.getSetCookie()).toEqual([])
      }
    jar.cookies.set('manilla', owner.token)
    const headers = {
      'x-manilla-console': '1',
      'manilla-merchant': service.merchant.reference,
      'manilla-mode': 'test',
    }
    const reply = await jar.submit('/v1/checkout/sessions', { amount: '100000' }, { headers })
    expect(reply.json.reason).toBe('unsupported_media_type')
  })

  test('no page of another origin may read an answer to a cookie', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const reply = await owner.ask('GET', '/v1/balances', {
      headers: { origin: 'https://evil.example' },
    })
    expect(reply.headers.get('access-control-allow-origin')).not.toBe('https://evil.example')
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('with CONSOLE_URL, the console works on that host alone', async () => {
    const own = await openManilla({ consoleUrl: 'https://console.example' })
    const user = await addUser(own, { email: newEmail(), role: 'owner' })
    const there = { host: 'console.example', origin: 'https://console.example' }
    const ask = (path: string, headers: Record<string, string>, body?: string) =>
      sendRaw(own.port, path, headers, body)
    expect((await ask('/console/sign-in', there)).status).toBe(200)
    expect((await ask('/console', there)).status).toBe(200)
    for (const path of ['/console', '/console/sign-in', '/console/join/abc', '/console/session'])
      expect((await ask(path, { host: 'pay.example' })).status, path).toBe(404)

    const body = new URLSearchParams({ email: user.email, password: goodPassword }).toString()
    const writing = { 'content-type': 'application/x-www-form-urlencoded' }
    const elsewhere = { host: 'pay.example', origin: 'https://pay.example' }
    expect((await ask(signInPath, { ...elsewhere, ...writing }, body)).status).toBe(404)
    const signedIn = await ask(signInPath, { ...there, ...writing }, body)
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    expect(cookie).toMatch(/^__Host-manilla=/)
    const scope = { 'manilla-merchant': own.merchant.reference, 'manilla-mode': 'test' }
    expect((await ask('/v1/balances', { ...there, ...scope, cookie })).status).toBe(200)
    const refused = await ask('/v1/balances', { host: 'pay.example', ...scope, cookie })
    expect(refused.json.reason).toBe('session_expired')
  })
})

/** With a `Host` header of our choice, which `fetch` does not allow. */
async function sendRaw(port: number, path: string, headers: Record<string, string>, body?: string) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const first = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`
  const head = [first, ...lines, ...length, 'connection: close', '', '']
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  socket.write(head.join('\r\n') + (body ?? ''))
  await new Promise((resolve, reject) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject).on('close', resolve)
  })
  return readReply(Buffer.concat(chunks).toString())
}

describe('links', () => {
  test('a start link works once, on this machine, under its own name', async () => {
    const { userId } = await addUser(service, { email: newEmail(), role: 'owner' })
    const makeLink = async () => {
      const token = await service.db.transaction(async (tx) =>
        createStartLink(tx, service.clock.now(), userId),
      )
      return `/console/start/${token}`
    }
    const link = await makeLink()
    // A page of another site can point its own name at this machine.
    const rebound = await sendRaw(service.port, link, { host: 'evil.example' })
    expect(rebound.status).toBe(403)
    expect(rebound.headers.get('set-cookie')).toBeNull()
    const host = `127.0.0.1:${service.port}`
    const used = await sendRaw(service.port, link, { host })
    expect(used.status).toBe(303)
    expect(used.headers.get('location')).toBe('/console')
    expect((await sendRaw(service.port, link, { host })).status).toBe(404)

    const late = await makeLink()
    service.clock.advance(15 * minute)
    expect((await sendRaw(service.port, late, { host })).status).toBe(404)
  })

  test('a start link does not work from another machine', async () => {
    const { userId } = await addUser(service, { email: newEmail(), role: 'owner' })
    const token = await service.db.transaction(async (tx) =>
      createStartLink(tx, service.clock.now(), userId),
    )
    const jar = openJar(service.url)
    const headers = { 'x-forwarded-for': '203.0.113.200' }
    expect((await jar.get(`/console/start/${token}`, { headers })).status).toBe(403)
    expect((await jar.get(`/console/start/${token}`)).status).toBe(303)
  })

  test('signing in leads to pages of the console only', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    const next = '//evil.example/console'
    const fields = { email: user.email, password: goodPassword, next }
    const reply = await jar.submit('/console/sign-in', fields)
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toBe('/console/sign-in/second-factor?next=%2Fconsole')
    for (const next of [
      'https://evil.example/',
      '//evil.example/console',
      '/\\evil.example/console',
      '\\\\evil.example',
      '/console/../../evil',
      '/console/%2e%2e/v1/balances',
      '/consoleevil',
      'javascript:alert(1)',
      '/console\r\nset-cookie: a=b',
      '/\t/evil.example/console',
      'console',
    ]) {
      const page = await jar.get(`/console/sign-in?next=${encodeURIComponent(next)}`)
      expect(page.headers.get('location'), next).toBe('/console')
    }
  })

  test('signing in continues with the page that needed it', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner', hasTotp: true })
    const jar = openJar(service.url)
    const next = '/console/payments?status=HELD&amount=%3E5'
    const page = await jar.get(`/console/sign-in?next=${encodeURIComponent(next)}`)
    expect(page.text).toContain('value="/console/payments?status=HELD&amp;amount=%3E5"')
    const first = await jar.submit('/console/sign-in', {
      email: user.email,
      password: goodPassword,
      next,
    })
    expect(first.headers.get('location')).toBe(
      `/console/sign-in/code?next=${encodeURIComponent(next)}`,
    )
    const second = await jar.submit('/console/sign-in/code', { code: codeOf(user.secret), next })
    expect(second.headers.get('location')).toBe(next)
    expect((await jar.get(me)).json.data.hasSecondFactor).toBe(true)
  })

  test('reading an invitation uses nothing up, and joining uses it up', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const email = newEmail()
    const made = await owner.ask('POST', '/v1/team/invitations', {
      body: { email, role: 'support', maySeeLive: false },
    })
    expect(made.status).toBe(201)
    expect(made.json.data.qr).toMatch(/^<svg xmlns=/)
    const link = new URL(made.json.data.url).pathname
    const jar = openJar(service.url)
    for (let times = 0; times < 3; times += 1) {
      const page = await jar.get(link)
      expect(page.status).toBe(200)
      expect(page.text).toContain(email)
    }
    const weak = await jar.submit(link, { name: 'Tunde Bello', password: 'Password2026!' })
    expect(weak.status).toBe(422)
    expect(weak.text).toContain('guessed first')
    const joined = await jar.submit(link, { name: 'Tunde Bello', password: goodPassword })
    expect(joined.status).toBe(303)
    const { user, memberships } = (await jar.get(me)).json.data
    expect(user).toMatchObject({ email, name: 'Tunde Bello', hasPassword: true })
    expect(memberships).toMatchObject([{ role: 'support', maySeeLive: false }])
    expect((await openJar(service.url).get(link)).status).toBe(404)
    const again = await openJar(service.url).submit(link, { name: 'Eve', password: goodPassword })
    expect(again.status).toBe(404)
    // Neither logs nor the request log hold the link.
    const token = link.split('/').at(-1)!
    expect(service.log.some((line) => line.includes(token))).toBe(false)
  })

  test('the inviter cannot use an invitation to become an existing user', async () => {
    const victim = await addUser(service, { email: newEmail(), hasTotp: true })
    const owner = await addPerson(service, { role: 'owner' })
    const made = await owner.ask('POST', '/v1/team/invitations', {
      body: { email: victim.email, role: 'viewer', maySeeLive: true },
    })
    const link = new URL(made.json.data.url).pathname
    const thief = openJar(service.url)
    const tried = await thief.submit(link, { name: 'Eve', password: 'another long password, mine' })
    expect(tried.status).toBe(401)
    expect(thief.cookies.size).toBe(0)
    thief.cookies.set('manilla', owner.token)
    expect((await thief.submit(link, { join: 'yes' })).status).toBe(400)

    // The invited user signs in, keeps the password, and joins.
    const jar = openJar(service.url)
    await signIn(jar, victim.email)
    await jar.submit(codePath, { code: codeOf(victim.secret) })
    expect((await jar.get(link)).text).toContain('Join')
    expect((await jar.submit(link, { join: 'yes' })).headers.get('location')).toBe('/console')
    expect((await jar.get(me)).json.data.memberships).toMatchObject([{ role: 'viewer' }])
  })

  test('a link for a new password does not replace the second factor', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const user = await addUser(service, { email: newEmail(), role: 'finance', hasTotp: true })
    const team = await owner.ask('GET', '/v1/team/users')
    const { id } = team.json.data.items.find(({ email }: { email: string }) => email === user.email)
    const made = await owner.ask('POST', `/v1/team/users/${id}/link`)
    const link = new URL(made.json.data.url).pathname
    const jar = openJar(service.url)
    const set = await jar.submit(link, { password: 'nine brown bottles float upstream' })
    expect(set.headers.get('location')).toBe('/console/sign-in')
    expect(jar.cookies.size).toBe(0)
    expect((await jar.get(link)).status).toBe(404)
    const reply = await signIn(jar, user.email, 'nine brown bottles float upstream')
    expect(reply.headers.get('location')).toContain(codePath)

    // Another merchant's owner must not take over people who belong elsewhere, too.
    const other = await service.addMerchant('Bola Foods')
    const stranger = await addPerson(service, { role: 'owner', merchant: other.reference })
    const both = await stranger.ask('POST', '/v1/team/invitations', {
      body: { email: user.email, role: 'viewer', maySeeLive: true },
    })
    await jar.submit(codePath, { code: codeOf(user.secret) })
    await jar.submit(new URL(both.json.data.url).pathname, { join: 'yes' })
    const refused = await stranger.ask('POST', `/v1/team/users/${id}/link`)
    expect(refused.status).toBe(403)
    expect(refused.json.message).toContain('Ask the operator')
  })
})

describe('pages', () => {
  test('no page of the console can be shown in a frame, or load from elsewhere', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    const pages = [
      [jar, '/console'],
      [jar, '/console/payments'],
      [jar, '/console/sign-in/second-factor'],
      [openJar(service.url), '/console/sign-in'],
      [openJar(service.url), '/console/join/unknown'],
      [openJar(service.url), '/console/start/unknown'],
    ] as const
    for (const [browser, path] of pages) {
      const { headers } = await browser.get(path)
      const policy = headers.get('content-security-policy')!
      expect(headers.get('content-type'), path).toMatch(/^text\/html/)
      expect(policy, path).toContain("frame-ancestors 'none'")
      expect(policy, path).toContain("default-src 'none'")
      expect(policy, path).toContain("form-action 'self'")
      expect(policy, path).not.toMatch(/unsafe|\*/)
      expect(headers.get('x-frame-options'), path).toBe('DENY')
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('cache-control'), path).toBe('no-store')
    }
  })

  test('names that contain markup are text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\''
    const other = await service.addMerchant(hostile)
    const owner = await addPerson(service, { role: 'owner', merchant: other.reference })
    const made = await owner.ask('POST', '/v1/team/invitations', {
      body: { email: newEmail(), role: 'viewer', maySeeLive: false },
    })
    const jar = openJar(service.url)
    const link = new URL(made.json.data.url).pathname
    expect((await jar.get(link)).text).not.toContain('<img')
    expect((await jar.submit(link, { name: hostile, password: 'x' })).text).not.toContain('<img')
    const fields = { email: hostile, password: 'x', next: hostile }
    const reply = await jar.submit('/console/sign-in', fields, { headers: fromNewNetwork() })
    expect(reply.text).not.toContain('<img')
  })
})

describe('guessing', () => {
  test('five failures lock a user out for a quarter of an hour, known or not', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const texts: string[][] = []
    for (const [index, email] of [user.email, 'unknown@example.com'].entries()) {
      const jar = openJar(service.url)
      const headers = { 'x-forwarded-for': `198.51.100.${index}` }
      const guess = (password: string) => signIn(jar, email, password, headers)
      const replies = []
      for (let times = 0; times < 5; times += 1) replies.push(await guess(`wrong ${times}`))
      // Also the right password is not tried any more.
      replies.push(await guess(goodPassword))
      texts.push(replies.map(({ status, text }) => `${status} ${problemIn(text)}`))
    }
    expect(texts[0]).toEqual(texts[1])
    expect(texts[0]![4]).toMatch(/^401 .*is wrong/)
    expect(texts[0]![5]).toMatch(/^429 Too many failed attempts. Try again in 15 minutes/)
    expect(await listAudit(user.email)).toEqual([
      ...Array.from({ length: 5 }, () => 'sign_in.fail'),
      'sign_in.lock_out',
    ])

    service.clock.advance(15 * minute)
    const jar = openJar(service.url)
    const { status } = await signIn(jar, user.email)
    expect(status).toBe(303)
  })

  test('guesses at the same moment count, too', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const headers = fromNewNetwork()
    const before = service.passwords.hashCount
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        signIn(openJar(service.url), user.email, `wrong ${index}`, headers),
      ),
    )
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(7).fill(429)])
    expect(service.passwords.hashCount - before).toBe(5)
  })

  test('thirty failures lock a network out', async () => {
    const headers = fromNewNetwork()
    for (let index = 0; index < 30; index += 1) {
      const reply = await signIn(openJar(service.url), newEmail(), 'wrong', headers)
      expect(reply.status).toBe(401)
    }
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const locked = await signIn(openJar(service.url), user.email, goodPassword, headers)
    expect(locked.status).toBe(429)
    const elsewhere = await signIn(openJar(service.url), user.email, goodPassword, fromNewNetwork())
    expect(elsewhere.status).toBe(303)
  })

  test('unknown, disabled and passwordless users get the same answer after the same work', async () => {
    const known = await addUser(service, { email: newEmail(), role: 'owner' })
    const disabled = await addUser(service, { email: newEmail() })
    await service.db.rows(sql`
      update users set disabled_at = created_at where id = ${disabled.userId}`)
    const passwordless = await addPerson(service, { role: 'owner' })
    const given = [
      [known.email, 'wrong password'],
      ['unknown@example.com', goodPassword],
      [disabled.email, goodPassword],
      [passwordless.email, goodPassword],
      ['not an address', goodPassword],
    ]
    const answers = []
    for (const [email, password] of given) {
      const before = service.passwords.hashCount
      const jar = openJar(service.url)
      const { status, text } = await signIn(jar, email!, password, fromNewNetwork())
      const body = text.replaceAll(email!, '').replaceAll(/nonce="[^"]+"/g, '')
      answers.push({ status, body, hashes: service.passwords.hashCount - before })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 401, hashes: 1 })
  })

  test('a code works once, and wrong codes lock out like wrong passwords', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner', hasTotp: true })
    const jar = openJar(service.url)
    const headers = fromNewNetwork()
    const first = await signIn(jar, user.email)
    expect(first.headers.get('location')).toContain(codePath)
    // The password alone opens nothing.
    expect(jar.cookies.has('manilla')).toBe(false)
    expect((await jar.get(me)).status).toBe(401)
    const code = codeOf(user.secret)
    expect((await jar.submit(codePath, { code })).status).toBe(303)

    const replay = openJar(service.url)
    await signIn(replay, user.email)
    const refused = await replay.submit(codePath, { code }, { headers })
    expect(refused.status).toBe(401)
    // Older codes do not work after a newer one, and neighbours in time do.
    const older = codeOf(user.secret, service.clock.now().getTime() - 30_000)
    expect((await replay.submit(codePath, { code: older }, { headers })).status).toBe(401)
    const newer = codeOf(user.secret, service.clock.now().getTime() + 30_000)
    expect((await replay.submit(codePath, { code: newer })).status).toBe(303)

    // Sending the right password in between does not win more guesses.
    const guesser = openJar(service.url)
    for (let times = 0; times < 5; times += 1) {
      await signIn(guesser, user.email, goodPassword, headers)
      const wrong = await guesser.submit(codePath, { code: '000000' }, { headers })
      expect(wrong.status).toBe(401)
    }
    const locked = await guesser.submit(codePath, { code: '000000' }, { headers })
    expect(locked.status).toBe(429)
    expect(await listAudit(user.email)).toContain('sign_in.lock_out')
  })
})

describe('factors', () => {
  test('a second factor is offered, proven and needed from then on', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    expect((await jar.get(me)).json.data.hasSecondFactor).toBe(false)
    const live = {
      headers: { 'manilla-merchant': service.merchant.reference, 'manilla-mode': 'live' },
    }
    expect((await jar.get('/v1/balances', live)).json.reason).toBe('second_factor_missing')

    const { secret, enrolment, qr } = (await jar.post(`${me}/own-totp`)).json.data
    expect(qr).toMatch(/^<svg xmlns=/)
    const wrong = await jar.post(`${me}/own-totp`, { enrolment, code: '000000' })
    expect(wrong.status).toBe(400)
    const done = await jar.post(`${me}/own-totp`, { enrolment, code: codeOf(secret) })
    const { recoveryCodes } = done.json.data
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await jar.get('/v1/balances', live)).status).toBe(200)

    const next = openJar(service.url)
    await signIn(next, user.email)
    const used = await next.submit(codePath, { code: recoveryCodes[0].toUpperCase() })
    expect(used.status).toBe(303)
    const again = openJar(service.url)
    await signIn(again, user.email)
    expect((await again.submit(codePath, { code: recoveryCodes[0] })).status).toBe(401)
    expect((await next.get(`${me}/factors`)).json.data.recoveryCodes).toBe(9)
    // The secret is stored sealed, codes hashed.
    const [row] = await service.db.rows(sql<{ all: string }>`
      select (select json_agg(t)::text from totp_secrets t) ||
        (select json_agg(r)::text from recovery_codes r) as all`)
    expect(row!.all).not.toContain(secret)
    expect(row!.all).not.toContain(recoveryCodes[1])
    expect(await listAudit(user.email)).toEqual([
      'recovery_codes.create',
      'sign_in',
      'sign_in',
      'sign_in.fail',
      'totp.add',
    ])
  })

  test('changing a factor needs a fresh proof of one', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner', hasTotp: true })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    const codeNow = () => codeOf(user.secret, service.clock.now().getTime())
    await jar.submit(codePath, { code: codeNow() })
    service.clock.advance(5 * minute)
    const writes = () =>
      Promise.all([
        jar.post(`${me}/own-password`, { password: goodPassword }),
        jar.post(`${me}/own-totp`),
        jar.remove(`${me}/own-totp`),
        jar.post(`${me}/passkeys/options`),
        jar.post(`${me}/recovery-codes`),
      ])
    for (const { json } of await writes()) expect(json.reason).toBe('step_up_required')
    // The password does not confirm a user who has something stronger.
    const weak = await jar.post(`${me}/step-up`, { password: goodPassword })
    expect(weak.json.reason).toBe('sign_in_failed')
    expect((await jar.post(`${me}/step-up`, { totp: codeNow() })).status).toBe(200)
    expect((await jar.post(`${me}/recovery-codes`)).status).toBe(200)
    expect((await jar.remove(`${me}/own-totp`)).status).toBe(200)
    expect((await jar.get(me)).json.data.user.hasTotp).toBe(false)
  })

  test('an enrolment belongs to one user and one quarter of an hour', async () => {
    const one = openJar(service.url)
    const other = openJar(service.url)
    await signIn(one, (await addUser(service, { email: newEmail(), role: 'owner' })).email)
    await signIn(other, (await addUser(service, { email: newEmail(), role: 'owner' })).email)
    const { secret, enrolment } = (await one.post(`${me}/own-totp`)).json.data
    const stolen = await other.post(`${me}/own-totp`, { enrolment, code: codeOf(secret) })
    expect(stolen.status).toBe(400)
    const forged = await one.post(`${me}/own-totp`, { enrolment: 'AAAA', code: codeOf(secret) })
    expect(forged.status).toBe(400)
  })
})
