import { createHmac, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { after } from '../../src/base/clock.js'
import type { Mode } from '../../src/base/environment.js'
import { collectionLimits } from '../../src/collections/limits.js'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import type { ReportedPayment } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import type { ServiceWithBank } from './open-with-bank.js'

export const payer = {
  name: 'OBI EMEKA',
  accountNumber: '0123456789',
  bankCode: '058',
  bankName: 'GTBank',
}

/** Notices of the sandbox bank, built and signed by the test. */
export function openNoticeBoard(service: ServiceWithBank) {
  const { clock, db, bank, noticeKey, noticesPath } = service
  const name = { rail: bank.name, mode: 'test' as const }

  const sign = (body: string, key: Buffer = noticeKey) =>
    createHmac('sha512', key).update(body).digest('hex')

  function noticeOf(accountNumber: string, change: object = {}) {
    const data = {
      id: `sbp_${randomUUID().replaceAll('-', '')}`,
      accountNumber,
      amount: '500000',
      currency: 'NGN',
      sender: payer,
      sessionId: null,
      narration: null,
      paidAt: clock.now().toISOString(),
      ...change,
    }
    return { id: data.id, body: JSON.stringify({ event: 'payment.received', data }) }
  }

  /** Null sends no signature. */
  function post(body: string, signature: string | null = sign(body), path = noticesPath) {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (signature !== null) headers['x-sandbox-signature'] = signature
    return service.ask('POST', path, { body, headers })
  }

  return {
    sign,
    noticeOf,
    post,

    /** Posts a notice and judges it here as well. */
    async announce({ id, body }: { id: string; body: string }) {
      expect((await post(body)).status).toBe(200)
      await service.lane.run({ ...name, id })
    },

    /** Stores a notice without judging it, as before a crash. */
    keep(
      id: string,
      accountNumber: string,
      reported: Partial<ReportedPayment> & { mode?: Mode } = {},
    ) {
      const { mode = name.mode, ...change } = reported
      const payment: ReportedPayment = {
        id,
        railAccount: accountNumber,
        amount: 500_000n,
        currency: 'NGN',
        sender: payer,
        bankSessionId: null,
        narration: null,
        receivedAt: clock.now(),
        ...change,
      }
      const now = clock.now()
      const dueAt = after(now, collectionLimits.noticeRetryDelayMs)
      const notice = { ...name, mode, id, reported: payment, body: null }
      return db.transaction(async (tx) => insertNotices(tx, { now, dueAt }, [notice]))
    },

    /** The stored notice with its refusal reason; undefined if not stored. */
    async stateOf(id: string): Promise<string | undefined> {
      const [row] = await db.rows(sql<{ state: string; reason: string | null }>`
        select state, reason from notices where id = ${id}`)
      return row && [row.state, row.reason].filter(Boolean).join(': ')
    },
  }
}
