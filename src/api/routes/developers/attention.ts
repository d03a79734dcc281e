import Type from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { anyAmount, orNull, text, time } from '../../../base/shapes.js'
import { toWire } from '../../../money/amounts.js'
import type { Asset } from '../../../money/assets.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { Permission } from '../../../team/permissions.js'
import { type ResourceKind, sees } from '../../../team/seen-with.js'
import {
  type Attention,
  type AttentionKind,
  attentionKinds,
  findApprovals,
  findBatchApprovals,
  findFailingEndpoints,
  findHeldPayments,
  findKyc,
  findLowBalances,
  findOverdueCases,
  findPaymentRequests,
  findPayoutsInReview,
  findProposedRule,
  findUnconfirmedDestination,
  findWaitingBankAccounts,
  findWaitingWallet,
} from '../../../timeline/find-attention.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

const item = Type.Object({
  kind: Type.Enum([...attentionKinds]),
  count: Type.Integer({
    description: 'How many there are; of failing endpoints, events that they have not received.',
    examples: [2],
  }),
  amounts: Type.Record(Type.String(), anyAmount, { description: 'Sums by asset.' }),
  since: orNull(time, 'Since when the oldest waits.'),
  subject: orNull(text('https://shop.example/webhooks'), 'What it is about, if it is one thing.'),
  link: text('/payments?status=HELD', 'The path of the console where it is done.'),
})

type Source = {
  /** A member with any of these can do something about it. */
  permissions: Permission[]
  /** The resource that it shows, if the user must be allowed to see it as well. */
  shows?: ResourceKind
  link: string
  find: (db: Queryable, environment: Environment, member: Member) => Promise<Attention[]>
}
type Member = { userId: string; now: Date }

/** Listed in the order in which they are shown. */
const sources: Source[] = [
  {
    permissions: ['payouts.approve'],
    link: '/payouts?status=PENDING',
    find: (db, { id: environmentId }, member) => findApprovals(db, { environmentId, ...member }),
  },
  {
    permissions: ['payouts.approve'],
    link: '/payouts/batches',
    find: (db, { id: environmentId }, member) =>
      findBatchApprovals(db, { environmentId, ...member }),
  },
  {
    permissions: ['settings.change'],
    link: '/settings',
    find: (db, { id: environmentId }, member) => findProposedRule(db, { environmentId, ...member }),
  },
  {
    permissions: ['payments.decide', 'payments.ask'],
    link: '/payments?status=HELD',
    find: (db, { id }) => findHeldPayments(db, id),
  },
  {
    permissions: ['payments.decide'],
    link: '/payments',
    find: (db, { id }) => findPaymentRequests(db, id),
  },
  {
    permissions: ['developers.change'],
    link: '/webhooks',
    find: (db, { id }) => findFailingEndpoints(db, id),
  },
  {
    permissions: ['payouts.create'],
    link: '/payouts?status=SUBMITTED',
    find: (db, { id }) => findPayoutsInReview(db, id),
  },
  {
    permissions: ['cases.change'],
    link: '/cases?status=OVERDUE',
    find: (db, { id: environmentId }, { now }) => findOverdueCases(db, { environmentId, now }),
  },
  {
    permissions: ['payouts.create'],
    shows: 'balance',
    link: '/balances',
    find: (db, { id }) => findLowBalances(db, id),
  },
  {
    permissions: ['business.see'],
    link: '/settings/bank-accounts',
    find: (db, { id: environmentId }, { now }) =>
      findWaitingBankAccounts(db, { environmentId, now }),
  },
  {
    permissions: ['business.see'],
    link: '/settlements/schedule',
    find: (db, environment, { now }) => findWaitingWallet(db, environment, now),
  },
  {
    permissions: ['business.see'],
    link: '/settlements/schedule',
    find: (db, environment) => findUnconfirmedDestination(db, environment),
  },
  { permissions: ['business.change'], link: '/settings', find: findKyc },
]

export const listAttention = ({ db }: ApiParts): Route =>
  route({
    method: 'GET',
    path: '/v1/attention',
    access: 'user',
    permission: 'payments.see',
    operation: 'listAttention',
    summary: 'List what waits for you',
    description: 'What waits for a person, limited to what the caller can do something about.',
    tag: 'Console',
    answers: { 200: Type.Object({ items: Type.Array(item) }) },
    async handle({ environment, permissions, signedIn, now }) {
      const items: object[] = []
      const member = { userId: signedIn!.userId, now }
      // One after the other: a page holds one connection at a time.
      for (const { permissions: any, shows, link, find } of sources) {
        const isSeen = shows === undefined || sees(permissions, shows)
        const may = isSeen && any.some((permission) => permissions.has(permission))
        const found = may ? await find(db, environment, member) : []
        items.push(...found.map((item) => show(item, linkTo(item, link))))
      }
      if (!signedIn!.hasSecondFactor) items.push(show(missingFactor, '/you'))
      return success(200, 'What waits for you', { items })
    },
  })

/** The oldest request or batch is opened at once. */
function linkTo({ kind, subject }: Attention, link: string): string {
  return kind === 'payment_request' || kind === 'batch_approval' ? `${link}/${subject}` : link
}

const missingFactor: Attention = {
  kind: 'second_factor',
  count: 1,
  amounts: {},
  since: null,
  subject: null,
}

function show({ kind, count, amounts, since, subject }: Attention, link: string) {
  const entries = Object.entries(amounts) as [Asset, bigint][]
  const shown = entries.map(([asset, amount]) => [asset, toWire(amount, asset)])
  return {
    kind: kind satisfies AttentionKind,
    count,
    amounts: Object.fromEntries(shown),
    since,
    subject,
    link,
  }
}
