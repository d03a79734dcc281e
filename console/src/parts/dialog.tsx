import { commonTexts } from '../texts/common'
import './dialog.css'
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: ReactNode
  onClose: () => void
  /** Above other dialogs. */
  isOnTop?: boolean
  /** A click beside it, or Esc, must not lose what it shows: only its own button closes it. */
  isSticky?: boolean
  children: ReactNode
}

/** Mantine's own head would be a second banner of the page. */
export function Dialog({ title, onClose, children, ...props }: Props) {
  const { isOnTop = false, isSticky = false } = props
  return (
    <Modal.Root
      opened
      onClose={onClose}
      centered
      closeOnClickOutside={!isSticky}
      closeOnEscape={!isSticky}
      {...(isOnTop && { zIndex: 400 })}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className="dialog-head">
          <Modal.Title>{title}</Modal.Title>
          {!isSticky && <Modal.CloseButton aria-label={commonTexts.close} />}
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
