import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { screeningLimits } from '../../src/screening/limits.js'
import { manualClock } from '../support/clock.js'
import { openWithBank, type ServiceWithBank } from '../support/open-with-bank.js'
import { keyed, openDesk } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { openList, openProvider } from '../support/screening.js'
import { expectAllProofs } from '../support/sound-books.js'

const recipient = { bankCode: '058', accountNumber: '0123456789' }

async function openFunded(service: ServiceWithBank) {
  const desk = await openDesk(service)
  const merchant = desk.merchant.reference
  const funded = await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  expect(funded.status).toBe(201)
  const transfer = async (change: object = {}) => {
    const body = { ...recipient, amount: 100_000, ...change }
    const reply = await desk.post('/v1/disbursements/bank-transfer', body, keyed(randomUUID()))
    expect(reply.status, reply.text).toBe(201)
    return reply
  }
  const [approver, other] = await Promise.all([
    addPerson(service, { role: 'owner', merchant, name: 'Ngozi' }),
    addPerson(service, { role: 'owner', merchant, name: 'Bola' }),
  ])
  const read = async (reference: string) =>
    (await approver.ask('GET', `/v1/disbursements/${reference}`)).json.data
  const approve = async (reference: string, by = approver) => {
    const { orderHash } = await read(reference)
    const body = { orderHash, reason: 'Passport seen' }
    return by.ask('POST', `/v1/disbursements/${reference}/approve`, { body })
  }
  return { desk, transfer, approve, read, approver, other }
}

async function linesOf({ db }: ServiceWithBank, reference: string) {
  const rows = await db.rows(sql<{ action: string; details: string }>`
    select action, details::text as details from audit_lines
    where action like 'payout_screening.%' and details->>'reference' = ${reference}
    order by number`)
  return rows.map(({ action, details }) => ({ action, ...JSON.parse(details) }))
}

describe('a recipient on the list', () => {
  test('waits for members without any approval rule, with audit lines', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { transfer, approve, read, other, desk } = await openFunded(service)
    const first = await transfer()
    expect([first.status, first.json.data.status]).toEqual([201, 'SUBMITTED'])
    await list.replace([{ id: 'S-1', name: first.json.data.accountName }])

    const held = await transfer()
    const { reference } = held.json.data
    expect([held.status, held.json.data.status]).toEqual([201, 'PENDING'])
    expect(held.json.data.approval.reasons).toEqual(['screening'])
    await service.pass(5)
    expect((await desk.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data.status).toBe(
      'PENDING',
    )

    // No member made the key, so two members approve.
    const one = await approve(reference)
    expect([one.status, one.json.data.status]).toEqual([200, 'PENDING'])
    await service.pass(1)
    const two = await approve(reference, other)
    expect([two.status, two.json.data.status]).toEqual([200, 'SUBMITTED'])
    const hit = { list: 'Made-up', version: list.version(), verdict: 'hit', entry: 'S-1' }
    const reason = 'Passport seen'
    expect(await linesOf(service, reference)).toMatchObject([
      { action: 'payout_screening.hit', ...hit },
      { action: 'payout_screening.approve', ...hit, reason },
      { action: 'payout_screening.approve', ...hit, reason },
    ])
    expect((await read(reference)).approval.givenBy).toMatchObject([
      { name: 'Ngozi', reason },
      { name: 'Bola', reason },
    ])
  })

  test('is paid only with a reason', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { transfer, read, approver, other, desk } = await openFunded(service)
    const { accountName } = (await transfer()).json.data
    await list.replace([{ id: 'S-1', name: accountName }])
    const { reference } = (await transfer()).json.data
    const { orderHash } = await read(reference)
    const path = `/v1/disbursements/${reference}/approve`
    const silent = await approver.ask('POST', path, { body: { orderHash } })
    expect([silent.status, silent.json.code]).toEqual([400, 'validation_failed'])
    expect(silent.json.details).toEqual([
      { field: 'reason', issue: 'is required: the recipient is on a sanctions list' },
    ])
    const blank = { orderHash, reason: ' \u00a0' }
    const unread = await approver.ask('POST', path, { body: blank })
    expect([unread.status, unread.json.details[0].field]).toEqual([400, 'reason'])
    const simulate = (body: object) =>
      desk.post(`/v1/test/disbursements/${reference}/decide`, body, keyed(randomUUID()))
    expect((await simulate({ decision: 'approve' })).json.details).toMatchObject([
      { field: 'reason' },
    ])
    expect((await simulate({ decision: 'approve', reason: ' ' })).status).toBe(400)
    expect((await read(reference)).approval.givenBy).toEqual([])
    await expect(
      service.db.rows(sql`
        insert into payout_approvals (environment_id, payout_id, verdict, order_hash, decided_at,
          decided_by)
        select environment_id, id, 'APPROVED', order_hash, created_at, 'simulated' from payouts
        where status = 'PENDING'`),
    ).rejects.toMatchObject({ constraint: 'release_of_a_hit_says_why' })
    expect((await simulate({ decision: 'approve', reason: 'Another person' })).status).toBe(200)
    const body = { orderHash, reason: 'Another person' }
    expect((await other.ask('POST', path, { body })).json.data.status).toBe('SUBMITTED')
  })

  test('that is found at the approval is shown, and only then approved', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { transfer, approve, read, desk, approver, other } = await openFunded(service)
    const { accountName } = (await transfer()).json.data
    const limit = { each: 1_000_000, perDay: null }
    const rule = { appliesTo: 'all', NGN: limit, USDC: null, USDT: null }
    const ruled = await approver.ask('PATCH', '/v1/settings/approvals', { body: rule })
    expect(ruled.status, ruled.text).toBe(200)
    service.clock.advance(2_000)
    const { reference } = (await transfer({ amount: 2_000_000 })).json.data
    const before = await read(reference)
    expect(before.approval).toMatchObject({ reasons: ['amount'], screening: null, round: 1 })
    // No member made the key, so two members approve. One did before it was listed.
    expect((await approve(reference)).json.data.status).toBe('PENDING')
    await list.replace([{ id: 'S-1', name: accountName }])

    const found = await approve(reference, other)
    expect([found.status, found.json.reason]).toEqual([422, 'screening'])
    expect(found.json.message).toContain(`entry S-1 of Made-up (${list.version()})`)
    const hit = {
      verdict: 'hit',
      list: 'Made-up',
      version: list.version(),
      entry: 'S-1',
      why: null,
    }
    expect(await read(reference)).toMatchObject({
      status: 'PENDING',
      approval: {
        reasons: ['amount', 'screening'],
        screening: hit,
        needed: 2,
        givenBy: [],
        round: 2,
      },
    })
    const line = { list: 'Made-up', verdict: 'hit', entry: 'S-1' }
    expect(await linesOf(service, reference)).toMatchObject([
      { action: 'payout_screening.hit', ...line },
    ])

    // A page that was opened before does not know of it.
    const path = `/v1/disbursements/${reference}/approve`
    const { orderHash } = before
    const stale = await other.ask('POST', path, { body: { orderHash, round: 1 } })
    expect([stale.status, stale.json.reason]).toEqual([409, 'order_changed'])
    const body = { orderHash, round: 2, reason: 'Passport seen' }
    expect((await other.ask('POST', path, { body })).status).toBe(200)

    // Another entry is another finding; a newer version of the list is not.
    await list.replace([
      { id: 'S-0', name: 'Another Name' },
      { id: 'S-1', name: accountName },
    ])
    expect((await read(reference)).approval.givenBy).toHaveLength(1)
    await list.replace([{ id: 'S-2', name: accountName }])
    expect((await approve(reference)).json.message).toContain('entry S-2')
    expect((await read(reference)).approval).toMatchObject({ givenBy: [], round: 3 })
    expect((await approve(reference)).json.data.status).toBe('PENDING')
    expect((await approve(reference, other)).json.data.status).toBe('SUBMITTED')
    expect((await linesOf(service, reference)).map(({ action }) => action)).toEqual([
      'payout_screening.hit',
      'payout_screening.approve',
      'payout_screening.hit',
      'payout_screening.approve',
      'payout_screening.approve',
    ])
    await service.pass(5)
    expect((await desk.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data.status).toBe(
      'COMPLETED',
    )
    await expectAllProofs(service.db)
  })

  test('that is found at a simulated approval waits for another one', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { transfer, approver, desk } = await openFunded(service)
    const { accountName } = (await transfer()).json.data
    const rule = {
      appliesTo: 'all',
      NGN: { each: 1_000_000, perDay: null },
      USDC: null,
      USDT: null,
    }
    await approver.ask('PATCH', '/v1/settings/approvals', { body: rule })
    service.clock.advance(2_000)
    const { reference } = (await transfer({ amount: 2_000_000 })).json.data
    await list.replace([{ id: 'S-1', name: accountName }])
    const decide = () =>
      desk.post(
        `/v1/test/disbursements/${reference}/decide`,
        { decision: 'approve', reason: 'Passport seen' },
        keyed(randomUUID()),
      )
    expect((await decide()).json.reason).toBe('screening')
    expect((await decide()).json.data.status).toBe('PENDING')
    expect((await decide()).json.data.status).toBe('SUBMITTED')
    await expectAllProofs(service.db)
  })

  test('a refund to a payer who was listed since waits, too', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { desk, transfer } = await openFunded(service)
    const account = await desk.open()
    const { reference } = await desk.pay(account.accountNumber, {
      sender: { name: 'ADA OBI', ...recipient },
    })
    const { accountName } = (await transfer()).json.data
    await list.replace([{ id: 'S-1', name: accountName }])
    const refund = await desk.refund(reference, { destination: recipient })
    expect([refund.status, refund.json.message]).toEqual([201, 'Refund waits for approval'])
  })
})

test('a recipient whom a silent provider did not screen waits, and is not approved blindly', async () => {
  const hookClock = manualClock()
  const { provider, screening } = await openProvider(hookClock)
  const service = await openWithBank({ screening })
  const { transfer, approve, other } = await openFunded(service)
  provider.isSilent = true
  const { reference, status, approval } = (await transfer()).json.data
  expect([status, approval.reasons]).toEqual(['PENDING', ['screening']])
  expect(await linesOf(service, reference)).toMatchObject([{ action: 'payout_screening.unknown' }])
  const blind = await approve(reference)
  expect([blind.status, blind.json.reason]).toEqual([422, 'screening'])
  provider.isSilent = false
  hookClock.advance(screeningLimits.pauseAfterFailureMs)
  expect((await approve(reference)).status).toBe(200)
  expect((await approve(reference, other)).json.data.status).toBe('SUBMITTED')
})
