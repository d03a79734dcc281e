import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import { invalidField } from '../../base/refusal.js'
import { referenceSample } from '../../base/shapes.js'
import type { PayoutKind } from '../../payouts/payout.js'
import { getPayout, type PayoutWithAttempts } from '../../payouts/records/find-payouts.js'
import { instructRail } from '../../payouts/requests/instruct-rail.js'
import { simulatedOutcomes } from '../../payouts/requests/simulated-outcomes.js'
import { bankTransfer, cryptoTransfer, showPayout } from '../../payouts/resource.js'
import { withReasons } from '../openapi/refusals-of.js'
import { closed, inPath } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { commitRefusal } from '../pipeline/create-resource.js'
import { successText } from '../server/envelope.js'
import { route } from '../server/route.js'

const outcomes = Object.values(simulatedOutcomes).flatMap((ofKind) => Object.keys(ofKind))

export const settleDisbursement = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/disbursements/:reference/settle',
    access: 'secret',
    isTestOnly: true,
    permission: 'payouts.create',
    operation: 'settleTestDisbursement',
    summary: 'Set the outcome of a test transfer',
    description: describe(),
    tag: 'Test mode',
    params: inPath('reference', referenceSample(prefixes.bankTransfer)),
    body: closed({
      outcome: Type.Enum([...new Set(outcomes)], { type: 'string', examples: ['complete'] }),
    }),
    answers: { 200: Type.Union([bankTransfer, cryptoTransfer]) },
    refusals: [
      'not_found',
      ...withReasons(
        'crypto_transfer_failed',
        'invalid_state',
        'not_simulated',
        'rail_unavailable',
      ),
      ...withReasons('bank_transfer_failed', 'invalid_state', 'not_simulated'),
      ...withReasons('payment_action_failed', 'invalid_state', 'not_simulated'),
    ],
    async handle(request) {
      const { reference } = request.params
      const outcome = request.body.outcome as string
      const name = { environmentId: request.environment.id, reference }
      const { payout } = await getPayout(api.db, name)
      checkOutcome(payout.kind, outcome)
      // Before the transaction: it may be a call over the network.
      const refusal = await instructRail(api, payout, outcome)
      if (refusal) return commitRefusal(api, request, refusal)
      return api.change(
        request,
        (tx) => getPayout(tx, name),
        (payout) => show(payout as PayoutWithAttempts),
      )
    },
  })

function describe(): string {
  const listOf = (kind: PayoutKind) =>
    Object.keys(simulatedOutcomes[kind])
      .map((outcome) => `\`${outcome}\``)
      .join(', ')
  return `Sets what the simulated bank (${listOf('bank_transfer')}) or chain (${listOf('crypto_transfer')}) does with a transfer that has not ended. Returns the transfer as it is now; it changes a moment later, when the bank or chain is polled.`
}

function checkOutcome(kind: PayoutKind, outcome: string): void {
  const known = Object.keys(simulatedOutcomes[kind])
  if (known.includes(outcome)) return
  const issue = `must be one of ${known.join(', ')} for this kind of transfer`
  throw invalidField('outcome', issue)
}

function show({ payout, attempts }: PayoutWithAttempts) {
  return successText(200, 'Test outcome set', showPayout(payout, attempts))
}
