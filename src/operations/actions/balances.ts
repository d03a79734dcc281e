import { createHash } from 'node:crypto'
import { Optional } from 'typebox'
import type { RealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId, prefixes, toReference, toUuid } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { listBalances } from '../../ledger/balances.js'
import { fundAll } from '../../ledger/fund.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from '../changes/audit-operator.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import { type Action, command, type InputOf, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { waiting } from '../definitions/views.js'

const creditInput = {
  merchant: fields.merchant,
  mode: fields.mode,
  asset: fields.asset('asset to credit'),
  amount: fields.amount('2000 or ₦2,000.00 for NGN; 25.5 for a coin'),
  note: fields.note('reason, for the audit log'),
}

/** `amount` is a decimal of the asset. */
type CreditPayload = InputOf<typeof creditInput> & { once: string }

export const credit: Confirmable<CreditPayload> = {
  kind: 'balance.credit',
  command: 'balances credit',
  async perform(tx, { now, operator }, { merchant, mode, asset, amount: text, note, once }) {
    const environment = await getEnvironment(tx, { merchant, mode })
    const amount = fields.readAmount(text, asset)
    const credit = { environment, asset, amount, note, once }
    const { reference, available } = await creditBalance(tx, now, credit, operator)
    return { reference, available: formatMoney(available, asset) }
  },
}

/** Balances of a merchant, and money that arrived outside of the rails. */
export const balanceActions: Action[] = [
  command({
    name: 'balances show',
    description: 'show available, held (open payouts) and pending (not accepted yet) money',
    args: ['merchant'],
    input: { merchant: fields.merchant, mode: fields.mode },
    async run({ db }, name) {
      const { id } = await getEnvironment(db, name)
      const balances = await listBalances(db, id)
      const data = balances.map(({ asset, available, held, pending }) => ({
        asset,
        available: formatDecimal(available, asset),
        held: formatDecimal(held, asset),
        pending: formatDecimal(pending, asset),
      }))
      const text = tableOf(
        balances,
        {
          asset: 'asset',
          available: ({ available, asset }) => formatMoney(available, asset),
          held: ({ held, asset }) => formatMoney(held, asset),
          pending: ({ pending, asset }) => formatMoney(pending, asset),
        },
        { amounts: ['available', 'held', 'pending'] },
      )
      return { data, text }
    },
  }),
  command({
    name: 'balances credit',
    description: 'credit money that you received outside of the rails',
    args: ['merchant'],
    input: {
      ...creditInput,
      once: Optional(
        fields.text("the bank's reference; a second credit with it is refused", {
          placeholder: 'reference',
        }),
      ),
      yes: fields.yes,
    },
    async run({ db, operator, confirm }, { merchant, mode, asset, note, once, ...input }) {
      const amount = fields.readAmount(input.amount, asset)
      const environment = await getEnvironment(db, { merchant, mode })
      const shown = formatMoney(amount, asset)
      const now = await confirm({
        mode,
        facts: [
          ['Credit', shown],
          ['Merchant', `${environment.merchantName}, ${merchant}`],
          ['Note', note],
        ],
      })
      const { reference, available } = await db.transaction((tx) =>
        creditBalance(tx, now, { environment, asset, amount, note, once }, operator),
      )
      return {
        data: {
          mode,
          asset,
          note,
          amount: formatDecimal(amount, asset),
          reference,
          available: formatDecimal(available, asset),
        },
        text: `${reference}: credited ${shown}; ${formatMoney(available, asset)} available.`,
      }
    },
  }),
  route({
    request: 'POST /merchants/:merchant/credits',
    operation: 'creditMerchant',
    summary: 'Propose a credit',
    input: {
      ...creditInput,
      once: fields.shortLine("the bank's reference: it is credited once"),
    },
    view: waiting,
    async run(call, { merchant, mode, asset, note, once, ...input }) {
      const amount = formatDecimal(fields.readAmountField('amount', input.amount, asset), asset)
      const { merchantId } = await getEnvironment(call.db, { merchant, mode })
      return propose(call, credit, {
        subject: `${merchant}/${mode}/${once}`,
        payload: { merchant, mode, asset, amount, note, once },
        merchantId,
      })
    },
  }),
]

/** Credits money that arrived outside of the rails. `available` is the balance after. */
async function creditBalance(
  tx: Tx,
  now: RealTime,
  { environment, asset, amount, note, once }: Credit,
  operator: Operator,
): Promise<{ reference: string; available: bigint }> {
  const { id: environmentId, merchantId, mode } = environment
  const id = once === undefined ? newId(now) : toCauseId(once)
  const reference = toReference(prefixes.credit, id)
  await refuseDuplicate(tx, environmentId, id)
  const funding = { id, environmentId, asset, amount, purpose: 'operator_credit' } as const
  const [outcome] = await fundAll(tx, now, [funding])
  if (outcome instanceof Refusal) throw outcome
  const shownAmount = formatMoney(amount, asset)
  auditOperator(tx, now, operator, {
    action: 'balance.credit',
    merchantId,
    environmentId,
    details: { mode, asset, note, amount: shownAmount, reference },
    shown: { mode, asset, amount: shownAmount, credit: reference },
  })
  return { reference, available: outcome!.entries[0]!.availableAfter! }
}

type Credit = {
  environment: Environment
  asset: Asset
  amount: bigint
  note: string
  /** The bank's reference: a second credit with it is refused. */
  once?: string | undefined
}

/** The same reference gives the same cause, and the primary key lets a cause move money once. */
function toCauseId(reference: string): string {
  return toUuid(createHash('sha256').update(`credit/${reference}`).digest('hex').slice(0, 32))
}

async function refuseDuplicate(tx: Tx, environmentId: EnvironmentId, id: string): Promise<void> {
  const [earlier] = await tx.rows(sql`
    select from ledger_transfers where environment_id = ${environmentId} and cause_id = ${id}`)
  if (earlier)
    throw new Refusal('validation_failed', {
      message: 'A credit with this reference already exists. Nothing was changed.',
    })
}
