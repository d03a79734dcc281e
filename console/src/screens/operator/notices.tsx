import { useState } from 'react'
import type { Notice, NoticeDetail, SentBack } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { Dialog } from '../../parts/dialog'
import { Money } from '../../parts/money'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'
import { TextField } from '../../parts/fields'
import { Segments } from '../../parts/segments'
import { ReasonDialog } from './reason-dialog'

type State = 'all' | 'unmatched' | 'refused' | 'sent_back'

export function Screen() {
  const [state, setState] = useState<State>('all')
  const [opened, setOpened] = useState<Notice | null>(null)
  return (
    <>
      <PageHead
        title={t.notices.title}
        over={t.all}
        actions={
          <Segments label={t.state} value={state} options={t.notices.states} onChange={setState} />
        }
      />
      <Card>
        {state === 'sent_back' ? <SentBackList /> : <NoticeList state={state} open={setOpened} />}
      </Card>
      {opened && <NoticeDialog notice={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

function AmountOf({ notice: { asset, amount, units = '', currency } }: { notice: Notice }) {
  if (asset !== null && amount !== null) return <Money amount={amount} asset={asset} />
  return <>{t.notices.units(units, currency)}</>
}

function NoticeList({ state, open }: { state: State; open: (notice: Notice) => void }) {
  const read = useRead<{ items: Notice[] }>('notices', '/operator/v1/notices', { state })
  const columns: Column<Notice>[] = [
    {
      name: 'account',
      head: t.notices.account,
      phone: 1,
      isGrowing: true,
      cell: ({ accountNumber, rail, mode }) => (
        <>
          <b>{accountNumber}</b>
          <br />
          <span className="soft small">
            {rail} · {mode}
          </span>
        </>
      ),
    },
    {
      name: 'state',
      head: t.state,
      phone: 3,
      cell: (notice) => <NoticeState notice={notice} />,
    },
    {
      name: 'amount',
      head: t.amount,
      align: 'end',
      phone: 2,
      cell: (notice) => (
        <b>
          <AmountOf notice={notice} />
        </b>
      ),
    },
    {
      name: 'received',
      head: t.notices.received,
      align: 'end',
      isWideOnly: true,
      isSoft: true,
      cell: ({ receivedAt }) => <Time value={receivedAt} />,
    },
    {
      name: 'open',
      head: <span className="hidden">{t.notices.open}</span>,
      align: 'end',
      phone: 4,
      cell: (notice) => (
        <Button size="small" onClick={() => open(notice)}>
          {t.notices.open}
        </Button>
      ),
    },
  ]
  return (
    <DataTable
      caption={t.notices.caption}
      columns={columns}
      list={toList(read)}
      keyOf={({ rail, mode, id }) => `${rail} ${mode} ${id}`}
      empty={<EmptyState icon="held">{t.nothing}</EmptyState>}
    />
  )
}

function NoticeState({ notice: { state, reason } }: { notice: Pick<Notice, 'state' | 'reason'> }) {
  if (state === 'UNMATCHED') return <Chip tone="warn">{t.notices.unmatched}</Chip>
  const why = reason === null ? '' : `: ${t.notices.reasons[reason] ?? reason}`
  return (
    <Chip tone="bad">
      {t.notices.refused}
      {why}
    </Chip>
  )
}

function SentBackList() {
  const read = useRead<{ items: SentBack[] }>('notices', '/operator/v1/notices', {
    state: 'sent_back',
  })
  return (
    <DataTable
      caption={t.notices.states.sent_back}
      list={toList(read)}
      keyOf={({ rail, receivedAt, reason }) => `${rail} ${receivedAt} ${reason}`}
      empty={<EmptyState icon="held">{t.nothing}</EmptyState>}
      columns={[
        {
          name: 'payment',
          head: t.notices.payment,
          phone: 1,
          isGrowing: true,
          cell: ({ reason }) => reason,
        },
        { name: 'rail', head: t.rail, phone: 3, cell: ({ rail }) => rail },
        {
          name: 'merchant',
          head: t.merchantName,
          isWideOnly: true,
          cell: ({ merchant }) => merchant ?? '–',
        },
        {
          name: 'received',
          head: t.notices.received,
          align: 'end',
          phone: 4,
          isSoft: true,
          cell: ({ receivedAt }) => <Time value={receivedAt} />,
        },
      ]}
    />
  )
}

function NoticeDialog({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const { rail, mode, id, state } = notice
  const path = `/operator/v1/notices/${[rail, mode, id].map(encodeURIComponent).join('/')}`
  const { data, error } = useRead<NoticeDetail>('notice', path)
  const { write, isBusy, refusal } = useWrite({ reads: ['notices', 'queues'], isKeyed: false })
  const [isAssigning, setAssigning] = useState(false)
  if (isAssigning) return <AssignDialog path={path} onClose={onClose} />
  const { sender, narration } = data?.reported ?? {}
  return (
    <Dialog onClose={onClose} title={id}>
      <div className="stack" style={{ gap: 16 }}>
        <Facts>
          <Fact name={t.state}>
            <NoticeState notice={notice} />
          </Fact>
          <Fact name={t.amount}>
            <AmountOf notice={notice} />
          </Fact>
          <Fact name={t.notices.account}>{notice.accountNumber}</Fact>
          <Fact name={t.rail}>
            {rail} · {mode}
          </Fact>
          <Fact name={t.notices.sender}>{sender?.name ?? sender?.address}</Fact>
          <Fact name={t.notices.narration}>{narration}</Fact>
          <Fact name={t.notices.received}>
            <Time value={notice.receivedAt} />
          </Fact>
        </Facts>
        {error ? <ErrorState error={error} /> : !data ? <SkeletonRows count={2} /> : null}
        {data && <Raw body={data.body} />}
        <Refusal error={refusal} />
        {state === 'UNMATCHED' && (
          <div className="actions-end">
            <Button
              isBusy={isBusy}
              onClick={async () => {
                if ((await write(`${path}/retry`)) === undefined) return
                void notify(t.notices.retried)
                onClose()
              }}
            >
              {t.notices.retry}
            </Button>
            {notice.asset === 'NGN' && (
              <Button kind="primary" onClick={() => setAssigning(true)}>
                {t.notices.assign}
              </Button>
            )}
          </div>
        )}
      </div>
    </Dialog>
  )
}

function Raw({ body }: { body: string | null }) {
  if (body === null) return <p className="soft">{t.notices.noRaw}</p>
  return (
    <div>
      <p className="soft small">{t.notices.raw}</p>
      <CopyBlock text={body} label={t.notices.raw} />
    </div>
  )
}

function AssignDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const [merchant, setMerchant] = useState('')
  const [account, setAccount] = useState('')
  return (
    <ReasonDialog
      title={t.notices.assignTitle}
      text={`${t.notices.assignText} ${t.proposedText}`}
      confirmLabel={t.propose}
      path={`${path}/assign`}
      field="note"
      label={t.note}
      hint={t.notices.noteHint}
      reads={['notices']}
      done={t.proposed}
      body={{ merchant: merchant.trim(), account: account.trim() }}
      isIncomplete={merchant.trim() === '' || account.trim() === ''}
      onClose={onClose}
    >
      <TextField label={t.notices.merchantReference} value={merchant} onChange={setMerchant} />
      <TextField label={t.notices.accountReference} value={account} onChange={setAccount} />
    </ReasonDialog>
  )
}
