import type { ReactNode } from 'react'
import { Money } from '../../parts/money'
import { type Amount, type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { balanceTexts } from './texts'

type CardProps = {
  balance: { asset: Asset; available: Amount; held: Amount; pending: Amount }
  words: {
    nothingHeld: string
    held: (amount: string) => string
    pending: (amount: string) => string
  }
  /** The statement below is of this asset. */
  isShown: boolean
  onChoose: (asset: Asset) => void
  children?: ReactNode
}

/** What a merchant or a sub-account has in one asset; a click shows its statement. */
export function BalanceCard({ balance, words, isShown, onChoose, children }: CardProps) {
  const { asset, available, held, pending } = balance
  return (
    <button
      type="button"
      className={isShown ? 'card padded balance selected' : 'card padded balance'}
      aria-pressed={isShown}
      onClick={() => onChoose(asset)}
    >
      <span className="soft">{balanceTexts.names[asset]}</span>
      <p className="figure smaller">
        <Money amount={available} asset={asset} />
      </p>
      <p className="soft small">
        {toUnits(held, asset) === 0n ? words.nothingHeld : words.held(formatMoney(held, asset))}
      </p>
      <p className="soft small">{words.pending(formatMoney(pending, asset))}</p>
      {children}
    </button>
  )
}
