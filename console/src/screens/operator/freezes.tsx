import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatorFreeze } from '../../api/answers'
import { toList } from '../../api/reads'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { FreezeDialog } from './freeze-dialog'
import { operatorTexts as t } from './texts'
import './operator.css'
import { ReasonDialog } from './reason-dialog'
import { usePolled } from './use-polled'

const columns: Column<OperatorFreeze>[] = [
  {
    name: 'what',
    head: t.freezes.what,
    phone: 1,
    isGrowing: true,
    cell: ({ kind, subject, reason }) => (
      <>
        <span className="under-name bold">
          {t.freezes.kinds[kind]} <span className="mono">{subject}</span>
        </span>
        <span className="under-name soft small">{reason}</span>
      </>
    ),
  },
  {
    name: 'merchant',
    head: t.merchantName,
    phone: 3,
    cell: ({ merchant, merchantName, mode }) =>
      merchant ? (
        <span className="no-wrap">
          <Link className="link" to={`/operator/merchants/${merchant}`}>
            {merchantName}
          </Link>
          <span className="soft"> · {mode}</span>
        </span>
      ) : (
        t.freezes.everyone
      ),
  },
  {
    name: 'by',
    head: t.freezes.frozenBy,
    isWideOnly: true,
    isSoft: true,
    cell: ({ frozenBy, frozenAt }) => (
      <>
        <span className="under-name">{frozenBy}</span>
        <Time value={frozenAt} />
      </>
    ),
  },
]

export function Screen() {
  const read = usePolled<{ items: OperatorFreeze[] }>('operator freezes', '/operator/v1/freezes')
  const [isFreezing, setFreezing] = useState(false)
  const [chosen, setChosen] = useState<OperatorFreeze | null>(null)
  return (
    <>
      <PageHead
        title={t.freezes.title}
        over={t.all}
        actions={
          <Button kind="danger" icon="snow" onClick={() => setFreezing(true)}>
            {t.freezes.create}
          </Button>
        }
      />
      <Card>
        <DataTable
          caption={t.freezes.caption}
          columns={[
            ...columns,
            {
              name: 'thaw',
              head: <span className="hidden">{t.freezes.thaw}</span>,
              align: 'end',
              phone: 2,
              cell: (freeze) => (
                <Button size="small" onClick={() => setChosen(freeze)}>
                  {t.freezes.thaw}
                </Button>
              ),
            },
          ]}
          list={toList(read)}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="snow">{t.freezes.nothing}</EmptyState>}
        />
      </Card>
      {isFreezing && <FreezeDialog onClose={() => setFreezing(false)} />}
      {chosen && (
        <ReasonDialog
          title={t.freezes.thawTitle(t.freezes.kinds[chosen.kind], chosen.subject ?? '')}
          text={`${t.freezes.thawText} ${t.proposedText}`}
          confirmLabel={t.propose}
          path={`/operator/v1/freezes/${chosen.id}/thaw`}
          reads={['operator freezes']}
          done={t.proposed}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}
