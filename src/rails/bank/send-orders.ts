import { after, type Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { LiveAttempt } from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import type { BankDriver, BankOrder, SendAnswer } from './driver.js'
import { readOrder } from './order.js'
import { Unknown } from './provider-client.js'
import {
  beginSending,
  beginSendingRefund,
  recordRefusedSending,
  recordTakenRefund,
  takeBackSending,
} from './store-orders.js'

type SendDependencies = {
  driver: BankDriver
  name: string
  db: Database
  clock: Clock
  logger: Logger
}

/**
 * Sends committed orders, possibly again: the provider knows a payout by its reference. Neither an
 * answer nor silence concludes anything; `check` does.
 */
export async function sendOrders(
  dependencies: SendDependencies,
  attempts: LiveAttempt[],
): Promise<void> {
  const orders = attempts.map(({ wire }) => readOrder(wire))
  const refunds = orders.filter(({ refundOf }) => refundOf !== null)
  const payouts = orders.filter(({ refundOf }) => refundOf === null)
  await Promise.all([
    sendPayouts(dependencies, payouts),
    ...refunds.map((one) => sendRefund(dependencies, one)),
  ])
}

async function sendPayouts(dependencies: SendDependencies, orders: BankOrder[]): Promise<void> {
  const { driver, name, db, clock } = dependencies
  const tokens = orders.map(({ reference }) => reference)
  const sendable = await beginSending(db, clock.now(), { rail: name, tokens })
  const open = orders.filter(({ reference }) => sendable.has(reference))
  await Promise.all(open.map((order) => send(dependencies, order, () => driver.sendPayout(order))))
}

/**
 * Providers without idempotent refunds carry out a second request. So one request at a time is
 * under way, and the provider's refunds are searched before each: after an unknown outcome that is
 * some minutes later, when the list shows the first one.
 *
 * A search that is not answered, or that took too long, sends nothing: by then another process may
 * send the refund, or an operator may have ended it. The next poll searches again.
 */
async function sendRefund(dependencies: SendDependencies, order: BankOrder): Promise<void> {
  const { driver, name, db, clock } = dependencies
  const named = { rail: name, token: order.reference }
  const begunAt = clock.now()
  const busyUntil = await beginSendingRefund(db, begunAt, named)
  if (!busyUntil) return
  await send(dependencies, order, async () => {
    const isKnown = await isRefundKnown(dependencies, order, begunAt).catch(async (error) => {
      await takeBackSending(db, named, busyUntil)
      throw error
    })
    const answer = isKnown ? 'exists' : await driver.sendRefund(order)
    if (typeof answer === 'string') await recordTakenRefund(db, named)
    return answer
  })
}

async function isRefundKnown(
  { driver, clock }: SendDependencies,
  order: BankOrder,
  begunAt: Date,
): Promise<boolean> {
  const isKnown = (await driver.findRefund(order)) !== undefined
  if (!isKnown && clock.now() >= after(begunAt, limits.banks.refundSearchMs))
    throw new Unknown('not sent, the search for an earlier request took too long')
  return isKnown
}

async function send(
  { name, db, logger }: SendDependencies,
  { reference }: BankOrder,
  post: () => Promise<SendAnswer>,
): Promise<void> {
  try {
    const answer = await post()
    if (typeof answer === 'string') return
    if ('failure' in answer) {
      await recordRefusedSending(db, { rail: name, token: reference }, answer.failure)
      logger.warn({ reference, failure: answer.failure }, 'bank refused a payout')
    } else logger.error({ reference, why: answer.unclear }, 'bank did not take a payout')
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    logger.warn({ err: error, reference }, 'outcome of sending a payout is unknown')
  }
}
