import { invalidField, type Refusal } from '../../base/refusal.js'
import { formatMoney, smallerOf } from '../../money/amounts.js'
import { sum } from '../../money/proportions.js'
import type { Subaccount } from '../subaccount.js'
import { leftOf } from './proportions.js'
import type { Share } from './share.js'

/** What a refund takes back from a sub-account, as the merchant names it. */
export type NamedTakeBack = { subaccountId: string; amount: bigint }

/**
 * What is taken back of each share. A sub-account with several shares of the payment gives from the
 * first one first. Refuses what the shares do not cover, naming the line.
 */
export function takeBackAsNamed(
  shares: Share[],
  named: NamedTakeBack[],
  { amount, subaccounts }: { amount: bigint; subaccounts: Subaccount[] },
): bigint[] {
  let total = 0n
  for (const [index, line] of named.entries()) {
    total += line.amount
    refuseLine(index, line, { shares, subaccounts, total, amount })
  }
  const wanted = new Map(named.map((line) => [line.subaccountId, line.amount]))
  return shares.map((share) => {
    const { subaccountId } = share
    const taken = smallerOf(wanted.get(subaccountId) ?? 0n, leftOf(share))
    wanted.set(subaccountId, (wanted.get(subaccountId) ?? 0n) - taken)
    return taken
  })
}

type JudgedRefund = {
  shares: Share[]
  subaccounts: Subaccount[]
  /** With the lines before it. */
  total: bigint
  amount: bigint
}

function refuseLine(
  index: number,
  { subaccountId, amount: wanted }: NamedTakeBack,
  { shares, subaccounts, total, amount }: JudgedRefund,
): void {
  const own = shares.filter((share) => share.subaccountId === subaccountId)
  const [first] = own
  if (!first) throw refuse(index, 'subaccount', 'names a sub-account that got no share of it')
  const money = (value: bigint) => formatMoney(value, first.asset)
  if (subaccounts.find(({ id }) => id === subaccountId)?.status === 'CLOSED')
    throw refuse(index, 'subaccount', 'names a closed sub-account, which has nothing to give back')
  const left = sum(own.map(leftOf))
  if (wanted > left)
    throw refuse(
      index,
      'amount',
      `is more than refunds have left of its shares: ${money(left)} of ${money(sum(own.map((share) => share.amount)))}`,
    )
  if (total > amount)
    throw refuse(
      index,
      'amount',
      `brings all lines to ${money(total)}, which is more than the refund of ${money(amount)}`,
    )
}

function refuse(index: number, name: string, issue: string): Refusal {
  return invalidField(`splits.${index}.${name}`, issue)
}
