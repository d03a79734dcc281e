import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Customer, Invoice, InvoiceSchedule } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { downloadJson } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { Icon } from '../../parts/icons'
import { Reference } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Menu, MenuItem } from '../../parts/menu'
import { Money } from '../../parts/money'
import { toUnits } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { CasesCard } from '../cases/cases-card'
import { columnsOfCustomer } from '../invoices/columns'
import { scheduleColumns } from '../invoices/schedule-columns'
import { CustomerAccounts } from './customer-accounts'
import { EditDialog } from './customer-form'
import { EraseDialog } from './erase-dialog'
import { Statement } from './statement'
import { customerTexts } from './texts'
import { path } from './use-customers'

const words = customerTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<Customer>('customer', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[420]}>
      {(customer) => <CustomerPage customer={customer} />}
    </ResourcePage>
  )
}

function CustomerPage({ customer }: { customer: Customer }) {
  const { reference, name, erasedAt } = customer
  const [opened, setOpened] = useState<'edit' | 'erase' | null>(null)
  const close = () => setOpened(null)
  const mayChange = useMay('customers.change')
  useEffect(() => noteRecent({ path: `/customers/${reference}`, title: name }), [reference, name])
  return (
    <>
      <PageHead
        parent={{
          to: '/customers',
          label: customerTexts.title,
          current: <Reference value={reference} />,
        }}
        title={name}
        beside={erasedAt && <Chip>{customerTexts.erased}</Chip>}
        actions={
          mayChange &&
          erasedAt === null && (
            <>
              <Button onClick={() => setOpened('edit')}>{words.edit}</Button>
              <Button kind="primary" icon="plus" to={`/invoices/new?customer=${reference}`}>
                {words.newInvoice}
              </Button>
              <MoreMenu reference={reference} onErase={() => setOpened('erase')} />
            </>
          )
        }
      />
      {erasedAt && <Note tone="calm" icon="shield" title={words.erasedNote} />}
      <div className="with-aside">
        <div className="stack">
          <Invoices reference={reference} />
          <Schedules customer={customer} />
          <Statement reference={reference} />
        </div>
        <div className="stack">
          <CustomerFacts customer={customer} />
          <Credit customer={customer} />
          <CustomerAccounts customer={customer} />
          <CasesCard item={reference} />
        </div>
      </div>
      {opened === 'edit' && <EditDialog customer={customer} onClose={close} />}
      {opened === 'erase' && <EraseDialog customer={customer} onClose={close} />}
    </>
  )
}

function MoreMenu({ reference, onErase }: { reference: string; onErase: () => void }) {
  const mayExport = useMay('exports.make')
  const save = () =>
    downloadJson(`${path}/${reference}/export`, `${reference}.json`).catch((error: unknown) =>
      notify(toRefusal(error).sentence, 'bad'),
    )
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
      {mayExport && (
        <MenuItem icon="download" onClick={() => void save()}>
          {words.export}
        </MenuItem>
      )}
      <MenuItem icon="shield" onClick={onErase}>
        {words.erase}
      </MenuItem>
    </Menu>
  )
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const { email, phone, externalReference, createdAt, erasedAt } = customer
  return (
    <JsonCard title={words.about} value={customer} words={words}>
      <Facts>
        <Fact name={words.email}>{email}</Fact>
        <Fact name={words.phone}>{phone}</Fact>
        <Fact name={words.externalReference}>{externalReference}</Fact>
        <Fact name={words.created}>
          <Time value={createdAt} />
        </Fact>
        <Fact name={words.erasedAt}>{erasedAt && <Time value={erasedAt} />}</Fact>
      </Facts>
    </JsonCard>
  )
}

/** In naira, and in coins that it has. */
function Credit({ customer: { credit } }: { customer: Customer }) {
  const shown = credit.filter(({ asset, amount }) => asset === 'NGN' || toUnits(amount, asset) > 0n)
  return (
    <Card title={words.credit}>
      <Facts>
        {shown.map(({ asset, amount }) => (
          <Fact key={asset} name={asset}>
            <b>
              <Money amount={amount} asset={asset} />
            </b>
          </Fact>
        ))}
      </Facts>
      <p className="soft hint">{words.creditHint}</p>
    </Card>
  )
}

function Invoices({ reference }: { reference: string }) {
  const list = usePages<Invoice>('/v1/invoices', { customer: reference }, { limit: 10 })
  return (
    <Card
      title={words.invoices}
      aside={
        list.rows.length > 0 && (
          <Button size="small" to={`/invoices?customer=${reference}`}>
            {words.allInvoices}
          </Button>
        )
      }
    >
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

const columnsOfSchedules = scheduleColumns
  .filter(({ name }) => name !== 'customer')
  .map((column) => (column.name === 'rule' ? { ...column, phone: 1 as const } : column))

function Schedules({ customer: { reference, erasedAt } }: { customer: Customer }) {
  const path = '/v1/invoice-schedules'
  const list = usePages<InvoiceSchedule>(path, { customer: reference }, { limit: 5 })
  const mayChange = useMay('customers.change')
  return (
    <Card
      title={words.schedules}
      aside={
        <div className="row">
          {list.rows.length > 0 && (
            <Button size="small" to={`/invoices/schedules?customer=${reference}`}>
              {words.allSchedules}
            </Button>
          )}
          {mayChange && erasedAt === null && (
            <Button size="small" icon="plus" to={`/invoices/schedules/new?customer=${reference}`}>
              {words.newSchedule}
            </Button>
          )}
        </div>
      }
    >
      <DataTable
        caption={words.schedulesCaption}
        columns={columnsOfSchedules}
        list={list}
        keyOf={(schedule) => schedule.reference}
        pathOf={(schedule) => `/invoices/schedules/${schedule.reference}`}
        empty={<p className="soft hint">{words.noSchedules}</p>}
      />
    </Card>
  )
}
