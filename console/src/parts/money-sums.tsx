import type { ReceivedReport } from '../../../sdk/src/types'
import { texts } from '../texts/en'
import { type Asset, formatMoney, toUnits } from './money-format'

const words = texts.common.money

/** What payments brought, in the words of the reports guide: they add up to the net. */
export function MoneySums({ money, asset }: { money: ReceivedReport['total']; asset: Asset }) {
  const lines: [string, bigint][] = [
    [words.received, toUnits(money.amount, asset)],
    [words.refunded, -toUnits(money.refunded, asset)],
    [words.fees, -toUnits(money.fees, asset)],
    [words.net, toUnits(money.net, asset)],
    [words.held, toUnits(money.held, asset)],
    [words.returned, toUnits(money.returned, asset)],
  ]
  return (
    <dl className="amts six">
      {lines.map(([name, amount]) => (
        <div key={name}>
          <dt className="soft sm">{name}</dt>
          <dd className="nw">{formatMoney(amount, asset)}</dd>
        </div>
      ))}
    </dl>
  )
}
