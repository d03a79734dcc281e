import { usePages } from '../../api/reads'
import { balanceTexts } from '../balances/texts'
import './conversions.css'
import type { Conversion } from '../../../../sdk/src/types'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { ResourceLink } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Time } from '../../parts/time'
import { BalanceTabs } from '../balances/balance-tabs'
import { formatRate } from './format-rate'
import { conversionTexts as words } from './texts'

const filters: Filter[] = [{ kind: 'period', label: words.period }]

const columns: Column<Conversion>[] = [
  {
    name: 'paid',
    head: words.columns.paid,
    align: 'end',
    phone: 1,
    cell: ({ sourceAmount, from }) => <Money amount={sourceAmount} asset={from} />,
  },
  {
    name: 'got',
    head: words.columns.got,
    align: 'end',
    phone: 2,
    cell: ({ targetAmount, to }) => (
      <b className="up">
        +<Money amount={targetAmount} asset={to} />
      </b>
    ),
  },
  {
    name: 'rate',
    head: words.columns.rate,
    phone: 3,
    cell: ({ rate, from, to }) => (
      <span className="soft no-wrap">{formatRate(rate, from, to)}</span>
    ),
  },
  {
    name: 'fee',
    head: words.columns.fee,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ fee, from }) => <Money amount={fee} asset={from} />,
  },
  {
    name: 'transfer',
    head: words.columns.transfer,
    isWideOnly: true,
    isGrowing: true,
    cell: ({ transferReference }) =>
      transferReference ? (
        <ResourceLink to={`/payouts/${transferReference}`} reference={transferReference} />
      ) : (
        <span className="soft">{words.noTransfer}</span>
      ),
  },
  {
    name: 'when',
    head: words.columns.when,
    phone: 4,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const mayConvert = useMay('payouts.create')
  const filtering = useFilters(filters)
  const list = usePages<Conversion>('/v1/conversions', filtering.values)
  return (
    <ResourceList
      title={balanceTexts.title}
      tab={`${words.title} · ${balanceTexts.title}`}
      path="/v1/conversions"
      pagePath="/balances/conversions"
      fileName="conversions.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={columns}
      icon="swap"
      create={
        mayConvert && (
          <Button kind="primary" icon="swap" to="/balances/convert">
            {words.convert}
          </Button>
        )
      }
      words={words}
    >
      <BalanceTabs />
    </ResourceList>
  )
}
