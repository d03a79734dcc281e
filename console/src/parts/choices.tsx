import './fields.css'
import {
  Checkbox as MantineCheckbox,
  Radio as MantineRadio,
  Switch as MantineSwitch,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { type FieldProps, toInputProps } from './field-props'
import { toOptions } from './options'

type ToggleProps = FieldProps & {
  isOn: boolean
  /** Absent if it only shows what is so. */
  onChange?: (isOn: boolean) => void
}

export function Switch({ isOn, onChange, ...props }: ToggleProps) {
  return (
    <MantineSwitch
      {...toInputProps(props)}
      checked={isOn}
      onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
    />
  )
}

type CheckboxProps = ToggleProps & {
  /** Below one that contains it. */
  isNested?: boolean
}

export function Checkbox({ isOn, onChange, isNested, ...props }: CheckboxProps) {
  return (
    <MantineCheckbox
      {...toInputProps(props)}
      {...(isNested && { className: 'nested-checkbox', size: 'xs' })}
      checked={isOn}
      onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
    />
  )
}

type CheckboxListProps<Value extends string> = {
  hiddenLabel: string
  options: Record<Value, string>
  values: Value[]
  onChange: (values: Value[]) => void
  error?: ReactNode
}

/** Several of many. */
export function CheckboxList<Value extends string>(props: CheckboxListProps<Value>) {
  const { hiddenLabel, options, values, onChange, error } = props
  return (
    <MantineCheckbox.Group
      aria-label={hiddenLabel}
      value={values}
      error={error}
      onChange={(chosen) => onChange(chosen as Value[])}
    >
      <div className="checkbox-list">
        {toOptions(options).map(({ value, label }) => (
          <MantineCheckbox key={value} value={value} label={label} />
        ))}
      </div>
    </MantineCheckbox.Group>
  )
}

type Choice<Value extends string> = {
  value: Value
  label: string
  description?: string
  isDisabled?: boolean
}

type RadioFieldProps<Value extends string> = {
  label: string
  choices: Choice<Value>[]
  value: Value | undefined
  onChange: (value: Value) => void
  /** Beside each other: short labels without descriptions. */
  isRow?: boolean
}

/** One of a few, each with its description. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const { label, choices, value, onChange, isRow } = props
  return (
    <MantineRadio.Group
      label={label}
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen as Value)}
    >
      <div className={isRow ? 'radio-row' : 'radio-stack'}>
        {choices.map(({ isDisabled = false, ...choice }) => (
          <MantineRadio key={choice.value} {...choice} disabled={isDisabled} />
        ))}
      </div>
    </MantineRadio.Group>
  )
}
