import { type ReactNode, useState } from 'react'
import type { Customer } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { SearchSelect } from '../../parts/search-select'
import { useSettled } from '../../parts/use-settled'
import { customerTexts } from './texts'
import { path, useCustomer, useCustomers } from './use-customers'

const words = customerTexts.field

type Props = {
  label: ReactNode
  value: string | null
  onChange: (reference: string) => void
  error?: ReactNode
}

/** Chooses a customer by name. Of many, only the newest are loaded; others are searched for. */
export function CustomerField(props: Props) {
  const [typed, setTyped] = useState('')
  const { items, hasMore } = useCustomers()
  const chosen = useCustomer(props.value)
  const searched = useSettled(typed.trim())
  const found = useRead<Page<Customer>>(
    'customers',
    path,
    { q: searched, limit: 20 },
    { isEnabled: hasMore && searched !== '' },
  ).data
  const all = new Map(
    [chosen, ...items, ...(found?.items ?? [])].flatMap((one) =>
      one ? [[one.reference, one]] : [],
    ),
  )
  const options = [...all.values()]
    .filter(({ reference, erasedAt }) => reference === props.value || erasedAt === null)
    .map((one) => ({ value: one.reference, label: labelOf(one) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  return (
    <SearchSelect
      {...props}
      options={options}
      placeholder={words.placeholder}
      noneFound={words.noneFound}
      onSearch={setTyped}
    />
  )
}

const labelOf = ({ name, email, externalReference }: Customer) =>
  [name, email ?? externalReference].filter(Boolean).join(' · ')
