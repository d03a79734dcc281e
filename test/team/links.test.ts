import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import type { Tx } from '../../src/postgres/transactions/tx.js'
import { addMember, lockMembers } from '../../src/team/members.js'
import type { Role } from '../../src/team/permissions.js'
import { createStartLink } from '../../src/team/start-links.js'
import { addMembership, lockUsers } from '../../src/team/users.js'
import { openManilla, type Reply, type TestService } from '../support/open-manilla.js'
import { addPerson, type Person } from '../support/people.js'
import { addUser, goodPassword, type Jar, openJar } from '../support/sign-in.js'

/** Links outlive neither the right of their maker nor the state of the user they are for. */

let service: TestService
let owner: Person
beforeAll(async () => {
  service = await openManilla({ trustProxy: true })
  owner = await addPerson(service, { role: 'owner' })
})

let counted = 0
const newEmail = () => {
  counted += 1
  return `user${counted}@links.example`
}
const newPassword = 'nine brown bottles float upstream'
const referenceOf = (userId: string) => toReference(prefixes.user, userId)
const linkOf = (reply: Reply) => {
  expect(reply.status, reply.text).toBeLessThan(300)
  return new URL(reply.json.data.url).pathname
}

const makeReset = async (maker: Person, userId: string) =>
  linkOf(await maker.ask('POST', `/v1/team/users/${referenceOf(userId)}/link`))
const invite = (maker: Person, email: string, role: Role, maySeeLive = false) =>
  maker.ask('POST', '/v1/team/invitations', { body: { email, role, maySeeLive } })
const change = (maker: Person, userId: string, body: object) =>
  maker.ask('PATCH', `/v1/team/users/${referenceOf(userId)}`, { body })

async function signIn(jar: Jar, email: string, password = goodPassword): Promise<Reply> {
  return jar.submit('/console/sign-in', { email, password })
}

/** The page has ended, and using the link changes no password. */
async function expectEnded(link: string): Promise<void> {
  const jar = openJar(service.url)
  expect((await jar.get(link)).status).toBe(404)
  const used = await jar.submit(link, { name: 'Eve Ike', password: newPassword })
  expect(used.status).toBe(404)
  expect(jar.cookies.has('manilla')).toBe(false)
}

/** As by another process, without the use cases that revoke links. */
const join = (userId: string, merchant: string, role: Role) =>
  service.db.transaction(async (tx) => {
    const merchantId = fromReference(prefixes.merchant, merchant)!
    addMembership(tx, service.clock.now(), { merchantId, userId, role, maySeeLive: true })
  })

const openLinksFor = (email: string) =>
  service.db.rows(sql<{ id: string }>`
    select id from invitations
    where email = ${email} and used_at is null and revoked_at is null`)

describe('a password link', () => {
  test('ends when its user joins another merchant', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const link = await makeReset(owner, user.userId)
    const other = await service.addMerchant('Bola Foods')
    const stranger = await addPerson(service, { role: 'owner', merchant: other.reference })
    const invitation = linkOf(await invite(stranger, user.email, 'owner', true))
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    expect((await jar.submit(invitation, { join: 'yes' })).status).toBe(303)
    expect(await openLinksFor(user.email)).toEqual([])
    await expectEnded(link)
  })

  test('does not reach a second merchant that the user joined by other means', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const link = await makeReset(owner, user.userId)
    const other = await service.addMerchant('Bola Foods')
    await join(user.userId, other.reference, 'owner')
    await expectEnded(link)
  })

  test('ends when its user becomes an operator', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const link = await makeReset(owner, user.userId)
    await service.db.rows(sql`update users set is_operator = true where id = ${user.userId}`)
    await expectEnded(link)
  })

  test('ends when its user gets another role or live access, or is disabled', async () => {
    for (const body of [{ role: 'admin' }, { maySeeLive: false }, { isDisabled: true }]) {
      const user = await addUser(service, { email: newEmail(), role: 'finance' })
      const link = await makeReset(owner, user.userId)
      expect((await change(owner, user.userId, body)).status).toBe(200)
      expect(await openLinksFor(user.email)).toEqual([])
      await expectEnded(link)
    }
  })

  test('ends when its maker is disabled or demoted', async () => {
    for (const body of [{ role: 'viewer' }, { isDisabled: true }]) {
      const maker = await addPerson(service, { role: 'owner' })
      const user = await addUser(service, { email: newEmail(), role: 'finance' })
      const link = await makeReset(maker, user.userId)
      expect((await change(owner, maker.userId, body)).status).toBe(200)
      expect(await openLinksFor(user.email)).toEqual([])
      await expectEnded(link)
    }
    const maker = await addPerson(service, { role: 'owner' })
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const link = await makeReset(maker, user.userId)
    await service.db.rows(sql`
      update users set disabled_at = created_at where id = ${maker.userId}`)
    await expectEnded(link)
  })

  test('of an owner for an owner ends when its maker becomes an admin', async () => {
    const maker = await addPerson(service, { role: 'owner' })
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const link = await makeReset(maker, user.userId)
    expect((await change(owner, maker.userId, { role: 'admin' })).status).toBe(200)
    await expectEnded(link)
  })

  test('is listed beside invitations, without its link, and can be withdrawn', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const invited = newEmail()
    linkOf(await invite(owner, invited, 'viewer'))
    const link = await makeReset(owner, user.userId)
    const { items } = (await owner.ask('GET', '/v1/team/invitations')).json.data
    const listed = items.find(({ email }: { email: string }) => email === user.email)
    expect(listed).toMatchObject({
      kind: 'password_link',
      role: 'finance',
      createdBy: referenceOf(owner.userId),
    })
    expect(JSON.stringify(items)).not.toContain(link.split('/').at(-1))
    expect(items.find(({ email }: { email: string }) => email === invited)).toMatchObject({
      kind: 'invitation',
      role: 'viewer',
    })
    // Another merchant neither sees nor withdraws it.
    const other = await service.addMerchant('Bola Foods')
    const stranger = await addPerson(service, { role: 'owner', merchant: other.reference })
    expect((await stranger.ask('GET', '/v1/team/invitations')).json.data.items).toEqual([])
    const path = `/v1/team/invitations/${listed.id}`
    expect((await stranger.ask('DELETE', path)).status).toBe(404)
    expect((await owner.ask('DELETE', path)).status).toBe(200)
    await expectEnded(link)
  })

  test('asks for the second factor that the user has', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance', hasTotp: true })
    const jar = openJar(service.url)
    const used = await jar.submit(await makeReset(owner, user.userId), { password: newPassword })
    expect(used.headers.get('location')).toBe('/console/sign-in')
    expect(jar.cookies.size).toBe(0)
    const signedIn = await signIn(jar, user.email, newPassword)
    expect(signedIn.headers.get('location')).toContain('/console/sign-in/code')
    expect(jar.cookies.has('manilla')).toBe(false)
    const lines = await owner.ask('GET', '/v1/audit-lines?limit=100')
    expect(lines.text).toContain('team.password_reset')
  })
})

describe('an invitation', () => {
  test('of a demoted owner is worth what an admin may give', async () => {
    const maker = await addPerson(service, { role: 'owner' })
    const [asOwner, asViewer] = [newEmail(), newEmail()]
    const ownerLink = linkOf(await invite(maker, asOwner, 'owner', true))
    const viewerLink = linkOf(await invite(maker, asViewer, 'viewer', true))
    expect((await change(owner, maker.userId, { role: 'admin' })).status).toBe(200)
    await expectEnded(ownerLink)
    const jar = openJar(service.url)
    const joined = await jar.submit(viewerLink, { name: 'Tunde Bello', password: goodPassword })
    expect(joined.status).toBe(303)
  })

  test('to live mode ends when its maker loses live access', async () => {
    const maker = await addPerson(service, { role: 'admin' })
    const live = linkOf(await invite(maker, newEmail(), 'viewer', true))
    const tests = linkOf(await invite(maker, newEmail(), 'viewer', false))
    expect((await change(owner, maker.userId, { maySeeLive: false })).status).toBe(200)
    await expectEnded(live)
    expect((await openJar(service.url).get(tests)).status).toBe(200)
  })

  test('is not replaced by a member who could not withdraw it', async () => {
    const admin = await addPerson(service, { role: 'admin' })
    const email = newEmail()
    const link = linkOf(await invite(owner, email, 'owner'))
    expect((await invite(admin, email, 'viewer')).status).toBe(403)
    expect((await openJar(service.url).get(link)).status).toBe(200)
  })

  test('looks the same whether or not the address has an account', async () => {
    const known = await addUser(service, { email: newEmail() })
    const disabled = await addUser(service, { email: newEmail() })
    await service.db.rows(sql`
      update users set disabled_at = created_at where id = ${disabled.userId}`)
    const pages: string[] = []
    for (const email of [newEmail(), known.email, disabled.email]) {
      const link = linkOf(await invite(owner, email, 'viewer'))
      const token = link.split('/').at(-1)!
      const shown = async (reply: Reply) =>
        `${reply.status} ${reply.text
          .replaceAll(email, '[email]')
          .replaceAll(encodeURIComponent(email), '[email]')
          .replaceAll(token, '[token]')
          .replaceAll(/nonce="[^"]+"/g, '')}`
      const jar = openJar(service.url)
      const weak = { name: 'Tunde Bello', password: 'Password2026!' }
      const nameless = { name: '', password: newPassword }
      pages.push(
        [
          await shown(await jar.get(link)),
          await shown(await jar.submit(link, weak)),
          await shown(await jar.submit(link, nameless)),
        ].join('\n'),
      )
    }
    expect(pages[1]).toBe(pages[0])
    expect(pages[2]).toBe(pages[0])
  })

  test('counts a password that is not that of the account as a failed sign-in', async () => {
    const known = await addUser(service, { email: newEmail() })
    const link = linkOf(await invite(owner, known.email, 'viewer'))
    const jar = openJar(service.url)
    const headers = { 'x-forwarded-for': '198.51.100.77' }
    const form = { name: 'Eve Ike', password: newPassword }
    for (let times = 0; times < 5; times += 1)
      expect((await jar.submit(link, form, { headers })).status).toBe(401)
    expect((await jar.submit(link, form, { headers })).status).toBe(429)
    expect(jar.cookies.has('manilla')).toBe(false)
  })

  test('lets a user with an account in with the password of the account', async () => {
    const known = await addUser(service, { email: newEmail() })
    const link = linkOf(await invite(owner, known.email, 'viewer'))
    const jar = openJar(service.url)
    const signedIn = await jar.submit(link, { name: 'Any Name', password: goodPassword })
    expect(signedIn.headers.get('location')).toBe(link)
    expect((await jar.get(link)).text).toContain('name="join"')
    expect((await jar.submit(link, { join: 'yes' })).headers.get('location')).toBe('/console')
    const { user, memberships } = (await jar.get('/console/session')).json.data
    expect(user.name).toBe(known.name)
    expect(memberships).toMatchObject([{ role: 'viewer' }])
  })
})

describe('a change at the moment of use', () => {
  /** Starts using the link while the change is not committed yet; it must wait and then fail. */
  async function useDuring(link: string, change: (tx: Tx) => Promise<void>): Promise<Reply> {
    let used: Promise<Reply> | undefined
    await service.db.transaction(async (tx) => {
      await change(tx)
      used = openJar(service.url).submit(link, { name: 'Eve Ike', password: newPassword })
      await waitForLock()
    })
    return used!
  }

  async function waitForLock(): Promise<void> {
    for (;;) {
      const [row] = await service.db.rows(sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      if (row!.count > 0) return
      await sleep(5)
    }
  }

  test('of the maker ends the link', async () => {
    const maker = await addPerson(service, { role: 'owner' })
    const link = linkOf(await invite(maker, newEmail(), 'owner'))
    const used = await useDuring(link, async (tx) => {
      const merchantId = fromReference(prefixes.merchant, service.merchant.reference)!
      await lockMembers(tx, merchantId)
      await tx.rows(sql`
        update memberships set role = 'admin' where user_id = ${maker.userId}`)
    })
    expect(used.status).toBe(404)
  })

  test('of its user ends a password link: joining elsewhere locks the user', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'finance' })
    const link = await makeReset(owner, user.userId)
    const other = await service.addMerchant('Bola Foods')
    const used = await useDuring(link, async (tx) => {
      await lockUsers(tx, [user.userId])
      const merchantId = fromReference(prefixes.merchant, other.reference)!
      await addMember(tx, service.clock.now(), {
        merchantId,
        userId: user.userId,
        role: 'viewer',
        maySeeLive: false,
        addedBy: null,
      })
    })
    expect(used.status).toBe(404)
    expect((await signIn(openJar(service.url), user.email)).status).toBe(303)
  })
})

describe('a disabled user', () => {
  test('has no start link, and their session adds no factor', async () => {
    const user = await addUser(service, { email: newEmail(), role: 'owner' })
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    const token = await service.db.transaction(async (tx) =>
      createStartLink(tx, service.clock.now(), user.userId),
    )
    // The session is in the cache of this process for a second.
    const codes = { password: 'eleven purple kettles sing softly' }
    expect((await jar.get('/console/session')).status).toBe(200)
    await service.db.rows(sql`
      update users set disabled_at = created_at where id = ${user.userId}`)
    const set = await jar.post('/console/session/own-password', codes)
    expect(set.json.reason).toBe('session_expired')
    expect((await openJar(service.url).get(`/console/start/${token}`)).status).toBe(404)
    await service.db.rows(sql`update users set disabled_at = null where id = ${user.userId}`)
    expect((await signIn(openJar(service.url), user.email)).status).toBe(303)
  })

  test('who is no operator any more views no merchant', async () => {
    const operator = await addPerson(service, { isOperator: true })
    const path = `/operator/v1/merchants/${service.merchant.reference}/view`
    expect((await operator.ask('POST', path, { body: { reason: 'Ticket 17' } })).status).toBe(200)
    expect((await operator.ask('GET', '/v1/balances')).status).toBe(200)
    await service.db.rows(sql`update users set is_operator = false where id = ${operator.userId}`)
    service.clock.advance(2_000)
    expect((await operator.ask('GET', '/v1/balances')).status).toBe(403)
  })
})

describe('sessions of a member', () => {
  async function addMemberOfTwo() {
    const user = await addUser(service, { email: newEmail(), role: 'viewer' })
    const other = await service.addMerchant('Bola Foods')
    await join(user.userId, other.reference, 'viewer')
    const jar = openJar(service.url)
    await signIn(jar, user.email)
    const at = (merchant: string) =>
      jar.get('/v1/balances', {
        headers: { 'manilla-merchant': merchant, 'manilla-mode': 'test' },
      })
    return {
      user,
      jar,
      here: () => at(service.merchant.reference),
      there: () => at(other.reference),
    }
  }

  test('end at this merchant only, until the user signs in again', async () => {
    const endings: ((userId: string) => Promise<Reply>)[] = [
      (userId) => owner.ask('POST', `/v1/team/users/${referenceOf(userId)}/end-sessions`),
      (userId) => change(owner, userId, { role: 'finance' }),
    ]
    for (const end of endings) {
      const { user, jar, here, there } = await addMemberOfTwo()
      expect([(await here()).status, (await there()).status]).toEqual([200, 200])
      expect((await end(user.userId)).status).toBe(200)
      expect((await here()).json).toMatchObject({ reason: 'session_expired' })
      expect((await there()).status).toBe(200)
      const { memberships } = (await jar.get('/console/session')).json.data
      expect(memberships).toHaveLength(2)
      expect(memberships).toContainEqual(
        expect.objectContaining({
          merchant: service.merchant.reference,
          isSignedOut: true,
          permissions: { test: [], live: [] },
        }),
      )
      // The sign-in page does not send the user back without asking.
      expect((await jar.get('/console/sign-in')).status).toBe(200)
      await signIn(jar, user.email)
      expect([(await here()).status, (await there()).status]).toEqual([200, 200])
    }
  })
})

describe('the team list', () => {
  test('shows owners alone who lacks a second factor', async () => {
    const admin = await addPerson(service, { role: 'admin' })
    const viewer = await addPerson(service, { role: 'viewer' })
    type Item = { isYou: boolean; hasSecondFactor: boolean | null }
    const list = async (person: Person): Promise<Item[]> =>
      (await person.ask('GET', '/v1/team/users')).json.data.items
    for (const item of await list(owner)) expect(item.hasSecondFactor).toBeTypeOf('boolean')
    for (const person of [admin, viewer])
      for (const { isYou, hasSecondFactor } of await list(person))
        expect(hasSecondFactor).toBe(isYou ? false : null)
    const changed = await change(admin, viewer.userId, { role: 'support' })
    expect(changed.json.data.hasSecondFactor).toBeNull()
  })
})
