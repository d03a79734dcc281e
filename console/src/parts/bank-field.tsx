import './fields.css'
import { type ComboboxItem, type OptionsFilter, Select } from '@mantine/core'
import type { Bank } from '../../../sdk/src/types'
import { type FieldProps, toInputProps } from './field-props'

type Props = FieldProps & {
  banks: Bank[]
  value: string | null
  onChange: (code: string | null) => void
  placeholder?: string
  /** Shown if no bank has such a name. */
  noneFound: string
}

/** Common names of banks whose full name does not contain them. */
const shortNames: Record<string, string> = {
  '058': 'gtb gtbank gtco',
  '033': 'uba',
  '214': 'fcmb',
  '011': 'fbn firstbank',
  '221': 'stanbic ibtc',
  '057': 'zenith',
  '044': 'access diamond',
  '070': 'fidelity',
  '032': 'union ubn',
  '035': 'wema alat',
  '076': 'polaris skye',
  '050': 'eco',
  '068': 'scb standard chartered',
}

/** Chooses a bank by its name, a short name such as GTB, or its code. */
export function BankField({ banks, value, onChange, noneFound, ...props }: Props) {
  return (
    <Select
      {...toInputProps(props)}
      searchable
      data={banks.map(({ code, name }) => ({ value: code, label: name }))}
      filter={findBanks}
      nothingFoundMessage={noneFound}
      value={value}
      onChange={onChange}
    />
  )
}

const findBanks: OptionsFilter = ({ options, search }) => {
  const typed = search.trim().toLowerCase()
  return (options as ComboboxItem[]).filter(({ value, label }) => {
    const names = `${label} ${initialsOf(label)} ${shortNames[value] ?? ''}`.toLowerCase()
    return names.includes(typed) || value.startsWith(typed)
  })
}

/** `United Bank for Africa` → `uba`. */
const initialsOf = (name: string) => (name.match(/\b[A-Z]/g) ?? []).join('')
