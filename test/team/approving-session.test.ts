import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { addMembership } from '../../src/team/users.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'

test('a session that ended at a merchant approves nothing there, also by the database', async () => {
  const service = await openWithBankAndChain({ hasPayouts: true })
  const { db, clock, merchant } = service
  const ada = await addPerson(service, { role: 'owner' })
  const bola = await addPerson(service, { role: 'finance' })
  const other = await service.addMerchant('Bola Foods')
  await db.transaction(async (tx) => {
    const merchantId = fromReference(prefixes.merchant, other.reference)!
    const { userId } = bola
    addMembership(tx, clock.now(), { merchantId, userId, role: 'finance', maySeeLive: true })
  })
  await service.ask('POST', '/v1/test/balances/fund', {
    key: merchant.test.secret,
    body: { asset: 'NGN', amount: 100_000_000 },
    headers: { 'idempotency-key': randomUUID() },
  })
  const rule = {
    appliesTo: 'console',
    NGN: { each: 1_000_000, perDay: null },
    USDC: null,
    USDT: null,
  }
  const set = await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
  expect(set.status, set.text).toBe(200)
  const created = await ada.ask('POST', '/v1/disbursements/bank-transfer', {
    body: { amount: 2_000_000, bankCode: '058', accountNumber: '0123456789' },
  })
  const { reference, orderHash, status } = created.json.data
  expect(status).toBe('PENDING')

  const path = `/v1/team/users/${toReference(prefixes.user, bola.userId)}/end-sessions`
  expect((await ada.ask('POST', path)).status).toBe(200)
  const body = { orderHash }
  const approved = await bola.ask('POST', `/v1/disbursements/${reference}/approve`, { body })
  expect(approved.json).toMatchObject({ reason: 'session_expired' })
  expect((await bola.ask('GET', '/v1/balances', { merchant: other.reference })).status).toBe(200)

  const inserted = db.rows(sql`
    insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
      order_hash, decided_at)
    select p.environment_id, p.id, 'APPROVED', s.user_id, s.id, p.order_hash, ${clock.now()}
    from payouts p, user_sessions s
    where p.id = ${fromReference(prefixes.bankTransfer, reference)!} and s.user_id = ${bola.userId}`)
  await expect(inserted).rejects.toMatchObject({ constraint: 'approving_session_is_open' })
})
