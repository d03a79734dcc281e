import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Invoice, Timeline } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { AmountParts } from '../../parts/amount-parts'
import { Button } from '../../parts/button'
import { CopyLink } from '../../parts/copy'
import { Icon } from '../../parts/icons'
import { Reference } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Menu, MenuItem } from '../../parts/menu'
import { toUnits } from '../../parts/money-format'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatDay } from '../../parts/time-format'
import { commonTexts } from '../../texts/common'
import { CustomerLink } from '../customers/customer-link'
import { formatDueDay } from './due-day'
import {
  CreditDialog,
  DeleteDialog,
  FinalizeDialog,
  SendDialog,
  VoidDialog,
} from './invoice-dialogs'
import { contentOf, Paper } from './paper'
import { invoiceTexts } from './texts'

const words = invoiceTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/invoices/${reference}`
  const read = useRead<Invoice>('invoice', path)
  return (
    <ResourcePage path={path} read={read} heights={[134, 440]}>
      {(invoice) => <InvoicePage invoice={invoice} />}
    </ResourcePage>
  )
}

type Opened = 'finalize' | 'send' | 'void' | 'credit' | 'delete' | null

function InvoicePage({ invoice }: { invoice: Invoice }) {
  const { reference, number, status, url } = invoice
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const mayChange = useMay('customers.change')
  const title = number ?? words.draftTitle
  useEffect(() => noteRecent({ path: `/invoices/${reference}`, title }), [reference, title])
  const isDraft = status === 'DRAFT'
  return (
    <>
      <PageHead
        parent={{
          to: '/invoices',
          label: invoiceTexts.title,
          current: <Reference value={reference} />,
        }}
        title={title}
        beside={<Status of="invoice" value={status} />}
        actions={
          <>
            {isDraft && mayChange && (
              <>
                <Button to={`/invoices/${reference}/change`}>{words.edit}</Button>
                <Button kind="primary" icon="check" onClick={() => setOpened('finalize')}>
                  {words.finalize}
                </Button>
              </>
            )}
            {url && (
              <>
                <CopyLink url={url} />
                <Button icon="external" href={url}>
                  {words.openPage}
                </Button>
              </>
            )}
            {mayChange && <MoreMenu invoice={invoice} onOpen={setOpened} />}
          </>
        }
      />
      {isDraft && <Note tone="calm" icon="file" title={words.draftNote} />}
      {status === 'VOID' && <Note tone="calm" icon="close" title={words.voidNote} />}
      <div className="with-aside">
        <div className="stack">
          {!isDraft && <Amounts invoice={invoice} />}
          <Card title={words.paper}>
            <Paper content={contentOf(invoice)} />
          </Card>
        </div>
        <div className="stack">
          <InvoiceFacts invoice={invoice} />
          <ResourceTimeline reference={reference} />
        </div>
      </div>
      {opened === 'finalize' && <FinalizeDialog invoice={invoice} onClose={close} />}
      {opened === 'send' && <SendDialog invoice={invoice} onClose={close} />}
      {opened === 'void' && <VoidDialog invoice={invoice} onClose={close} />}
      {opened === 'credit' && <CreditDialog invoice={invoice} onClose={close} />}
      {opened === 'delete' && <DeleteDialog invoice={invoice} onClose={close} />}
    </>
  )
}

type MenuProps = { invoice: Invoice; onOpen: (opened: Opened) => void }

const isFinal = ({ status }: Invoice) => status !== 'DRAFT' && status !== 'VOID'

/**
 * Whether the API voids it: no payment paid it. Credit of the customer that paid it is given back.
 * The timeline, which the page shows anyway, says what paid it.
 */
function useMayVoid(invoice: Invoice): boolean {
  const { reference, asset, amountPaid, amountRefunded } = invoice
  const timeline = useRead<Timeline>('timeline', `/v1/timeline/${reference}`).data
  if (!timeline || !isFinal(invoice) || toUnits(amountRefunded, asset) > 0n) return false
  const isPaidByPayment = timeline.items.some(
    ({ kind, details }) => kind === 'invoice_paid' && !details.moved,
  )
  // Older steps are left out of a long timeline.
  return !isPaidByPayment && (!timeline.truncated || toUnits(amountPaid, asset) === 0n)
}

/** What cannot be undone: drafts are deleted, final invoices are credited or voided. */
function MoreMenu({ invoice, onOpen }: MenuProps) {
  const { status, asset, amountDue, amountPaid } = invoice
  const mayCredit = isFinal(invoice) && toUnits(amountDue, asset) + toUnits(amountPaid, asset) > 0n
  const mayVoid = useMayVoid(invoice)
  if (status === 'VOID') return null
  return (
    <Menu
      button={
        <button
          type="button"
          className="button"
          aria-label={commonTexts.more}
          style={{ flex: 'none' }}
        >
          <Icon name="dots" size={16} />
        </button>
      }
    >
      {status === 'DRAFT' && (
        <MenuItem icon="close" onClick={() => onOpen('delete')}>
          {words.delete}
        </MenuItem>
      )}
      {isFinal(invoice) && (
        <MenuItem icon="mail" onClick={() => onOpen('send')}>
          {words.send}
        </MenuItem>
      )}
      {mayCredit && (
        <MenuItem icon="redo" onClick={() => onOpen('credit')}>
          {words.credit}
        </MenuItem>
      )}
      {mayVoid && (
        <MenuItem icon="close" onClick={() => onOpen('void')}>
          {words.void}
        </MenuItem>
      )}
    </Menu>
  )
}

/** The four amounts of an invoice: they always add up to its total. */
function Amounts({ invoice }: { invoice: Invoice }) {
  const { asset, total, amountPaid, amountDue, amountCredited, amountRefunded } = invoice
  return (
    <AmountParts
      title={words.money}
      asset={asset}
      total={total}
      summary={words.summary}
      parts={[
        { name: words.paid, amount: amountPaid, colour: 'var(--good)' },
        { name: words.due, amount: amountDue, colour: 'var(--brass)' },
        { name: words.credited, amount: amountCredited, colour: 'var(--edge)' },
        { name: words.refunded, amount: amountRefunded, colour: 'var(--soft)' },
      ]}
    />
  )
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const { customer, series, schedule, period, dueAt } = invoice
  const { createdAt, finalizedAt, paidAt, voidedAt } = invoice
  return (
    <JsonCard title={words.about} value={invoice} words={words}>
      <Facts>
        <Fact name={words.customer}>
          <CustomerLink reference={customer} />
        </Fact>
        <Fact name={words.language}>{invoiceTexts.form.languages[invoice.language]}</Fact>
        <Fact name={words.series}>{series}</Fact>
        <Fact name={words.schedule}>
          {schedule && (
            <Link className="link" to={`/invoices/schedules/${schedule}`}>
              {period ? words.scheduledFor(formatDay(period)) : schedule}
            </Link>
          )}
        </Fact>
        <Fact name={words.dueAt}>{dueAt && formatDueDay(dueAt)}</Fact>
        <Fact name={words.created}>
          <Time value={createdAt} />
        </Fact>
        <Fact name={words.finalized}>{finalizedAt && <Time value={finalizedAt} />}</Fact>
        <Fact name={words.paidAt}>{paidAt && <Time value={paidAt} />}</Fact>
        <Fact name={words.voided}>{voidedAt && <Time value={voidedAt} />}</Fact>
      </Facts>
    </JsonCard>
  )
}
