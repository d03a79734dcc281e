import type { Coin, PastRate } from '../../api/answers'
import { useRead } from '../../api/reads'
import { DataTable } from '../../parts/data-table'
import { Dialog } from '../../parts/dialog'
import { EmptyState } from '../../parts/page'
import { Time } from '../../parts/time'
import { exchangeTexts } from './exchange-texts'

const t = exchangeTexts.history

/** The newest hundred rates of a coin. */
export function RateHistory({ coin, onClose }: { coin: Coin; onClose: () => void }) {
  const path = `/operator/v1/rates/${coin}/history`
  const { data, error, isPending } = useRead<{ items: PastRate[] }>('rate history', path)
  return (
    <Dialog title={t.title(coin)} onClose={onClose}>
      <div className="flushed">
        <DataTable
          caption={t.caption}
          list={{ rows: data?.items ?? [], isLoading: isPending, error }}
          keyOf={({ createdAt, origin }) => `${createdAt} ${origin}`}
          empty={<EmptyState icon="clock">{t.empty}</EmptyState>}
          columns={[
            {
              name: 'rate',
              head: t.rate,
              phone: 1,
              cell: ({ buy, sell, origin, givenBy }) => (
                <>
                  <b className="no-wrap">
                    {buy} / {sell}
                  </b>
                  <p className="soft small break-anywhere">
                    {exchangeTexts.rates.origins[origin]} {givenBy}
                  </p>
                </>
              ),
            },
            {
              name: 'at',
              head: t.at,
              phone: 2,
              isSoft: true,
              cell: ({ createdAt }) => <Time value={createdAt} />,
            },
            {
              name: 'withdrawn',
              head: t.withdrawn,
              phone: 4,
              cell: ({ withdrawnAt }) => withdrawnAt && <Time value={withdrawnAt} />,
            },
          ]}
        />
      </div>
    </Dialog>
  )
}
