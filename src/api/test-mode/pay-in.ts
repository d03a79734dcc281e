import Type from 'typebox'
import { day } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { invalidField, outcomeUnknown, Refusal } from '../../base/refusal.js'
import { flag } from '../../base/shapes.js'
import { findAccountByNumber } from '../../collections/accounts/find-accounts.js'
import { findPaymentByRailId } from '../../collections/payments/find-payments.js'
import type { Payment } from '../../collections/payments/payment.js'
import { payment, showPayment } from '../../collections/payments/resource.js'
import { withReasons } from '../openapi/refusals-of.js'
import { checkNairaLimits } from '../parse/naira-limits.js'
import { readTime, timeIn } from '../parse/read-time.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  koboInput,
  plainText,
} from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { effectName } from '../server/request-name.js'
import { type RouteRequest, route } from '../server/route.js'

const shortText = (example: string, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    pattern: plainText,
    description,
    examples: [example],
  })

const sender = closed({
  name: Type.Optional(shortText('ADA OBI', 'Name of the sender.')),
  accountNumber: Type.Optional(
    Type.String({ pattern: accountNumberPattern, examples: ['0123456789'] }),
  ),
  bankCode: Type.Optional(Type.String({ pattern: bankCodePattern, examples: ['058'] })),
  masked: Type.Optional(
    flag(false, 'Whether the bank hides all but the last digits of the account number.'),
  ),
})

const body = closed({
  accountNumber: Type.String({ pattern: accountNumberPattern, examples: ['0000014572'] }),
  amount: koboInput,
  sender: Type.Optional(sender),
  narration: Type.Optional(shortText('Two loaves of agege bread', 'Text that the payer wrote.')),
  sentAt: Type.Optional(
    timeIn(
      `When the bank received the money, within ${limits.testClock.sentWithinMs / day} days of now. Defaults to now.`,
    ),
  ),
  sentBack: Type.Optional(
    flag(
      false,
      'Whether the bank sends the money back to the payer by itself, as some live banks do. Nothing is credited, the answer is 409 `invalid_state`, and you get the event `payment_rejected` of the account.',
    ),
  ),
  copies: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.testMode.noticeCopiesMax,
      description: 'How many times the bank sends the notice.',
      examples: [1],
    }),
  ),
})

export const payIn = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/bank-transfers',
    access: 'secret',
    isTestOnly: true,
    permission: 'collect.create',
    operation: 'payTestAccount',
    summary: 'Send a test payment',
    description:
      'Pays into one of your accounts at the simulated bank, as a customer would. The bank sends a notice; the response follows once the payment has been judged.',
    tag: 'Test mode',
    body,
    answers: { 201: payment },
    refusals: [
      'not_found',
      ...withReasons(
        'account_action_failed',
        'not_simulated',
        'rail_unavailable',
        'balance_limit',
        'invalid_state',
      ),
    ],
    async handle(request) {
      checkNairaLimits(api, request)
      const judged = await payAndNotify(api, request)
      if (!judged) throw notJudged()
      const answer = success(201, 'Payment received', showPayment(judged))
      return api.change(
        request,
        () => answer,
        () => answer,
        { isKept: false, expected: answer },
      )
    },
  })

type PayIn = RouteRequest<Type.Static<typeof body>, unknown, unknown>

/**
 * Returns the payment once it is judged. The request names it, so that a retry is not a second
 * payment.
 */
async function payAndNotify(api: ApiParts, request: PayIn): Promise<Payment | undefined> {
  const { environment, now } = request
  const { sandboxPayers } = api.collections
  const rail = api.rails.collectBankOf(environment)
  if (!rail) throw noBank()
  if (!sandboxPayers) throw notSimulated()
  const { accountNumber, amount, narration, sentAt, copies = 1 } = request.body
  const own = { environmentId: environment.id, rail: rail.name, number: accountNumber }
  const account = await findAccountByNumber(api.db, own)
  if (!account) throw unknownNumber(accountNumber)
  if (request.body.sentBack) {
    const { railAccount } = account
    const payment = { id: effectName(request), railAccount, amount: BigInt(amount) }
    const hint = sandboxPayers.sendBack(payment)
    if (!hint) throw invalidField('sentBack', 'is for the sandbox bank; pay another amount instead')
    const { name } = rail
    await api.collections.receiveHint(rail, {
      rail: name,
      mode: environment.mode,
      ...hint,
      body: '',
    })
    throw sentBack()
  }
  const { masked = false, ...from } = request.body.sender ?? {}
  const received = await sandboxPayers.receivePayment({
    id: `sbp_${effectName(request)}`,
    accountNumber,
    amount: BigInt(amount),
    sender: from,
    isSenderMasked: masked,
    ...(narration !== undefined && { narration }),
    paidAt: sentAt === undefined ? now : readSentAt(now, sentAt),
    copies,
  })
  if (!received) throw unknownNumber(accountNumber)
  if (received === 'rejected') throw sentBack()
  const { id } = received
  await sandboxPayers.sendNoticesNow(id)
  const find = () => findPaymentByRailId(api.db, { rail: rail.name, railId: id })
  const judged = await find()
  if (judged) return judged
  // The notice was only stored, because another transaction held the account.
  await api.collections.judgeNotice({ rail: rail.name, mode: environment.mode, id })
  const judgedLater = await find()
  if (judgedLater) return judgedLater
  // An emulated provider's notice is confirmed through its API, which may take a moment.
  await api.collections.requery(account, environment.mode).catch(asNotJudged)
  return find()
}

/** The bank has the money, so its refusal must not promise that nothing was done. */
function asNotJudged(error: unknown): never {
  throw error instanceof Refusal ? notJudged() : error
}

function readSentAt(now: Date, text: string): Date {
  const sentAt = readTime('sentAt', text)
  const { sentWithinMs } = limits.testClock
  if (Math.abs(sentAt.getTime() - now.getTime()) <= sentWithinMs) return sentAt
  const issue = `must be within ${sentWithinMs / day} days of now`
  throw invalidField('sentAt', issue)
}

function notJudged(): Refusal {
  return outcomeUnknown(
    'The bank has the payment, but its notice is not processed yet. Retry with the same Idempotency-Key.',
  )
}

function sentBack(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'invalid_state',
    message:
      'The bank sent the payment back to the payer. It does so with payments of another amount, late ones and second ones.',
  })
}

function unknownNumber(number: string): Refusal {
  return new Refusal('not_found', { message: `No account with the number ${number} exists.` })
}

function noBank(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message: 'Test mode has no bank on this service (BANK_TEST=none).',
  })
}

function notSimulated(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'not_simulated',
    message: 'Test mode uses a real bank here. Pay into the account yourself.',
  })
}
