import type { Column } from '../../parts/data-table'
import type { Filter } from '../../parts/filters'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { HttpStatus } from './http-status'
import { LogPage } from './log-page'
import type { RequestLog } from './request-log'
import { developerTexts } from './texts'

const words = developerTexts.requests
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
  return (
    <LogPage<RequestLog>
      title={words.title}
      under={words.intro}
      path="/v1/request-logs"
      fileName="requests.csv"
      filters={filters}
      columns={columns}
      words={words}
      newLabel={words.newRequests}
      pathOf={({ id }) => `/requests/${id}`}
      icon="list"
      command={firstRequest()}
      limit={50}
    />
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
        <span className="soft phone-only">{method} </span>
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
    cell: ({ keyName }) => <span className="soft no-wrap">{keyName}</span>,
    phone: 3,
  },
  {
    name: 'duration',
    head: words.columns.duration,
    cell: ({ durationMs }) => <span className="soft no-wrap">{formatDuration(durationMs)}</span>,
    align: 'end',
    isWideOnly: true,
  },
  {
    name: 'when',
    head: words.columns.when,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="utcShort" />,
    phone: 4,
  },
]
