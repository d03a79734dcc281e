import { type ReactNode, useState } from 'react'
import type { Subaccount } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { SearchSelect } from '../../parts/search-select'
import { useSettled } from '../../parts/use-settled'
import { subaccountTexts } from './texts'
import { path, useSubaccount, useSubaccounts } from './use-subaccounts'

const words = subaccountTexts.field

type Props = {
  label: ReactNode
  description?: ReactNode
  value: string | null
  onChange: (reference: string) => void
  error?: ReactNode
  /** An option before the sub-accounts, such as the balance of the merchant. */
  first?: { value: string; label: string }
  /** Which ones can be chosen; by default those that are not closed. */
  isFit?: (subaccount: Subaccount) => boolean
  isFirst?: boolean
}

const isNotClosed = ({ status }: Subaccount) => status !== 'CLOSED'

/**
 * Chooses a sub-account by its name. Of many, only the newest are loaded; others are found by
 * their reference, or by the merchant's own reference for them.
 */
export function SubaccountField({ first, isFit = isNotClosed, ...props }: Props) {
  const { value } = props
  const [typed, setTyped] = useState('')
  const { items, hasMore } = useSubaccounts()
  const chosen = useSubaccount(value === first?.value ? null : value)
  const found = useFound(useSettled(typed.trim()), hasMore)
  const all = new Map(
    [chosen, ...items, ...found].flatMap((one) => (one ? [[one.reference, one]] : [])),
  )
  const options = [...all.values()]
    .filter((one) => one.reference === value || isFit(one))
    .map((one) => ({ value: one.reference, label: labelOf(one) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  return (
    <SearchSelect
      {...props}
      options={first ? [first, ...options] : options}
      placeholder={words.placeholder}
      noneFound={hasMore ? words.noneOfMany : words.noneFound}
      onSearch={setTyped}
    />
  )
}

const labelOf = ({ name, externalReference }: Subaccount) =>
  externalReference ? `${name} · ${externalReference}` : name

/** Sub-accounts that are not loaded, by exactly what is typed. */
function useFound(typed: string, isNeeded: boolean): Subaccount[] {
  const isReference = /^sub_\w+$/.test(typed)
  const named = useRead<Subaccount>(
    'subaccount',
    `${path}/${typed}`,
    {},
    { isEnabled: isNeeded && isReference, mayBeMissing: true },
  ).data
  const own = useRead<Page<Subaccount>>(
    'subaccounts',
    path,
    { externalReference: typed, limit: 1 },
    { isEnabled: isNeeded && typed !== '' && !isReference },
  ).data
  return [...(named ? [named] : []), ...(own?.items ?? [])]
}
