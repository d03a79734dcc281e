import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { installationChain } from '../../src/audit/chain.js'
import { day } from '../../src/base/clock.js'
import { runLedgerProof } from '../../src/operations/proofs/ledger-proofs.js'
import { markForReview } from '../../src/payouts/attempts/review-payouts.js'
import type { Difference } from '../../src/payouts/reconciliation/compare-books.js'
import { recordReconciliation } from '../../src/payouts/reconciliation/reconciliations.js'
import { sql } from '../../src/postgres/sql.js'
import { openNoticeBoard } from '../support/notices.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson, type Person } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, clock, bank, merchant, logger } = service
const shop = payersOf(service, merchant)
const board = openNoticeBoard(service)

await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 90_000_000 })

const payOut = async (accountNumber = '0123456789') =>
  shop.post(
    '/v1/disbursements/bank-transfer',
    { amount: 1_000_000, bankCode: '058', accountNumber },
    { 'idempotency-key': randomUUID() },
  )

// Two transfers that the bank never decides; after three days they need an operator.
const stuck = [await payOut('9900000062'), await payOut('9900000062')].map(
  (reply) => reply.json.data.reference as string,
)
await service.pass(2)
clock.advance(3 * day)
await service.work()
await markForReview({ db, logger }, clock.now())

const lost = board.noticeOf('0000000000')
await board.announce(lost)
const account = (await shop.openVirtual()).json.data

const [ada, obi] = [
  await addPerson(service, { isOperator: true, name: 'Ada Operator' }),
  await addPerson(service, { isOperator: true, name: 'Obi Operator' }),
]

async function get(path: string, person: Person = ada) {
  const reply = await person.ask('GET', `/operator/v1${path}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

async function post(path: string, body: object = {}, person: Person = ada) {
  const reply = await person.ask('POST', `/operator/v1${path}`, { body })
  expect(reply.status, `${path}: ${reply.text}`).toBe(200)
  return reply.json.data
}

const confirm = (action: string, person: Person) =>
  person.ask('POST', `/operator/v1/actions/${action}/confirm`, { body: {} })

async function confirmed(action: string, person: Person = obi) {
  const reply = await confirm(action, person)
  expect(reply.status, reply.text).toBe(200)
}

const paymentsOfAccount = async () =>
  (await shop.get(`/v1/collections/payments?accountReference=${account.reference}`)).json.data.items

/** In the log of the installation, or of a merchant. */
const auditOf = async (action: string, chain = installationChain) =>
  db.rows(sql<{ actor: string; merchantId: string | null; details: Record<string, unknown> }>`
    select actor, merchant_id, details::jsonb as details from audit_lines
    where action = ${action} and chain = ${chain} order by id`)

describe('people who are not operators', () => {
  const routes = service.routes.filter(({ access }) => access === 'operator')

  test('get 403 from every route', async () => {
    expect(routes.length).toBeGreaterThan(35)
    const owner = await addPerson(service, { role: 'owner' })
    const hasNoFactor = await addPerson(service, { isOperator: true, hasSecondFactor: false })
    for (const { method, path, operation } of routes) {
      const url = path.replace(/:\w+/g, 'x')
      const body = method === 'POST' ? { body: {} } : {}
      const asOwner = await owner.ask(method, url, body)
      expect([operation, asOwner.status, asOwner.json.reason]).toEqual([operation, 403, 'role'])
      const without = await hasNoFactor.ask(method, url, body)
      const reason = 'second_factor_missing'
      expect([operation, without.status, without.json.reason]).toEqual([operation, 403, reason])
      const withKey = await service.ask(method, url, { key: merchant.test.secret, ...body })
      expect([operation, withKey.status]).toEqual([operation, 401])
    }
    await db.rows(sql`update users set disabled_at = now() where id = ${hasNoFactor.userId}`)
  })
})

describe('health', () => {
  test('shows the findings of the doctor, with a link to what needs an operator', async () => {
    const { checks, isHealthy } = await get('/doctor')
    const found = Object.fromEntries(checks.map((one: { check: string }) => [one.check, one]))
    expect(found.Schema).toMatchObject({ state: 'ok', link: null })
    expect(found.Payouts).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('2 need review'),
      fix: expect.stringContaining('payouts decide'),
      link: '/operator/payouts',
    })
    expect(found.Workers).toMatchObject({ state: 'error' })
    expect(isHealthy).toBe(false)
  })

  test('counts what waits', async () => {
    const health = await get('/health')
    expect(health).toMatchObject({
      payouts: { open: 2, inReview: 2, oldestAgeMs: 3 * day + 2_000 },
      workers: { alive: 0, living: [] },
      queues: { kyc: 0, notices: 1, payouts: 2, differences: 0, actions: 0 },
      webhookDelay: { measured: 0, p99Ms: null },
    })
    expect(health.payouts.perTenMinutes.buckets).toHaveLength(18)
    expect(await get('/queues')).toEqual(health.queues)
  })
})

describe('merchants', () => {
  test('are created, suspended and resumed, with an audit line each', async () => {
    const created = await post('/merchants', { displayName: 'Sola Markets' })
    expect(created.keys.map(({ kind }: { kind: string }) => kind)).toEqual(['secret', 'public'])
    const path = `/merchants/${created.id}`
    await post(`${path}/suspend`, { reason: 'Chargebacks' })
    expect(await get(path)).toMatchObject({ name: 'Sola Markets', kycStatus: 'NONE', keys: 2 })
    expect((await get(path)).suspendedAt).not.toBeNull()
    await post(`${path}/resume`, { reason: 'Settled' })
    expect((await get(path)).suspendedAt).toBeNull()
    const { items } = await get('/merchants?q=sola')
    expect(items.map(({ id }: { id: string }) => id)).toEqual([created.id])
    const first = await get('/merchants?limit=1')
    const second = await get(`/merchants?limit=1&cursor=${first.nextCursor}`)
    expect([first, second].map(({ items: [one] }) => one.name)).toEqual([
      'Sola Markets',
      'Ada Stores',
    ])
    expect((await auditOf('merchant.suspend'))[0]).toMatchObject({
      actor: ada.email,
      details: { reason: 'Chargebacks' },
    })

    const [key] = (await get(path)).apiKeys
    const revoked = await post(`${path}/keys/${key.reference}/revoke`)
    expect(revoked).toMatchObject({ reference: key.reference, state: 'revoked' })
    const other = `/merchants/${merchant.reference}/keys/${key.reference}/revoke`
    expect((await ada.ask('POST', `/operator/v1${other}`, { body: {} })).status).toBe(404)
  })

  test('can be viewed with a reason, read-only and for half an hour', async () => {
    const viewer = await addPerson(service, { isOperator: true })
    const read = (person: Person) => person.ask('GET', '/v1/balances', { mode: 'live' })
    expect((await read(viewer)).status).toBe(403)
    await post(`/merchants/${merchant.reference}/view`, { reason: 'Ticket 17' }, viewer)
    expect((await read(viewer)).status).toBe(200)
    const fund = { asset: 'NGN', amount: 1 }
    expect((await viewer.ask('POST', '/v1/test/balances/fund', { body: fund })).status).toBe(403)
    expect((await read(ada)).status).toBe(403)
    const { merchantId } = merchant.environments.live
    expect(await auditOf('merchant.view')).toMatchObject([{ actor: viewer.email, merchantId }])
    expect(await auditOf('merchant.view', merchantId)).toMatchObject([
      { actor: 'operator', details: { reason: 'Ticket 17' } },
    ])
    await db.rows(sql`update operator_views set until = ${clock.now()}`)
    clock.advance(1_000)
    expect((await read(viewer)).status).toBe(403)
    await db.rows(sql`update users set disabled_at = now() where id = ${viewer.userId}`)
  })
})

test('KYC that was not submitted cannot be decided', async () => {
  expect(await get('/kyc')).toEqual({ items: [] })
  expect(await get(`/kyc/${merchant.reference}`)).toMatchObject({ status: 'NONE', documents: [] })
  for (const outcome of ['approve', 'ask', 'reject']) {
    const path = `/operator/v1/kyc/${merchant.reference}/${outcome}`
    expect((await ada.ask('POST', path, { body: { note: 'No' } })).status).toBe(400)
  }
})

test('KYC is decided with a recent proof of who decides', async () => {
  const forgotten = await addPerson(service, { isOperator: true, hasStepUp: false })
  for (const outcome of ['approve', 'ask', 'reject']) {
    const path = `/operator/v1/kyc/${merchant.reference}/${outcome}`
    const reply = await forgotten.ask('POST', path, { body: { note: 'No' } })
    expect([reply.status, reply.json.reason], outcome).toEqual([403, 'step_up_required'])
  }
  await db.rows(sql`update users set disabled_at = now() where id = ${forgotten.userId}`)
})

test('every decision of an operator alone needs a recent proof', () => {
  const changes = service.routes.filter(
    ({ access, method, stepUp }) => access === 'operator' && method !== 'GET' && !stepUp,
  )
  const proposals = [
    'assignNotice',
    'creditMerchant',
    'decidePayout',
    'pauseRail',
    'proposeThaw',
    'resumeRail',
  ]
  const reads = ['runLedgerProof', 'runReconciliation', 'verifyInstallationLines', 'viewMerchant']
  const harmless = ['noteReconciliationDifference', 'retryNotice', 'withdrawOperatorAction']
  // Needs one for the change, but not for its preview.
  const previewed = ['changeMerchantFee']
  expect(changes.map(({ operation }) => operation).sort()).toEqual(
    [...proposals, ...reads, ...harmless, ...previewed].sort(),
  )
})

test('a new fee is previewed with the payouts of the last 30 days, then kept as a version', async () => {
  const path = `/merchants/${merchant.reference}/fees`
  const schedule = { flat: '80', basisPoints: 0, floor: '0', cap: null, tiers: [] }
  const change = { mode: 'test', operation: 'bank_payout', schedule }
  const preview = await post(path, { ...change, dryRun: true })
  // Two payouts of ₦10,000.00, for ₦25.00 each until now.
  expect(preview.preview.totals).toEqual([
    {
      asset: 'NGN',
      count: 2,
      amount: 2_000_000,
      feeNow: 5_000,
      feeNew: 16_000,
      change: '+₦110.00',
    },
  ])
  expect((await get(`${path}?mode=test`)).versions).toEqual([])
  await post(path, change)
  const { fees, versions } = await get(`${path}?mode=test`)
  expect(versions).toMatchObject([{ operation: 'bank_payout', version: 1 }])
  expect(fees.find((fee: { operation: string }) => fee.operation === 'bank_payout')).toMatchObject({
    version: 1,
    flat: '80',
  })
  const bad = { ...change, schedule: { ...schedule, flat: '1,5' } }
  expect((await ada.ask('POST', `/operator/v1${path}`, { body: bad })).status).toBe(400)
})

describe('an action of two operators', () => {
  const decide = (reference: string, person = ada) =>
    post(
      `/payouts/${reference}/decide`,
      { outcome: 'failed', evidence: 'The bank cancelled it', confirmNotLanded: true },
      person,
    )

  test('runs once, when another operator confirms it', async () => {
    const open = await get('/payouts')
    expect(open.items.map(({ reference }: { reference: string }) => reference).toSorted()).toEqual(
      stuck.toSorted(),
    )
    const before = await shop.naira()
    const { action } = await decide(stuck[0]!)
    const again = await ada.ask('POST', `/operator/v1/payouts/${stuck[0]}/decide`, {
      body: { outcome: 'completed', evidence: 'Other' },
    })
    expect([again.status, again.json.reason]).toEqual([409, 'invalid_state'])
    expect(await get('/actions')).toMatchObject({
      items: [{ id: action, isOwn: true, proposedBy: 'Ada Operator', merchantName: 'Ada Stores' }],
    })

    const unseconded = await confirm(action, ada)
    expect([unseconded.status, unseconded.json.message]).toEqual([
      403,
      'You proposed this action. Another operator must confirm it.',
    ])
    expect(await shop.naira()).toEqual(before)

    const both = await Promise.all([confirm(action, obi), confirm(action, obi)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const after = await shop.naira()
    // The amount and its fee, released once.
    expect(after.available - before.available).toBe(1_002_500)
    expect(after.held).toBe(before.held - 1_002_500)
    expect(await get('/actions?state=ended')).toMatchObject({
      items: [
        { id: action, state: 'DONE', confirmedBy: 'Obi Operator', result: { status: 'FAILED' } },
      ],
    })
    expect((await auditOf('action.propose')).map(({ actor }) => actor)).toEqual([ada.email])
    expect((await auditOf('action.confirm')).map(({ actor }) => actor)).toEqual([obi.email])
    expect((await auditOf('payout.decide'))[0]).toMatchObject({
      actor: obi.email,
      merchantId: merchant.environments.test.merchantId,
      details: { reference: stuck[0], outcome: 'failed', atBank: 'pending' },
    })
    const own = await auditOf('payout.decide', merchant.environments.test.merchantId)
    expect(own).toMatchObject([
      { actor: 'operator', details: { payout: stuck[0], outcome: 'failed', amount: '₦10,000.00' } },
    ])
    expect(own[0]!.details).not.toHaveProperty('evidence')
    const timeline = await shop.get(`/v1/timeline/${stuck[0]}`)
    const kinds = timeline.json.data.items.map(({ kind }: { kind: string }) => kind)
    expect(kinds.filter((kind: string) => kind === 'operator_decision')).toHaveLength(1)
    expect(kinds).not.toContain('member_action')
    await expectAllProofs(db)
  })

  test('is not confirmed after it was withdrawn, and needs a recent proof of who confirms', async () => {
    const { action } = await decide(stuck[1]!)
    const forgotten = await addPerson(service, { isOperator: true, hasStepUp: false })
    const late = await confirm(action, forgotten)
    expect([late.status, late.json.reason]).toEqual([403, 'step_up_required'])
    await post(`/actions/${action}/withdraw`)
    expect((await confirm(action, obi)).json.message).toBe('This action was withdrawn.')
    await db.rows(sql`update users set disabled_at = now() where id = ${forgotten.userId}`)
  })

  test('cannot be edited, confirmed by its proposer or done twice by SQL', async () => {
    const { action } = await decide(stuck[1]!)
    const [row] = await db.rows(sql<{ id: string }>`
      select id from operator_actions where state = 'WAITING'`)
    const set = (change: string) =>
      db.rows(sql`update operator_actions set ${sql.raw(change)} where id = ${row!.id}`)
    const done = `state = 'DONE', ended_at = proposed_at`
    await expect(set(`payload = '{}'`)).rejects.toThrow('operator_action_is_not_edited')
    await expect(set(`${done}, confirmed_by = '${ada.userId}'`)).rejects.toThrow(
      'confirmed_by_another',
    )
    const member = await addPerson(service, { role: 'owner' })
    await expect(set(`${done}, confirmed_by = '${member.userId}'`)).rejects.toThrow(
      'operator_confirms',
    )
    await expect(set(done)).rejects.toThrow('operator_confirms')
    await post(`/actions/${action}/withdraw`)
    await expect(set(`state = 'WAITING', ended_at = null`)).rejects.toThrow(
      'operator_action_is_not_edited',
    )
  })

  test('is left to the command line where there is only one operator', async () => {
    await db.rows(sql`update users set disabled_at = now() where id = ${obi.userId}`)
    const reply = await ada.ask('POST', `/operator/v1/rails/${bank.name}/pause`, {
      body: { reason: 'Alone' },
    })
    await db.rows(sql`update users set disabled_at = null where id = ${obi.userId}`)
    expect(reply.status).toBe(403)
    expect(reply.json.message).toContain('you are the only one')
    expect(reply.json.nextStep).toContain('`manilla rails pause` on the server')
  })
})

test('a payment without an account is booked into the account that two operators agree on', async () => {
  const name = `/notices/${bank.name}/test/${lost.id}`
  expect((await get('/notices?state=unmatched')).items).toMatchObject([
    { id: lost.id, asset: 'NGN', amount: 500_000 },
  ])
  expect(await get(name)).toMatchObject({ state: 'UNMATCHED', body: lost.body })
  await post(`${name}/retry`)
  await service.work()
  const assign = { merchant: merchant.reference, account: account.reference, note: 'Payer called' }
  const wrong = { ...assign, account: 'va_nothing' }
  expect((await ada.ask('POST', `/operator/v1${name}/assign`, { body: wrong })).status).toBe(400)
  const { action } = await post(`${name}/assign`, assign)
  await confirmed(action, obi)
  await service.work()
  expect(await paymentsOfAccount()).toMatchObject([{ amount: 500_000, status: 'ACCEPTED' }])
  expect(await get(name)).toMatchObject({
    state: 'BOOKED',
    assignedAccount: account.accountNumber,
    reported: { railAccount: '0000000000' },
  })
  expect((await get('/notices')).items).toEqual([])
  await expectAllProofs(db)
})

test('a paused rail takes no payout and sends nothing, and polls what was sent', async () => {
  const sent = (await payOut()).json.data.reference
  await service.pass(1)
  // The bank loses it until it is sent again.
  const lostByBank = (await payOut('9900000073')).json.data.reference
  const pause = await post(`/rails/${bank.name}/pause`, { reason: 'The bank is down' })
  expect((await payOut()).status).toBe(201)
  await confirmed(pause.action, obi)
  clock.advance(1_000)
  const refused = await payOut()
  expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
  const { items } = await get('/rails')
  expect(items).toMatchObject([
    { rail: bank.name, mode: 'test', pause: { reason: 'The bank is down', pausedBy: obi.email } },
  ])
  const [payment] = await paymentsOfAccount()
  const refund = await shop.post(`/v1/collections/payments/${payment.reference}/refund`, {})
  expect([refund.status, refund.json.reason]).toEqual([503, 'rail_unavailable'])
  // A second payment goes back by itself: its return waits, and keeps its tries.
  await board.announce(board.noticeOf(account.accountNumber))
  const returns = () =>
    db.rows(sql<{ state: string; tries: number }>`select state, tries from payment_returns`)
  await service.pass(5)
  expect(await returns()).toEqual([{ state: 'WAITING', tries: 0 }])
  const verify = async (reference: string) =>
    (await shop.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data.status
  expect([await verify(sent), await verify(lostByBank)]).toEqual(['COMPLETED', 'SUBMITTED'])
  const resume = await post(`/rails/${bank.name}/resume`, { reason: 'Back' }, obi)
  await confirmed(resume.action, ada)
  await service.pass(5)
  expect(await verify(lostByBank)).toBe('COMPLETED')
  expect(await returns()).not.toMatchObject([{ state: 'WAITING' }])
  expect((await payOut()).status).toBe(201)
})

test('a credit is booked once, with the reference of the bank', async () => {
  const path = `/merchants/${merchant.reference}/credits`
  const credit = { mode: 'test', asset: 'NGN', amount: '2500.50', note: 'Wire', once: 'FT-1' }
  const before = await shop.naira()
  const { action } = await post(path, credit)
  await confirmed(action, obi)
  expect((await shop.naira()).available - before.available).toBe(250_050)
  const second = await post(path, credit)
  const refused = await confirm(second.action, obi)
  expect([refused.status, refused.json.message]).toEqual([
    400,
    'A credit with this reference already exists. Nothing was changed.',
  ])
  expect((await get('/actions')).items).toMatchObject([{ id: second.action, state: 'WAITING' }])
  await post(`/actions/${second.action}/withdraw`)
})

test('treasuries and floats, operators', async () => {
  const { treasuries, floats } = await get('/treasuries')
  expect(treasuries).toEqual([])
  expect(floats).toMatchObject([{ rail: bank.name, isShort: false }])
  const { items } = await get('/operators')
  expect(items.slice(0, 2)).toMatchObject([
    { name: 'Ada Operator', isYou: true, disabledAt: null },
    { name: 'Obi Operator', isYou: false },
  ])
})

test('each difference is a row from when it is found until it is fixed', async () => {
  const lostOne: Difference = {
    kind: 'not_in_books',
    name: 'transfer-1',
    inBooks: 'nothing',
    atRail: '₦5.00',
  }
  const record = (differences: Difference[]) =>
    recordReconciliation(db, clock.now(), {
      rail: bank.name,
      dueAt: new Date(clock.now().getTime() + day),
      differences,
      position: 0n,
    })
  // The rail may report the same transfer twice.
  await record([lostOne, lostOne])
  const { items } = await get('/reconciliations/differences')
  expect(items).toMatchObject([lostOne, lostOne])
  expect((await get('/queues')).differences).toBe(2)
  const noted = await post(`/reconciliations/differences/${items[0].id}/note`, { note: 'Asked' })
  expect(noted).toMatchObject({ note: 'Asked', notedBy: 'Ada Operator' })
  const first = await get('/reconciliations/differences?limit=1')
  const next = await get(`/reconciliations/differences?limit=1&cursor=${first.nextCursor}`)
  expect(next.nextCursor).toBeNull()

  await record([{ ...lostOne, atRail: '₦6.00' }])
  const left = (await get('/reconciliations/differences')).items
  expect(left).toMatchObject([{ name: 'transfer-1', atRail: '₦6.00' }])
  await record([])
  expect((await get('/reconciliations/differences')).items).toEqual([])
  expect((await get('/reconciliations/differences?state=resolved')).items).toHaveLength(2)
  expect((await get('/reconciliations')).items).toMatchObject([{ rail: bank.name, differences: 0 }])

  const isDue = async () =>
    (await db.rows(sql`select from reconciliations where due_at <= ${clock.now()}`)).length
  expect(await isDue()).toBe(0)
  expect(await post('/reconciliations/run')).toMatchObject({ rails: [bank.name] })
  expect(await isDue()).toBe(1)
})

test('one proof of the ledger runs at a time, and its result is kept', async () => {
  await post('/ledger-proofs/run')
  const second = await obi.ask('POST', '/operator/v1/ledger-proofs/run', { body: {} })
  expect([second.status, second.json.reason]).toEqual([409, 'invalid_state'])
  expect((await get('/ledger-proofs')).items).toMatchObject([{ endedAt: null, isClean: null }])
  expect(await runLedgerProof(db, clock.now())).toBe(1)
  expect(await runLedgerProof(db, clock.now())).toBe(0)
  const { items, claims } = await get('/ledger-proofs')
  expect(items).toMatchObject([{ isClean: true, claims, violations: [], failure: null }])
})

// Last, because sessions of operators end before an action expires.
test('an action not confirmed in a day expires', async () => {
  const pause = { reason: 'The bank is slow' }
  const { action } = await post(`/rails/${bank.name}/pause`, pause)
  clock.advance(day)
  const late = await addPerson(service, { isOperator: true })
  const reply = await confirm(action, late)
  expect([reply.status, reply.json.message]).toEqual([
    409,
    'This action has expired: propose it again.',
  ])
  expect((await get('/actions', late)).items).toEqual([])
  expect(await post(`/rails/${bank.name}/pause`, pause, late)).toMatchObject({ state: 'WAITING' })
})
