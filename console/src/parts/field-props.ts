import type { TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'

export type FieldProps = {
  label?: ReactNode
  /** For screen readers, where the place of the field says what it is. */
  hiddenLabel?: string
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
export const toInputProps = ({ hiddenLabel, isDisabled, isFirst, ...rest }: FieldProps) => ({
  ...rest,
  'aria-label': hiddenLabel,
  disabled: isDisabled ?? false,
  'data-autofocus': isFirst || undefined,
})
