import { Money } from '../../parts/money'
import { operatorTexts as t } from './texts'
import type { AssetAmount } from './types'

/** One amount a line: assets are never summed. */
export function Amounts({ amounts }: { amounts: AssetAmount[] }) {
  if (amounts.length === 0) return <span className="soft">{t.none}</span>
  return (
    <>
      {amounts.map(({ asset, amount }) => (
        <div key={asset}>
          <Money amount={amount} asset={asset} />
        </div>
      ))}
    </>
  )
}
