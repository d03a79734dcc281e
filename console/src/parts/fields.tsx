import './fields.css'
import { Select, Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core'
import { type FieldProps, type TypedProps, toInputProps } from './field-props'
import { type OptionList, toOptions } from './options'

const describedBelow: TextInputProps['inputWrapperOrder'] = [
  'label',
  'input',
  'description',
  'error',
]

type TextFieldProps = TypedProps & {
  /** Before what is typed, such as `₦`. */
  prefix?: string | undefined
  /** Behind what is typed, such as `USDC`. */
  unit?: string | undefined
  /** The description is below the field, where long forms have less important ones. */
  isDescribedBelow?: boolean
}

export function TextField({ prefix, unit, isDescribedBelow, onChange, ...props }: TextFieldProps) {
  return (
    <TextInput
      {...toInputProps(props)}
      leftSection={prefix}
      {...(unit && {
        rightSection: <span className="soft small">{unit}</span>,
        rightSectionWidth: 56,
      })}
      {...(isDescribedBelow && { inputWrapperOrder: describedBelow })}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

type TextAreaProps = Omit<TypedProps, 'type' | 'onBlur'> & Pick<TextareaProps, 'rows'>

/** Grows with its text unless it has a number of rows. */
export function TextArea({ rows, onChange, ...props }: TextAreaProps) {
  return (
    <Textarea
      {...toInputProps(props)}
      {...(rows === undefined ? { autosize: true, minRows: 2 } : { rows })}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

type SelectFieldProps<Value extends string> = FieldProps & {
  options: OptionList<Value>
  labels?: Record<Value, string>
  value: Value | null
  onChange: (value: Value) => void
  /** Called when the user chooses nothing. Absent if something must be chosen. */
  onClear?: () => void
  hasClearButton?: boolean
  placeholder?: string
  /** Inside a popover, which would close if its options were elsewhere in the page. */
  isInPopover?: boolean
  /** The description is below the field. */
  isDescribedBelow?: boolean
}

export function SelectField<Value extends string>({
  options,
  labels,
  value,
  onChange,
  onClear,
  hasClearButton,
  isInPopover,
  isDescribedBelow,
  ...props
}: SelectFieldProps<Value>) {
  return (
    <Select
      {...toInputProps(props)}
      data={toOptions(options, labels)}
      value={value}
      allowDeselect={onClear !== undefined}
      clearable={hasClearButton ?? false}
      {...(isInPopover && { comboboxProps: { withinPortal: false } })}
      {...(isDescribedBelow && { inputWrapperOrder: describedBelow })}
      onChange={(chosen) => (chosen === null ? onClear?.() : onChange(chosen as Value))}
    />
  )
}
