import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Case } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import type { Member } from '../team/member'
import { kindOf, path } from './case'
import { NewCase } from './case-form'
import { Deadline } from './deadline'
import { caseTexts as words } from './texts'

const optionsOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const filtersOf = (members: Member[]): Filter[] => [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: optionsOf(statusWords.case),
  },
  {
    kind: 'choice',
    name: 'kind',
    label: words.filters.kind,
    options: optionsOf(words.kinds),
  },
  {
    kind: 'choice',
    name: 'assignee',
    label: words.filters.assignee,
    options: members.map(({ id, name }) => ({ value: id, label: name })),
  },
  { kind: 'text', name: 'externalReference', label: words.filters.external },
  { kind: 'text', name: 'item', label: words.filters.item },
  { kind: 'period', label: words.filters.period },
]

const columns: Column<Case>[] = [
  {
    name: 'what',
    head: words.columns.what,
    phone: 1,
    isGrowing: true,
    cell: (one) => (
      <>
        <span className="under-name">{one.title}</span>
        <span className="under-name soft small">{kindOf(one)}</span>
      </>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 2,
    cell: ({ status }) => <Status of="case" value={status} />,
  },
  {
    name: 'deadline',
    head: words.columns.deadline,
    phone: 3,
    hasPhoneHead: true,
    isSoft: true,
    cell: ({ deadline }) => (deadline ? <Deadline value={deadline} /> : '–'),
  },
  {
    name: 'assignee',
    head: words.columns.assignee,
    isWideOnly: true,
    isSoft: true,
    cell: ({ assignee }) => <span className="no-wrap">{assignee?.name}</span>,
  },
  {
    name: 'created',
    head: words.columns.created,
    isWideOnly: true,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const mayChange = useMay('cases.change')
  const team = useRead<{ items: Member[] }>('team', '/v1/team/users').data
  const filters = filtersOf(team?.items ?? [])
  const filtering = useFilters(filters)
  const list = usePages<Case>(path, filtering.values)
  const search = useSearch({ strict: false }) as { new?: string }
  const navigate = useNavigate()
  const isCreating = mayChange && search.new === 'case'
  const setCreating = (isOpen: boolean) =>
    void navigate({ to: '/cases', search: isOpen ? { new: 'case' } : {}, replace: true })
  return (
    <>
      <ResourceList
        title={words.title}
        path={path}
        pagePath="/cases"
        fileName="cases.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="scale"
        create={
          mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        words={words}
      />
      {isCreating && <NewCase onClose={() => setCreating(false)} />}
    </>
  )
}
