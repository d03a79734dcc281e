import { useState } from 'react'
import type { OperatorAction } from '../../api/answers'
import { usePages } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Column, DataTable } from '../../parts/data-table'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, Note, PageHead } from '../../parts/page'
import { Chip, type Tone } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'
import { Segments } from '../../parts/segments'

/** What actions change, apart from pages. */
const reads = [
  'queues',
  'rails',
  'rates',
  'rate history',
  'exchange',
  'exchange actions',
  'treasuries',
  'operator freezes',
]

/** Of a payload: what the list shows by other fields. */
const unshown = new Set(['askedBy'])

const tones: Record<string, Tone> = { WAITING: 'warn', DONE: 'good' }

export function Screen() {
  const [state, setState] = useState<'waiting' | 'ended'>('waiting')
  const list = usePages<OperatorAction>('/operator/v1/actions', { state })
  const [opened, setOpened] = useState<OperatorAction | null>(null)
  const columns: Column<OperatorAction>[] = [
    {
      name: 'kind',
      head: t.actions.title,
      phone: 1,
      isGrowing: true,
      cell: (action) => (
        <>
          <b>{t.actions.kinds[action.kind] ?? action.kind}</b>
          <br />
          <span className="soft small">{subjectOf(action)}</span>
        </>
      ),
    },
    {
      name: 'state',
      head: t.state,
      phone: 3,
      cell: (action) => (
        <Chip tone={tones[action.state] ?? 'calm'}>{t.actions.states[action.state]}</Chip>
      ),
    },
    {
      name: 'by',
      head: t.actions.proposedBy,
      isWideOnly: true,
      cell: (action) => <span className="no-wrap">{action.proposedBy}</span>,
    },
    {
      name: 'at',
      head: state === 'waiting' ? t.actions.expires : t.since,
      align: 'end',
      phone: 4,
      isSoft: true,
      cell: ({ expiresAt, endedAt }) => <Time value={endedAt ?? expiresAt} />,
    },
    {
      name: 'open',
      head: <span className="hidden">{t.health.open}</span>,
      align: 'end',
      phone: 2,
      cell: (action) => (
        <Button
          size="small"
          kind={action.state === 'WAITING' && !action.isOwn ? 'primary' : 'plain'}
          onClick={() => setOpened(action)}
        >
          {t.health.open}
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title={t.actions.title}
        over={t.all}
        actions={
          <Segments
            label={t.state}
            value={state}
            options={{ waiting: t.actions.waiting, ended: t.actions.ended }}
            onChange={setState}
          />
        }
      />
      <Card>
        <DataTable
          caption={t.actions.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="check">{t.nothing}</EmptyState>}
        />
      </Card>
      {opened && (
        <ActionDialog
          action={opened}
          onClose={() => setOpened(null)}
          onDone={() => {
            setOpened(null)
            list.retry()
          }}
        />
      )}
    </>
  )
}

function subjectOf({ payload, merchantName }: OperatorAction): string {
  const { reference, rail, id, frozen, amount, asset, buy, sell } = payload as Record<
    string,
    string | undefined
  >
  const money = amount === undefined ? undefined : `${amount} ${asset}`
  const rate = buy === undefined ? undefined : `${asset} ${buy} / ${sell}`
  return [reference ?? id ?? rail ?? frozen ?? money ?? rate, merchantName]
    .filter(Boolean)
    .join(' · ')
}

type DialogProps = { action: OperatorAction; onClose: () => void; onDone: () => void }

function ActionDialog({ action, onClose, onDone }: DialogProps) {
  const { write, isBusy, refusal } = useWrite({ reads, isKeyed: false })
  const kind = t.actions.kinds[action.kind] ?? action.kind
  const isWaiting = action.state === 'WAITING'
  const run = async (verb: 'confirm' | 'withdraw', done: string) => {
    const data = await write(`/operator/v1/actions/${action.id}/${verb}`)
    if (data === undefined) return
    void notify(done)
    onDone()
  }
  const mayConfirm = isWaiting && !action.isOwn
  return (
    <ConfirmDialog
      title={mayConfirm ? t.actions.confirmTitle(kind) : kind}
      confirmLabel={mayConfirm ? t.actions.confirm : t.actions.withdraw}
      isBusy={isBusy}
      isDisabled={!isWaiting}
      isDangerous={!mayConfirm}
      refusal={refusal}
      onClose={onClose}
      onConfirm={() =>
        void (mayConfirm ? run('confirm', t.actions.done) : run('withdraw', t.actions.withdrawn))
      }
    >
      <Facts>
        {Object.entries(action.payload)
          .filter(([name, value]) => value !== false && value !== null && !unshown.has(name))
          .map(([name, value]) => (
            <Fact key={name} name={t.actions.fields[name] ?? name}>
              {value === true ? t.actions.yes : String(value)}
            </Fact>
          ))}
        <Fact name={t.merchantName}>{action.merchantName}</Fact>
        <Fact name={t.actions.proposedBy}>{action.proposedBy}</Fact>
        <Fact name={t.actions.confirmedBy}>{action.confirmedBy}</Fact>
      </Facts>
      {mayConfirm && <p className="soft">{t.actions.confirmText}</p>}
      {isWaiting && action.isOwn && (
        <Note tone="calm" icon="users">
          {t.actions.own}
        </Note>
      )}
      {mayConfirm && (
        <p>
          <button
            type="button"
            className="link"
            onClick={() => void run('withdraw', t.actions.withdrawn)}
          >
            {t.actions.withdraw}
          </button>
        </p>
      )}
    </ConfirmDialog>
  )
}
