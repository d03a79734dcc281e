import Type from 'typebox'
import { day } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { findByNumber } from '../../collections/find-accounts.js'
import { findByRailId } from '../../collections/find-payments.js'
import { payment, showPayment } from '../../resources/payment.js'
import { flag, time, withDescription } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { toLateCall } from '../edge/keyed-lane.js'
import { refuseUnusualNaira } from '../edge/naira-limits.js'
import { readTime } from '../edge/read-time.js'
import { refusedAs } from '../edge/refusals-of.js'
import { requestName } from '../edge/request-name.js'
import { type RouteRequest, route } from '../edge/route.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  koboInput,
  plainText,
} from '../edge/schemas.js'

const words = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    pattern: plainText,
    examples: [example],
  })

const sender = closed({
  name: Type.Optional(words('ADA OBI')),
  accountNumber: Type.Optional(
    Type.String({ pattern: accountNumberPattern, examples: ['0123456789'] }),
  ),
  bankCode: Type.Optional(Type.String({ pattern: bankCodePattern, examples: ['058'] })),
  masked: Type.Optional(flag(false, 'The bank shows only the last digits of the sender.')),
})

const body = closed({
  accountNumber: Type.String({ pattern: accountNumberPattern, examples: ['0000014572'] }),
  amount: koboInput,
  sender: Type.Optional(sender),
  narration: Type.Optional(words('Two loaves of agege bread')),
  sentAt: Type.Optional(
    withDescription(time, 'When the bank had the money; now unless it is said.'),
  ),
  copies: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.sandboxBank.copies,
      description: 'How often the bank tells of it.',
      examples: [1],
    }),
  ),
})

/** A customer pays in: the sandbox bank takes the money and tells of it, as a bank would. */
export const payIn = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/bank-transfers',
    access: 'secret',
    isTestOnly: true,
    operation: 'payTestAccount',
    summary: 'Pay into an account as a customer would',
    description:
      'The sandbox bank takes the money, and announces it by a signed notice. Answers when the payment has been judged.',
    tag: 'Test mode',
    body,
    answers: { 201: payment },
    refusals: [
      'not_found',
      ...refusedAs('account_action_failed', 'not_simulated', 'rail_unavailable', 'balance_limit'),
    ],
    async handle(ask) {
      refuseUnusualNaira(rooms, ask)
      const railId = await payAndAnnounce(rooms, ask)
      return rooms.change(
        toLateCall(
          ask,
          async (tx) => {
            const found = await findByRailId(tx, railId)
            if (!found) throw notJudged()
            return showPayment(found)
          },
          (shown) => success(201, 'Payment received', shown),
        ),
      )
    },
  })

type PayIn = RouteRequest<Type.Static<typeof body>, unknown, unknown>

/** Named by the key of the request, so that a retry is not a second payment. */
async function payAndAnnounce(rooms: ApiParts, ask: PayIn) {
  const { environment, now } = ask
  const { customers, rails } = rooms.collections
  const rail = rails[environment.mode]
  if (!customers || !rail) throw notSimulated()
  const { accountNumber, amount, narration, sentAt, copies = 1 } = ask.body
  const own = { environmentId: environment.id, rail: rail.name, number: accountNumber }
  if (!(await findByNumber(rooms.db, own))) throw unknownNumber(accountNumber)
  const { masked = false, ...from } = ask.body.sender ?? {}
  const id = `sbp_${requestName(ask)}`
  await customers.receivePayment({
    id,
    accountNumber,
    amount: BigInt(amount),
    sender: from,
    isSenderMasked: masked,
    ...(narration !== undefined && { narration }),
    paidAt: sentAt === undefined ? now : readSentAt(now, sentAt),
    copies,
  })
  await customers.announceNow(id)
  await rooms.collections.takeNotice({ rail: rail.name, mode: environment.mode, id })
  return { rail: rail.name, railId: id }
}

function readSentAt(now: Date, text: string): Date {
  const sentAt = readTime('sentAt', text)
  const { sentWithinMs } = limits.testClock
  if (Math.abs(sentAt.getTime() - now.getTime()) <= sentWithinMs) return sentAt
  const issue = `must be within ${sentWithinMs / day} days of now`
  throw new Refusal('validation_failed', {
    message: `sentAt ${issue}.`,
    details: [{ field: 'sentAt', issue }],
  })
}

function notJudged(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message:
      'The bank has the payment, and its notice was not judged yet. Retry with the same key.',
  })
}

function unknownNumber(number: string): Refusal {
  return new Refusal('not_found', { message: `There is no account ${number}.` })
}

function notSimulated(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'not_simulated',
    message: 'The bank of test mode is a real one here, which takes no customers from us.',
  })
}
