import { type Amount, type Asset, formatDigits, formatMoney, toUnits } from './money-format'

type Props = {
  amount: Amount
  asset: Asset
  /** Shows the amount as leaving. */
  isNegative?: boolean
}

/** An amount of money with its currency. Never cut, never rounded. */
export function Money({ amount, asset, isNegative = false }: Props) {
  const units = toUnits(amount, asset)
  const signed = isNegative ? -units : units
  if (asset === 'NGN') return <span className="no-wrap">{formatMoney(signed, asset)}</span>
  return (
    <span className="no-wrap">
      {signed < 0n && '−'}
      {formatDigits(signed, asset)} <span className="unit">{asset}</span>
    </span>
  )
}
