import { useState } from 'react'
import type { Recipient } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { SearchSelect } from '../../parts/search-select'
import { useSettled } from '../../parts/use-settled'
import { payoutTexts } from '../payouts/texts'
import { nameOf, placeOf } from './describe'

const words = payoutTexts.form
const path = '/v1/recipients'
/** Recipients that the choice offers; others are found by typing. */
const shownMax = 50

type Props = {
  kind: Recipient['kind']
  /** The account or wallet of the form. */
  place: Record<string, string>
  onChange: (recipient: Recipient) => void
}

/** Fills the form with a saved recipient. Merchants who saved none have no choice. */
export function RecipientField({ kind, place, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Recipient[]>([])
  const q = useSettled(typed.trim())
  const active = { kind, status: 'ACTIVE', limit: shownMax }
  const newest = useRead<Page<Recipient>>('recipients', path, active).data?.items ?? []
  const search = useRead<Page<Recipient>>('recipients', path, { ...active, q }, { isEnabled: !!q })
  if (newest.length === 0) return null
  const known = [...newest, ...(search.data?.items ?? []), ...chosen]
  const options = new Map(known.map((saved) => [saved.reference, saved]))
  const shown = known.find((saved) => isAt(saved, place))
  return (
    <SearchSelect
      label={words.savedRecipient}
      placeholder={words.savedPlaceholder}
      noneFound={words.noRecipient}
      options={[...options.values()].map((saved) => ({
        value: saved.reference,
        label: `${nameOf(saved)} · ${placeOf(saved)}`,
      }))}
      value={shown?.reference ?? null}
      onSearch={setTyped}
      onChange={(reference) => {
        const recipient = options.get(reference)!
        setChosen([recipient])
        onChange(recipient)
      }}
    />
  )
}

function isAt(
  { kind, bankCode, accountNumber, address }: Recipient,
  place: Record<string, string>,
): boolean {
  return kind === 'wallet'
    ? address === place.address
    : bankCode === place.bankCode && accountNumber === place.accountNumber
}
