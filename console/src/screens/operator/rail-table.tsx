import type { ReactNode } from 'react'
import type { Rail } from '../../api/answers'
import { type Column, DataTable } from '../../parts/data-table'
import { EmptyState } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { operatorTexts as t } from './texts'

const columns: Column<Rail>[] = [
  {
    name: 'rail',
    head: t.rail,
    phone: 1,
    cell: ({ title, rail, mode, kind, disputes }) => (
      <>
        <b>{title}</b>
        <br />
        <span className="soft small no-wrap">
          {[mode, nameOf({ rail, title, kind })].filter(Boolean).join(' · ')}
          {disputes > 0 && ` · ${t.rails.lag(disputes)}`}
        </span>
      </>
    ),
  },
  { name: 'state', head: t.state, phone: 2, cell: (rail) => <RailState rail={rail} /> },
  {
    name: 'succeeded',
    head: t.rails.succeeded,
    align: 'end',
    phone: 3,
    cell: ({ lastHour }) => <span className="no-wrap">{shareOf(lastHour)}</span>,
  },
  {
    name: 'answers',
    head: t.rails.answers,
    align: 'end',
    isWideOnly: true,
    cell: ({ calls }) => (
      <span className="soft no-wrap">
        {calls?.averageMs == null ? '–' : formatDuration(calls.averageMs)}
      </span>
    ),
  },
  {
    name: 'reconciled',
    head: t.rails.reconciled,
    align: 'end',
    phone: 4,
    cell: ({ reconciliation }) =>
      reconciliation ? (
        <span className="soft">
          <Time value={reconciliation.reconciledAt} />,{' '}
          <span className="no-wrap">{t.rails.differences(reconciliation.differences)}</span>
        </span>
      ) : (
        <span className="soft">{t.never}</span>
      ),
  },
]

/** Nothing if the title says it already. */
function nameOf({ rail, title, kind }: Pick<Rail, 'rail' | 'title' | 'kind'>): string {
  if (kind === 'chain') return `${rail.slice(0, 14)}…`
  return rail === title ? '' : rail
}

function shareOf({ completed, failed }: Rail['lastHour']): string {
  const ended = completed + failed
  if (ended === 0) return t.rails.noPayouts
  return `${Math.round((completed / ended) * 1_000) / 10} %`
}

export function RailState({ rail: { pause, calls } }: { rail: Rail }) {
  if (pause) return <Chip tone="warn">{t.rails.paused}</Chip>
  if (calls && calls.failed > calls.answered) return <Chip tone="bad">{t.rails.down}</Chip>
  return <Chip tone="good">{t.rails.up}</Chip>
}

type Props = {
  rails: Rail[] | undefined
  /** Why they could not be read. */
  error: unknown
  action?: (rail: Rail) => ReactNode
}

export function RailTable({ rails, error, action }: Props) {
  const own: Column<Rail>[] = action
    ? [
        ...columns.map(({ phone, ...column }) =>
          phone === undefined || phone === 4 ? column : { ...column, phone },
        ),
        {
          name: 'action',
          head: <span className="hidden">{t.propose}</span>,
          align: 'end',
          phone: 4,
          cell: action,
        },
      ]
    : columns
  return (
    <DataTable
      caption={t.rails.caption}
      columns={own}
      list={{ rows: rails ?? [], isLoading: !rails && !error, error }}
      keyOf={({ rail }) => rail}
      empty={<EmptyState icon="bank">{t.rails.empty}</EmptyState>}
    />
  )
}
