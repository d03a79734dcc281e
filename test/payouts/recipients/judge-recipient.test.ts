import fc from 'fast-check'
import { expect, test } from 'vitest'
import { after, hour } from '../../../src/base/clock.js'
import { newId } from '../../../src/base/ids.js'
import {
  type JudgedPayout,
  judgeRecipient,
  type RecipientRule,
  refuseRecipient,
} from '../../../src/payouts/recipients/judge-recipient.js'

const savedAt = new Date('2026-11-18T09:00:00Z')
const lax: RecipientRule = { onlySaved: false, approveFirst: false, coolingOff: null }
const coolingOff = { hours: 24, above: { NGN: 500_000, USDC: '25.50', USDT: null } }
const recipient = { savedAt, firstPaidAt: null, status: 'ACTIVE' } as const
const paid = { ...recipient, firstPaidAt: savedAt }
const payout: JudgedPayout = { recipient, asset: 'NGN', amount: 500_001n, at: savedAt }

test('without a rule everything passes but a disabled recipient', () => {
  for (const rule of [null, lax]) {
    expect(judgeRecipient(rule, payout)).toBeNull()
    expect(judgeRecipient(rule, { ...payout, recipient: null })).toBeNull()
    const disabled = { ...paid, status: 'DISABLED' } as const
    expect(judgeRecipient(rule, { ...payout, recipient: disabled })).toEqual({
      reason: 'recipient_disabled',
    })
  }
})

test('only saved recipients are paid, if the rule says so', () => {
  const rule = { ...lax, onlySaved: true }
  expect(judgeRecipient(rule, payout)).toBeNull()
  const refused = { reason: 'recipient_not_saved' }
  expect(judgeRecipient(rule, { ...payout, recipient: null })).toEqual(refused)
  // A payout that waits would be no better known to its approver.
  expect(judgeRecipient({ ...rule, approveFirst: true }, { ...payout, recipient: null })).toEqual(
    refused,
  )
})

test('the first payout waits for approval, also to a destination that is not saved', () => {
  const rule = { ...lax, approveFirst: true }
  expect(judgeRecipient(rule, payout)).toBe('approve')
  expect(judgeRecipient(rule, { ...payout, recipient: null })).toBe('approve')
  expect(judgeRecipient(rule, { ...payout, recipient: paid })).toBeNull()
})

test('a new recipient gets no more than the amount until the cooling-off ends', () => {
  const rule = { ...lax, coolingOff }
  const allowedFrom = after(savedAt, 24 * hour)
  const refused = { reason: 'recipient_cooling_off', allowedFrom }
  expect(judgeRecipient(rule, payout)).toEqual(refused)
  expect(judgeRecipient(rule, { ...payout, amount: 500_000n })).toBeNull()
  // A small first payout does not end it.
  expect(judgeRecipient(rule, { ...payout, recipient: paid })).toEqual(refused)
  expect(judgeRecipient(rule, { ...payout, at: after(allowedFrom, -1) })).toEqual(refused)
  expect(judgeRecipient(rule, { ...payout, at: allowedFrom })).toBeNull()
  const coins = { ...payout, asset: 'USDC', amount: 25_500_001n } as const
  expect(judgeRecipient(rule, coins)).toEqual(refused)
  expect(judgeRecipient(rule, { ...coins, amount: 25_500_000n })).toBeNull()
  // Of this asset, none of any amount.
  expect(judgeRecipient(rule, { ...coins, asset: 'USDT', amount: 1n })).toEqual(refused)
})

test('a destination that is not saved does not avoid the cooling-off', () => {
  const rule = { ...lax, coolingOff }
  const unsaved = { ...payout, recipient: null }
  const refused = judgeRecipient(rule, unsaved)
  expect(refused).toEqual({ reason: 'recipient_not_saved', upTo: '₦5,000.00' })
  const { message } = refuseRecipient('bank_transfer_failed', refused as never)
  expect(message).toContain('at most ₦5,000.00 to a destination that is not saved')
  expect(judgeRecipient(rule, { ...unsaved, amount: 500_000n })).toBeNull()
})

test('a stricter rule never lets more pass, and time never lets less', () => {
  const rank = (verdict: ReturnType<typeof judgeRecipient>) =>
    verdict === null ? 0 : verdict === 'approve' ? 1 : 2
  const flags = fc.record({ onlySaved: fc.boolean(), approveFirst: fc.boolean() })
  const payouts = fc.record({
    recipient: fc.constantFrom(null, recipient, paid),
    asset: fc.constantFrom('NGN' as const, 'USDC' as const, 'USDT' as const),
    amount: fc.bigInt(1n, 100_000_000n),
    at: fc.integer({ min: 0, max: 48 }).map((hours) => after(savedAt, hours * hour)),
  })
  fc.assert(
    fc.property(flags, fc.boolean(), payouts, (chosen, cools, judged) => {
      const rule = { ...chosen, coolingOff: cools ? coolingOff : null }
      const verdict = rank(judgeRecipient(rule, judged))
      const strict = { onlySaved: true, approveFirst: true, coolingOff }
      expect(rank(judgeRecipient(strict, judged))).toBeGreaterThanOrEqual(verdict)
      const later = { ...judged, at: after(judged.at, hour) }
      expect(rank(judgeRecipient(rule, later))).toBeLessThanOrEqual(verdict)
    }),
  )
})

test('a refusal says what to do, and from when', () => {
  const cooling = { reason: 'recipient_cooling_off', allowedFrom: savedAt } as const
  const refusal = refuseRecipient('bank_transfer_failed', cooling)
  expect(refusal).toMatchObject({ code: 'bank_transfer_failed', reason: 'recipient_cooling_off' })
  expect(refusal.message).toContain('from 2026-11-18T09:00:00.000Z')
  const unsaved = refuseRecipient('crypto_transfer_failed', { reason: 'recipient_not_saved' })
  expect(unsaved.message).toContain('Save it')
  const disabled = { reason: 'recipient_disabled', recipientId: newId(savedAt) } as const
  expect(refuseRecipient('bank_transfer_failed', disabled).message).toMatch(/recipient rcp_\w+ is/)
})
