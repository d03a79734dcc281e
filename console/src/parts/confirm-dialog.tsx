import type { ReactNode } from 'react'
import { commonTexts } from '../texts/common'
import { Button } from './button'
import { Dialog } from './dialog'
import { Refusal } from './refusals'

type Props = {
  isOpen: boolean
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
export function ConfirmDialog({ isOpen, title, children, confirmLabel, ...props }: Props) {
  const { isDangerous, isBusy, isDisabled, refusal, atFields, onConfirm, onClose } = props
  return (
    <Dialog isOpen={isOpen} title={title} onClose={onClose}>
      <form
        className="stack"
        style={{ gap: 16 }}
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm()
        }}
      >
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
      </form>
    </Dialog>
  )
}
