import './amounts.css'
import { Money } from './money'
import { type Amount, type Asset, formatMoney, toUnits } from './money-format'
import { Card } from './page'

type Props = {
  title: string
  asset: Asset
  total: Amount
  /** They add up to the total. */
  parts: { name: string; amount: Amount; colour: string }[]
  /** Says in words what the bar shows. */
  summary: (parts: string) => string
}

/** A bar with the parts of an amount, and below it each of them. */
export function AmountParts({ title, asset, total, summary, ...props }: Props) {
  const whole = Number(toUnits(total, asset))
  const parts = props.parts.map((part) => ({ ...part, units: toUnits(part.amount, asset) }))
  const present = parts.filter(({ units }) => units > 0n)
  const text = present.map(({ name, units }) => `${formatMoney(units, asset)} ${name}`).join(', ')
  return (
    <Card isPadded>
      <h2>{title}</h2>
      <div className="amount-bar" role="img" aria-label={summary(text)}>
        {present.map(({ name, units, colour }) => (
          <i key={name} style={{ flexGrow: Number(units) / whole, background: colour }} />
        ))}
      </div>
      <dl className="amounts">
        {parts.map(({ name, units, colour }) => (
          <div key={name}>
            <dt className="soft small">
              <i style={{ background: units > 0n ? colour : 'var(--line)' }} />
              {name}
            </dt>
            <dd>
              <Money amount={units} asset={asset} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
