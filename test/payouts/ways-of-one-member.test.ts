import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { prefixes, toReference } from '../../src/base/ids.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { addUser, goodPassword, openJar } from '../support/sign-in.js'

// Ways around approvals that an outside attempt has found. Mallory is one member, alone.
const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask } = service
const each = 1_000_000
const thief = { bankCode: '058', accountNumber: '0123456789' }
const keyed = () => ({ 'idempotency-key': randomUUID() })

async function openShop(perDay: number | null) {
  const shop = await service.addMerchant(`Shop ${randomUUID()}`)
  const merchant = shop.reference
  const owner = await addPerson(service, { role: 'owner', merchant })
  const mallory = await addPerson(service, { role: 'admin', merchant, name: 'Mallory' })
  const key = shop.test.secret
  await ask('POST', '/v1/test/balances/fund', {
    key,
    body: { asset: 'NGN', amount: 500_000_000 },
    headers: keyed(),
  })
  const rule = { appliesTo: 'all', NGN: { each, perDay }, USDC: null, USDT: null }
  const set = await owner.ask('PATCH', '/v1/settings/approvals', { body: rule })
  expect(set.status, set.text).toBe(200)
  clock.advance(1_100)
  return { shop, mallory, key }
}

const payAs = async (member: Pick<Person, 'ask'>) => {
  const body = { amount: each, ...thief }
  const reply = await member.ask('POST', '/v1/disbursements/bank-transfer', { body })
  return reply.json.data?.status ?? reply.text
}

/** The one who follows the link, in the browser of its maker. */
async function follow(maker: Person, url: string, form: Record<string, string>) {
  const jar = openJar(service.url)
  await jar.submit(new URL(url).pathname, form)
  const headers = { cookie: `manilla=${jar.cookies.get('manilla')}` }
  const member: Pick<Person, 'ask'> = {
    ask: (method, path, request = {}) =>
      maker.ask(method, path, { ...request, headers: { ...request.headers, ...headers } }),
  }
  return member
}

test('members whom one admin invites share the limit of a day with the admin', async () => {
  const { mallory } = await openShop(each)
  expect([await payAs(mallory), await payAs(mallory)]).toEqual(['SUBMITTED', 'PENDING'])
  const body = { email: `${randomUUID()}@example.com`, role: 'finance', maySeeLive: true }
  const made = await mallory.ask('POST', '/v1/team/invitations', { body })
  const form = { name: 'Puppet', password: goodPassword }
  expect(await payAs(await follow(mallory, made.json.data.url, form))).toBe('PENDING')
})

test('a member whose password one admin set shares the limit of a day with the admin', async () => {
  const { shop, mallory } = await openShop(each)
  expect(await payAs(mallory)).toBe('SUBMITTED')
  const email = `${randomUUID()}@example.com`
  const victim = await addUser(service, { email, role: 'finance', merchant: shop.reference })
  const path = `/v1/team/users/${toReference(prefixes.user, victim.userId)}/link`
  const { url } = (await mallory.ask('POST', path)).json.data
  const password = 'nine brown bottles float upstream'
  expect(await payAs(await follow(mallory, url, { password }))).toBe('PENDING')
})

// While a return waits, nothing of the payment is held. Rejecting it makes the money held again,
// between the check and the commit of the next return.
test('held money does not leave to a chosen account while a return of it is rejected', async () => {
  const { shop, mallory, key } = await openShop(null)
  const accounts = '/v1/collections/dedicated-accounts'
  const body = { externalReference: randomUUID() }
  const account = (await ask('POST', accounts, { key, body, headers: keyed() })).json.data
  await ask('POST', `${accounts}/${account.accountReference}/deactivate`, { key })
  const sent = await ask('POST', '/v1/test/bank-transfers', {
    key,
    body: { accountNumber: account.accountNumber, amount: 5 * each, sender: { name: 'CHUKA' } },
  })
  await settle()
  const payment = sent.json.data.reference
  const resolve = () =>
    mallory.ask('POST', `/v1/collections/payments/${payment}/resolve`, {
      body: { action: 'return', destination: thief },
    })
  for (let round = 0; round < 5; round += 1) {
    await resolve()
    const waiting = (await mallory.ask('GET', '/v1/disbursements/waiting')).json.data.items
    const reject = `/v1/disbursements/${waiting[0].reference}/reject`
    const replies = await Promise.all([
      mallory.ask('POST', reject, { body: { reason: 'typo' } }),
      ...Array.from({ length: 6 }, resolve),
    ])
    for (const { json } of replies.slice(1)) expect(json.message).not.toBe('Payment resolved')
  }
  await settle()
  const left = await db.rows({
    text: `select status from payouts where environment_id = $1 and status <> 'FAILED'
      and order_hash is null`,
    values: [shop.environments.test.id],
  })
  expect(left).toEqual([])
})
