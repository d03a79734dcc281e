import { expect, test } from 'vitest'
import { servedToSubaccountKeys } from '../../src/api/auth/subaccount-keys.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'
import { refusedToSubaccountKeys } from './refused-operations.js'
import { accounts, openMarket } from './shop.js'

const { db, clock, service, openShop, pass } = await openMarket()

type Shop = Awaited<ReturnType<typeof openShop>>

const seller = (name: string) => ({
  name,
  bankAccount: { bankCode: '058', accountNumber: accounts.completes },
})

async function openKeyed() {
  const shop = await openShop()
  const { reference: merchant } = shop.merchant
  const owner = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
  const ada = await shop.addFunded(2_000_000, seller('Ada Fabrics'))
  const bola = await shop.addFunded(2_000_000, seller('Bola Shoes'))
  return { shop, owner, ada, bola }
}

async function makeKey(owner: Awaited<ReturnType<typeof addPerson>>, body: object) {
  const reply = await owner.ask('POST', '/v1/api-keys', {
    body: { name: 'page of a seller', kind: 'secret', ...body },
  })
  return { ...reply, key: reply.json.data?.key as string }
}

const keyRoutes = service.routes.filter(({ access }) =>
  ['secret', 'any_key', 'key_only'].includes(access),
)

test('every operation either serves keys of sub-accounts or is listed as refusing them', () => {
  const operations = keyRoutes.map(({ operation }) => operation).toSorted()
  const listed = [...Object.keys(servedToSubaccountKeys), ...refusedToSubaccountKeys].toSorted()
  expect(operations).toEqual(listed)
  // Only reads serve them.
  for (const { operation, method } of keyRoutes)
    if (Object.hasOwn(servedToSubaccountKeys, operation))
      expect([operation, method[0]]).toEqual([operation, 'G'])
})

test('operations that serve by the query take one, and others its reference in the path', () => {
  for (const { operation, query, path } of keyRoutes) {
    const scope = servedToSubaccountKeys[operation]
    if (scope === 'query')
      expect([operation, Object.keys((query as { properties: object }).properties)]).toEqual([
        operation,
        expect.arrayContaining(['subaccount']),
      ])
    if (scope === 'path') expect(path).toMatch(/^\/v1\/subaccounts\/:reference$/)
  }
})

test('a key of a sub-account is refused by every other operation', async () => {
  const { owner, ada } = await openKeyed()
  const { key } = await makeKey(owner, { subaccount: ada.reference })
  for (const { operation, method, path } of keyRoutes) {
    if (Object.hasOwn(servedToSubaccountKeys, operation)) continue
    const url = path.replaceAll(/:\w+/g, ada.reference)
    const reply = await service.ask(method, url, {
      key,
      ...(method !== 'GET' && { body: {}, headers: { 'idempotency-key': operation } }),
    })
    expect([operation, reply.status, reply.json.reason]).toEqual([operation, 403, 'key_permission'])
  }
})

async function seen(shop: Shop, key: string, path: string) {
  const { status, json } = await service.ask('GET', path, { key })
  return { status, data: json.data, reason: json.reason, all: (await shop.get(path)) ?? null }
}

test('it reads its sub-account, and nothing of others', async () => {
  const { shop, owner, ada, bola } = await openKeyed()
  await shop.fund(1_000_000)
  const { key, json } = await makeKey(owner, { subaccount: ada.reference })
  expect(json.data).toMatchObject({
    subaccount: ada.reference,
    permissions: ['balances.see', 'payouts.see', 'subaccounts.see'],
  })
  const paid: Record<string, string> = {}
  const settled: Record<string, string> = {}
  for (const { reference: from } of [ada, bola]) {
    paid[from] = (await shop.payOut({ from })).json.data.reference
    settled[from] = (await shop.post(`/v1/subaccounts/${from}/settlements`)).json.data.reference
  }
  const own = (await shop.payOut({})).json.data.reference
  await pass(3)
  const transfers = '/v1/disbursements/bank-transfer'
  const of = (path: string) => `${path}${path.includes('?') ? '&' : '?'}subaccount=${ada.reference}`
  for (const path of [
    '/v1/balances',
    '/v1/balance-entries?asset=NGN',
    '/v1/balance-entries/summary?asset=NGN',
    '/v1/settlements',
    '/v1/settlements/summary',
    transfers,
    '/v1/disbursements/crypto',
  ]) {
    const mine = await seen(shop, key, path)
    expect([path, mine.status, mine.data]).toEqual([path, 200, await shop.get(of(path))])
    expect((await service.ask('GET', of(path), { key })).json.data).toEqual(mine.data)
    const others = path.includes('?') ? `${path}&` : `${path}?`
    for (const query of [
      `subaccount=${bola.reference}`,
      'subaccount=',
      `subaccount=${ada.reference}&subaccount=${bola.reference}`,
      `subaccount=${bola.reference}&subaccount=${ada.reference}`,
    ]) {
      const refused = await service.ask('GET', others + query, { key })
      expect([path, query, refused.status]).toEqual([path, query, 403])
    }
  }
  const readable = [
    `/v1/subaccounts/${ada.reference}`,
    `${transfers}/${paid[ada.reference]}`,
    `/v1/settlements/${settled[ada.reference]}`,
    `/v1/settlements/${settled[ada.reference]}/entries`,
  ]
  for (const path of readable) {
    const { status, data, all } = await seen(shop, key, path)
    expect([path, status, data]).toEqual([path, 200, all])
  }
  const unreadable = [
    [`/v1/subaccounts/${bola.reference}`, 403],
    [`${transfers}/${paid[bola.reference]}`, 404],
    [`${transfers}/${own}`, 404],
    [`/v1/settlements/${settled[bola.reference]}`, 404],
    [`/v1/settlements/${settled[bola.reference]}/entries`, 404],
  ] as const
  for (const [path, expected] of unreadable)
    expect([path, (await service.ask('GET', path, { key })).status]).toEqual([path, expected])
  await expectAllProofs(db)
})

test('it cannot be given more, and keeps its sub-account when it is rolled', async () => {
  const { owner, ada } = await openKeyed()
  const refused = [
    { subaccount: ada.reference, permissions: ['payouts.create'] },
    { subaccount: ada.reference, permissions: ['balances.see', 'payments.see'] },
    { subaccount: ada.reference, kind: 'public' },
  ]
  for (const body of refused)
    expect([body, (await makeKey(owner, body)).json.code]).toEqual([body, 'validation_failed'])
  expect((await makeKey(owner, { subaccount: 'sub_unknown' })).status).toBe(404)
  const other = await openShop()
  const foreign = await other.addSeller()
  expect((await makeKey(owner, { subaccount: foreign.reference })).status).toBe(404)

  const made = await makeKey(owner, { subaccount: ada.reference, permissions: ['balances.see'] })
  // Without subaccounts.see it reads no balance of a sub-account.
  expect((await service.ask('GET', '/v1/balances', { key: made.key })).status).toBe(403)
  const whole = await makeKey(owner, { subaccount: ada.reference })
  const rolled = await owner.ask('POST', `/v1/api-keys/${whole.json.data.id}/roll`)
  expect(rolled.json.data).toMatchObject({ subaccount: ada.reference })
  const { key } = rolled.json.data
  expect((await service.ask('GET', '/v1/subaccounts', { key })).status).toBe(403)
  expect((await service.ask('GET', '/v1/balances', { key })).json.data.items[0]).toMatchObject({
    available: 2_000_000,
  })
  await owner.ask('POST', `/v1/api-keys/${rolled.json.data.id}/revoke`)
  clock.advance(1_000)
  expect((await service.ask('GET', '/v1/balances', { key })).status).toBe(401)
})

test('the database keeps such a key to reads, and to its sub-account', async () => {
  const { owner, ada, bola } = await openKeyed()
  const { json } = await makeKey(owner, { subaccount: ada.reference })
  expect(json.data.subaccount).not.toBe(bola.reference)
  const change = (set: string) =>
    db.rows({ text: `update api_keys set ${set} where subaccount_id is not null`, values: [] })
  const constraint = 'key_of_a_subaccount_only_reads'
  await expect(change('permissions = null')).rejects.toMatchObject({ constraint })
  await expect(change(`permissions = array['payouts.create']`)).rejects.toMatchObject({
    constraint,
  })
  await expect(change('subaccount_id = null')).rejects.toThrow()
})
