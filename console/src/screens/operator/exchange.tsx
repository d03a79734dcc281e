import type { ModeExchange, Rates } from '../../api/answers'
import './operator.css'
import './exchange.css'
import { PageHead, Skeleton } from '../../parts/page'
import { WhenRead } from '../../parts/when-read'
import { exchangeTexts as t } from './exchange-texts'
import { Positions } from './positions'
import { RateCard } from './rate-card'
import { usePolled } from './use-polled'
import { WaitingChanges } from './waiting-changes'

/** Rates of coins, and the operator's own money that conversions buy and sell. */
export function Screen() {
  const rates = usePolled<Rates>('rates', '/operator/v1/rates')
  const exchange = usePolled<{ items: ModeExchange[] }>('exchange', '/operator/v1/exchange')
  return (
    <>
      <PageHead title={t.title} over={t.over} />
      <WaitingChanges />
      <WhenRead read={rates} placeholder={<Skeleton height={220} />}>
        {({ items, ...bounds }) => (
          <div className="coins">
            {items.map((rate) => (
              <RateCard key={rate.asset} rate={rate} {...bounds} />
            ))}
          </div>
        )}
      </WhenRead>
      <WhenRead read={exchange} placeholder={<Skeleton height={220} />}>
        {({ items }) =>
          items
            .toSorted((one) => (one.mode === 'live' ? -1 : 1))
            .map((one) => <Positions key={one.mode} exchange={one} />)
        }
      </WhenRead>
    </>
  )
}
