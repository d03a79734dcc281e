import type { AssetAmount } from '../../api/answers'
import { Money } from '../../parts/money'
import { operatorTexts as t } from './texts'

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
