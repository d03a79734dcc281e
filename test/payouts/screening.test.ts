import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { screeningLimits } from '../../src/screening/limits.js'
import { manualClock } from '../support/clock.js'
import { openWithBank, type ServiceWithBank } from '../support/open-with-bank.js'
import { keyed, openDesk } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { openList, openProvider } from '../support/screening.js'

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
    return by.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })
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
    const { transfer, approve, other, desk } = await openFunded(service)
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
    const two = await approve(reference, other)
    expect([two.status, two.json.data.status]).toEqual([200, 'SUBMITTED'])
    const hit = { list: 'Made-up', version: list.version(), verdict: 'hit', entry: 'S-1' }
    expect(await linesOf(service, reference)).toMatchObject([
      { action: 'payout_screening.hit', ...hit },
      { action: 'payout_screening.approve', ...hit },
      { action: 'payout_screening.approve', ...hit },
    ])
  })

  test('who was listed since is not paid by an approval of something else', async () => {
    const list = await openList(manualClock(), [])
    const service = await openWithBank({ screening: list.screening })
    const { transfer, approve, desk } = await openFunded(service)
    const { json } = await transfer()
    await list.replace([{ id: 'S-1', name: json.data.accountName }])
    const { reference } = (await transfer()).json.data
    // As if it waited for another reason.
    await service.db.rows(sql`alter table payout_checks disable trigger checks_only_get_stricter`)
    await service.db.rows(sql`update payout_checks set reasons = '{amount}'`)
    const refused = await approve(reference)
    expect([refused.status, refused.json.reason]).toEqual([422, 'screening'])
    expect((await desk.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data.status).toBe(
      'PENDING',
    )
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
