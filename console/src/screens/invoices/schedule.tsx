import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Invoice, InvoiceSchedule } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { DataTable } from '../../parts/data-table'
import { Reference } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatDay } from '../../parts/time-format'
import { CustomerLink, useCustomerName } from '../customers/customer-link'
import { columnsOfCustomer } from './columns'
import { typedContents } from './draft-form'
import { Paper, scheduleContent } from './paper'
import { describeRule, scheduleTexts } from './schedule-texts'

const words = scheduleTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/invoice-schedules/${reference}`
  const read = useRead<InvoiceSchedule>('invoice schedule', path)
  return (
    <ResourcePage path={path} read={read} heights={[220, 320]}>
      {(schedule) => <SchedulePage schedule={schedule} />}
    </ResourcePage>
  )
}

function SchedulePage({ schedule }: { schedule: InvoiceSchedule }) {
  const { reference, customer, status, total, asset } = schedule
  const name = useCustomerName(customer)
  const title = `${name} · ${formatMoney(total, asset)}`
  const path = `/invoices/schedules/${reference}`
  useEffect(() => noteRecent({ path, title }), [path, title])
  return (
    <>
      <PageHead
        parent={{
          to: '/invoices/schedules',
          label: scheduleTexts.title,
          current: <Reference value={reference} />,
        }}
        title={
          <>
            {name} · <Money amount={total} asset={asset} />
          </>
        }
        tab={title}
        under={describeRule(schedule)}
        beside={<Status of="schedule" value={status} />}
        actions={<Actions schedule={schedule} />}
      />
      {status === 'PAUSED' && <Note tone="warn" icon="clock" title={words.pausedNote} />}
      {status === 'ENDED' && <Note tone="calm" icon="close" title={words.endedNote} />}
      <div className="with-aside">
        <div className="stack">
          <Invoices reference={reference} />
          <Card title={words.paper}>
            <Paper content={scheduleContent(typedContents(schedule))} />
          </Card>
        </div>
        <div className="stack">
          <ScheduleFacts schedule={schedule} />
          <ResourceTimeline reference={reference} />
        </div>
      </div>
    </>
  )
}

type Next = InvoiceSchedule['status']

function Actions({ schedule }: { schedule: InvoiceSchedule }) {
  const mayChange = useMay('customers.change')
  const [next, setNext] = useState<Next | null>(null)
  const { status } = schedule
  if (!mayChange || status === 'ENDED') return null
  return (
    <>
      {status === 'ACTIVE' ? (
        <Button onClick={() => setNext('PAUSED')}>{words.pause}</Button>
      ) : (
        <Button kind="primary" icon="play" onClick={() => setNext('ACTIVE')}>
          {words.resume}
        </Button>
      )}
      <Button kind="danger" onClick={() => setNext('ENDED')}>
        {words.end}
      </Button>
      {next && <StatusDialog schedule={schedule} next={next} onClose={() => setNext(null)} />}
    </>
  )
}

type DialogProps = { schedule: InvoiceSchedule; next: Next; onClose: () => void }

/** Pauses, resumes or ends it. */
function StatusDialog({ schedule: { reference, customer }, next, onClose }: DialogProps) {
  const { title, text, confirm, done } = scheduleTexts.statusDialog[next]
  const name = useCustomerName(customer)
  const { write, isBusy, refusal } = useWrite<InvoiceSchedule>({
    method: 'PATCH',
    reads: ['invoice schedule', 'pages', 'timeline'],
  })
  const change = async () => {
    if (!(await write(`/v1/invoice-schedules/${reference}`, { status: next }))) return
    onClose()
    void notify(done)
  }
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirm}
      isDangerous={next === 'ENDED'}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      <p>{text(name)}</p>
    </ConfirmDialog>
  )
}

function Invoices({ reference }: { reference: string }) {
  const list = usePages<Invoice>('/v1/invoices', { schedule: reference })
  return (
    <Card title={words.invoices}>
      <DataTable
        caption={words.invoicesCaption}
        columns={columnsOfCustomer}
        list={list}
        keyOf={(invoice) => invoice.reference}
        pathOf={(invoice) => `/invoices/${invoice.reference}`}
        empty={<p className="soft hint">{words.noInvoices}</p>}
      />
    </Card>
  )
}

function ScheduleFacts({ schedule }: { schedule: InvoiceSchedule }) {
  const { customer, nextOn, startsOn, endsOn, dueAfterDays, runs, series } = schedule
  return (
    <JsonCard title={words.about} value={schedule} words={words}>
      <Facts>
        <Fact name={words.customer}>
          <CustomerLink reference={customer} />
        </Fact>
        <Fact name={words.rule}>{describeRule(schedule)}</Fact>
        <Fact name={words.next}>{nextOn && <b>{words.nextAt(formatDay(nextOn))}</b>}</Fact>
        <Fact name={words.startsOn}>{formatDay(startsOn)}</Fact>
        <Fact name={words.endsOn}>{endsOn ? formatDay(endsOn) : words.noEnd}</Fact>
        <Fact name={words.due}>{words.dueAfter(dueAfterDays)}</Fact>
        <Fact name={words.runs}>{runs.toLocaleString('en')}</Fact>
        <Fact name={words.series}>{series}</Fact>
        <Fact name={words.created}>
          <Time value={schedule.createdAt} />
        </Fact>
        <Fact name={words.ended}>{schedule.endedAt && <Time value={schedule.endedAt} />}</Fact>
      </Facts>
    </JsonCard>
  )
}
