import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { referenceSample, sampleHash } from '../../../base/shapes.js'
import type { Batch } from '../../../payouts/batches/batch.js'
import { approveBatch, rejectBatch } from '../../../payouts/batches/decide-batch.js'
import { payoutBatch } from '../../../payouts/batches/resource.js'
import { closed, inPath, lineOfText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { type Route, route } from '../../server/route.js'
import { deciderOf, decisionBase, nameOf } from './approvals.js'
import { changeBatch } from './payout-batches.js'

const path = '/v1/disbursements/batches'
const params = inPath('reference', referenceSample(prefixes.payoutBatch))

/** For members only: API keys can neither approve nor reject. */
export function batchApprovalRoutes(api: ApiParts): Route[] {
  return [approve(api), reject(api)]
}

const approve = (api: ApiParts) =>
  route({
    ...decisionBase,
    path: `${path}/:reference/approve`,
    stopsWhenSuspended: true,
    operation: 'approvePayoutBatch',
    summary: 'Approve a payout batch',
    description:
      'Approves a batch that another member created, so that it is paid. The name of each account is checked again before its transfer.',
    params,
    body: closed({
      orderHash: Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'The `orderHash` of the batch that you reviewed.',
        examples: [sampleHash],
      }),
    }),
    answers: { 200: payoutBatch },
    handle(request) {
      const decider = deciderOf(request)
      const { orderHash } = request.body
      return approveWaitingBatch(api, request, { ...nameOf(request), orderHash, decider })
    },
  })

export function approveWaitingBatch(
  api: ApiParts,
  request: KeyedRequest,
  approval: Omit<Parameters<typeof approveBatch>[2], 'at'>,
) {
  const message = ({ state }: Batch) =>
    state === 'PENDING' ? 'Approved; another member must approve it, too' : 'Batch approved'
  const answer = { status: 200, message, keepsKey: true }
  return changeBatch(api, request, answer, (tx, now) =>
    approveBatch(tx, now, { ...approval, at: request.now }),
  )
}

const reject = (api: ApiParts) =>
  route({
    ...decisionBase,
    path: `${path}/:reference/reject`,
    operation: 'rejectPayoutBatch',
    summary: 'Reject a payout batch',
    description: 'Ends a batch that waits for approval. Nothing is paid.',
    params,
    body: closed({
      reason: lineOfText(500, {
        description: 'Reason, shown to the member who created the batch.',
        examples: ['The salaries of two people are missing'],
      }),
    }),
    answers: { 200: payoutBatch },
    handle(request) {
      const decider = deciderOf(request)
      const { reason } = request.body
      return rejectWaitingBatch(api, request, { ...nameOf(request), reason, decider })
    },
  })

export function rejectWaitingBatch(
  api: ApiParts,
  request: KeyedRequest,
  rejection: Omit<Parameters<typeof rejectBatch>[2], 'at'>,
) {
  const answer = { status: 200, message: 'Batch rejected', keepsKey: false }
  return changeBatch(api, request, answer, (tx, now) =>
    rejectBatch(tx, now, { ...rejection, at: request.now }),
  )
}
