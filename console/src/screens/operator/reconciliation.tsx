import { useState } from 'react'
import type { Difference, Reconciliation } from '../../api/answers'
import { toList, usePages } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { shorten } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'
import { Segments } from '../../parts/segments'
import { Proofs } from './proofs'
import { ReasonDialog } from './reason-dialog'
import { usePolled } from './use-polled'

export function Screen() {
  const path = '/operator/v1/reconciliations'
  const read = usePolled<{ items: Reconciliation[] }>('reconciliations', path)
  const { write, isBusy, refusal } = useWrite({ reads: ['reconciliations'], isKeyed: false })
  return (
    <>
      <PageHead
        title={t.reconciliation.title}
        over={t.all}
        actions={
          <Button
            icon="redo"
            isBusy={isBusy}
            onClick={async () => {
              if ((await write(`${path}/run`)) !== undefined) void notify(t.reconciliation.runDone)
            }}
          >
            {t.reconciliation.run}
          </Button>
        }
      />
      <Refusal error={refusal} />
      <Differences />
      <div className="with-aside">
        <Card title={t.reconciliation.rails}>
          <DataTable
            caption={t.reconciliation.railsCaption}
            list={toList(read)}
            keyOf={({ rail }) => rail}
            empty={<EmptyState icon="scale">{t.reconciliation.noRails}</EmptyState>}
            columns={[
              {
                name: 'rail',
                head: t.rail,
                phone: 1,
                isGrowing: true,
                cell: ({ rail }) => <b>{rail}</b>,
              },
              {
                name: 'result',
                head: t.state,
                phone: 2,
                cell: ({ differences }) => (
                  <Chip tone={differences === 0 ? 'good' : 'bad'}>
                    {differences === 0 ? t.reconciliation.agreed : t.rails.differences(differences)}
                  </Chip>
                ),
              },
              {
                name: 'at',
                head: t.reconciliation.compared,
                align: 'end',
                phone: 3,
                isSoft: true,
                cell: ({ reconciledAt }) => <Time value={reconciledAt} />,
              },
            ]}
          />
        </Card>
        <Proofs />
      </div>
    </>
  )
}

const columns: Column<Difference>[] = [
  {
    name: 'what',
    head: t.reconciliation.what,
    phone: 1,
    cell: ({ kind, name, rail }) => (
      <>
        <b>{t.reconciliation.kinds[kind] ?? kind}</b>
        <br />
        <span className="soft small" title={name}>
          {shorten(name, 20)} · {shorten(rail, 14)}
        </span>
      </>
    ),
  },
  {
    name: 'books',
    head: t.reconciliation.inBooks,
    phone: 3,
    hasPhoneHead: true,
    cell: ({ inBooks }) => inBooks,
  },
  {
    name: 'rail',
    head: t.reconciliation.atRail,
    phone: 4,
    hasPhoneHead: true,
    cell: ({ atRail }) => atRail,
  },
  {
    name: 'found',
    head: t.reconciliation.found,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ foundAt }) => <Time value={foundAt} />,
  },
]

function Differences() {
  const [state, setState] = useState<'open' | 'resolved'>('open')
  const list = usePages<Difference>('/operator/v1/reconciliations/differences', { state })
  const [noted, setNoted] = useState<Difference | null>(null)
  const action: Column<Difference> = {
    name: 'note',
    head: <span className="hidden">{t.reconciliation.addNote}</span>,
    align: 'end',
    phone: 2,
    cell: (difference) => (
      <Button size="small" onClick={() => setNoted(difference)}>
        {t.reconciliation.addNote}
      </Button>
    ),
  }
  return (
    <Card
      className="differences"
      title={t.reconciliation.differences}
      aside={
        <Segments
          label={t.state}
          value={state}
          options={{ open: t.reconciliation.open, resolved: t.reconciliation.resolved }}
          onChange={setState}
        />
      }
    >
      <DataTable
        caption={t.reconciliation.caption}
        columns={[...columns, action]}
        list={list}
        keyOf={({ id }) => id}
        detailOf={({ note, notedBy }) =>
          note && (
            <span className="soft small">
              {note} {notedBy && t.reconciliation.notedBy(notedBy)}
            </span>
          )
        }
        empty={<EmptyState icon="scale">{t.nothing}</EmptyState>}
      />
      {noted && (
        <ReasonDialog
          title={t.reconciliation.noteTitle}
          text={t.reconciliation.noteText}
          confirmLabel={t.reconciliation.addNote}
          path={`/operator/v1/reconciliations/differences/${noted.id}/note`}
          field="note"
          label={t.note}
          reads={[]}
          done={t.note}
          onDone={list.retry}
          onClose={() => setNoted(null)}
        />
      )}
    </Card>
  )
}
