import type { EnvironmentId } from '../base/environment.js'
import { toReference } from '../base/ids.js'
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

const subaccountPlaces: Record<string, string> = {
  sub: 'the balance of a sub-account',
  sub_pending: 'pending money of a sub-account',
  sub_owed: 'what a sub-account owes',
}

function sayPlace(name: LedgerAccountName): string {
  return ownPlaces[name] ?? subaccountPlaces[name.split(':')[0]!] ?? name
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

const titles: Partial<Record<Purpose, (amount: string) => string>> = {
  crypto_payout: (amount) => `${amount} reserved for the transfer`,
  crypto_payout_fee: (amount) => `${amount} reserved for the fee`,
  bank_payout: (amount) => `${amount} reserved for the transfer`,
  bank_payout_fee: (amount) => `${amount} reserved for the fee`,
  bank_payout_levy: (amount) => `${amount} reserved for the stamp duty`,
  bank_payout_reversal: (amount) => `${amount} credited to your balance again`,
  bank_payout_fee_reversal: (amount) => `Fee of ${amount} credited to your balance again`,
  bank_payout_levy_reversal: (amount) => `Stamp duty of ${amount} credited to your balance again`,
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
  split: (amount) => `${amount} credited to a sub-account`,
  split_release: (amount) => `${amount} released to a sub-account`,
  split_refund: (amount) => `${amount} taken back from a sub-account`,
  split_refund_reversal: (amount) => `${amount} given back to a sub-account`,
  receivable: (amount) => `${amount} owed by a sub-account`,
}

function titleOf({ purpose, asset, amount, debit, credit, effect }: LedgerRow): string {
  const said = sayAmount(amount, asset)
  if (effect === 'settle') return `Reserved ${said} spent`
  if (effect === 'release')
    return debit !== 'suspense' ? `Reserved ${said} available again` : `Reserved ${said} held again`
  const say = titles[purpose]
  return say ? say(said) : `${said} moved from ${sayPlace(debit)} to ${sayPlace(credit!)}`
}
