import Type from 'typebox'
import { fromReference, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import {
  assignNotice,
  findAssignable,
  findNotice,
} from '../../collections/notices/assign-notice.js'
import { listOpenNotices, retryNotice } from '../../collections/notices/find-notices.js'
import { listRejected } from '../../collections/notices/store-hints.js'
import { parseReported } from '../../collections/notices/store-notices.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatMoney, toWire } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import { type Action, action, command, type InputOf, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { amount, asset, itemsOf, mode, time, waiting } from '../definitions/views.js'

const notice = {
  rail: fields.text('bank that reported the payment', { placeholder: 'bank' }),
  mode: Type.Enum(['test', 'live'], { description: 'test or live' }),
  id: fields.text("the bank's id of the payment"),
}
const args: (keyof typeof notice)[] = ['rail', 'mode', 'id']
const path = '/notices/:rail/:mode/:id'

const assignment = {
  ...notice,
  merchant: fields.shortLine('reference of the merchant, mer_…'),
  account: fields.shortLine('its account at this bank, va_… or da_…'),
  note: fields.note('how you know, for the audit log'),
}

type Assignment = InputOf<typeof assignment>

/** Books a bank payment whose account is unknown into an account of a merchant. */
export const assign: Confirmable<Assignment> = {
  kind: 'notice.assign',
  command: 'notices assign',
  async perform(tx, { now, operator }, { rail, mode, id, merchant, account, note }) {
    const { id: environmentId, merchantId } = await getEnvironment(tx, { merchant, mode })
    const accountId = readAccountId(account)
    await assignNotice(tx, now, { rail, mode, id, environmentId, accountId })
    auditOperator(tx, now, operator, {
      action: 'notice.assign',
      merchantId,
      environmentId,
      details: { rail, mode, id, reference: account, note },
      shown: { account, mode, payment: id },
    })
    return { id, account }
  },
}

/** The amount; or its units, if the decimals of a token that is not ours are not known. */
const amountFields = {
  asset: orNull(asset),
  amount: orNull(amount),
  units: Type.Optional(Type.String()),
}

const state = Type.Enum(['WAITING', 'UNMATCHED', 'BOOKED', 'REFUSED'])

const heldNotice = resource('Notice', {
  rail: Type.String(),
  mode,
  id: Type.String(),
  state,
  reason: orNull(Type.String()),
  accountNumber: Type.String(),
  currency: Type.String(),
  receivedAt: time,
  ...amountFields,
})

const sentBack = resource('SentBack', {
  rail: Type.String(),
  mode,
  id: Type.String(),
  reason: Type.String(),
  receivedAt: time,
  merchant: orNull(Type.String()),
  account: orNull(Type.String()),
  merchantReference: orNull(Type.String()),
})

const noticeDetail = resource('NoticeDetail', {
  rail: Type.String(),
  mode,
  id: Type.String(),
  state,
  reason: orNull(Type.String()),
  body: orNull(Type.String()),
  assignedAccount: orNull(Type.String()),
  receivedAt: time,
  reported: Type.Object({
    id: Type.String(),
    railAccount: Type.String(),
    currency: Type.String(),
    sender: orNull(
      Type.Object({
        name: Type.Optional(Type.String()),
        accountNumber: Type.Optional(Type.String()),
        bankCode: Type.Optional(Type.String()),
        bankName: Type.Optional(Type.String()),
        address: Type.Optional(orNull(Type.String())),
      }),
    ),
    bankSessionId: orNull(Type.String()),
    narration: orNull(Type.String()),
    isInOtherTokenAccount: Type.Optional(Type.Boolean()),
    paidAt: time,
    ...amountFields,
  }),
})

/** Bank payments and deposits that belong to no merchant yet. */
export const noticeActions: Action[] = [
  command({
    name: 'notices open',
    description: 'list unmatched and refused payments, oldest first',
    async run({ db }) {
      const open = await listOpenNotices(db, limits.operator.rowsListedMax)
      const data = open.map(({ amount, receivedAt, ...rest }) => ({
        ...rest,
        amountInSmallestUnits: amount.toString(),
        receivedAt,
      }))
      const text = tableOf(
        open,
        {
          id: 'id',
          bank: 'rail',
          mode: 'mode',
          account: 'accountNumber',
          amount: describeAmount,
          state: 'state',
          reason: 'reason',
          received: 'receivedAt',
        },
        { amounts: ['amount'], empty: 'No unmatched payments.' },
      )
      return { data, text }
    },
  }),
  command({
    name: 'notices rejected',
    description: 'list payments that a bank sent back to the payer, newest first',
    async run({ db }) {
      const data = await listRejected(db, limits.operator.rowsListedMax)
      const columns = {
        bank: 'rail',
        merchant: 'merchant',
        account: 'account',
        'merchant reference': 'merchantReference',
        payment: 'reason',
        received: 'receivedAt',
      } as const
      return { data, text: tableOf(data, columns, { empty: 'No rejected payments.' }) }
    },
  }),
  route({
    request: 'GET /notices',
    operation: 'listHeldNotices',
    summary: 'Held notices',
    input: {
      state: Type.Optional(Type.Enum(['unmatched', 'refused', 'all', 'sent_back'])),
    },
    view: itemsOf(Type.Union([heldNotice, sentBack])),
    async run({ db }, { state = 'all' }) {
      if (state === 'sent_back')
        return { items: await listRejected(db, limits.operator.rowsListedDefault) }
      const open = await listOpenNotices(db, limits.operator.rowsListedMax)
      const states = { unmatched: ['UNMATCHED'], refused: ['REFUSED'], all: null }[state]
      const shown = open.filter(({ state }) => (states ?? ['UNMATCHED', 'REFUSED']).includes(state))
      return {
        items: shown.map(({ amount, ...notice }) => ({
          ...notice,
          ...showAmount(amount, notice.currency),
        })),
      }
    },
  }),
  route({
    request: `GET ${path}`,
    operation: 'getNotice',
    summary: 'Notice',
    input: notice,
    view: noticeDetail,
    async run({ db }, name) {
      const { report, ...notice } = await findNotice(db, name)
      const { amount, receivedAt, ...reported } = parseReported(report)
      return {
        ...notice,
        reported: { ...reported, ...showAmount(amount, reported.currency), paidAt: receivedAt },
      }
    },
  }),
  action({
    input: notice,
    async run({ db, now, operator }, { rail, mode, id }) {
      const details = { rail, mode, id }
      await db.transaction(async (tx) => {
        await retryNotice(tx, now, details)
        auditOperator(tx, now, operator, { action: 'notice.retry', details })
      })
      return details
    },
    command: {
      name: 'notices retry',
      description: 'match a payment again now',
      args,
      print: (data) => ({ data, text: `${data.id} will be matched again.` }),
    },
    route: {
      request: `POST ${path}/retry`,
      operation: 'retryNotice',
      summary: 'Match a payment again',
      view: Type.Object({ rail: Type.String(), mode, id: Type.String() }),
      show: (data) => data,
    },
  }),
  command({
    name: 'notices assign',
    description: 'book an unmatched payment into an account of a merchant',
    args,
    input: { ...assignment, yes: fields.yes },
    async run(call, { rail, mode, id, merchant, account, note }) {
      const payload = { rail, mode, id, merchant, account, note }
      const assignment = await checkAssignment(call.db, payload)
      const now = await call.confirm({
        mode: assignment.environment.mode,
        facts: [
          ['Payment', `${id} of ${rail}`],
          ['Merchant', assignment.environment.merchantName],
          ['Account', `${account}, ${assignment.account.number} ${assignment.account.accountName}`],
        ],
      })
      await call.db.transaction((tx) => assign.perform(tx, { ...call, now }, payload, undefined))
      return { data: payload, text: `${id} will be booked into ${account}.` }
    },
  }),
  route({
    request: `POST ${path}/assign`,
    operation: 'assignNotice',
    summary: 'Propose the account of a payment',
    input: assignment,
    view: waiting,
    async run(call, { rail, mode, id, merchant, account, note }) {
      const payload = { rail, mode, id, merchant, account, note }
      const { environment } = await checkAssignment(call.db, payload)
      const { merchantId } = environment
      return propose(call, assign, { subject: `${rail}/${mode}/${id}`, payload, merchantId })
    },
  }),
]

const assetOf = (currency: string): Asset | undefined =>
  assetNames.find((name) => name === currency)

function describeAmount({ amount, currency }: { amount: bigint; currency: string }): string {
  const asset = assetOf(currency)
  return asset ? formatMoney(amount, asset) : `${amount} units of ${currency}`
}

function showAmount(amount: bigint, currency: string) {
  const asset = assetOf(currency)
  return asset
    ? { asset, amount: toWire(amount, asset) }
    : { asset: null, amount: null, units: amount.toString() }
}

/** Refuses what cannot be assigned, before another operator is asked. */
async function checkAssignment(db: Queryable, assignment: Assignment) {
  const { rail, mode, merchant } = assignment
  const { state } = await findNotice(db, assignment)
  if (state !== 'UNMATCHED')
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: `This notice is ${state}. Only a payment without an account can be assigned.`,
    })
  const environment = await getEnvironment(db, { merchant, mode })
  const accountId = readAccountId(assignment.account)
  const account = await findAssignable(db, { rail, environmentId: environment.id, accountId })
  return { environment, account }
}

function readAccountId(reference: string): string {
  const { virtualAccount, dedicatedAccount } = prefixes
  const id = fromReference(virtualAccount, reference) ?? fromReference(dedicatedAccount, reference)
  if (id) return id
  throw new Refusal('validation_failed', {
    message: 'Name the account by its reference, va_… or da_….',
    details: [{ field: 'account', issue: 'must be the reference of a bank account' }],
  })
}
