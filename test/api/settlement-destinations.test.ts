import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hour } from '../../src/base/clock.js'
import { lockEnvironment } from '../../src/merchants/environments.js'
import { emptyForm } from '../../src/merchants/kyc/kyc-form.js'
import { saveKyc } from '../../src/merchants/kyc/kyc-submissions.js'
import { confirmBankAccount } from '../../src/merchants/settings/bank-accounts.js'
import type { BankDirectory } from '../../src/payouts/ports.js'
import { confirmAccount } from '../../src/payouts/settlements/destination.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, withDirectory } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { openSession, untilBlocked } from '../support/sessions.js'

/** The holder of an account by the last digit of its number. */
const holders = ['EVE OKORO', 'ADA STORES NIG LTD', 'EVE FOODS NIGERIA LIMITED']
const directory: BankDirectory = {
  listBanks: async () => [{ code: '058', name: 'GTBank' }],
  resolveName: async ({ accountNumber }) => ({
    bankName: 'GTBank',
    accountName: holders[Number(accountNumber.at(-1))]!,
  }),
}

const service = await openManilla({ rails: withDirectory(directory) })
const { ask, clock, db, seal } = service
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
const rule = { appliesTo: 'all', NGN: { each: 1_000_000, perDay: null }, USDC: null, USDT: null }

async function openShop({ mode }: { mode: 'test' | 'live' }) {
  const shop = await service.addMerchant(`Ada Stores ${randomUUID()}`)
  const { merchantId } = shop.environments.live
  await db.transaction(async (tx) => {
    const form = structuredClone(emptyForm)
    form.business.legalName = 'Ada Stores Nigeria Limited'
    await saveKyc(tx, clock.now(), { merchantId, seal, form })
  })
  await db.rows(sql`update environments set kyc_status = 'APPROVED'
    where merchant_id = ${merchantId} and mode = 'live'`)
  const join = (role: 'owner' | 'admin' | 'finance') =>
    addPerson(service, { role, merchant: shop.reference })
  const key = shop[mode].secret
  const settle = async () => {
    const headers = { 'idempotency-key': randomUUID() }
    return (await ask('POST', '/v1/settlements', { key, headers })).json.reason
  }
  const events = async () => {
    const { json } = await ask('GET', '/v1/events?type=settlement_destination.changed', { key })
    return json.data.items.map(({ data }: { data: object }) => data)
  }
  type Member = Awaited<ReturnType<typeof join>>
  const attention = async (member: Member) => {
    const { json } = await member.ask('GET', '/v1/attention', { mode })
    return json.data.items.filter(({ kind }: { kind: string }) =>
      /settlement|bank_account/.test(kind),
    )
  }
  const add = async (member: Member, accountNumber: string) => {
    const body = { bankCode: '058', accountNumber, isPrimary: true }
    const reply = await member.ask('POST', '/v1/bank-accounts', { mode, body })
    expect(reply.status, reply.text).toBe(201)
    return reply.json.data as { reference: string; nameDiffers: boolean }
  }
  const confirm = (member: Member, { reference }: { reference: string }) =>
    member.ask('POST', `/v1/bank-accounts/${reference}/confirm`, { mode })
  const choose = (member: Member, body: object) =>
    member.ask('PATCH', '/v1/settings/settlement-destination', { mode, body })
  return { shop, key, join, settle, events, attention, add, confirm, choose }
}

describe('a bank account of live mode', () => {
  test('of the business is used after its wait, and announced as long', async () => {
    const { join, add, settle, events, attention } = await openShop({ mode: 'live' })
    const added = await add(await join('owner'), '0000000001')
    expect(added).toMatchObject({ nameDiffers: false })
    expect(await events()).toMatchObject([
      { payTo: 'bank', accountNumber: '0000000001', needsConfirmation: false, nameDiffers: false },
    ])
    const finance = await join('finance')
    expect(await attention(finance)).toMatchObject([
      { kind: 'bank_account_waiting', subject: '0000000001' },
    ])
    expect(await settle()).toBe('bank_account_waiting')
    clock.advance(24 * hour)
    expect(await settle()).toBe('nothing_to_settle')
  })

  test.each(['0000000000', '0000000002'])(
    'of another holder (%s) waits for a second member',
    async (accountNumber) => {
      const { join, add, confirm, settle, attention } = await openShop({ mode: 'live' })
      const owner = await join('owner')
      const added = await add(owner, accountNumber)
      expect(added).toMatchObject({ nameDiffers: true })
      const own = await confirm(owner, added)
      expect(own.json).toMatchObject({ reason: 'second_member_required' })
      clock.advance(72 * hour)
      expect(await settle()).toBe('destination_unconfirmed')
      const [admin, finance] = [await join('admin'), await join('finance')]
      expect(await attention(admin)).toMatchObject([
        { kind: 'settlement_destination_unconfirmed', subject: accountNumber },
      ])
      expect((await confirm(finance, added)).json).toMatchObject({ reason: 'role' })
      expect((await confirm(admin, added)).status).toBe(200)
      expect(await settle()).toBe('nothing_to_settle')
      expect(await attention(admin)).toEqual([])
    },
  )

  test('is not confirmed by the member who adds it again meanwhile', async () => {
    const { shop, join, add } = await openShop({ mode: 'live' })
    const { live: environment } = shop.environments
    const { reference } = await add(await join('owner'), '0000000000')
    const { userId } = await join('admin')
    let confirmed: Promise<unknown> | undefined
    await db.transaction(async (tx) => {
      await lockEnvironment(tx, environment.id)
      await tx.rows(sql`
        update merchant_bank_accounts set chosen_by_user = ${userId}
        where environment_id = ${environment.id}`)
      const confirmation = { environment, userId, reference }
      confirmed = db.transaction((other) => confirmAccount(other, clock.now(), confirmation))
      confirmed.catch(() => {})
      await untilBlocked(db)
    })
    await expect(confirmed).rejects.toMatchObject({ reason: 'second_member_required' })
  })

  test('that waits is refused with the time to retry, also on a repeat', async () => {
    const { key, join, add } = await openShop({ mode: 'live' })
    await add(await join('owner'), '0000000000')
    clock.advance(72 * hour)
    const headers = { 'idempotency-key': randomUUID() }
    const settle = () => ask('POST', '/v1/settlements', { key, headers })
    const [first, repeat] = [await settle(), await settle()]
    expect(first.json).toMatchObject({ reason: 'destination_unconfirmed' })
    expect(repeat.text).toBe(first.text)
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    for (const { headers } of [first, repeat]) expect(headers.get('retry-after')).toBe('600')
  })

  test('that an operator confirms needs no second member; one that is added again does', async () => {
    const { shop, join, add, settle } = await openShop({ mode: 'live' })
    const { reference } = await add(await join('owner'), '0000000000')
    clock.advance(24 * hour)
    const name = { environmentId: shop.environments.live.id, reference }
    await db.transaction((tx) => confirmBankAccount(tx, clock.now(), { ...name, userId: null }))
    expect(await settle()).toBe('nothing_to_settle')

    const owner = await join('owner')
    await add(owner, '0000000001')
    await owner.ask('POST', `/v1/bank-accounts/${reference}/deactivate`, { mode: 'live' })
    await add(owner, '0000000000')
    clock.advance(24 * hour)
    expect(await settle()).toBe('destination_unconfirmed')
  })
})

describe('under an approval rule', () => {
  test('an account and a wallet wait for a second member in test mode, too', async () => {
    const opened = await openShop({ mode: 'test' })
    const { key, join, add, confirm, settle, events, attention, choose } = opened
    const [owner, admin] = [await join('owner'), await join('admin')]
    await add(owner, '0000000000')
    expect(await settle()).toBe('nothing_to_settle')
    await owner.ask('PATCH', '/v1/settings/approvals', { body: rule })
    expect(await settle()).toBe('destination_unconfirmed')
    const added = await add(owner, '0000000001')
    expect(await settle()).toBe('destination_unconfirmed')
    expect((await confirm(owner, added)).json).toMatchObject({ reason: 'second_member_required' })
    expect((await confirm(admin, added)).status).toBe(200)
    expect(await settle()).toBe('nothing_to_settle')

    const settlement = { payTo: 'wallet', walletAddress: wallet }
    const byKey = await ask('PATCH', '/v1/settings', { key, body: { settlement } })
    expect(byKey.json).toMatchObject({ reason: 'console_only' })
    await choose(admin, { payTo: 'wallet', walletAddress: wallet })
    expect(await settle()).toBe('wallet_waiting')
    expect(await attention(owner)).toMatchObject([
      { kind: 'settlement_wallet_waiting', subject: wallet },
      { kind: 'settlement_destination_unconfirmed', subject: wallet },
    ])
    await ask('POST', '/v1/test/clock/advance', { key, body: { seconds: 72 * 3_600 } })
    expect(await settle()).toBe('destination_unconfirmed')
    const path = '/v1/settings/settlement-destination/confirm'
    const body = { walletAddress: wallet }
    expect((await admin.ask('POST', path, { body })).json).toMatchObject({
      reason: 'second_member_required',
    })
    // The owner confirms the wallet that was shown, not one chosen meanwhile.
    const other = { walletAddress: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk' }
    expect((await owner.ask('POST', path, { body: other })).json).toMatchObject({
      reason: 'invalid_state',
    })
    expect((await owner.ask('POST', path, { body })).json.data).toMatchObject({
      needsConfirmation: false,
    })
    expect(await settle()).toBe('nothing_to_settle')
    const announced = (await events()).map((one: { payTo: string }) => one.payTo)
    expect(announced.toSorted()).toEqual(['bank', 'bank', 'wallet'])
  })

  test('the database refuses a settlement to an unconfirmed account, and a false confirmer', async () => {
    const { shop, join, add } = await openShop({ mode: 'live' })
    const [owner, finance] = [await join('owner'), await join('finance')]
    await add(owner, '0000000000')
    const session = await openSession(db)
    const attempt = (text: string) => session.query(text).catch((error: Error) => error.message)
    const environmentId = shop.environments.live.id
    const confirmBy = (userId: string) =>
      attempt(`update merchant_bank_accounts set confirmed_at = now(),
        confirmed_by_user = '${userId}' where environment_id = ${environmentId}`)
    expect(await confirmBy(owner.userId)).toContain('confirmer_did_not_choose_the_account')
    expect(await confirmBy(finance.userId)).toBe('confirmer_is_a_member_who_may')
    const insert = `insert into settlements (environment_id, id, payout_id, part, reserve,
        first_entry, last_entry, opening, closing, lines, created_at)
      values (${environmentId}, gen_random_uuid(), gen_random_uuid(), 1, 0, 1, 1, 0, 0, '[]', now())`
    expect(await attempt(insert)).toBe('settlement_goes_to_a_confirmed_destination')
  })
})

test('a key of test mode announces the wallet that it chooses', async () => {
  const { key, events, settle } = await openShop({ mode: 'test' })
  const settlement = { payTo: 'wallet', walletAddress: wallet }
  await ask('PATCH', '/v1/settings', { key, body: { settlement } })
  await ask('PATCH', '/v1/settings', { key, body: { settlement: { ...settlement, reserve: 5 } } })
  expect(await events()).toMatchObject([{ payTo: 'wallet', walletAddress: wallet }])
  expect(await settle()).toBe('nothing_to_settle')
})
