import { commonTexts } from '../texts/common'
import './amounts.css'
import type { ReceivedReport } from '../../../sdk/src/types'
import { type Asset, formatMoney, toUnits } from './money-format'

const words = commonTexts.money

/** What payments brought, in the words of the reports guide: they add up to the net. */
export function MoneySums({ money, asset }: { money: ReceivedReport['total']; asset: Asset }) {
  const { fees, net } = money
  const lines: [string, bigint][] = [
    [words.received, toUnits(money.amount, asset)],
    [words.refunded, -toUnits(money.refunded, asset)],
  ]
  // Users who may not see the statement see neither.
  if (fees !== null) lines.push([words.fees, -toUnits(fees, asset)])
  if (net !== null) lines.push([words.net, toUnits(net, asset)])
  lines.push([words.held, toUnits(money.held, asset)])
  lines.push([words.returned, toUnits(money.returned, asset)])
  return (
    <dl className="amounts six-amounts">
      {lines.map(([name, amount]) => (
        <div key={name}>
          <dt className="soft small">{name}</dt>
          <dd className="no-wrap">{formatMoney(amount, asset)}</dd>
        </div>
      ))}
    </dl>
  )
}
