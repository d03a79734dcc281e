import './operator.css'
import './exchange.css'
import { PageHead, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { exchangeTexts as t } from './exchange-texts'
import type { ModeExchange, Rates } from './exchange-types'
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
      {rates.error && !rates.data && (
        <ErrorState error={rates.error} retry={() => void rates.refetch()} />
      )}
      {!rates.data && !rates.error && <Skeleton height={220} />}
      {rates.data && (
        <div className="coins">
          {rates.data.items.map((rate) => (
            <RateCard
              key={rate.asset}
              rate={rate}
              maxAgeSeconds={rates.data!.maxAgeSeconds}
              maxDeviationPercent={rates.data!.maxDeviationPercent}
            />
          ))}
        </div>
      )}
      {exchange.error && !exchange.data && (
        <ErrorState error={exchange.error} retry={() => void exchange.refetch()} />
      )}
      {!exchange.data && !exchange.error && <Skeleton height={220} />}
      {exchange.data?.items
        .toSorted((one) => (one.mode === 'live' ? -1 : 1))
        .map((one) => (
          <Positions key={one.mode} exchange={one} />
        ))}
    </>
  )
}
