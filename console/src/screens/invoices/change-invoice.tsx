import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Invoice } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { ResourcePage } from '../../frame/resource-page'
import { notify } from '../../parts/notify'
import { PageHead } from '../../parts/page'
import { typedDraft } from './draft-form'
import { InvoiceForm } from './invoice-form'
import { invoiceTexts } from './texts'

const words = invoiceTexts.form

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/invoices/${reference}`
  const read = useRead<Invoice>('invoice', path)
  return (
    <ResourcePage path={path} read={read} heights={[120, 300]} isWide>
      {(invoice) => <ChangeInvoice invoice={invoice} />}
    </ResourcePage>
  )
}

function ChangeInvoice({ invoice }: { invoice: Invoice }) {
  const { reference } = invoice
  // As it was when the form opened: a reload must not change what is being typed.
  const [before] = useState(() => typedDraft(invoice))
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Invoice>({
    method: 'PATCH',
    reads: ['invoice', 'pages'],
  })
  const save = async (body: object) => {
    if (!(await write(`/v1/invoices/${reference}`, body))) return
    void notify(words.changed)
    await navigate({ to: `/invoices/${reference}` })
  }
  return (
    <InvoiceForm
      head={
        <PageHead
          title={words.changeTitle}
          parent={{
            to: `/invoices/${reference}`,
            label: invoiceTexts.page.draftTitle,
            current: words.changeCrumb,
          }}
        />
      }
      before={before}
      isNew={false}
      isBusy={isBusy}
      refusal={refusal}
      onSave={(body) => void save(body)}
    />
  )
}
