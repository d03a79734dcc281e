import { expect, it } from 'vitest'
import { after, day } from '../../../src/base/clock.js'
import { limits } from '../../../src/base/limits.js'
import {
  beginSending,
  beginSendingRefund,
  closeRefused,
  findSent,
  recordAcceptedRefund,
  recordRefusedSending,
  takeBackSending,
} from '../../../src/rails/bank/store-instructions.js'
import { freshDatabase } from '../../support/database.js'
import { seededRandom } from '../../support/seed.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00Z')
const rail = 'paystack-live'
let count = 0

function newToken(): string {
  count += 1
  return `bt-${count}`
}

const send = async (token: string) =>
  (await beginSending(db, now, { rail, tokens: [token] })).has(token)
const refuse = (token: string) => recordRefusedSending(db, { rail, token }, 'bank_declined')
const close = async (token: string) =>
  (await closeRefused(db, now, { rail, tokens: [token] })).get(token)

it('closes an order whose every sending was refused, and never sends it again', async () => {
  const token = newToken()
  expect(await send(token)).toBe(true)
  await refuse(token)
  expect(await close(token)).toBe('bank_declined')
  expect(await send(token)).toBe(false)
  expect(await close(token)).toBe('bank_declined')
})

it('keeps an order open while one sending is unanswered', async () => {
  const token = newToken()
  await send(token)
  await send(token)
  await refuse(token)
  expect(await close(token)).toBeUndefined()
  expect(await send(token)).toBe(true)
})

it('does not close an order that was never sent', async () => {
  expect(await close(newToken())).toBeUndefined()
})

it('never sends after closing, whatever happens at the same time', async () => {
  const random = seededRandom('closing and sending orders')
  for (let round = 0; round < 40; round += 1) {
    const token = newToken()
    await send(token)
    await refuse(token)
    const steps = random.shuffle([
      () => send(token).then((isSent) => ({ isSent })),
      () => close(token).then((reason) => ({ reason })),
      () => send(token).then((isSent) => ({ isSent })),
      () => close(token).then((reason) => ({ reason })),
    ])
    const results = await Promise.all(steps.map((step) => step()))
    const isSent = results.some((result) => 'isSent' in result && result.isSent)
    const isClosed = results.some((result) => 'reason' in result && result.reason)
    expect(isSent && isClosed).toBe(false)
  }
})

it('has one request for a refund under way at a time', async () => {
  const token = newToken()
  const begin = (at: Date) => beginSendingRefund(db, at, { rail, token })
  const results = await Promise.all([begin(now), begin(now), begin(now)])
  expect(results.filter(Boolean)).toHaveLength(1)
  expect(await begin(after(now, limits.banks.refundRetryMs - 1))).toBeUndefined()
  expect(await begin(after(now, limits.banks.refundRetryMs))).toBeDefined()
})

it('takes back a sending that did not leave: it may be sent at once, and be closed later', async () => {
  const token = newToken()
  const begin = (at: Date) => beginSendingRefund(db, at, { rail, token })
  const busyUntil = await begin(now)
  await takeBackSending(db, { rail, token }, busyUntil!)
  expect(await begin(now)).toBeDefined()
  await refuse(token)
  expect(await close(token)).toBe('bank_declined')
})

it('does not take back the sending of another process', async () => {
  const token = newToken()
  const begin = (at: Date) => beginSendingRefund(db, at, { rail, token })
  const busyUntil = await begin(now)
  const later = after(now, limits.banks.refundRetryMs)
  await begin(later)
  await takeBackSending(db, { rail, token }, busyUntil!)
  expect(await begin(later)).toBeUndefined()
})

it('sends a refused refund again at once', async () => {
  const token = newToken()
  await beginSendingRefund(db, now, { rail, token })
  await refuse(token)
  expect(await beginSendingRefund(db, now, { rail, token })).toBeDefined()
})

it('never requests a refund again that the provider has', async () => {
  const token = newToken()
  await beginSendingRefund(db, now, { rail, token })
  await recordAcceptedRefund(db, { rail, token })
  expect(await beginSendingRefund(db, after(now, 365 * day), { rail, token })).toBeUndefined()
  expect(await close(token)).toBeUndefined()
})

it('knows what was sent', async () => {
  const token = newToken()
  await send(token)
  expect(await findSent(db, { rail, tokens: [token, 'other'] })).toEqual(new Set([token]))
  expect(await findSent(db, { rail: 'monnify-live', tokens: [token] })).toEqual(new Set())
})
