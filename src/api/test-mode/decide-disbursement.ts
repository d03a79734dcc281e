import Type from 'typebox'
import { fromReference, prefixes } from '../../base/ids.js'
import { referenceSample } from '../../base/shapes.js'
import { simulatedMember } from '../../payouts/approvals/judge-approval.js'
import { payoutBatch } from '../../payouts/batches/resource.js'
import { getBatch } from '../../payouts/batches/store-batches.js'
import { getPayout } from '../../payouts/records/find-payouts.js'
import { bankTransfer, cryptoTransfer } from '../../payouts/resource.js'
import { bankRefusalReasons, chainRefusalReasons, withReasons } from '../openapi/refusals-of.js'
import { closed, inPath, lineOfText } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { approveTransfer, rejectTransfer } from '../routes/payouts/approvals.js'
import { approveWaitingBatch, rejectWaitingBatch } from '../routes/payouts/batch-approvals.js'
import { route } from '../server/route.js'

const reasonIfNone = 'Rejected by a test'

/** For programs that test an approval rule: no API key decides otherwise. */
export const decideDisbursement = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/disbursements/:reference/decide',
    access: 'secret',
    isTestOnly: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    operation: 'decideTestDisbursement',
    summary: 'Approve or reject a test transfer',
    description:
      'Decides, as a simulated member of your team, about a transfer, a refund or a batch that is `PENDING`. It counts as one approval: if two are needed, decide twice. Who created it and when members joined does not matter; everything else is checked as for members.',
    tag: 'Test mode',
    params: inPath('reference', referenceSample(prefixes.bankTransfer)),
    body: closed({
      decision: Type.Enum(['approve', 'reject'], {
        type: 'string',
        description: 'What the simulated member decides.',
        examples: ['approve'],
      }),
      reason: Type.Optional(
        lineOfText(500, {
          description:
            'Why it is rejected, or approved although its recipient is on a sanctions list. Not used for approvals of batches.',
          examples: ['The invoice was paid already'],
        }),
      ),
    }),
    answers: { 200: Type.Union([bankTransfer, cryptoTransfer, payoutBatch]) },
    refusals: [
      'not_found',
      ...withReasons(
        'approval_failed',
        'invalid_state',
        'approval_expired',
        'order_changed',
        'name_changed',
        'screening',
        ...bankRefusalReasons,
        ...chainRefusalReasons,
      ),
    ],
    async handle(request) {
      const { environment, params, body } = request
      const { reference } = params
      const name = { environmentId: environment.id, reference }
      const decider = simulatedMember
      const reason = body.reason ?? reasonIfNone
      if (fromReference(prefixes.payoutBatch, reference)) {
        if (body.decision === 'reject')
          return rejectWaitingBatch(api, request, { ...name, decider, reason })
        const { approval } = await getBatch(api.db, name)
        const orderHash = approval?.orderHash ?? ''
        return approveWaitingBatch(api, request, { ...name, decider, orderHash })
      }
      if (body.decision === 'reject')
        return rejectTransfer(api, request, { ...name, decider, reason })
      const { payout } = await getPayout(api.db, name)
      const orderHash = payout.approval?.orderHash ?? ''
      return approveTransfer(api, request, { ...name, decider, orderHash, reason: body.reason })
    },
  })
