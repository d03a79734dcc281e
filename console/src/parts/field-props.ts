import type { TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'

export type FieldProps = {
  /** Above the field. Without one, `name` is read to users who do not see the page. */
  label?: ReactNode
  name?: string
  description?: ReactNode
  error?: ReactNode
  isDisabled?: boolean | undefined
  /** The first field of a dialog that gets the focus when it opens. */
  isFirst?: boolean
}

/** Of a field that takes text. */
export type TypedProps = FieldProps & {
  value: string
  onChange: (typed: string) => void
} & Pick<
    TextInputProps,
    | 'autoComplete'
    | 'autoFocus'
    | 'inputMode'
    | 'maxLength'
    | 'placeholder'
    | 'spellCheck'
    | 'type'
    | 'onBlur'
  >

/** What every field of Mantine takes. */
export const toInputProps = ({ name, isDisabled, isFirst, ...rest }: FieldProps) => ({
  ...rest,
  'aria-label': name,
  disabled: isDisabled ?? false,
  'data-autofocus': isFirst || undefined,
})
