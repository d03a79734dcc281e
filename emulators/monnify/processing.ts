import { second } from '../clock.js'
import type { Disbursement, Refund } from './books.js'
import { disbursementEvent, refundEvent, sendNotice } from './notices.js'
import type { MonnifyState } from './state.js'

const payoutMs = 5 * second
const refundMs = 10 * second

/** Ends by itself after a while, unless payouts are held at that time. */
export function processPayout(state: MonnifyState, payout: Disbursement): void {
  if (payout.status !== 'PENDING') return
  state.later(payoutMs, () => {
    if (!state.faults.arePayoutsHeld) endPayout(state, payout, 'SUCCESS')
  })
}

export function endPayout(
  state: MonnifyState,
  payout: Disbursement,
  status: 'SUCCESS' | 'FAILED',
): boolean {
  if (payout.status !== 'PENDING' && payout.status !== 'PENDING_AUTHORIZATION') return false
  payout.status = status
  payout.completedAtMs = state.nowMs()
  if (status === 'FAILED') state.books.float += payout.amount + payout.fee
  state.changed()
  const eventType = status === 'SUCCESS' ? 'SUCCESSFUL_DISBURSEMENT' : 'FAILED_DISBURSEMENT'
  sendNotice(state, eventType, disbursementEvent(payout, payout.completedAtMs))
  return true
}

/** The amount comes back; the fee of the transfer does not. */
export function reversePayout(state: MonnifyState, payout: Disbursement): boolean {
  if (payout.status !== 'SUCCESS') return false
  payout.status = 'REVERSED'
  state.books.float += payout.amount
  state.changed()
  sendNotice(state, 'REVERSED_DISBURSEMENT', disbursementEvent(payout, state.nowMs()))
  return true
}

export function processRefund(state: MonnifyState, refund: Refund): void {
  if (refund.status !== 'PENDING') return
  state.later(refundMs, () => {
    if (!state.faults.arePayoutsHeld) endRefund(state, refund, 'COMPLETED')
  })
}

export function endRefund(
  state: MonnifyState,
  refund: Refund,
  status: 'COMPLETED' | 'FAILED',
): boolean {
  if (refund.status !== 'PENDING') return false
  refund.status = status
  refund.completedAtMs = state.nowMs()
  if (status === 'FAILED') state.books.float += refund.amount
  state.changed()
  const eventType = status === 'COMPLETED' ? 'SUCCESSFUL_REFUND' : 'FAILED_REFUND'
  sendNotice(state, eventType, refundEvent(refund))
  return true
}
