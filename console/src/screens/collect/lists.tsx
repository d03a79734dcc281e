import { commonTexts } from '../../texts/common'
import { collectTexts as words } from './texts'
import './collect.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePages } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { download } from '../../api/writes'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { wordOf } from '../../texts/status'
import { CollectTabs } from './collect-tabs'
import { columns } from './columns'
import { CreateDialog } from './create-dialog'
import { apiPaths, type Collected, type Kind, referenceOf, statuses } from './kinds'

const filtersOf = (kind: Kind): Filter[] => [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: statuses[kind].map((value) => ({ value, label: wordOf(value, 'collection') })),
  },
  { kind: 'period', label: words.filters.period },
  { kind: 'text', name: 'q', label: words.filters.search, placeholder: words.searchHint },
]

/** One way to collect money: a tab with its list. */
function List<K extends Kind>({ kind }: { kind: K }) {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { new?: string }
  const mayCreate = useMay('collect.create')
  const mayExport = useMay('exports.make')
  const [isCreating, setCreating] = useState(false)
  const filters = filtersOf(kind)
  const { values, change, isFiltered } = useFilters(filters)
  const list = usePages<Collected[K]>(apiPaths[kind], values, { keyOfRow: referenceOf })
  // `/collect?new=link` opens the form once; the address stays that of the list.
  const isAsked = search.new === 'link' && mayCreate
  useEffect(() => {
    if (!isAsked) return
    setCreating(true)
    change({ new: undefined })
  })
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create[kind]}
    </Button>
  )
  const save = () =>
    download(apiPaths[kind], values, `${kind}.csv`).catch((error: Error) =>
      notify(toRefusal(error).sentence, 'bad'),
    )
  return (
    <>
      <PageHead
        title={words.title}
        tab={words.tabs[kind]}
        actions={
          <>
            {mayExport && (
              <Button icon="download" onClick={() => void save()}>
                {commonTexts.export}
              </Button>
            )}
            {create}
          </>
        }
      />
      <CollectTabs />
      <Filters filters={filters} values={values} onChange={change} isLive />
      <Card>
        <DataTable
          caption={words.captions(words.tabs[kind])}
          columns={columns[kind]}
          list={list}
          keyOf={referenceOf}
          pathOf={(row) => `/collect/${kind}/${referenceOf(row)}`}
          empty={
            isFiltered ? (
              <EmptyState icon="search">{words.noMatches}</EmptyState>
            ) : (
              <EmptyState icon="link" action={create}>
                {words.empty[kind]}
              </EmptyState>
            )
          }
        />
      </Card>
      {isCreating && (
        <CreateDialog
          kind={kind}
          onCreated={(reference) => void navigate({ to: `/collect/${kind}/${reference}` })}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  )
}

export const Links = () => <List key="links" kind="links" />
export const Accounts = () => <List key="accounts" kind="accounts" />
export const Dedicated = () => <List key="dedicated" kind="dedicated" />
export const Wallets = () => <List key="wallets" kind="wallets" />
export const DedicatedWallets = () => <List key="dedicated-wallets" kind="dedicated-wallets" />
