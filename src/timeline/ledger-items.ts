import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { LedgerAccountName } from '../ledger/accounts.js'
import { type Purpose, purposes } from '../ledger/purposes.js'
import { toWire } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { TimelineItem } from './resource.js'
import { sayAmount } from './say-amount.js'

export type LedgerRow = {
  causeId: string
  purpose: Purpose
  asset: Asset
  debit: LedgerAccountName
  /** Null for a resolution. */
  credit: LedgerAccountName | null
  amount: bigint
  effect: 'post' | 'hold' | 'settle' | 'release'
  availableAfter: bigint | null
  createdAt: Date
}

/** Every transfer and resolution of these causes, oldest first. A cause has a few of them. */
export async function readLedger(
  db: Queryable,
  environmentId: EnvironmentId,
  causeIds: string[],
): Promise<LedgerRow[]> {
  return db.rows(sql<LedgerRow>`
    select cause_id, purpose, asset, debit, credit, amount, effect, available_after, created_at
    from (
      select t.cause_id, t.purpose, t.asset, t.debit, t.credit, t.amount,
        case when t.is_hold then 'hold' else 'post' end as effect,
        t.available_after, t.created_at, t.entry_number
      from unnest(${causeIds}::uuid[]) cause (id) cross join lateral (
        select * from ledger_transfers
        where environment_id = ${environmentId} and cause_id = cause.id) t
      union all
      select r.cause_id, r.purpose, r.asset, r.debit, null, r.amount, r.verb, r.available_after,
        r.created_at, r.entry_number
      from unnest(${causeIds}::uuid[]) cause (id) cross join lateral (
        select * from ledger_resolutions
        where environment_id = ${environmentId} and cause_id = cause.id) r) entries
    order by created_at, credit is null, entry_number, purpose`)
}

/** The merchant's words for the ledger accounts. */
const ownPlaces: Partial<Record<LedgerAccountName, string>> = {
  available: 'your balance',
  suspense: 'held money',
  fees: 'fees',
  levies: 'stamp duty',
  exchange: 'exchange',
  clearing: 'the bank',
  treasury: 'the hot wallet',
  deposits: 'the deposit wallet',
  receivables: 'what sub-accounts owe',
}

/** By the part of the name before the id of the sub-account. */
const subaccountPlaces: Record<string, (reference: string) => string> = {
  sub: (reference) => `the balance of ${reference}`,
  sub_pending: (reference) => `pending money of ${reference}`,
  sub_owed: (reference) => `what ${reference} owes`,
}

function sayPlace(name: LedgerAccountName): string {
  const [kind, id] = name.split(':') as [string, string | undefined]
  if (id === undefined) return ownPlaces[name] ?? name
  return subaccountPlaces[kind]!(toReference(prefixes.subaccount, id))
}

export function toLedgerItem(row: LedgerRow): TimelineItem {
  const { purpose, asset, amount, debit, credit, effect, availableAfter } = row
  return {
    at: row.createdAt,
    isInEnvironmentTime: true,
    kind: 'ledger_entry',
    title: titleOf(row),
    reference: toReference(purposes[purpose].causePrefix, row.causeId),
    money: { amount, asset },
    details: {
      purpose,
      effect,
      from: sayPlace(debit),
      ...(credit && { to: sayPlace(credit) }),
      ...(availableAfter !== null && { balanceAfter: toWire(availableAfter, asset) }),
    },
  }
}

/** `whose` is the balance that changed: the merchant's, or that of a sub-account. */
const titles: Partial<Record<Purpose, (amount: string, whose: string) => string>> = {
  crypto_payout: (amount, whose) => `${amount}${ofOther(whose)} reserved for the transfer`,
  crypto_payout_fee: (amount, whose) => `${amount}${ofOther(whose)} reserved for the fee`,
  bank_payout: (amount, whose) => `${amount}${ofOther(whose)} reserved for the transfer`,
  bank_payout_fee: (amount, whose) => `${amount}${ofOther(whose)} reserved for the fee`,
  bank_payout_levy: (amount, whose) => `${amount}${ofOther(whose)} reserved for the stamp duty`,
  bank_payout_reversal: (amount, whose) => `${amount} credited to ${whose} again`,
  bank_payout_fee_reversal: (amount, whose) => `Fee of ${amount} credited to ${whose} again`,
  bank_payout_levy_reversal: (amount, whose) =>
    `Stamp duty of ${amount} credited to ${whose} again`,
  conversion: (amount) => `${amount} converted`,
  conversion_fee: (amount) => `Fee of ${amount} charged`,
  conversion_credit: (amount) => `${amount} credited to your balance`,
  payment: (amount) => `${amount} credited to your balance`,
  payment_fee: (amount) => `Fee of ${amount} charged`,
  payment_held: (amount) => `${amount} held, not in your balance`,
  payment_accepted: (amount) => `${amount} of held money credited to your balance`,
  payment_accepted_fee: (amount) => `Fee of ${amount} charged`,
  payment_return: (amount) => `${amount} of held money reserved for the return`,
  payment_refund: (amount) => `${amount} reserved for the refund`,
  payment_return_reversal: (amount) => `${amount} came back and is held again`,
  payment_refund_reversal: (amount) => `${amount} came back to your balance`,
  split: (amount, whose) => `${amount} credited to ${whose}`,
  split_release: (amount, whose) => `${amount} released to ${whose}`,
  split_refund: (amount, whose) => `${amount} taken back from ${whose}`,
  split_refund_reversal: (amount, whose) => `${amount} given back to ${whose}`,
  split_refund_pending: (amount, whose) => `${amount} taken back from ${whose}`,
  split_refund_pending_reversal: (amount, whose) => `${amount} given back to ${whose}`,
  receivable: (amount, whose) => `${amount} added to ${whose}`,
}

const own = ownPlaces.available!

function ofOther(whose: string): string {
  return whose === own ? '' : ` of ${whose}`
}

/** The place of a sub-account; of money that is released, where it goes. */
function sayWhose({ debit, credit }: Pick<LedgerRow, 'debit' | 'credit'>): string {
  const name = [credit, debit].find((place) => place?.includes(':'))
  return name ? sayPlace(name) : own
}

function titleOf(row: LedgerRow): string {
  const { purpose, asset, amount, debit, credit, effect } = row
  const said = sayAmount(amount, asset)
  const whose = sayWhose(row)
  if (effect === 'settle') return `Reserved ${said}${ofOther(whose)} spent`
  if (effect === 'release')
    return debit !== 'suspense'
      ? `Reserved ${said}${ofOther(whose)} available again`
      : `Reserved ${said} held again`
  const say = titles[purpose]
  return say ? say(said, whose) : `${said} moved from ${sayPlace(debit)} to ${sayPlace(credit!)}`
}
