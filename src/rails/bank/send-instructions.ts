import { after, type Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { LiveAttempt } from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import type { BankDriver, BankInstruction, SendAnswer } from './driver.js'
import { readInstruction } from './instruction.js'
import { Unknown } from './provider-client.js'
import {
  beginSending,
  beginSendingRefund,
  recordAcceptedRefund,
  recordRefusedSending,
  takeBackSending,
} from './store-instructions.js'

type SendDependencies = {
  driver: BankDriver
  name: string
  db: Database
  clock: Clock
  logger: Logger
}

/**
 * Sends committed instructions, possibly again: the provider knows a payout by its reference.
 * Neither an answer nor silence concludes anything; `check` does.
 */
export async function sendInstructions(
  dependencies: SendDependencies,
  attempts: LiveAttempt[],
): Promise<void> {
  const instructions = attempts.map(({ wire }) => readInstruction(wire))
  const refunds = instructions.filter(({ refundOf }) => refundOf !== null)
  const payouts = instructions.filter(({ refundOf }) => refundOf === null)
  await Promise.all([
    sendPayouts(dependencies, payouts),
    ...refunds.map((refund) => sendRefund(dependencies, refund)),
  ])
}

async function sendPayouts(
  dependencies: SendDependencies,
  instructions: BankInstruction[],
): Promise<void> {
  const { driver, name, db, clock } = dependencies
  const tokens = instructions.map(({ reference }) => reference)
  const sendable = await beginSending(db, clock.now(), { rail: name, tokens })
  const open = instructions.filter(({ reference }) => sendable.has(reference))
  await Promise.all(
    open.map((instruction) =>
      send(dependencies, instruction, () => driver.sendPayout(instruction)),
    ),
  )
}

/**
 * Providers without idempotent refunds carry out a second request. So one request at a time is
 * under way, and the provider's refunds are searched before each: after an unknown outcome that is
 * some minutes later, when the list shows the first one.
 *
 * A search that is not answered, or that took too long, sends nothing: by then another process may
 * send the refund, or an operator may have ended it. The next poll searches again.
 */
async function sendRefund(
  dependencies: SendDependencies,
  instruction: BankInstruction,
): Promise<void> {
  const { driver, name, db, clock } = dependencies
  const named = { rail: name, token: instruction.reference }
  const begunAt = clock.now()
  const busyUntil = await beginSendingRefund(db, begunAt, named)
  if (!busyUntil) return
  await send(dependencies, instruction, async () => {
    const isKnown = await isRefundKnown(dependencies, instruction, begunAt).catch(async (error) => {
      await takeBackSending(db, named, busyUntil)
      throw error
    })
    const answer = isKnown ? 'exists' : await driver.sendRefund(instruction)
    if (typeof answer === 'string') await recordAcceptedRefund(db, named)
    return answer
  })
}

async function isRefundKnown(
  { driver, clock }: SendDependencies,
  instruction: BankInstruction,
  begunAt: Date,
): Promise<boolean> {
  const isKnown = (await driver.findRefund(instruction)) !== undefined
  if (!isKnown && clock.now() >= after(begunAt, limits.banks.refundSearchMs))
    throw new Unknown('not sent, the search for an earlier request took too long')
  return isKnown
}

async function send(
  { name, db, logger }: SendDependencies,
  { reference }: BankInstruction,
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
