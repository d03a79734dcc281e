import { expect, test } from 'vitest'
import { isForUsersOnly, type Route } from '../../src/api/server/route.js'
import { modes } from '../../src/base/environment.js'
import { type KeyPermission, keyPermissions } from '../../src/merchants/keys/key-permissions.js'
import {
  allPermissions,
  type Permission,
  permissionsOf,
  roles,
} from '../../src/team/permissions.js'
import { type ResourceKind, resourceKinds, seenWith } from '../../src/team/seen-with.js'
import { addKey } from '../support/add-key.js'
import { isLongRun } from '../support/long-run.js'
import { openWithBank } from '../support/open-with-bank.js'
import { addPerson, type Person } from '../support/people.js'
import { markEnvironment, type Probe } from './marked-environment.js'

/** What each role may do, written down a second time: x both modes, t test mode, - not. */
const design = `
                    owner admin finance developer support viewer
  payments.see      x     x     x       x         x       x
  payouts.see       x     x     x       x         x       x
  balances.see      x     x     x       -         -       x
  subaccounts.see   x     x     x       -         -       x
  payers.see        x     x     x       -         x       -
  customers.see     x     x     x       -         x       -
  exports.make      x     x     x       -         -       -
  cases.see         x     x     x       x         x       x
  collect.create    x     x     x       t         x       -
  customers.change  x     x     x       t         x       -
  payments.decide   x     x     x       t         -       -
  payments.ask      x     x     x       t         x       -
  notes.write       x     x     x       x         x       -
  cases.change      x     x     x       t         x       -
  payouts.create    x     x     x       t         -       -
  recipients.change x     x     x       t         -       -
  subaccounts.change x    x     x       t         -       -
  payouts.freeze    x     x     -       -         -       -
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

/** The operation that reads each resource. */
const readers: Record<ResourceKind, string> = {
  payment: 'getPayment',
  return: 'listPaymentReturns',
  virtual_account: 'getVirtualAccount',
  dedicated_account: 'getDedicatedAccount',
  crypto_wallet: 'getCryptoWallet',
  dedicated_crypto_wallet: 'getDedicatedCryptoWallet',
  checkout_session: 'getCheckoutSession',
  bank_transfer: 'getBankTransfer',
  crypto_transfer: 'getCryptoTransfer',
  batch: 'getPayoutBatch',
  balance: 'listBalances',
  balance_entry: 'listBalanceEntries',
  conversion: 'getConversion',
  recipient: 'getRecipient',
  case: 'getCase',
  claim: 'getClaim',
  customer: 'getCustomer',
  invoice: 'getInvoice',
  subaccount: 'getSubaccount',
  split: 'listSubaccounts',
  settlement: 'getSettlement',
  subaccount_settlement: 'getSubaccount',
  settlement_destination: 'getSettlement',
  event: 'getEvent',
  webhook_endpoint: 'getWebhookEndpoint',
  request: 'getRequestLog',
}

test('a resource is shown elsewhere to those who may read it by its own operation', () => {
  const found = resourceKinds.map((kind) => {
    const route = service.routes.find(({ operation }) => operation === readers[kind])
    return [kind, route?.permission]
  })
  expect(Object.fromEntries(found)).toEqual(seenWith)
})

/** Answers of the gate before an operation; everything else is up to the operation. */
const gates = ['role', 'key_permission', 'second_factor_missing', 'test_mode_only']

type Caller = {
  name: string
  headers: Record<string, string>
  /** What the caller may see of the marked environment; undefined: it belongs to others. */
  sees: ReadonlySet<Permission> | undefined
  /** Tries reads only: what it may change is what its permissions allow one by one. */
  isReader?: boolean
  /** What the gate answers to this route: status and reason; undefined: it lets the caller in. */
  refusal: (route: Route) => string | undefined
}

/** The permissions that a route needs: the one table of operations is the list of routes. */
const neededFor = ({ permission, alsoNeeds }: Route) =>
  [permission, ...(alsoNeeds ?? [])].filter((one) => one !== undefined)

function ofKey(key: string, name: string, granted: ReadonlySet<Permission>): Caller {
  return {
    name,
    headers: { authorization: `Bearer ${key}` },
    sees: granted,
    refusal: (route) => {
      if (isForUsersOnly(route.access)) return '401 undefined'
      return neededFor(route).every((one) => granted.has(one)) ? undefined : '403 key_permission'
    },
  }
}

type Signed = { person: Person; mode: 'test' | 'live'; granted: ReadonlySet<Permission> }

function ofPerson(name: string, { person, mode, granted }: Signed, why = '403 role'): Caller {
  return {
    name,
    headers: {
      cookie: person.cookie,
      'manilla-merchant': service.merchant.reference,
      'manilla-mode': mode,
      'x-manilla-console': '1',
      'sec-fetch-site': 'same-origin',
    },
    sees: mode === 'test' ? granted : undefined,
    refusal: (route) => {
      if (route.access === 'operator') return '403 role'
      const isExport = route.isExport || (route.isCsvOnly && route.isHeavy)
      const needed = [...neededFor(route), ...(isExport ? (['exports.make'] as const) : [])]
      if (!needed.every((one) => granted.has(one))) return why
      return route.isTestOnly && mode === 'live' ? '403 test_mode_only' : undefined
    },
  }
}

const service = await openWithBank()
const marked = await markEnvironment(service)
const everything = new Set(allPermissions)
const nothing = new Set<Permission>()

/** What API keys can see of resources: every pair of these is tried, too. */
const seeing = keyPermissions.filter((one) => one.endsWith('.see'))

async function keysOf(): Promise<Caller[]> {
  const pairs = seeing.flatMap((one, index) => seeing.slice(index + 1).map((two) => [one, two]))
  const senders = seeing.map((one) => [...new Set<KeyPermission>(['developers.change', one])])
  const scopes = [...keyPermissions.map((one) => [one]), ...pairs, ...senders]
  const restricted = scopes.map(async (permissions) => {
    const key = await addKey(service, { permissions })
    const caller = ofKey(key, `a key with ${permissions.join(' and ')}`, new Set(permissions))
    return { ...caller, isReader: permissions.length > 1 }
  })
  const { merchant } = service
  const other = await service.addMerchant('Bola Foods')
  const strangers = [
    ofKey(merchant.live.secret, 'the key of live mode', everything),
    ofKey(other.test.secret, 'the key of another merchant', everything),
  ]
  const liveOnly = (route: Route) => (route.isTestOnly ? '403 test_mode_only' : undefined)
  const [live, foreign] = strangers as [Caller, Caller]
  const inLive = { ...live, refusal: (route: Route) => live.refusal(route) ?? liveOnly(route) }
  const publicKey: Caller = {
    ...ofKey(merchant.test.public, 'the public key', everything),
    sees: nothing,
    refusal: ({ access }) => (access === 'any_key' ? undefined : '401 undefined'),
  }
  return [
    ofKey(merchant.test.secret, 'the unrestricted key', everything),
    publicKey,
    { ...inLive, sees: undefined },
    { ...foreign, sees: undefined },
    ...(await Promise.all(restricted)),
  ]
}

async function peopleOf(): Promise<Caller[]> {
  const members = roles.map(async (role) => {
    const person = await addPerson(service, { role })
    const tester = await addPerson(service, { role, maySeeLive: false })
    const granted = new Set(permissionsOf(role, 'test'))
    const live = new Set(permissionsOf(role, 'live'))
    return [
      ofPerson(`${role} in test mode`, { person, mode: 'test', granted }),
      ofPerson(`${role} in live mode`, { person, mode: 'live', granted: live }),
      ofPerson(`${role} without live access in live mode`, {
        person: tester,
        mode: 'live',
        granted: nothing,
      }),
    ]
  })
  const weak = await addPerson(service, { role: 'owner', hasSecondFactor: false })
  const alone = { person: weak, mode: 'live', granted: nothing } as const
  const stranger = await addPerson(service)
  const other = await service.addMerchant('Chidi Books')
  const neighbour = await addPerson(service, { role: 'owner', merchant: other.reference })
  return [
    ...(await Promise.all(members)).flat(),
    ofPerson('owner without a factor in live mode', alone, '403 second_factor_missing'),
    ...[stranger, neighbour].map((person) =>
      ofPerson('a user of no or another merchant', { person, mode: 'test', granted: nothing }),
    ),
  ]
}

const callers = [...(await keysOf()), ...(await peopleOf())]
// `any_user` is for everyone who is signed in, and `open` for everyone.
const routes = service.routes.filter(
  ({ permission, access }) => permission || access === 'operator',
)
const mismatches: string[] = []
let tried = 0

async function send(caller: Caller, { method, path }: { method: string; path: string }) {
  const hasBody = method === 'POST' || method === 'PATCH'
  tried += 1
  const reply = await service.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      host: new URL(service.url).host,
      ...caller.headers,
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': `${tried}` }),
    },
    ...(hasBody && { payload: '{}' }),
  })
  const { reason } = reply.body.startsWith('{') ? reply.json() : {}
  const isRefused = reply.statusCode === 401 || gates.includes(reason)
  const refusal = isRefused ? `${reply.statusCode} ${reason}` : undefined
  const about = `${method} ${path} as ${caller.name}`
  for (const [permission, marker] of marked.markers) {
    const found = caller.sees?.has(permission) ? null : marker.exec(reply.body)
    if (found) mismatches.push(`${about} shows ${found[0]} without ${permission}`)
  }
  return { status: reply.statusCode, refusal, about, body: reply.body }
}

async function tryRoute(caller: Caller, route: Route): Promise<void> {
  const expected = caller.refusal(route)
  // A stream that is let in does not end.
  if (route.isStream && expected === undefined) return
  const path = route.path.replaceAll(/:\w+/g, 'unknown')
  const { refusal, about, body } = await send(caller, { method: route.method, path })
  if (refusal !== expected) mismatches.push(`${about}: ${refusal}, not ${expected}: ${body}`)
}

async function tryProbe(caller: Caller, probe: Probe): Promise<void> {
  const route = service.routes.find(({ operation }) => operation === probe.operation)!
  // A caller whom the gate refuses is refused before anything is looked up.
  if (caller.refusal(route) !== undefined) return
  const { method } = route
  const { status, about, body } = await send(caller, { method, path: probe.path })
  const isSeen = probe.needs === undefined || caller.sees?.has(probe.needs)
  const expected =
    !isSeen && caller.sees ? probe.refused : probe.isNamed && !caller.sees ? 404 : 200
  if (status !== expected) mismatches.push(`${about}: ${status}, not ${expected}: ${body}`)
}

test('a key that may pay but not see balances learns that money is missing, not how much', async () => {
  const body = { bankCode: '058', accountNumber: '0123456789', amount: 999_999_999 }
  const pay = async (permissions: KeyPermission[], idempotencyKey: string) => {
    const key = await addKey(service, { permissions })
    const headers = { 'idempotency-key': idempotencyKey }
    return service.ask('POST', '/v1/disbursements/bank-transfer', { key, body, headers })
  }
  const seen = await pay(['payouts.create', 'balances.see'], 'too much')
  expect([seen.status, seen.json.message]).toEqual([402, expect.stringMatching(/; ₦9,876,\d{3}/)])
  // Also where the answer is that of another key.
  for (const idempotencyKey of ['too much', 'also too much']) {
    const { status, json } = await pay(['payouts.create'], idempotencyKey)
    expect(status).toBe(402)
    expect(json.message).toMatch(/^The transfer needs ₦10,0.* with its fee; less is available\. /)
  }
})

/**
 * The gate of every operation, the answer to every probe, and no marker of anything unseen. In
 * `npm test` half of the callers try an operation, the others the next one; `npm run test:long`
 * tries all.
 */
test.each(callers)('every operation answers $name as the tables say', async (caller) => {
  const calls = [
    ...routes
      .filter((_, index) => isLongRun || (index + callers.indexOf(caller)) % 2 === 0)
      .filter(({ method }) => method === 'GET' || !caller.isReader)
      .map((route) => () => tryRoute(caller, route)),
    ...marked.probes.map((probe) => () => tryProbe(caller, probe)),
  ]
  const before = mismatches.length
  for (let index = 0; index < calls.length; index += 20)
    await Promise.all(calls.slice(index, index + 20).map((call) => call()))
  expect(mismatches.slice(before)).toEqual([])
})

test('the matrix is whole', () => {
  const { length: operations } = routes.filter(({ permission }) => permission)
  expect(operations).toBeGreaterThan(100)
  console.log(
    `access matrix: (${routes.length} operations + ${marked.probes.length} probes) × ${callers.length} callers: ${tried} combinations, ${mismatches.length} mismatches`,
  )
})
