import { describe, expect, test } from 'vitest'
import type { Route } from '../../src/api/edge/route.js'
import { modes } from '../../src/base/environment.js'
import { allPermissions, permissionsOf, roles } from '../../src/team/permissions.js'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

/** What each role may do, written down a second time: x both modes, t test mode, - not. */
const design = `
                    owner admin finance developer support viewer
  payments.see      x     x     x       x         x       x
  payouts.see       x     x     x       x         x       x
  balances.see      x     x     x       -         -       x
  payers.see        x     x     x       -         x       -
  exports.make      x     x     x       -         -       -
  collect.create    x     x     x       t         x       -
  payments.decide   x     x     x       t         -       -
  payments.ask      x     x     x       t         x       -
  payouts.create    x     x     x       t         -       -
  payouts.approve   x     x     x       -         -       -
  developers.see    x     x     x       x         x       -
  developers.change x     x     -       x         -       -
  endpoints.change  x     x     -       t         -       -
  keys.change       x     x     -       t         -       -
  settings.see      x     x     x       x         -       x
  settings.change   x     x     -       -         -       -
  business.see      x     x     x       -         -       -
  business.change   x     x     -       -         -       -
  approvals.change  x     -     -       -         -       -
  team.see          x     x     x       x         x       x
  team.change       x     x     -       -         -       -
  audit.own         x     x     x       x         x       -
  audit.see         x     x     x       -         -       -`

const [, ...lines] = design.trim().split('\n')
const cells = new Map(
  lines.map((line) => {
    const [name = '', ...marks] = line.trim().split(/ +/)
    return [name, marks]
  }),
)

test('the table is the one of the design', () => {
  expect([...cells.keys()]).toEqual(allPermissions)
  for (const mode of modes)
    for (const [index, role] of roles.entries()) {
      const expected = allPermissions.filter((name) => {
        const mark = cells.get(name)![index]
        return mark === 'x' || (mark === 't' && mode === 'test')
      })
      expect(permissionsOf(role, mode), `${role} in ${mode} mode`).toEqual(expected)
    }
})

describe('every route', () => {
  test('lets exactly the roles of its permission in', async () => {
    const service = await openManilla()
    const ofMembers = service.routes.filter(({ permission }) => permission !== undefined)
    expect(ofMembers.length).toBeGreaterThan(70)
    const mismatches: string[] = []
    let tried = 0
    for (const role of roles) {
      const person = await addPerson(service, { role })
      for (const mode of modes) {
        const allowed = new Set(permissionsOf(role, mode))
        const tryRoute = async (route: Route) => {
          const { method, permission, operation } = route
          const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
          const reply = await person.ask(method, toPath(route), { mode, ...body })
          const isRefused = reply.status === 403 && reply.json?.reason === 'role'
          tried += 1
          // A report is an export, too.
          const isExport = route.isCsvOnly && route.isHeavy
          const may = allowed.has(permission!) && (!isExport || allowed.has('exports.make'))
          if (isRefused === may)
            mismatches.push(`${operation} as ${role} in ${mode} mode: ${reply.text}`)
        }
        for (let index = 0; index < ofMembers.length; index += 20)
          await Promise.all(ofMembers.slice(index, index + 20).map(tryRoute))
      }
    }
    console.log(`permission matrix: ${tried} combinations, ${mismatches.length} mismatches`)
    expect(mismatches).toEqual([])
  })

  test('lets a person without a membership, or without live access, do nothing', async () => {
    const service = await openManilla()
    const stranger = await addPerson(service)
    const tester = await addPerson(service, { role: 'owner', maySeeLive: false })
    const weak = await addPerson(service, { role: 'owner', hasSecondFactor: false })
    for (const route of service.routes.filter(({ permission }) => permission !== undefined)) {
      const path = toPath(route)
      const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} }
      const replies = await Promise.all([
        stranger.ask(route.method, path, body),
        tester.ask(route.method, path, { mode: 'live', ...body }),
        weak.ask(route.method, path, { mode: 'live', ...body }),
      ])
      expect(
        replies.map(({ status, json }) => `${status} ${json.reason}`),
        route.operation,
      ).toEqual(['403 role', '403 role', '403 second_factor_missing'])
    }
  })
})

/** The path with a value for every parameter. */
function toPath({ path }: Route): string {
  return path.replaceAll(/:\w+/g, 'unknown')
}
