import type { Float, Treasuries, Treasury } from '../../api/answers'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { Reference } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Card, EmptyState, Fact, Facts, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { operatorTexts as t } from './texts'
import './operator.css'
import { CoinBars } from './coin-bars'
import { usePolled } from './use-polled'

export function Screen() {
  const { data, error, refetch, isFetching } = usePolled<Treasuries>(
    'treasuries',
    '/operator/v1/treasuries',
  )
  const isEmpty = data && data.treasuries.length === 0 && data.floats.length === 0
  return (
    <>
      <PageHead
        title={t.treasury.title}
        over={t.all}
        actions={
          <Button icon="redo" isBusy={isFetching} onClick={() => void refetch()}>
            {t.treasury.refresh}
          </Button>
        }
      />
      {error && !data && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && (
        <Card>
          <SkeletonRows />
        </Card>
      )}
      {data?.treasuries.map((treasury) => (
        <Wallet key={treasury.mode} treasury={treasury} />
      ))}
      {data && data.floats.length > 0 && <Floats floats={data.floats} />}
      {isEmpty && (
        <Card>
          <EmptyState icon="coin">{t.treasury.empty}</EmptyState>
        </Card>
      )}
    </>
  )
}

function Wallet({ treasury }: { treasury: Treasury }) {
  const isShort = treasury.coins.some((coin) => coin.isShort)
  return (
    <Card
      title={t.treasury.wallet(treasury.mode)}
      aside={
        <Chip tone={isShort ? 'bad' : 'good'}>
          {isShort ? t.treasury.short : t.treasury.enough}
        </Chip>
      }
    >
      <div className="wallet">
        <img
          className="wallet-qr"
          src={`data:image/svg+xml,${encodeURIComponent(treasury.qr)}`}
          alt={`${t.treasury.address} ${treasury.address}`}
        />
        <div>
          <p className="soft small">{t.treasury.address}</p>
          <p className="break-anywhere">
            <Reference value={treasury.address} />
          </p>
          <p className="soft small" style={{ marginTop: 6 }}>
            {t.treasury.topUp}
          </p>
        </div>
      </div>
      <CoinBars treasury={treasury} />
      <Facts isSmall>
        {treasury.coins
          .filter(({ arriving }) => !arriving.startsWith('0 '))
          .map(({ coin, arriving }) => (
            <Fact key={coin} name={`${t.treasury.arriving}, ${coin}`}>
              {arriving}
            </Fact>
          ))}
      </Facts>
    </Card>
  )
}

function Floats({ floats }: { floats: Float[] }) {
  return (
    <Card title={t.treasury.floats}>
      <DataTable
        caption={t.treasury.floats}
        list={{ rows: floats }}
        keyOf={({ rail }) => rail}
        empty={null}
        columns={[
          {
            name: 'bank',
            head: t.treasury.bank,
            phone: 1,
            isGrowing: true,
            cell: ({ rail }) => <b>{rail}</b>,
          },
          {
            name: 'float',
            head: t.treasury.float,
            align: 'end',
            phone: 2,
            cell: ({ float, failure }) =>
              float === null ? (
                <span className="soft no-wrap">{failure ?? t.treasury.unknown}</span>
              ) : (
                <Money amount={float} asset="NGN" />
              ),
          },
          {
            name: 'floor',
            head: t.treasury.floor,
            align: 'end',
            phone: 4,
            hasPhoneHead: true,
            cell: ({ floor }) => <Money amount={floor} asset="NGN" />,
          },
          {
            name: 'state',
            head: t.state,
            phone: 3,
            cell: ({ float, isShort }) => {
              if (float === null) return <Chip>{t.treasury.unchecked}</Chip>
              return (
                <Chip tone={isShort ? 'bad' : 'good'}>
                  {isShort ? t.treasury.short : t.treasury.enough}
                </Chip>
              )
            },
          },
        ]}
      />
    </Card>
  )
}
