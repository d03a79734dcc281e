import type { ReactNode } from 'react'
import { commonTexts } from '../texts/common'
import { Button } from './button'
import { Dialog } from './dialog'
import { Form } from './form'
import { Refusal } from './refusals'

type Props = {
  title: string
  children?: ReactNode
  confirmLabel: string
  isDangerous?: boolean
  isBusy?: boolean
  isDisabled?: boolean
  /** Why the last try was refused. */
  refusal?: unknown
  /** Fields inside that show their own issues. */
  atFields?: string[]
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone. Also a frame for short forms. */
export function ConfirmDialog({ title, children, confirmLabel, ...props }: Props) {
  const { isDangerous, isBusy, isDisabled, refusal, atFields, onConfirm, onClose } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <Form gap={16} onSubmit={onConfirm}>
        {children}
        <Refusal error={refusal} {...(atFields && { atFields })} />
        <div className="actions-end">
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button
            type="submit"
            kind={isDangerous ? 'danger-primary' : 'primary'}
            isBusy={isBusy}
            isDisabled={isDisabled}
          >
            {confirmLabel}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
