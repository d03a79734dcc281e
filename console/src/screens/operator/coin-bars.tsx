import type { Treasury, TreasuryCoin } from '../../api/answers'
import { Note } from '../../parts/page'
import { operatorTexts as t } from './texts'

/** What a hot wallet holds, beside what it needs: the mark is exactly that. */
export function CoinBars({ treasury: { coins, failure } }: { treasury: Treasury }) {
  return (
    <div className="coin-levels">
      {failure && (
        <Note tone="bad" title={t.treasury.failure}>
          <p>{failure}</p>
        </Note>
      )}
      {coins.map(({ coin, held, promised, floor, fill, isShort }) => (
        <div key={coin}>
          <p className="row spread">
            <b>{coin}</b>
            <b>{held}</b>
          </p>
          <div className={isShort ? 'level bad' : 'level'}>
            {fill > 0 && <i style={{ width: `${Math.max(fill * 100, 1)}%` }} />}
            {hasNeed({ floor, promised }) && <em />}
          </div>
          <p className="soft small">{t.health.floor(floor, promised)}</p>
        </div>
      ))}
    </div>
  )
}

function hasNeed({ floor, promised }: Pick<TreasuryCoin, 'floor' | 'promised'>): boolean {
  return floor !== null || !promised.startsWith('0 ')
}
