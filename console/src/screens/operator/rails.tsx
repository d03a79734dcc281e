import { useState } from 'react'
import type { Calls, Rail, Rails } from '../../api/answers'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { Card, Note, PageHead } from '../../parts/page'
import { formatDuration } from '../../parts/time-format'
import { operatorTexts as t } from './texts'
import './operator.css'
import { RailTable } from './rail-table'
import { ReasonDialog } from './reason-dialog'
import { usePolled } from './use-polled'

export function Screen() {
  const { data, error } = usePolled<Rails>('rails', '/operator/v1/rails')
  const [chosen, setChosen] = useState<Rail | null>(null)
  return (
    <>
      <PageHead title={t.rails.title} over={t.all} />
      {data?.items
        .filter(({ pause }) => pause)
        .map(({ rail, pause }) => (
          <Note key={rail} title={`${rail}: ${t.rails.paused}`}>
            <p>
              {pause!.reason} <span className="soft">{t.rails.pausedBy(pause!.pausedBy)}</span>
            </p>
          </Note>
        ))}
      {data && data.others.length > 0 && (
        <Note tone="bad" title={t.rails.others}>
          <p>{data.others.join(', ')}</p>
        </Note>
      )}
      <Card>
        <RailTable
          rails={data?.items}
          error={error}
          action={(rail) => (
            <Button size="small" onClick={() => setChosen(rail)}>
              {rail.pause ? t.rails.resume : t.rails.pause}
            </Button>
          )}
        />
        <p className="soft small padded">{t.rails.perProcess}</p>
      </Card>
      {data && data.endpoints.length > 0 && (
        <Card title={t.rails.endpoints}>
          <Endpoints calls={data.endpoints} />
        </Card>
      )}
      {chosen && (
        <ReasonDialog
          title={(chosen.pause ? t.rails.resumeTitle : t.rails.pauseTitle)(chosen.rail)}
          text={`${chosen.pause ? t.rails.resumeText : t.rails.pauseText} ${t.proposedText}`}
          confirmLabel={t.propose}
          path={`/operator/v1/rails/${encodeURIComponent(chosen.rail)}/${chosen.pause ? 'resume' : 'pause'}`}
          reads={['rails']}
          done={t.proposed}
          isDangerous={!chosen.pause}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}

function Endpoints({ calls }: { calls: Calls[] }) {
  const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms))
  return (
    <DataTable
      caption={t.rails.endpoints}
      list={{ rows: calls }}
      keyOf={({ name }) => name}
      empty={null}
      columns={[
        { name: 'name', head: t.rails.endpoint, phone: 1, isGrowing: true, cell: (c) => c.name },
        {
          name: 'calls',
          head: t.rails.calls,
          align: 'end',
          phone: 3,
          hasPhoneHead: true,
          cell: ({ answered, failed }) => (answered + failed).toLocaleString(),
        },
        {
          name: 'failed',
          head: t.rails.failed,
          align: 'end',
          phone: 2,
          hasPhoneHead: true,
          cell: ({ failed }) => failed.toLocaleString(),
        },
        {
          name: 'average',
          head: t.rails.average,
          align: 'end',
          phone: 4,
          hasPhoneHead: true,
          cell: (c) => duration(c.averageMs),
        },
        { name: 'p95', head: t.rails.p95, align: 'end', cell: (c) => duration(c.p95Ms) },
      ]}
    />
  )
}
