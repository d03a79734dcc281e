import './fields.css'
import { PasswordInput } from '@mantine/core'
import { type TypedProps, toInputProps } from './field-props'

export function PasswordField({ onChange, ...props }: TypedProps) {
  return (
    <PasswordInput
      {...toInputProps(props)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
