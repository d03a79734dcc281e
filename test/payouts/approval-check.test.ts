import { describe, expect, test } from 'vitest'
import { day, second } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { manualClock } from '../support/clock.js'
import { openWithBank } from '../support/open-with-bank.js'
import { addPerson, type Person } from '../support/people.js'
import { openList } from '../support/screening.js'
import { expectAllProofs } from '../support/sound-books.js'

// What a member reads before sending a transfer is what happens to it.

const list = await openList(manualClock(), [])
const service = await openWithBank({ screening: list.screening })
const { db, clock, merchant, ask } = service
const key = merchant.test.secret
const toBank = { bankCode: '058', accountNumber: '0123456789' }
const other = { bankCode: '058', accountNumber: '0000000017' }
const endpoint = (
  await ask('POST', '/v1/webhook-endpoints', { key, body: { url: 'https://shop.example/hooks' } })
).json.data
await ask('POST', '/v1/test/balances/fund', { key, body: { asset: 'NGN', amount: 900_000_000 } })

let [ada, chidi]: [Person, Person] = await signIn()

async function signIn(): Promise<[Person, Person]> {
  return [
    await addPerson(service, { role: 'owner', name: 'Ada Obi' }),
    await addPerson(service, { role: 'admin', name: 'Chidi Eze' }),
  ]
}

const none = { callback: null, recipients: null, velocity: null, duplicates: null }
const noLimits = { appliesTo: 'all', NGN: null, USDC: null, USDT: null }

/** Each test has a month of its own, and members whose sessions are new. */
async function setRule(controls: object, limits: object = {}): Promise<void> {
  clock.advance(31 * day)
  ;[ada, chidi] = await signIn()
  await db.rows(sql`
    update payout_freezes set thawed_by = 'shell:test', thawed_at = now() where thawed_at is null`)
  const body = { ...noLimits, ...limits, controls: { ...none, ...controls } }
  const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
  expect(changed.status, changed.text).toBe(200)
  const { change } = changed.json.data
  if (change) await chidi.ask('POST', `/v1/settings/changes/${change.id}/confirm`)
  clock.advance(2 * second)
}

async function nameOf(account: typeof toBank): Promise<string> {
  const query = new URLSearchParams(account)
  const reply = await ada.ask('GET', `/v1/banks/resolve?${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data.accountName
}

type Check = {
  needed: boolean
  reasons: string[]
  asksCallback: boolean
  screening: { verdict: string; entry: string } | null
  refusal: { reason: string; message: string } | null
}

async function check(amount: number, query: Record<string, string>): Promise<Check> {
  const all = new URLSearchParams({ currency: 'NGN', amount: String(amount), ...query })
  const reply = await ada.ask('GET', `/v1/disbursements/approval-check?${all}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

/** Asks what would happen to a transfer, makes it, and compares. */
async function checkAndPay(amount: number, account = toBank): Promise<Check> {
  const checked = await check(amount, { ...account, accountName: await nameOf(account) })
  const paid = await ada.ask('POST', '/v1/disbursements/bank-transfer', {
    body: { amount, ...account },
  })
  const { status, json } = paid
  const { approval } = json.data ?? {}
  expect(
    {
      refusal: checked.refusal,
      reasons: checked.reasons,
      asksCallback: checked.asksCallback,
    },
    paid.text,
  ).toEqual({
    refusal: status === 201 ? null : { reason: json.reason, message: json.message },
    reasons: approval?.reasons ?? [],
    asksCallback: Boolean(approval?.callback),
  })
  expect(checked.needed).toBe(checked.reasons.length > 0)
  return checked
}

const sent = { needed: false, reasons: [], asksCallback: false, refusal: null, screening: null }
const velocity = (limit: object) => [
  { per: 'merchant', window: 'hour', currency: 'NGN', amount: null, count: null, ...limit },
]

describe('a check before a transfer', () => {
  test('knows limits, and that nothing stops a transfer', async () => {
    await setRule({}, { NGN: { each: 1_000_000, perDay: null } })
    expect(await checkAndPay(1_000_000)).toMatchObject(sent)
    expect(await checkAndPay(1_000_001)).toMatchObject({ needed: true, reasons: ['amount'] })
  })

  test('knows velocity', async () => {
    await setRule({ velocity: velocity({ amount: 500_000, above: 'refuse' }) })
    expect(await checkAndPay(400_000)).toMatchObject(sent)
    expect(await checkAndPay(100_001)).toMatchObject({ refusal: { reason: 'velocity_limit' } })
    await setRule({ velocity: velocity({ count: 1, above: 'approve', per: 'recipient' }) })
    expect(await checkAndPay(400_000)).toMatchObject(sent)
    expect(await checkAndPay(300_000)).toMatchObject({ reasons: ['velocity'] })
    expect(await checkAndPay(300_000, other)).toMatchObject(sent)
    // Until a recipient is chosen, its limit is not judged.
    expect(await check(300_000, {})).toMatchObject(sent)
  })

  test('knows duplicates', async () => {
    await setRule({ duplicates: { minutes: 30, requires: 'confirmation' } })
    expect(await checkAndPay(400_000)).toMatchObject(sent)
    expect(await checkAndPay(400_000)).toMatchObject({ refusal: { reason: 'possible_duplicate' } })
    await setRule({ duplicates: { minutes: 30, requires: 'approval' } })
    expect(await checkAndPay(400_000)).toMatchObject(sent)
    expect(await checkAndPay(400_000)).toMatchObject({ reasons: ['duplicate'] })
    expect(await check(400_000, {})).toMatchObject(sent)
  })

  test('knows rules about recipients, and disabled ones', async () => {
    const rule = { onlySaved: false, approveFirst: true, coolingOff: null }
    await setRule({ recipients: rule })
    expect(await checkAndPay(10_000)).toMatchObject({ reasons: ['new_recipient'] })
    await setRule({ recipients: { ...rule, onlySaved: true } })
    expect(await checkAndPay(10_000)).toMatchObject({ refusal: { reason: 'recipient_not_saved' } })
    await setRule({
      recipients: {
        onlySaved: false,
        approveFirst: false,
        coolingOff: { hours: 24, above: { NGN: 5_000, USDC: null, USDT: null } },
      },
    })
    const saved = await ada.ask('POST', '/v1/recipients', { body: toBank })
    expect(saved.status, saved.text).toBe(201)
    clock.advance(2 * second)
    expect(await checkAndPay(10_000)).toMatchObject({
      refusal: { reason: 'recipient_cooling_off' },
    })
    const path = `/v1/recipients/${saved.json.data.reference}`
    expect((await ada.ask('POST', `${path}/disable`)).status).toBe(200)
    await setRule({})
    expect(await checkAndPay(10_000)).toMatchObject({ refusal: { reason: 'recipient_disabled' } })
    expect((await ada.ask('POST', `${path}/enable`)).status).toBe(200)
    expect(await checkAndPay(10_000)).toMatchObject(sent)
  })

  test.each([
    ['merchant', undefined, true],
    ['recipient', '058/0123456789', false],
    ['rail', 'sandbox-bank', true],
  ])('knows what is frozen: a %s', async (kind, subject, isWithoutRecipient) => {
    await setRule({})
    const body = { kind, reason: 'Complaint 77', ...(subject && { subject }) }
    const frozen = await ada.ask('POST', '/v1/freezes', { body })
    expect(frozen.status, frozen.text).toBe(201)
    const refusal = { reason: 'payouts_frozen' }
    expect(await checkAndPay(10_000)).toMatchObject({ refusal })
    expect((await check(10_000, {})).refusal).toEqual(
      isWithoutRecipient ? expect.objectContaining(refusal) : null,
    )
    expect((await check(10_000, { of: 'batch' })).refusal).toEqual(
      isWithoutRecipient ? expect.objectContaining(refusal) : null,
    )
  })

  test('knows screening', async () => {
    await setRule({})
    await list.replace([{ id: 'S-1', name: await nameOf(toBank) }])
    const found = { reasons: ['screening'], screening: { verdict: 'hit', entry: 'S-1' } }
    expect(await checkAndPay(10_000)).toMatchObject(found)
    expect(await checkAndPay(10_000, other)).toMatchObject(sent)
    await list.replace([])
  })

  test('knows the callback, and several reasons at once', async () => {
    const callback = { url: 'https://shop.example/ok', signedBy: endpoint.id, retryMinutes: 5 }
    await setRule({ callback })
    expect(await checkAndPay(10_000)).toMatchObject({ ...sent, asksCallback: true })
    await setRule(
      { callback, velocity: velocity({ count: 1, above: 'approve' }) },
      { NGN: { each: 1_000_000, perDay: null } },
    )
    expect(await checkAndPay(10_000)).toMatchObject({ ...sent, asksCallback: true })
    expect(await checkAndPay(2_000_000)).toMatchObject({
      reasons: ['amount', 'velocity'],
      asksCallback: true,
    })
    // A batch is approved by its total; controls apply to its items.
    expect(await check(2_000_000, { of: 'batch' })).toMatchObject({
      reasons: ['amount'],
      asksCallback: false,
    })
  })

  test('moves nothing', async () => {
    const before = await db.rows(sql`select count(*)::int as count from payouts`)
    await check(10_000, toBank)
    expect(await db.rows(sql`select count(*)::int as count from payouts`)).toEqual(before)
    await expectAllProofs(db)
  })
})
