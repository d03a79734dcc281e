import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modes } from '../../src/base/environment.js'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { keyPermissions } from '../../src/merchants/keys/key-permissions.js'
import { sql } from '../../src/postgres/sql.js'
import { createInvitation, type LinkPurpose } from '../../src/team/invitations.js'
import { type Gift, type Giver, whyNotGive } from '../../src/team/may-give.js'
import { allPermissions, type Permission, type Role, roles } from '../../src/team/permissions.js'
import { isLongRun } from '../support/long-run.js'
import { openManilla, type Reply, type TestService } from '../support/open-manilla.js'
import { addPerson, type Person } from '../support/people.js'
import { goodPassword, openJar } from '../support/sign-in.js'

/**
 * Who may give what, written down a second time. Roles: x with and without live access, t without
 * live access only, - not. Takes: who may change, disable and sign out a member of the role, and
 * withdraw links to it. Keys: the modes in which the user makes them.
 */
const design = `
                     gives: owner admin finance developer support viewer operator takes         keys
  owner                     x     x     x       x         x       x      -        owner+others  test+live
  owner, test only          t     t     t       t         t       t      -        owner+others  test
  admin                     -     x     x       x         x       x      -        others        test+live
  admin, test only          -     t     t       t         t       t      -        others        test
  finance                   -     -     -       -         -       -      -        none          none
  finance, test only        -     -     -       -         -       -      -        none          none
  developer                 -     -     -       -         -       -      -        none          test
  developer, test only      -     -     -       -         -       -      -        none          test
  support                   -     -     -       -         -       -      -        none          none
  support, test only        -     -     -       -         -       -      -        none          none
  viewer                    -     -     -       -         -       -      -        none          none
  viewer, test only         -     -     -       -         -       -      -        none          none
  operator                  -     -     -       -         -       -      x        none          none
  former owner              -     -     -       -         -       -      -        none          none
  disabled owner            -     -     -       -         -       -      -        none          none
  disabled operator         -     -     -       -         -       -      -        none          none`

type Row = { name: string; gives: Map<string, string>; takes: string; keys: string }

const [head = '', ...lines] = design.trim().split('\n')
const columns = head.trim().split(/ +/).slice(1)
const rows: Row[] = lines.map((line) => {
  const [name = '', ...marks] = line.trim().split(/ {2,}/)
  const cell = (column: string) => marks[columns.indexOf(column)]!
  const gives = new Map([...roles, 'operator'].map((given) => [given, cell(given)]))
  return { name, gives, takes: cell('takes'), keys: cell('keys') }
})

type MemberAccess = { role: Role; maySeeLive: boolean }
const accesses: MemberAccess[] = roles.flatMap((role) =>
  [true, false].map((maySeeLive) => ({ role, maySeeLive })),
)

const mayGive = ({ gives }: Row, { role, maySeeLive }: MemberAccess) =>
  gives.get(role) === 'x' || (gives.get(role) === 't' && !maySeeLive)
const mayTake = ({ takes }: Row, { role }: MemberAccess) =>
  takes === 'owner+others' || (takes === 'others' && role !== 'owner')
const mayMakeKeys = ({ keys }: Row, mode: string) => keys.split('+').includes(mode)

/** The state that the name of a row describes. */
function stateOf({ name }: Row) {
  const role = roles.find((known) => name.includes(known)) ?? null
  return {
    role,
    maySeeLive: !name.includes('test only'),
    isOperator: name.includes('operator'),
    isFormer: name.startsWith('former'),
    isDisabled: name.startsWith('disabled'),
  }
}

function giverOf(row: Row): Giver {
  const { role, maySeeLive, isOperator, isFormer, isDisabled } = stateOf(row)
  const membership = role && !isFormer ? { role, maySeeLive } : null
  return { isDisabled, isOperator, membership }
}

const counts = new Map<string, number>()
const mismatches: string[] = []

/** Notes one combination of the matrix. */
function compare(kind: string, what: string, { is, may }: { is: boolean; may: boolean }): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  if (is !== may) mismatches.push(`${kind}: ${what} was ${is ? 'allowed' : 'refused'}`)
}

function expectMatch(): void {
  expect(mismatches).toEqual([])
}

afterAll(() => {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const each = [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
  console.log(`giver × gift: ${all} combinations (${each}), ${mismatches.length} mismatches`)
})

const labelOf = (row: Row, { role, maySeeLive }: MemberAccess) =>
  `${row.name} → ${role}${maySeeLive ? '' : ', test only'}`

test('the rule is the table', () => {
  for (const row of rows) {
    const giver = giverOf(row)
    const may = (gift: Gift) => whyNotGive(giver, gift) === undefined
    for (const access of accesses)
      compare('rule, membership', labelOf(row, access), {
        is: may({ kind: 'membership', ...access }),
        may: mayGive(row, access),
      })
    compare('rule, operator', row.name, {
      is: may({ kind: 'operator' }),
      may: row.gives.get('operator') === 'x',
    })
    for (const mode of modes)
      for (const permission of [...keyPermissions, undefined]) {
        const permissions = permission ? [permission] : keyPermissions
        compare('rule, key', `${row.name} → ${mode} ${permission ?? 'unrestricted'}`, {
          is: may({ kind: 'key', mode, permissions }),
          may: mayMakeKeys(row, mode),
        })
      }
  }
  expectMatch()
})

test('a live key has no permission that its maker lacks', () => {
  const own = new Set<Permission>(allPermissions.filter((name) => name !== 'approvals.change'))
  const giver = giverOf(rows.find(({ name }) => name === 'admin')!)
  for (const permission of allPermissions)
    expect(
      whyNotGive(giver, { kind: 'key', mode: 'live', permissions: [permission] }) === undefined,
    ).toBe(own.has(permission))
})

describe('by requests and links', () => {
  let service: TestService
  /** A merchant for each access: changes of one team wait for each other. */
  type Place = {
    access: MemberAccess
    merchant: string
    merchantId: string
    /** The member who is changed. */
    target: Person
    /** Of links. */
    maker: Person
  }
  let places: Place[]
  beforeAll(async () => {
    service = await openManilla()
    const openPlace = async (access: MemberAccess): Promise<Place> => {
      const { reference: merchant } = await service.addMerchant('Ada Stores')
      await addPerson(service, { merchant, role: 'owner', name: 'The owner who remains' })
      const merchantId = fromReference(prefixes.merchant, merchant)!
      const target = await addPerson(service, { merchant, ...access })
      const maker = await addPerson(service, { merchant, role: 'owner' })
      return { access, merchant, merchantId, target, maker }
    }
    places = []
    for (const access of accesses) places.push(await openPlace(access))
  })

  let counted = 0
  const newEmail = () => {
    counted += 1
    return `invited${counted}@give.example`
  }

  /** As by another process, without the use cases that revoke links. */
  async function setMember(userId: string, access: MemberAccess & { isDisabled?: boolean }) {
    const { role, maySeeLive, isDisabled = false } = access
    await service.db.rows(sql`
      update memberships set role = ${role}, may_see_live = ${maySeeLive},
        disabled_at = ${isDisabled ? service.clock.now() : null}
      where user_id = ${userId}`)
  }

  async function become({ userId }: Person, merchantId: string, row: Row): Promise<void> {
    const { role, maySeeLive, isOperator, isFormer, isDisabled } = stateOf(row)
    const now = service.clock.now()
    await service.db.rows(sql`
      insert into memberships (merchant_id, user_id, role, may_see_live, created_at)
      values (${merchantId}, ${userId}, 'owner', true, ${now}) on conflict do nothing`)
    await setMember(userId, { role: role ?? 'owner', maySeeLive, isDisabled: isFormer })
    if (role === null) await service.db.rows(sql`delete from memberships where user_id = ${userId}`)
    await service.db.rows(sql`
      update users set is_operator = ${isOperator}, disabled_at = ${isDisabled ? now : null}
      where id = ${userId}`)
  }

  /** A merchant has at most 100 open links. */
  const endLinks = () =>
    service.db.rows(sql`
      update invitations set revoked_at = ${service.clock.now()}
      where used_at is null and revoked_at is null`)

  const isAllowed = ({ status, text }: Reply): boolean => {
    if (![200, 201, 303, 401, 403, 404].includes(status)) throw new Error(`${status} ${text}`)
    return status < 400
  }

  function openLink(purpose: LinkPurpose, makerId: string | null, email = newEmail()) {
    return service.db.transaction(async (tx) =>
      createInvitation(tx, service.clock.now(), { email, purpose, makerId, createdBy: 'test' }),
    )
  }

  const openInvitation = ({ access, merchantId }: Place, makerId: string | null) =>
    openLink({ kind: 'member', merchantId, ...access }, makerId)

  const openReset = ({ target, merchantId, maker }: Place) => {
    const purpose = { kind: 'reset', userId: target.userId, madeInMerchantId: merchantId } as const
    return openLink(purpose, maker.userId, target.email)
  }

  const atAll = <Result>(work: (place: Place) => Promise<Result>) => Promise.all(places.map(work))

  /**
   * The rule and the database are compared with the whole table. Requests try a third of the
   * accesses for each row, other ones in the next; `npm run test:long` tries all.
   */
  const atTurn = <Result>(row: Row, work: (place: Place) => Promise<Result>) => {
    const turn = rows.indexOf(row)
    const chosen = places.filter((_, index) => isLongRun || (index + turn) % 3 === 0)
    return Promise.all(chosen.map(work))
  }

  test('invitations, changes, password links, withdrawals and keys', async () => {
    for (const row of rows) {
      const ask = async (kind: string, may: boolean, what: string, request: Promise<Reply>) =>
        compare(kind, what, { is: isAllowed(await request), may })
      const givers = await atTurn(row, async (place) => {
        const { access, merchant, merchantId, target } = place
        const { userId } = target
        const giver = await addPerson(service, { merchant, role: 'owner' })
        await become(giver, merchantId, row)
        const path = `/v1/team/users/${toReference(prefixes.user, userId)}`
        const what = labelOf(row, access)
        const [gives, takes] = [mayGive(row, access), mayTake(row, access)]
        const body = { email: newEmail(), ...access }
        await ask('invite', gives, what, giver.ask('POST', '/v1/team/invitations', { body }))

        await setMember(userId, { role: 'viewer', maySeeLive: false })
        await ask('change', gives, what, giver.ask('PATCH', path, { body: access }))
        await setMember(userId, { ...access, isDisabled: true })
        const enable = { isDisabled: false }
        await ask('enable', gives, what, giver.ask('PATCH', path, { body: enable }))
        await setMember(userId, access)
        await ask('password link', gives, what, giver.ask('POST', `${path}/link`))
        await ask('end sessions', takes, what, giver.ask('POST', `${path}/end-sessions`))
        for (const taken of [{ isDisabled: true }, { maySeeLive: false }]) {
          await ask('take', takes, what, giver.ask('PATCH', path, { body: taken }))
          await setMember(userId, access)
        }
        const { id } = await openInvitation(place, null)
        const link = `/v1/team/invitations/${toReference(prefixes.invitation, id)}`
        await ask('withdraw', takes, what, giver.ask('DELETE', link))
        return giver
      })
      const [giver] = givers as [Person]
      const body = { email: newEmail(), role: 'operator', maySeeLive: false }
      const { status } = await giver.ask('POST', '/v1/team/invitations', { body })
      compare('invite', `${row.name} → operator`, { is: status < 400, may: false })
      for (const mode of modes)
        for (const permissions of [undefined, ['balances.see']]) {
          const key = { name: 'Shop', kind: 'secret', ...(permissions && { permissions }) }
          const reply = giver.ask('POST', '/v1/api-keys', { mode, body: key })
          const what = `${row.name} → ${mode} ${permissions ?? 'unrestricted'}`
          await ask('key', mayMakeKeys(row, mode), what, reply)
        }
      await endLinks()
    }
    expectMatch()
  }, 180_000)

  test('links are worth what their maker may give when they are used', async () => {
    for (const row of rows) {
      await atTurn(row, async (place) => {
        const { access, maker, merchantId } = place
        const links = {
          invitation: await openInvitation(place, maker.userId),
          'password link': await openReset(place),
        }
        await become(maker, merchantId, row)
        for (const [name, { token }] of Object.entries(links)) {
          const jar = openJar(service.url)
          const form = { name: 'Tunde Bello', password: goodPassword }
          const used = await jar.submit(`/console/join/${token}`, form)
          const may = mayGive(row, access)
          compare(`${name}, used later`, labelOf(row, access), { is: isAllowed(used), may })
        }
      })
      await endLinks()
    }
    expectMatch()
  })

  test('the database holds the same rule', async () => {
    const take = (id: string) =>
      service.db
        .rows(sql`update invitations set used_at = ${service.clock.now()} where id = ${id}`)
        .then(
          () => true,
          (error: { constraint?: string }) => {
            expect(error.constraint).toBe('link_is_worth_what_its_maker_may_give')
            return false
          },
        )
    for (const row of rows) {
      await atAll(async (place) => {
        const { access, maker, merchantId } = place
        await become(maker, merchantId, row)
        const what = labelOf(row, access)
        const may = mayGive(row, access)
        const invitation = await openInvitation(place, maker.userId)
        compare('database, invitation', what, { is: await take(invitation.id), may })
        const { id } = await openReset(place)
        compare('database, password link', what, { is: await take(id), may })
      })
      const operator = await openLink({ kind: 'operator' }, places[0]!.maker.userId)
      compare('database, operator', row.name, {
        is: await take(operator.id),
        may: row.gives.get('operator') === 'x',
      })
    }
    // Links of the command line stay, for a user of any merchant.
    const { merchantId, target } = places[0]!
    for (const purpose of [
      { kind: 'operator' },
      { kind: 'member', merchantId, role: 'owner', maySeeLive: true },
      { kind: 'reset', userId: target.userId, madeInMerchantId: null },
    ] as LinkPurpose[])
      expect(await take((await openLink(purpose, null)).id)).toBe(true)
    expectMatch()
  })

  test('a change ends at once the links that their maker may no longer give', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const merchantId = fromReference(prefixes.merchant, service.merchant.reference)!
    const changes = rows.filter((row) => {
      const { role, isOperator, isDisabled } = stateOf(row)
      return role !== null && !isOperator && !isDisabled
    })
    for (const row of changes) {
      const { role, maySeeLive, isFormer } = stateOf(row)
      const maker = await addPerson(service, { role: 'owner' })
      const links = []
      for (const access of accesses)
        links.push({
          access,
          ...(await openLink({ kind: 'member', merchantId, ...access }, maker.userId)),
        })
      const body = { role, maySeeLive, isDisabled: isFormer }
      const path = `/v1/team/users/${toReference(prefixes.user, maker.userId)}`
      expect((await owner.ask('PATCH', path, { body })).status).toBe(200)
      const open = await service.db.rows(sql<{ id: string }>`
        select id from invitations where created_by_user = ${maker.userId} and revoked_at is null`)
      const ids = new Set(open.map(({ id }) => id))
      for (const { access, id } of links)
        compare('revoked at once', labelOf(row, access), {
          is: ids.has(id),
          may: mayGive(row, access),
        })
    }
    expectMatch()
  })
})
