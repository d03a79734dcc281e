import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshDatabase } from '../../support/database.js'
import { openReceiver } from '../../support/receiver.js'
import { noticeKey, openBank } from './open-bank.js'
import { payIn } from './pay-in.js'

const db = await freshDatabase()
const { bank } = openBank(db)

const sender = { name: 'OBI ADA', accountNumber: '******6789', bankCode: '058', bankName: 'GTB' }
const data = {
  id: 'sbp_1',
  accountNumber: '1000000004',
  amount: '500000',
  currency: 'NGN',
  sender,
  sessionId: '000058260105090000000000000001',
  narration: 'Invoice 7',
  paidAt: '2026-01-05T09:00:00.000Z',
}
const reported = {
  id: data.id,
  railAccount: data.accountNumber,
  amount: 500_000n,
  currency: 'NGN',
  sender,
  bankSessionId: data.sessionId,
  narration: data.narration,
  receivedAt: new Date(data.paidAt),
}

/** Signs as documented, not with the code under test. */
function signed(body: string, key = noticeKey) {
  const signature = createHmac('sha512', key).update(body).digest('hex')
  return { headers: { 'x-sandbox-signature': signature }, body }
}

function noticeOf(more: Record<string, unknown>): string {
  return JSON.stringify({ event: 'payment.received', data: { ...data, ...more } })
}

describe('a message', () => {
  test('signed by the bank is read as a payment', () => {
    expect(bank.readNotice(signed(noticeOf({})))).toEqual({
      kind: 'payment',
      payment: reported,
    })
  })

  test('sent by the bank verifies with its key and matches the payment', async () => {
    const { bank: sending } = openBank(db)
    const receiver = await openReceiver()
    sending.sendNoticesTo(receiver.url)
    const payment = await payIn(sending, { isSenderMasked: true, narration: '₦ — “naïve”\u2028' })
    await sending.sendNoticesNow(payment.id)
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    expect(bank.readNotice({ headers, body })).toEqual({ kind: 'payment', payment })
    expect(signed(body).headers).toMatchObject({
      'x-sandbox-signature': headers['x-sandbox-signature'],
    })
    expect(headers['content-type']).toBe('application/json')
    const stranger = openBank(db, randomBytes(32)).bank
    expect(stranger.readNotice({ headers, body })).toEqual({ kind: 'unverified' })
    const rotating = openBank(db, randomBytes(32), [noticeKey]).bank
    expect(rotating.readNotice({ headers, body })).toEqual({ kind: 'payment', payment })
  })

  test('with any byte changed is not genuine', () => {
    const { headers, body } = signed(noticeOf({}))
    for (let index = 0; index < body.length; index += 1) {
      const byte = String.fromCharCode(body.charCodeAt(index) ^ 1)
      const tampered = body.slice(0, index) + byte + body.slice(index + 1)
      expect(bank.readNotice({ headers, body: tampered })).toEqual({ kind: 'unverified' })
    }
    expect(bank.readNotice({ headers, body: `${body} ` })).toEqual({ kind: 'unverified' })
  })

  const { headers, body } = signed(noticeOf({}))
  const signature = headers['x-sandbox-signature']
  test.each<[string, Record<string, string | string[] | undefined>]>([
    ['no signature', {}],
    ['an empty one', { 'x-sandbox-signature': '' }],
    ['two', { 'x-sandbox-signature': [signature, signature] }],
    ['half of one', { 'x-sandbox-signature': signature.slice(0, 64) }],
    ['one and more', { 'x-sandbox-signature': `${signature}00` }],
    ['one that is not hex', { 'x-sandbox-signature': 'z'.repeat(128) }],
    ['one of 128 wide characters', { 'x-sandbox-signature': '０'.repeat(128) }],
    ['the signature of another key', signed(body, randomBytes(32)).headers],
    ['the signature of an empty key', signed(body, Buffer.alloc(0)).headers],
    ['the signature of another message', signed('{}').headers],
  ])('with %s is not genuine', (_name, wrong) => {
    expect(bank.readNotice({ headers: wrong, body })).toEqual({ kind: 'unverified' })
  })
})

describe('a genuine message', () => {
  // Payments are judged later, with a reason for each refusal. Dropping one here would hide it.
  test.each([
    ['0', 'NGN', 0n],
    ['-5', 'NGN', -5n],
    ['1', 'USD', 1n],
    ['999999999999999999', 'NGN', 999_999_999_999_999_999n],
  ])('is passed on unchanged: %s %s', (amount, currency, read) => {
    expect(bank.readNotice(signed(noticeOf({ amount, currency })))).toEqual({
      kind: 'payment',
      payment: { ...reported, amount: read, currency },
    })
  })

  test.each([
    ['no sender', { sender: null }, { sender: null }],
    ['an incomplete sender', { sender: { name: 'OBI' } }, { sender: null }],
    [
      'no session or narration',
      { sessionId: 7, narration: undefined },
      { bankSessionId: null, narration: null },
    ],
    ['characters that cannot be stored', { narration: 'a\0b' }, { narration: 'ab' }],
  ])('with %s is not lost', (_name, more, read) => {
    expect(bank.readNotice(signed(noticeOf(more)))).toEqual({
      kind: 'payment',
      payment: { ...reported, ...read },
    })
  })

  test('about another event is ignored and not logged', () => {
    const { bank: reading, logged } = openBank(db)
    const body = JSON.stringify({ event: 'account.opened', data: { id: 'x' } })
    expect(reading.readNotice(signed(body))).toEqual({ kind: 'other' })
    expect(logged).toEqual([])
  })

  test.each([
    noticeOf({ amount: '12.5' }),
    noticeOf({ amount: 500_000 }),
    noticeOf({ amount: '' }),
    noticeOf({ amount: '1e3' }),
    noticeOf({ amount: '+5' }),
    noticeOf({ amount: '9999999999999999999' }),
    noticeOf({ id: undefined }),
    noticeOf({ id: '' }),
    noticeOf({ id: 'a\0' }),
    noticeOf({ accountNumber: 1_000_000_004 }),
    noticeOf({ currency: null }),
    noticeOf({ paidAt: 'yesterday' }),
    noticeOf({ paidAt: '2026-13-45T09:00:00.000Z' }),
    '{"event":"payment.received"}',
    '{"event":7}',
    'null',
    '[]',
    '{',
    '',
  ])('that cannot be read as a payment is ignored and logged: %s', (body) => {
    const { bank: reading, logged } = openBank(db)
    expect(reading.readNotice(signed(body))).toEqual({ kind: 'other' })
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('could not be read')
  })
})
