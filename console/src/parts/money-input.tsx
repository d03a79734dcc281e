import { type ReactNode, useState } from 'react'
import { commonTexts } from '../texts/common'
import { TextField } from './fields'
import { type Asset, formatDigits, parseMoney } from './money-format'

type Props = {
  asset: Asset
  label: ReactNode
  /** In the smallest unit; null while nothing is typed. */
  value: bigint | null
  onChange: (units: bigint | null) => void
  error?: ReactNode
  description?: ReactNode
  isDisabled?: boolean
  autoFocus?: boolean
}

/** Text to smallest units, digit by digit: no number in between could round. */
export function MoneyInput({ asset, value, onChange, error, ...rest }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? (value === null ? '' : formatDigits(value, asset))
  const isWrong = parseMoney(shown, asset) === undefined
  return (
    <TextField
      {...rest}
      value={shown}
      inputMode="decimal"
      autoComplete="off"
      placeholder="0.00"
      {...(asset === 'NGN' ? { prefix: '₦' } : { unit: asset })}
      error={isWrong ? commonTexts.notAnAmount : error}
      onChange={(text) => {
        setTyped(text)
        onChange(parseMoney(text, asset) ?? null)
      }}
      onBlur={() => {
        if (!isWrong) setTyped(null)
      }}
    />
  )
}
