import './fields.css'
import { Select } from '@mantine/core'
import { type FieldProps, toInputProps } from './field-props'

type Props = FieldProps & {
  options: { value: string; label: string }[]
  value: string | null
  onChange: (value: string) => void
  /** What is typed to find an option, so that options which are not loaded can be. */
  onSearch?: (typed: string) => void
  /** The server has found the options: their labels may not contain what was typed. */
  isFound?: boolean
  placeholder?: string
  /** Shown if no option has such a name. */
  noneFound: string
}

/** One of many, found by typing a part of its name. */
export function SearchSelect({ options, onChange, onSearch, isFound, noneFound, ...props }: Props) {
  const { value, placeholder, ...field } = props
  return (
    <Select
      {...toInputProps(field)}
      {...(placeholder !== undefined && { placeholder })}
      {...(onSearch && { onSearchChange: onSearch })}
      {...(isFound && { filter: ({ options: found }) => found })}
      searchable
      allowDeselect={false}
      data={options}
      nothingFoundMessage={noneFound}
      value={value}
      onChange={(chosen) => {
        if (chosen !== null) onChange(chosen)
      }}
    />
  )
}
