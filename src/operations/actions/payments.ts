import type { EnvironmentId, Mode } from '../../base/environment.js'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { getPayment } from '../../collections/payments/find-payments.js'
import {
  type Payment,
  paymentReference,
  paymentStatusOf,
} from '../../collections/payments/payment.js'
import { acceptHeld, returnHeld } from '../../collections/payments/resolve-payment.js'
import { destinationOf } from '../../collections/returns/return-destination.js'
import { screenPayment } from '../../collections/screening/decide-screened.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { ScreeningVerdict } from '../../screening/ports.js'
import { auditOperator, operatorName } from '../changes/audit-operator.js'
import { type Action, type CommandCall, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

const decision = {
  reference: fields.text('reference of the payment, pay_…'),
  evidence: fields.note('how you know, for the audit log', { placeholder: 'note' }),
  yes: fields.yes,
}

/** Payments that are held for screening, for merchants without two members who could decide. */
export const paymentActions: Action[] = [
  command({
    name: 'payments held',
    description: 'list payments that are held for screening, oldest first',
    async run({ db }) {
      const data = await listHeld(db)
      const columns = {
        reference: 'reference',
        merchant: 'merchant',
        mode: 'mode',
        amount: 'amount',
        verdict: 'verdict',
        list: 'list',
        version: 'version',
        entry: 'entry',
        why: 'why',
        received: 'createdAt',
      } as const
      const empty = 'No payment is held for screening.'
      return { data, text: tableOf(data, columns, { amounts: ['amount'], empty }) }
    },
  }),
  command({
    name: 'payments accept',
    description: 'credit a payment that is held for screening to the merchant, with evidence',
    args: ['reference'],
    input: decision,
    run: (call, input) => decide(call, input, 'accept'),
  }),
  command({
    name: 'payments return',
    description: 'send a payment that is held for screening back to its sender, with evidence',
    args: ['reference'],
    input: decision,
    run: (call, input) => decide(call, input, 'return'),
  }),
]

async function decide(
  call: CommandCall,
  { reference, evidence }: { reference: string; evidence: string },
  action: 'accept' | 'return',
) {
  const { db, operator, service } = call
  const payment = await findHeld(db, reference)
  const { mode, merchantId } = await getEnvironmentById(db, payment.environmentId)
  const destination = action === 'return' ? await findSender(call, payment) : undefined
  const now = await call.confirm({
    mode,
    facts: [
      ['Payment', `${reference} of ${formatMoney(payment.amount, payment.asset)}`],
      ['Outcome', action === 'accept' ? 'credited to the merchant' : 'sent back to its sender'],
    ],
  })
  const screening = await service.openScreening()
  const verdict = await screenPayment(screening, payment, mode)
  screening?.stop()
  const { environmentId } = payment
  const name = { environmentId, reference }
  const by = async () => ({ verdict, requestId: null, operator: operatorName(operator) })
  const { status } = await db.transaction(async (tx) => {
    const decided = destination
      ? await returnHeld(tx, now, { ...name, destination }, by)
      : await acceptHeld(tx, now, name, by)
    auditOperator(tx, now, operator, {
      action: `payment_screening.${action}`,
      merchantId,
      environmentId,
      details: { reference, evidence, ...verdict },
      shown: { payment: reference, ...verdict },
    })
    return { status: paymentStatusOf(decided) }
  })
  return { data: { reference, status, ...verdict }, text: `${reference} is ${status}.` }
}

/** Coins go back only to a wallet that the merchant names, at the request of another member. */
async function findSender({ withRails }: CommandCall, payment: Payment) {
  const { railId: id, sender } = payment
  const destination = await withRails(async ({ rails }) =>
    destinationOf({ id, sender }, rails.banksByName.get(payment.rail)),
  )
  if (destination) return destination
  throw new Refusal('payment_action_failed', {
    reason: 'no_destination',
    message: "The sender's account is unknown. A member must name a destination in the console.",
  })
}

async function findHeld(db: Queryable, reference: string): Promise<Payment> {
  const id = fromReference(prefixes.payment, reference)
  const [row] = id
    ? await db.rows(sql<{ environmentId: EnvironmentId }>`
        select environment_id from payment_screenings where payment_id = ${id}`)
    : []
  if (!row) throw notFound('payment that was held for screening', reference)
  return getPayment(db, { environmentId: row.environmentId, reference })
}

type HeldRow = {
  id: string
  asset: Asset
  amount: bigint
  createdAt: Date
  mode: Mode
  merchantId: string
  verdict: ScreeningVerdict['verdict']
  list: string | null
  version: string | null
  entry: string | null
  why: string | null
}

async function listHeld(db: Queryable) {
  const rows = await db.rows(sql<HeldRow>`
    select p.id, p.asset, p.amount, p.created_at, s.mode, e.merchant_id, s.verdict, s.list,
      s.version, s.entry, s.why
    from payment_screenings s
    join payments p on p.environment_id = s.environment_id and p.id = s.payment_id
    join environments e on e.id = s.environment_id
    where p.held_for = 'screening' and p.amount_held > 0
    order by p.created_at, p.id limit ${limits.operator.rowsListedMax}`)
  return rows.map(({ id, asset, amount, merchantId, ...row }) => ({
    reference: paymentReference({ id }),
    merchant: toReference(prefixes.merchant, merchantId),
    amount: formatMoney(amount, asset),
    ...row,
  }))
}
