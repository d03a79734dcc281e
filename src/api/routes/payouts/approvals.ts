import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { arrayOf, type JsonText, joinObjects, objectOf, toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal, returnRefusal } from '../../../base/refusal.js'
import {
  anyAsset,
  flag,
  notYet,
  orNull,
  referenceSample,
  resource,
  sampleHash,
  text,
  timestamp,
} from '../../../base/shapes.js'
import { findPaymentsOfReturns } from '../../../collections/returns/find-returns.js'
import { followReturns } from '../../../collections/returns/follow-returns.js'
import type { KeyedAnswer } from '../../../idempotency/answer.js'
import { findKeyNames } from '../../../merchants/keys/find-key-names.js'
import { decimalPattern } from '../../../money/amounts.js'
import { judgeExpiry } from '../../../payouts/approvals/approval-expiry.js'
import { approvers, showApprover } from '../../../payouts/approvals/approver-resource.js'
import {
  approvePayout,
  prepareApproval,
  rejectPayout,
} from '../../../payouts/approvals/decide-pending.js'
import {
  approversOf,
  findApprovers,
  missingApprovals,
} from '../../../payouts/approvals/find-approvers.js'
import type { Decider } from '../../../payouts/approvals/judge-approval.js'
import { findPending, type PendingName } from '../../../payouts/approvals/pending-payouts.js'
import { findWait } from '../../../payouts/controls/find-wait.js'
import {
  foundAtApproval,
  holdForScreening,
  isNewHit,
} from '../../../payouts/controls/hold-for-screening.js'
import {
  auditPayoutScreening,
  screenApproved,
  screenDestination,
} from '../../../payouts/controls/screen-destination.js'
import type { Wait } from '../../../payouts/controls/wait.js'
import { refuseFrozen } from '../../../payouts/freezes/find-frozen.js'
import { isReturn, type Payout, payoutKinds, transferKindOf } from '../../../payouts/payout.js'
import type { Destination } from '../../../payouts/ports.js'
import { findSavedRecipient } from '../../../payouts/recipients/choose-recipient.js'
import { showDisbursement } from '../../../payouts/records/disbursement-resource.js'
import { findPayoutOrigins } from '../../../payouts/records/find-origins.js'
import {
  getPayout,
  listWaiting,
  type PayoutWithAttempts,
} from '../../../payouts/records/find-payouts.js'
import {
  bankTransfer,
  cryptoTransfer,
  showFinding,
  shownFinding,
  shownReasons,
  showPayout,
} from '../../../payouts/resource.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { ScreeningFinding } from '../../../screening/ports.js'
import type { UserActor } from '../../../team/actor.js'
import type { Approver } from '../../../team/approvers.js'
import { findUserNames } from '../../../team/find-user-names.js'
import { solanaAddress } from '../../parse/read-address.js'
import { readAmountFilter } from '../../parse/read-filters.js'
import { accountNumberIn, bankCodeIn } from '../../parse/read-recipient.js'
import { closed, inPath, lineOfText, plainText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitAndSend } from '../../pipeline/commit-and-send.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { success, successText } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/disbursements'
const params = inPath('reference', referenceSample(prefixes.bankTransfer))
const transfer = Type.Union([bankTransfer, cryptoTransfer])

/** Shared by the decisions about pending payouts and batches. */
export const decisionBase = {
  access: 'user',
  permission: 'payouts.approve',
  stepUp: 'always',
  tag: 'Disbursements',
  method: 'POST',
} as const

/** For members only: API keys can neither approve nor reject. */
export function approvalRoutes(api: ApiParts): Route[] {
  return [approve(api), reject(api), check(api), waiting(api), read(api)]
}

const approve = (api: ApiParts) =>
  route({
    ...decisionBase,
    path: `${path}/:reference/approve`,
    stopsWhenSuspended: true,
    operation: 'approveDisbursement',
    summary: 'Approve a transfer',
    description:
      'Signs and sends a transfer that another member created. If no member made its API key, two members must approve it. The name of the account is resolved again; if it changed, the transfer is not sent.',
    params,
    body: closed({
      orderHash: Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'The `orderHash` of the transfer as it was shown.',
        examples: [sampleHash],
      }),
      round: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            'The `round` of its `approval` as it was shown: refused if a reason to wait was added since.',
          examples: [1],
        }),
      ),
      reason: Type.Optional(
        lineOfText(500, {
          description:
            'Why you approve it. Required if `screening` of its `approval` is a `hit`; members and the audit log read it.',
          examples: ['Another person of this name: passport seen'],
        }),
      ),
    }),
    answers: { 200: transfer },
    handle(request) {
      const decider = deciderOf(request)
      return approveTransfer(api, request, { ...nameOf(request), ...request.body, decider })
    },
  })

/** Sends a transfer if this is the last approval that it needs. */
export async function approveTransfer(
  api: ApiParts,
  request: KeyedRequest,
  approval: Parameters<typeof approvePayout>[3],
): Promise<KeyedAnswer> {
  const attempt = await prepareApproval(api, request.now, approval).catch(returnRefusal)
  if (attempt instanceof Refusal) return commitRefusal(api, request, attempt)
  const screened = await screenAgain(api, approval).catch(returnRefusal)
  if (screened instanceof Refusal) return commitRefusal(api, request, screened)
  const { payout: seen, verdict } = screened
  if (isNewHit(seen, verdict)) {
    await api.db.transaction((tx) => holdForScreening(tx, api.clock.now(), seen, verdict))
    return commitRefusal(api, request, foundAtApproval(seen, verdict))
  }
  // Something else that is found meanwhile is not what was screened here.
  const { round } = seen.approval!
  return commitAndSend(api, request, {
    async commit(tx, now) {
      const approved = await approvePayout(tx, now, attempt, { round, ...approval })
      const { decider } = approval
      if (verdict && approved.payout.approval!.reasons.includes('screening'))
        await auditPayoutScreening(tx, now, {
          payout: approved.payout,
          verdict,
          action: 'approve',
          actor: request.audited?.actor ?? decider.kind,
          reason: approval.reason,
        })
      return approved
    },
    toAnswer: ({ payout, signed, shown }) =>
      successText(200, signed ? 'Transfer approved' : describeRest(payout), shown),
    payoutOf: ({ signed }) => signed,
  })
}

/** No verdict: without screening, and if there is nothing to compare. */
async function screenAgain({ db, screening }: ApiParts, name: PendingName) {
  const { payout } = await findPending(db, name, { isLocked: false })
  return { payout, verdict: await screenApproved(screening, db, payout) }
}

function describeRest({ approval }: Payout): string {
  return missingApprovals(approval!) > 0
    ? 'Approved; another member must approve it, too'
    : 'Approved; your callback has not answered yet'
}

const reject = (api: ApiParts) =>
  route({
    ...decisionBase,
    path: `${path}/:reference/reject`,
    operation: 'rejectDisbursement',
    summary: 'Reject a transfer',
    description: 'Ends a transfer that waits for approval. The money is available again.',
    params,
    body: closed({
      reason: lineOfText(500, {
        description: 'Why; the member who created the transfer reads it.',
        examples: ['The invoice was paid already'],
      }),
    }),
    answers: { 200: transfer },
    handle(request) {
      const decider = deciderOf(request)
      const { reason } = request.body
      return rejectTransfer(api, request, { ...nameOf(request), reason, decider })
    },
  })

export function rejectTransfer(
  api: ApiParts,
  request: KeyedRequest,
  rejection: Parameters<typeof rejectPayout>[2],
): Promise<KeyedAnswer> {
  return api.change(
    request,
    (tx, now) => rejectPayout(tx, now, rejection, followReturns),
    (payout) => successText(200, 'Transfer rejected', showPayout(payout, [])),
  )
}

const approvalCheck = resource('ApprovalCheck', {
  needed: flag(true, 'Whether a transfer like this would wait for a second member.'),
  reasons: shownReasons,
  asksCallback: flag(false, 'Whether your callback would be asked, too.'),
  screening: shownFinding,
  refusal: notYet(
    Type.Object({
      reason: orNull(text('velocity_limit'), 'The reason of the refusal.'),
      message: text('Payouts to this recipient are frozen: Complaint 77'),
    }),
    'Why the transfer would be refused now; null if it would not be. Then nothing else is judged.',
  ),
  approvers,
  expiresAt: timestamp('When it would fail without an approval.'),
})

const check = (api: ApiParts) =>
  route({
    access: 'user',
    permission: 'payouts.create',
    tag: 'Disbursements',
    method: 'GET',
    path: `${path}/approval-check`,
    operation: 'checkApproval',
    summary: 'Find out whether a transfer would wait for approval',
    description:
      'Returns whether a transfer that you create would be sent, wait or be refused now: by limits, freezes, rules about recipients, velocity, duplicates, screening and your callback. What depends on the recipient is judged if you name it. Also returns who may approve, and from when. Reserves nothing.',
    query: closed({
      currency: anyAsset,
      amount: Type.String({
        pattern: decimalPattern,
        maxLength: limits.money.decimalDigitsMax + 1,
        description: 'In kobo, or a decimal of coins.',
        examples: ['1250000'],
      }),
      bankCode: Type.Optional(bankCodeIn),
      accountNumber: Type.Optional(accountNumberIn),
      accountName: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: plainText,
          description: 'The holder that the bank names: it is screened.',
          examples: ['ADA OBI'],
        }),
      ),
      address: Type.Optional(
        Type.String({ ...solanaAddress, description: 'The wallet that is paid.' }),
      ),
      of: Type.Optional(
        Type.Enum(['transfer', 'batch'], {
          type: 'string',
          description:
            'A `batch` is approved as a whole by its total; controls apply to its items, one by one. Default: `transfer`.',
          examples: ['transfer'],
        }),
      ),
    }),
    answers: { 200: approvalCheck },
    async handle({ environment, query, actor, now }) {
      const { db } = api
      const { userId } = actor as UserActor
      const creator = { createdByKey: null, createdByUser: userId }
      const judged = await judgeTransfer(api, { environment, query, now, ...creator }).catch(
        returnRefusal,
      )
      const refusal = judged instanceof Refusal ? judged : null
      const { wait, finding } = judged instanceof Refusal ? unjudged : judged
      const reasons = wait?.reasons ?? []
      const waiting = { id: userId, ...creator, approvedBy: [], waitsSince: now }
      const approvers = (await findApprovers(db, environment.id, [waiting])).get(userId)!
      const expiresAt = judgeExpiry({ waitsSince: now, enoughFrom: approvers[0]?.from })
      return success(200, 'Approval check', {
        needed: reasons.length > 0,
        reasons,
        asksCallback: (wait?.callbackMinutes ?? null) !== null,
        screening: finding && showFinding(finding),
        refusal: refusal && { reason: refusal.reason ?? null, message: refusal.message },
        approvers: approvers.map((approver) => showApprover(approver, now)),
        expiresAt: expiresAt.toISOString(),
      })
    },
  })

const unjudged = { wait: null, finding: null }

type JudgedTransfer = Pick<Reader, 'environment' | 'now'> &
  Pick<Payout, 'createdByKey' | 'createdByUser'> & {
    query: {
      currency: string
      amount: string
      bankCode?: string
      accountNumber?: string
      accountName?: string
      address?: string
      of?: 'transfer' | 'batch'
    }
  }

/** As the transfer is judged when it is created. Throws the refusal that it would get. */
async function judgeTransfer(
  { db, rails, screening }: ApiParts,
  { environment, query, now: at, ...creator }: JudgedTransfer,
): Promise<{ wait: Wait | null; finding: ScreeningFinding | null }> {
  const { id: environmentId, mode } = environment
  const asset = query.currency as Payout['asset']
  const kind = transferKindOf({ asset })
  const amount = readAmountFilter('amount', query.amount, asset)
  const destination = query.of === 'batch' ? null : readDestination(query)
  const rail = rails.carrierOf(environment, kind)?.name
  await refuseFrozen(db, { environmentId, kind, rail, destination, ...creator })
  if (destination) await findSavedRecipient(db, environment, destination, payoutKinds[kind].refusal)
  const verdict =
    destination && screening && (await screenDestination(screening, destination, mode))
  const finding = verdict && verdict.verdict !== 'clear' ? verdict : undefined
  const wait = await findWait(db, {
    environmentId,
    asset,
    amount,
    at,
    ...creator,
    ...(query.of !== 'batch' && { controlled: { destination, confirmsDuplicate: false } }),
    screeningHold: finding,
  })
  return { wait, finding: finding ?? null }
}

/** Null: not chosen yet. */
function readDestination({
  bankCode,
  accountNumber,
  accountName = '',
  address,
}: JudgedTransfer['query']): Destination | null {
  if (address) return { kind: 'wallet', address }
  if (!bankCode || !accountNumber) return null
  const account = { bankCode, accountNumber, accountName, bankName: '', narration: null }
  return { kind: 'bank_account', ...account }
}

const readBase = {
  access: 'user',
  permission: 'payouts.see',
  tag: 'Disbursements',
  method: 'GET',
} as const

const waiting = ({ db }: ApiParts) =>
  route({
    ...readBase,
    path: `${path}/waiting`,
    operation: 'listWaitingDisbursements',
    summary: 'List what waits for approval',
    description: 'Transfers, and refunds to another destination, oldest first.',
    answers: { 200: Type.Object({ items: Type.Array(transfer) }) },
    async handle({ environment, actor, now }) {
      const payouts = await listWaiting(db, environment.id)
      const items = await showAll(db, payouts, { environment, actor, now })
      return successText(200, 'Waiting', objectOf({ items: arrayOf(items) }))
    },
  })

const read = ({ db }: ApiParts) =>
  route({
    ...readBase,
    path: `${path}/:reference`,
    operation: 'readDisbursement',
    summary: 'Read a transfer or a refund',
    description:
      'Returns it with who created it, who decides, and its payment, conversion, batch or settlement.',
    params,
    answers: { 200: transfer },
    async handle({ environment, params: { reference }, actor, now }) {
      const payout = await getPayout(db, { environmentId: environment.id, reference })
      const [shown] = await showAll(db, [payout], { environment, actor, now })
      return successText(200, 'Transfer', shown!)
    },
  })

type Reader = Pick<RouteRequest<unknown, unknown, unknown>, 'environment' | 'actor' | 'now'>

/** Payouts as lists show them, with what each belongs to and, while it waits, its approvers. */
async function showAll(
  db: Queryable,
  payouts: PayoutWithAttempts[],
  { environment: { id: environmentId }, actor, now }: Reader,
): Promise<JsonText[]> {
  const keyIds = payouts.flatMap(({ payout }) => payout.createdByKey ?? [])
  const userIds = payouts.flatMap(({ payout }) => payout.createdByUser ?? [])
  const keys = await findKeyNames(db, environmentId, keyIds)
  const users = await findUserNames(db, userIds)
  const pending = payouts.flatMap(({ payout }) => (payout.status === 'PENDING' ? payout : []))
  const approversOfEach = await findApprovers(
    db,
    environmentId,
    pending.map((payout) => ({
      ...payout,
      waitsSince: payout.createdAt,
      approvedBy: approversOf(payout.approval!),
    })),
  )
  const payments = await findPaymentsOfReturns(
    db,
    environmentId,
    payouts.filter(({ payout }) => isReturn(payout)).map(({ payout }) => payout.id),
  )
  const origins = await findPayoutOrigins(
    db,
    environmentId,
    payouts.map(({ payout }) => payout.id),
  )
  return payouts.map((disbursement) => {
    const { id } = disbursement.payout
    const more = toJson({
      payment: payments.get(id)?.payment ?? null,
      refundReason: payments.get(id)?.reason ?? null,
      refundNote: payments.get(id)?.note ?? null,
      conversion: origins.get(id)?.conversion ?? null,
      batch: origins.get(id)?.batch ?? null,
      settlement: origins.get(id)?.settlement ?? null,
      ...showApprovers(approversOfEach.get(id) ?? [], { actor, now }),
    })
    return joinObjects(showDisbursement(disbursement, { keys, users }), more)
  })
}

/** Who may approve it, and whether the user who asks may now. */
export function showApprovers(
  approvers: Approver[],
  { actor, now }: Pick<Reader, 'actor' | 'now'>,
) {
  const { userId } = actor as UserActor
  return {
    mayApprove: approvers.some(({ id, from }) => id === userId && from <= now),
    approvers: approvers.map((approver) => showApprover(approver, now)),
  }
}

type Decision = Pick<
  RouteRequest<unknown, unknown, { reference: string }>,
  'environment' | 'params' | 'actor'
>

export function nameOf({ environment, params: { reference } }: Decision) {
  return { environmentId: environment.id, reference }
}

export function deciderOf({ actor }: Pick<Decision, 'actor'>): Decider {
  const { userId, sessionId, name } = actor as UserActor
  return { kind: 'user', userId, sessionId, name }
}
