import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Invoice } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { notify } from '../../parts/notify'
import { PageHead } from '../../parts/page'
import { newDraft } from './draft-form'
import { InvoiceForm } from './invoice-form'
import { invoiceTexts } from './texts'

const words = invoiceTexts.form

export function Screen() {
  const { customer = null } = useSearch({ strict: false }) as { customer?: string }
  const [before] = useState(() => newDraft(customer))
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Invoice>({ reads: ['pages', 'invoice counts'] })
  const save = async (body: object) => {
    const made = await write('/v1/invoices', body)
    if (!made) return
    void notify(words.created)
    await navigate({ to: `/invoices/${made.reference}` })
  }
  return (
    <InvoiceForm
      head={
        <PageHead
          title={words.newTitle}
          parent={{ to: '/invoices', label: invoiceTexts.title, current: words.newCrumb }}
        />
      }
      before={before}
      isNew
      isBusy={isBusy}
      refusal={refusal}
      onSave={(body) => void save(body)}
    />
  )
}
