import type { BalanceEntry, StatementSummary } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { download } from '../../api/writes'
import { pathOfReference } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import type { Asset } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { EmptyState } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { findBreak } from '../balances/describe-entry'
import { entryColumnsWith, keyOfEntry } from '../balances/entry-columns'
import { usePeriod } from '../balances/period'
import { PeriodMenu } from '../balances/period-menu'
import { Proof, Sums } from '../balances/sums'
import { balanceTexts } from '../balances/texts'
import { subaccountTexts } from './texts'

const words = subaccountTexts.page
const path = '/v1/balance-entries'
// The page has a second column, so references have no room.
const columns = entryColumnsWith(subaccountTexts.types).filter(({ name }) => name !== 'reference')

/** Types of entries that its statement of an asset can have. */
const filtersOf = (asset: Asset): Filter[] => [
  {
    kind: 'choice',
    name: 'type',
    label: words.type,
    options: Object.entries(subaccountTexts.types)
      .filter(([value]) => !value.startsWith(asset === 'NGN' ? 'crypto_' : 'bank_'))
      .map(([value, label]) => ({ value, label })),
  },
]

/** Its own statement: every change of its available balance, with the balance after it. */
export function SubaccountStatement({ reference, asset }: { reference: string; asset: Asset }) {
  const mayExport = useMay('exports.make')
  const filters = filtersOf(asset)
  const { values, change } = useFilters(filters)
  const period = usePeriod()
  const { type } = values
  const shown = { asset, subaccount: reference, ...period }
  const list = usePages<BalanceEntry>(path, { ...shown, type }, { keyOfRow: keyOfEntry })
  const summary = useRead<StatementSummary>('summary', `${path}/summary`, shown)
  const brokenAt = type ? undefined : findBreak(list.rows)
  const save = () =>
    download(path, { ...shown, type }, `statement-${reference}-${asset}.csv`).catch(
      (error: unknown) => notify(toRefusal(error).sentence, 'bad'),
    )
  const isNew = !type && summary.data?.lastNumber === null && !period.to
  return (
    <section className="card statement">
      <div className="card-head wrap">
        <h2>{words.statement(balanceTexts.inTitle[asset])}</h2>
        <div className="row wrap">
          <PeriodMenu period={period} onChange={change} />
          <Filters filters={filters} values={values} onChange={change} />
          {mayExport && (
            <Button size="small" icon="download" onClick={() => void save()}>
              {words.csv}
            </Button>
          )}
          <Button
            size="small"
            icon="print"
            to={`/balances/statement?${new URLSearchParams(shown)}`}
          >
            {words.print}
          </Button>
        </div>
      </div>
      {summary.data && <Sums summary={summary.data} period={period} movedName={words.moved} />}
      {summary.error && !summary.data && <ErrorState error={summary.error} />}
      <DataTable
        caption={words.caption(balanceTexts.inTitle[asset])}
        columns={columns}
        list={list}
        keyOf={keyOfEntry}
        pathOf={(entry) => pathOfReference(entry.reference)}
        newLabel={balanceTexts.newEntries}
        foot={
          summary.data && (
            <Proof summary={summary.data} {...(brokenAt !== undefined && { brokenAt })} />
          )
        }
        empty={
          <EmptyState
            icon={isNew ? 'balance' : 'search'}
            action={
              !isNew && (
                <Button
                  onClick={() =>
                    change({ from: undefined, to: undefined, type: undefined, period: 'all' })
                  }
                >
                  {words.showAll}
                </Button>
              )
            }
          >
            {isNew ? words.empty : words.emptyPeriod}
          </EmptyState>
        }
      />
    </section>
  )
}
