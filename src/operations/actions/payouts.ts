import Type from 'typebox'
import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { formatDecimal, formatMoney, toWire } from '../../money/amounts.js'
import { describeNotOpen, findOpenPayout } from '../../payouts/attempts/decide-payout.js'
import { type Payout, referenceOf } from '../../payouts/payout.js'
import type { Destination } from '../../payouts/ports.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  decideOpenPayout,
  describeRecipient,
  type OperatorDecision,
  type Queried,
  queryAttempt,
} from '../changes/decide-open-payout.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import {
  type Action,
  type Cursor,
  command,
  type InputOf,
  list,
  route,
} from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { amount, asset, mode, time, waiting } from '../definitions/views.js'
import { findScreenedPayouts, screenedPayoutActions } from './screened-payouts.js'

export const deciding: Confirmable<Omit<OperatorDecision, 'queried'>, Queried> = {
  kind: 'payout.decide',
  command: 'payouts decide',
  prepare: ({ db, withRails }, { reference }) => queryAttempt(db, reference, withRails),
  async perform(tx, { now, operator }, payload, queried) {
    const { reference } = payload
    const { status } = await decideOpenPayout(tx, now, { ...payload, queried }, operator)
    return { reference, status }
  },
}

const decision = {
  reference: fields.text('reference of the payout, bt_… or ct_…'),
  outcome: Type.Enum(['completed', 'failed'], { description: 'outcome of the payout' }),
  evidence: fields.note('source of the outcome, for the audit log', { placeholder: 'note' }),
  confirmNotLanded: fields.flag(
    'fail it although an RPC node knows it, or the bank has not decided or cannot be queried',
  ),
  confirmLanded: fields.flag('crypto: complete it although no RPC node knows it'),
}

/** Oldest first. */
const bySubmission: Cursor<{ submittedAt: Date; id: string }, Position> = {
  write: ({ submittedAt, id }) => ({ submittedAt: submittedAt.toISOString(), id }),
  read({ submittedAt = '', id = '' }) {
    const isWhole = !Number.isNaN(Date.parse(submittedAt)) && /^[0-9a-f-]{36}$/.test(id)
    return isWhole ? { submittedAt, id } : undefined
  },
}

/** Payouts without an outcome, and the decision about one of them. */
export const payoutActions: Action[] = [
  command({
    name: 'payouts open',
    description: 'list payouts that are sent or held for screening, oldest first',
    async run({ db }) {
      const held = await findScreenedPayouts(db)
      const page = { isReview: false, after: undefined, limit: limits.operator.rowsListedMax }
      const payouts = await findOpenPayouts(db, page)
      const data = [
        ...held.map(({ reference, merchant, mode, rail, asset, amount, reasons, createdAt }) => ({
          reference,
          merchant,
          mode,
          state: 'PENDING',
          reasons,
          rail,
          asset,
          amount,
          createdAt,
          submittedAt: null,
          reviewRequired: false,
        })),
        ...payouts.map((payout) => ({
          reference: payout.reference,
          merchant: payout.merchant,
          mode: payout.mode,
          state: 'SUBMITTED',
          reasons: [] as string[],
          rail: payout.rail,
          asset: payout.asset,
          amount: formatDecimal(payout.amount, payout.asset),
          createdAt: null,
          submittedAt: payout.submittedAt,
          reviewRequired: payout.isReviewRequired,
        })),
      ]
      const text = tableOf(
        data,
        {
          reference: 'reference',
          merchant: 'merchant',
          mode: 'mode',
          state: 'state',
          'waits for': ({ reasons }) => reasons.join(', '),
          'bank or chain': 'rail',
          amount: ({ amount, asset }) => `${amount} ${asset}`,
          since: ({ createdAt, submittedAt }) => (submittedAt ?? createdAt)!.toISOString(),
          review: ({ reviewRequired }) => (reviewRequired ? 'yes' : 'no'),
        },
        { amounts: ['amount'], empty: 'No open payouts.' },
      )
      return { data, text }
    },
  }),
  list({
    request: 'GET /payouts',
    operation: 'listOpenPayouts',
    summary: 'Open payouts',
    filters: { open: Type.Optional(Type.Enum(['review', 'all'])) },
    view: resource('OpenPayout', {
      reference: Type.String(),
      kind: Type.Enum(['bank_transfer', 'crypto_transfer', 'bank_return', 'crypto_return']),
      rail: Type.String(),
      mode,
      merchant: Type.String(),
      merchantName: Type.String(),
      asset,
      amount,
      recipient: Type.String(),
      submittedAt: time,
      isReviewRequired: Type.Boolean(),
      token: orNull(Type.String(), 'Signature on a chain, reference at a bank.'),
      attempts: Type.Integer(),
      polls: Type.Integer(),
    }),
    cursor: bySubmission,
    find: ({ db }, { open = 'review' }, { limit, after }) =>
      findOpenPayouts(db, { isReview: open === 'review', after, limit }),
    show: ({ id: _, ...payout }) => ({ ...payout, amount: toWire(payout.amount, payout.asset) }),
  }),
  command({
    name: 'payouts decide',
    description: 'record the outcome of an open payout, with evidence',
    args: ['reference'],
    input: { ...decision, yes: fields.yes },
    async run(call, input) {
      const { reference, outcome } = input
      const open = await findOpenPayout(call.db, reference)
      const now = await call.confirm({
        mode: open.mode,
        facts: [
          ['Payout', `${reference} of ${formatMoney(open.amount, open.asset)}`],
          ['Recipient', describeRecipient(open.destination)],
          ['Merchant', open.merchantName],
          ['Outcome', outcomes[outcome]],
        ],
      })
      const payload = toPayload(input)
      const queried = await deciding.prepare!(call, payload)
      const data = await call.db.transaction((tx) =>
        deciding.perform(tx, { ...call, now }, payload, queried),
      )
      return { data, text: `${reference} is ${data.status}.` }
    },
  }),
  ...screenedPayoutActions,
  route({
    request: 'POST /payouts/:reference/decide',
    operation: 'decidePayout',
    summary: 'Propose the outcome of a payout',
    input: decision,
    view: waiting,
    async run(call, input) {
      const { reference } = input
      const { environmentId, status } = await findOpenPayout(call.db, reference)
      if (status !== 'SUBMITTED')
        throw new Refusal('validation_failed', {
          reason: 'invalid_state',
          message: describeNotOpen(reference, status),
        })
      const { merchantId } = await getEnvironmentById(call.db, environmentId)
      return propose(call, deciding, { subject: reference, payload: toPayload(input), merchantId })
    },
  }),
]

function toPayload(input: InputOf<typeof decision>) {
  const { reference, outcome, evidence, confirmNotLanded = false, confirmLanded = false } = input
  return {
    reference,
    outcome,
    evidence,
    confirmsNotLanded: confirmNotLanded,
    confirmsLanded: confirmLanded,
  }
}

const outcomes = {
  completed: 'completed: the money has left',
  failed: 'failed: the money goes back to where it was taken from',
}

type Row = Pick<Payout, 'id' | 'kind' | 'rail' | 'asset' | 'amount' | 'isReviewRequired'> & {
  submittedAt: Date
  destination: string
  mode: Mode
  merchantId: string
  merchantName: string
  token: string | null
  attempts: number
  polls: number
}

/** Payouts without an outcome, oldest first; those for review, or all. */
async function findOpenPayouts(
  db: Queryable,
  { isReview, after, limit }: { isReview: boolean; after: Position | undefined; limit: number },
) {
  const rows = await db.rows(sql<Row>`
    select p.id, p.kind, p.rail, p.asset, p.amount, p.destination::text as destination,
      p.submitted_at, p.is_review_required, e.mode, e.merchant_id, m.display_name as merchant_name,
      live.token,
      (select count(*)::int from payout_attempts a
        where a.environment_id = p.environment_id and a.payout_id = p.id) as attempts,
      coalesce(live.polls, 0) as polls
    from payouts p join environments e on e.id = p.environment_id
      join merchants m on m.id = e.merchant_id
      left join payout_attempts live on live.environment_id = p.environment_id
        and live.payout_id = p.id and live.state = 'LIVE'
    where p.status = 'SUBMITTED' ${isReview ? sql`and p.is_review_required` : sql``}
      ${after ? sql`and (p.submitted_at, p.id) > (${after.submittedAt}, ${after.id}::uuid)` : sql``}
    order by p.submitted_at, p.id limit ${limit}`)
  return rows.map(({ merchantId, destination, ...row }) => ({
    ...row,
    reference: referenceOf(row),
    merchant: toReference(prefixes.merchant, merchantId),
    recipient: describeRecipient(JSON.parse(destination) as Destination),
  }))
}

/** The position after the last payout of a page. */
type Position = { submittedAt: string; id: string }
