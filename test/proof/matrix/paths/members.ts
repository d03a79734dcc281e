import { strict as assert } from 'node:assert'
import type { Role } from '../../../../src/team/permissions.js'
import { addPerson } from '../../../support/people.js'
import type { World } from '../world.js'

let keys = 0

/** A member of the merchant's team in the console; every call is repeated until it is answered. */
export async function addMember(world: World, role: Role, name: string) {
  const { service } = await world.current()
  const { cookie } = await addPerson(service, { role, name })
  const ask = (method: string, path: string, body: object) => {
    keys += 1
    return world.call(method, path, { body, cookie, key: `member-${keys}` })
  }
  const change = async (method: string, path: string, body: object) => {
    const { status, json } = await ask(method, path, body)
    assert(status < 300, `${method} ${path}: ${status} ${json?.message}`)
    return json.data
  }
  return {
    /** Also of a refused call. */
    ask,
    post: (path: string, body: object = {}) => change('POST', path, body),
    patch: (path: string, body: object) => change('PATCH', path, body),
  }
}

/** The owner, two more who may approve, and the rule: everything above `each` waits. */
export async function addTeam(
  world: World,
  {
    each,
    eachUsdc,
    appliesTo,
    asksCallback = false,
  }: {
    /** Null: no limit. */
    each: number | null
    eachUsdc?: string
    appliesTo: 'console' | 'all'
    asksCallback?: boolean
  },
) {
  const ada = await addMember(world, 'owner', 'Ada Obi')
  const bola = await addMember(world, 'finance', 'Bola Ade')
  const chidi = await addMember(world, 'admin', 'Chidi Eze')
  const rule = {
    appliesTo,
    NGN: each === null ? null : { each, perDay: null },
    USDC: eachUsdc === undefined ? null : { each: eachUsdc, perDay: null },
    USDT: null,
    ...(asksCallback && { controls: { ...noControls, callback: callbackOf(world) } }),
  }
  await ada.patch('/v1/settings/approvals', rule)
  return { ada, bola, chidi }
}

const noControls = { callback: null, recipients: null, velocity: null, duplicates: null }

const callbackOf = ({ callback, endpoint }: World) => ({
  url: callback.url,
  signedBy: endpoint,
  retryMinutes: 10,
})
