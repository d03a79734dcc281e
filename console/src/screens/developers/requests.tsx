import './deliveries.css'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { CopyBlock } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { LiveBadge } from '../../parts/live-badge'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { HttpStatus } from './http-status'
import type { RequestLog } from './request-log'

const words = texts.developers.requests
const methods = ['GET', 'POST', 'PATCH', 'DELETE']

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: Object.entries(words.filters.statuses).map(([value, label]) => ({ value, label })),
  },
  {
    kind: 'choice',
    name: 'method',
    label: words.filters.method,
    options: methods.map((value) => ({ value, label: value })),
  },
  { kind: 'text', name: 'path', label: words.filters.path, placeholder: '/v1/disbursements' },
  { kind: 'text', name: 'resource', label: words.filters.resource, placeholder: 'pay_…, bt_…' },
  { kind: 'text', name: 'keyId', label: words.filters.key, placeholder: 'key_…' },
  { kind: 'text', name: 'requestId', label: words.filters.requestId, placeholder: 'req_…' },
  { kind: 'period', label: words.filters.period },
]

export function Screen() {
  const mayExport = useMay('exports.make')
  const { values, change } = useFilters(filters)
  const list = usePages<RequestLog>('/v1/request-logs', values, {
    limit: 50,
    keyOfRow: ({ id }) => id,
  })
  const isFiltered = Object.keys(values).length > 0
  return (
    <>
      <PageHead
        title={words.title}
        under={words.intro}
        actions={
          mayExport && (
            <ExportButton path="/v1/request-logs" filters={values} fileName="requests.csv" />
          )
        }
      />
      <Filters filters={filters} values={values} onChange={change}>
        <LiveBadge className="gap dk" />
      </Filters>
      <Card className="logs">
        <DataTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `/requests/${id}`}
          newLabel={words.newRequests}
          empty={
            isFiltered ? (
              <EmptyState icon="search">{words.noMatches}</EmptyState>
            ) : (
              <EmptyState
                icon="list"
                action={
                  <div style={{ maxWidth: '100%', textAlign: 'start' }}>
                    <CopyBlock text={firstRequest()} />
                  </div>
                }
              >
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}

const firstRequest = () =>
  `curl ${window.location.origin}/v1/balances \\\n  -H "Authorization: Bearer $MANILLA_KEY"`

const columns: Column<RequestLog>[] = [
  {
    name: 'status',
    head: words.columns.status,
    cell: ({ status }) => <HttpStatus status={status} />,
    phone: 2,
  },
  {
    name: 'method',
    head: words.columns.method,
    cell: ({ method }) => <span className="mono soft">{method}</span>,
    isWideOnly: true,
  },
  {
    name: 'path',
    head: words.columns.path,
    cell: ({ method, path, query }) => (
      <span className="mono">
        <span className="soft ph">{method} </span>
        {path}
        {query && <span className="soft">?{query}</span>}
      </span>
    ),
    isGrowing: true,
    phone: 1,
  },
  {
    name: 'key',
    head: words.columns.key,
    cell: ({ keyName }) => <span className="soft nw">{keyName}</span>,
    phone: 3,
  },
  {
    name: 'duration',
    head: words.columns.duration,
    cell: ({ durationMs }) => <span className="soft nw">{formatDuration(durationMs)}</span>,
    align: 'end',
    isWideOnly: true,
  },
  {
    name: 'when',
    head: words.columns.when,
    cell: ({ createdAt }) => (
      <span className="soft">
        <Time value={createdAt} show="utcShort" />
      </span>
    ),
    phone: 4,
  },
]
