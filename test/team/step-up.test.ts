import { beforeAll, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, type TestService } from '../support/open-manilla.js'
import { addUser, goodPassword, type Jar, openJar } from '../support/sign-in.js'

let service: TestService
beforeAll(async () => {
  service = await openManilla({ trustProxy: true })
})

const session = '/console/session'
const signIn = (jar: Jar, email: string, password = goodPassword, headers = {}) =>
  jar.submit('/console/sign-in', { email, password }, { headers })
const stepUp = (jar: Jar, password: string, headers = {}) =>
  jar.post(`${session}/step-up`, { password }, { headers })

async function openSession(email: string): Promise<Jar> {
  const jar = openJar(service.url)
  expect((await signIn(jar, email)).status).toBe(303)
  return jar
}

test('failed sign-ins from anywhere do not block the step-up of a signed-in user', async () => {
  const { email } = await addUser(service, { email: 'ada@step.example', role: 'owner' })
  const jar = await openSession(email)
  service.clock.advance(6 * minute)
  const network = { 'x-forwarded-for': '198.51.100.1' }
  for (let times = 0; times < 5; times += 1)
    expect((await signIn(openJar(service.url), email, 'wrong', network)).status).toBe(401)
  expect((await signIn(openJar(service.url), email)).status).toBe(429)
  expect((await stepUp(jar, goodPassword)).status).toBe(200)

  // A network that is locked out is that of colleagues, too.
  for (let times = 0; times < 30; times += 1)
    await signIn(openJar(service.url), `guessed${times}@step.example`, 'wrong', network)
  expect((await stepUp(jar, goodPassword, network)).status).toBe(200)
})

test('wrong step-ups do not lock the user out of other sessions or the sign-in', async () => {
  const { email } = await addUser(service, { email: 'bola@step.example', role: 'owner' })
  const stolen = await openSession(email)
  const own = await openSession(email)
  for (let times = 0; times < 9; times += 1)
    expect((await stepUp(stolen, `wrong ${times}`)).status).toBe(401)
  expect((await stepUp(own, goodPassword)).status).toBe(200)
  expect((await signIn(openJar(service.url), email)).status).toBe(303)
})

test('the tenth wrong step-up ends the session, however slowly they come', async () => {
  const { email, userId } = await addUser(service, { email: 'chi@step.example', role: 'owner' })
  const stolen = await openSession(email)
  for (let times = 0; times < 9; times += 1) {
    service.clock.advance(16 * minute)
    const reply = await stepUp(stolen, `wrong ${times}`)
    expect(reply.json, reply.text).toMatchObject({ reason: 'sign_in_failed' })
  }
  // A right one in between wins no more guesses.
  expect((await stepUp(stolen, goodPassword)).status).toBe(200)
  const last = await stepUp(stolen, 'wrong')
  expect(last.json).toMatchObject({ reason: 'session_expired' })
  expect((await stolen.get(session)).json).toMatchObject({ reason: 'session_expired' })
  expect((await stepUp(stolen, goodPassword)).json).toMatchObject({ reason: 'session_expired' })
  const lines = await service.db.rows(sql<{ action: string }>`
    select action from audit_lines where user_id = ${userId} order by created_at, id`)
  const actions = lines.map(({ action }) => action)
  expect(actions.filter((action) => action === 'step_up.fail')).toHaveLength(10)
  expect(actions).toContain('step_up.lock_out')
})

test('guesses at the same moment count, too', async () => {
  const { email } = await addUser(service, { email: 'dayo@step.example', role: 'owner' })
  const stolen = await openSession(email)
  const before = service.passwords.hashCount
  const replies = await Promise.all(
    Array.from({ length: 15 }, (_, index) => stepUp(stolen, `wrong ${index}`)),
  )
  expect(replies.every(({ status }) => status === 401)).toBe(true)
  expect(service.passwords.hashCount - before).toBe(10)
})
