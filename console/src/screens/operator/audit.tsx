import { useState } from 'react'
import type { ChainState, ChainVerdict, InstallationLine } from '../../api/answers'
import { usePages, useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { JsonView } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { auditTexts } from '../business/texts'
import { operatorTexts as t } from './texts'
import './operator.css'

const filters: Filter[] = [
  { kind: 'text', name: 'actor', label: t.audit.actor },
  { kind: 'text', name: 'action', label: t.audit.action, placeholder: 'payout.decide' },
  { kind: 'period', label: t.audit.time },
]

export function Screen() {
  const { values, change, isFiltered } = useFilters(filters)
  const path = '/operator/v1/audit-lines'
  const list = usePages<InstallationLine>(path, values)
  const { data: head } = useRead<ChainState>('audit-head', `${path}/head`)
  const { write, isBusy, refusal } = useWrite<ChainVerdict>({ isKeyed: false })
  const [fault, setFault] = useState<string | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  const columns: Column<InstallationLine>[] = [
    {
      name: 'action',
      head: t.audit.action,
      phone: 1,
      cell: ({ action }) => <b>{auditTexts.action(action)}</b>,
    },
    {
      name: 'actor',
      head: t.audit.actor,
      phone: 3,
      isGrowing: true,
      cell: ({ actor, actorName }) => actorName ?? actor,
    },
    {
      name: 'time',
      head: t.audit.time,
      align: 'end',
      phone: 4,
      isSoft: true,
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
    {
      name: 'details',
      head: <span className="hidden">{t.audit.details}</span>,
      align: 'end',
      phone: 2,
      cell: ({ id }) => (
        <button
          type="button"
          className="link small"
          aria-expanded={opened === id}
          onClick={() => setOpened(opened === id ? null : id)}
        >
          {t.audit.details}
        </button>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title={t.audit.title}
        over={head && head.number > 0 && t.audit.head(head.number)}
        actions={
          <Button
            icon="shield"
            isBusy={isBusy}
            onClick={async () => {
              const verdict = await write(`${path}/verify`)
              if (!verdict) return
              setFault(verdict.fault)
              if (!verdict.fault) void notify(t.audit.verified(verdict.lines))
            }}
          >
            {t.audit.verify}
          </Button>
        }
      />
      <Refusal error={refusal} />
      {fault && <Note tone="bad" title={fault} />}
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={t.audit.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          detailOf={({ id, details }) => opened === id && <JsonView value={details} />}
          empty={
            <EmptyState icon="shield">{isFiltered ? t.audit.noMatches : t.audit.empty}</EmptyState>
          }
        />
      </Card>
    </>
  )
}
