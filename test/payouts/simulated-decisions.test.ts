import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Manilla } from '../../sdk/src/manilla.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { sql } from '../../src/postgres/sql.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

// A program tests its approval rule: no member is needed to decide.
const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask, merchant } = service
const key = merchant.test.secret
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
const toBank = { bankCode: '058', accountNumber: '0123456789' }
const environmentId = merchant.environments.test.id
const manilla = new Manilla(key, { baseUrl: service.url })

await ask('POST', '/v1/test/balances/fund', {
  key,
  body: { asset: 'NGN', amount: 500_000_000 },
  headers: { 'idempotency-key': randomUUID() },
})
const rule = { appliesTo: 'all', NGN: { each: 1_000_000, perDay: null }, USDC: null, USDT: null }
await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
clock.advance(1_100)
const ownKey = (await ada.ask('POST', '/v1/api-keys', { body: { name: 'own', kind: 'secret' } }))
  .json.data.key as string
clock.advance(1_100)

async function payOut(by: string) {
  const reply = await ask('POST', '/v1/disbursements/bank-transfer', {
    key: by,
    body: { amount: 2_000_000, ...toBank },
    headers: { 'idempotency-key': randomUUID() },
  })
  expect(reply.json.data, reply.text).toMatchObject({ status: 'PENDING' })
  return reply.json.data.reference as string
}

const decide = (reference: string, body: object, by = key, headers = {}) =>
  ask('POST', `/v1/test/disbursements/${reference}/decide`, { key: by, body, headers })

const read = async (reference: string) =>
  (await ask('GET', `/v1/disbursements/bank-transfer/${reference}`, { key })).json.data

const simulated = expect.objectContaining({ id: 'simulated', name: 'Simulated member' })

describe('a simulated decision', () => {
  test('approves what the same key created, and it is paid', async () => {
    const reference = await payOut(ownKey)
    const headers = { 'idempotency-key': randomUUID() }
    const approved = await decide(reference, { decision: 'approve' }, ownKey, headers)
    expect(approved.json.data, approved.text).toMatchObject({
      status: 'SUBMITTED',
      approval: { needed: 1, givenBy: [simulated] },
    })
    const again = await decide(reference, { decision: 'approve' }, ownKey, headers)
    expect([again.status, again.text]).toEqual([200, approved.text])
    await settle()
    expect(await read(reference)).toMatchObject({
      status: 'COMPLETED',
      approval: { givenBy: [simulated] },
    })
    const timeline = await ask('GET', `/v1/timeline/${reference}`, { key })
    expect(timeline.text).toContain('A simulated member approved it')
    await expectAllProofs(db)
  })

  test('counts as one approval of two, beside a member or another one', async () => {
    for (const second of ['member', 'simulated']) {
      const reference = await payOut(key)
      const first = await manilla.test.decide(reference, { decision: 'approve' })
      expect(first).toMatchObject({ status: 'PENDING', approval: { needed: 2 } })
      const { orderHash } = await read(reference)
      const path = `/v1/disbursements/${reference}/approve`
      if (second === 'member') await bola.ask('POST', path, { body: { orderHash } })
      else await manilla.test.decide(reference, { decision: 'approve' })
      expect(await read(reference)).toMatchObject({ status: 'SUBMITTED' })
      await settle()
    }
    await expectAllProofs(db)
  })

  test('rejects, with a reason or without', async () => {
    const reasons = []
    for (const body of [{ decision: 'reject', reason: 'Twice' }, { decision: 'reject' }]) {
      const reference = await payOut(ownKey)
      const { json } = await decide(reference, body)
      expect(json.data).toMatchObject({
        status: 'FAILED',
        failureReason: 'approval_rejected',
        approval: { rejectedBy: { id: 'simulated' } },
      })
      reasons.push(json.data.approval.reason)
    }
    expect(reasons).toEqual(['Twice', 'Rejected by a test'])
    await expectAllProofs(db)
  })

  test('is refused for what does not wait, waited too long or is unknown', async () => {
    const reference = await payOut(ownKey)
    await decide(reference, { decision: 'reject' })
    for (const decision of ['approve', 'reject']) {
      const { status, json } = await decide(reference, { decision })
      expect([status, json.code, json.reason]).toEqual([409, 'approval_failed', 'invalid_state'])
    }
    const unknown = reference.replace(/....$/, '0000')
    expect((await decide(unknown, { decision: 'approve' })).status).toBe(404)
    expect((await decide(reference, { decision: 'wait' })).status).toBe(400)
  })

  test('is refused to live keys, and to keys that do not create payouts', async () => {
    const reference = await payOut(ownKey)
    const live = await decide(reference, { decision: 'approve' }, merchant.live.secret)
    expect([live.status, live.json.reason]).toEqual([403, 'test_mode_only'])
    const body = { name: 'reader', kind: 'secret', permissions: ['payouts.see'] }
    const reader = (await ada.ask('POST', '/v1/api-keys', { body })).json.data.key
    clock.advance(1_100)
    const refused = await decide(reference, { decision: 'approve' }, reader)
    expect([refused.status, refused.json.reason]).toEqual([403, 'key_permission'])
    expect(await read(reference)).toMatchObject({ status: 'PENDING' })
    await decide(reference, { decision: 'reject' })
  })

  test('decides about batches', async () => {
    const path = '/v1/disbursements/batches'
    const worker = openBatchWorker(service)
    for (const [decision, status] of [
      ['approve', 'PROCESSING'],
      ['reject', 'REJECTED'],
    ]) {
      const items = [{ amount: 2_000_000, ...toBank }]
      const made = await ask('POST', path, {
        key: ownKey,
        body: { kind: 'bank_transfer', items },
        headers: { 'idempotency-key': randomUUID() },
      })
      const { reference } = made.json.data
      await runBatches(worker, 'test')
      const headers = { 'idempotency-key': randomUUID() }
      await ask('POST', `${path}/${reference}/submit`, { key: ownKey, body: {}, headers })
      const decided = await decide(reference, { decision }, ownKey)
      expect(decided.json.data, decided.text).toMatchObject({ status })
      expect((await decide(reference, { decision }, ownKey)).json).toMatchObject({
        code: 'approval_failed',
        reason: 'invalid_state',
      })
    }
    await expectAllProofs(db)
  })
})

test('the database refuses a simulated decision in live mode, and one that names a user', async () => {
  const id = fromReference(prefixes.bankTransfer, await payOut(ownKey))!
  const live = merchant.environments.live.id
  const liveId = randomUUID()
  await db.rows(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, created_by_key, order_hash, approve_by, status, event_sequence,
      created_at)
    select ${live}, ${liveId}, kind, rail, asset, amount, fee, requested_amount, destination,
      metadata, created_by_key, order_hash, approve_by, status, event_sequence, created_at
    from payouts where environment_id = ${environmentId} and id = ${id}`)
  const insert = (payoutId: string, userId: string | null) =>
    db.rows(sql`
      insert into payout_approvals (environment_id, payout_id, verdict, decided_by, user_id,
        order_hash, decided_at)
      select environment_id, id, 'APPROVED', 'simulated', ${userId}, order_hash, ${clock.now()}
      from payouts where id = ${payoutId}`)
  await expect(insert(liveId, null)).rejects.toMatchObject({
    constraint: 'simulated_decision_is_in_test_mode',
  })
  await expect(insert(id, ada.userId)).rejects.toMatchObject({
    constraint: 'member_decides_in_a_session',
  })
})
