import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import { type JsonText, toJson } from '../base/json-text.js'
import {
  anyAmount,
  anyAsset,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import { creator, showCreator } from '../payouts/records/disbursement-resource.js'
import {
  type CaseItem,
  caseItemKinds,
  caseKinds,
  caseOutcomes,
  caseReference,
  caseStatuses,
  isOverdue,
  itemReference,
  type ShownCase,
} from './case.js'

const item = Type.Object({
  kind: Type.Enum([...caseItemKinds], { description: 'What it is.', examples: ['payment'] }),
  reference: text(
    referenceSample(prefixes.payment),
    'The payment, transfer, recipient or customer.',
  ),
  status: orNull(
    text('ACCEPTED'),
    'Status of the payment, transfer or recipient, as it is now; null for a customer.',
  ),
  amount: orNull(anyAmount, 'Amount of a payment or transfer; null for others.'),
  asset: orNull(anyAsset, 'What `amount` is in; null without one.'),
  addedAt: timestamp('When it was added to the case.'),
})

const member = Type.Object({
  id: reference(prefixes.user, 'Identifies the member.'),
  name: text('Ada Obi', 'Name of the member.'),
})

export const caseSchema = resource('Case', {
  reference: reference(prefixes.case, 'Identifies the case.'),
  kind: Type.Enum([...caseKinds], {
    description:
      '`FRAUD`: someone was deceived. `COMPLAINT`: a customer or recipient complains. `RECALL`: a bank asks for money back. `OTHER`.',
    examples: ['FRAUD'],
  }),
  status: Type.Enum([...caseStatuses], {
    description:
      '`OVERDUE`: it is open and its deadline has passed. `CLOSED`: it has an outcome, and changes only after it is reopened.',
    examples: ['OPEN'],
  }),
  title: text('Customer did not order this', 'What it is about, in one line.'),
  description: orNull(text('She paid twice and got one parcel.'), 'What happened.'),
  externalReference: orNull(
    text('CBN-2036-0117'),
    'What the bank, the regulator or the customer calls the case.',
  ),
  deadline: orNull(
    time,
    'Until when the case must be closed, by the clock of the environment; null: at any time.',
  ),
  assignee: notYet(member, 'The member who works on it.'),
  items: Type.Array(item, {
    description: 'What it is about, in the order in which it was added.',
  }),
  outcome: notYet(
    Type.Enum([...caseOutcomes]),
    '`UPHELD`: the complaint was right. `REJECTED`: it was not. `OTHER`: see `outcomeNote`. Null while it is open.',
  ),
  outcomeNote: notYet(text('Refunded'), 'What was decided, in your words.'),
  createdBy: orNull(creator, 'API key or member that opened the case.'),
  createdAt: timestamp('When the case was opened.'),
  closedAt: notYet(timestamp('When the case was closed.')),
})

/** `now` is the time of the environment: it decides whether the case is overdue. */
export function showCase(shown: ShownCase, now: Date): JsonText {
  const fields: Static<typeof caseSchema> = {
    reference: caseReference(shown),
    kind: shown.kind,
    status: isOverdue(shown, now) ? 'OVERDUE' : shown.status,
    title: shown.title,
    description: shown.description,
    externalReference: shown.externalReference,
    deadline: shown.deadline && toIsoText(shown.deadline),
    assignee: showMember(shown),
    items: shown.items.map(showItem),
    outcome: shown.outcome,
    outcomeNote: shown.outcomeNote,
    createdBy: showCreator(shown, shown.names),
    createdAt: toIsoText(shown.createdAt),
    closedAt: shown.closedAt && toIsoText(shown.closedAt),
  }
  return toJson(fields)
}

function showMember({ assigneeId, names }: ShownCase): Static<typeof member> | null {
  if (assigneeId === null) return null
  return { id: toReference(prefixes.user, assigneeId), name: names.users.get(assigneeId) ?? '' }
}

function showItem(shown: CaseItem): Static<typeof item> {
  const { status, amount, asset, addedAt } = shown
  return {
    kind: shown.kind,
    reference: itemReference(shown),
    status,
    amount: amount === null || asset === null ? null : toWire(amount, asset),
    asset,
    addedAt: toIsoText(addedAt),
  }
}
