import { type ReactNode, useState } from 'react'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextArea } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { operatorTexts as t } from './texts'

type Props = {
  title: string
  text: string
  confirmLabel: string
  path: string
  /** The field of the body that the words go to. */
  field?: 'reason' | 'note' | 'evidence'
  label?: string
  hint?: string
  isOptional?: boolean
  isDangerous?: boolean
  /** Names of reads that fetch again. */
  reads: string[]
  /** What the message at the end says. */
  done: string
  /** Further fields of the body. */
  body?: Record<string, unknown>
  isIncomplete?: boolean
  onDone?: (data: unknown) => void
  onClose: () => void
  children?: ReactNode
}

/** A short form with a reason that is kept. */
export function ReasonDialog(props: Props) {
  const { title, text, confirmLabel, path, field = 'reason', reads, done, body = {} } = props
  const { label = t.reason, hint = t.reasonHint, isOptional = false, isDangerous = false } = props
  const [words, setWords] = useState('')
  const { write, isBusy, refusal } = useWrite({
    reads: [...reads, 'queues', 'pages'],
    isKeyed: false,
  })
  const isEmpty = words.trim() === ''
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      isDangerous={isDangerous}
      isBusy={isBusy}
      isDisabled={(isEmpty && !isOptional) || (props.isIncomplete ?? false)}
      refusal={refusal}
      onClose={props.onClose}
      onConfirm={async () => {
        const given = isEmpty ? {} : { [field]: words.trim() }
        const data = await write(path, { ...body, ...given })
        if (data === undefined) return
        void notify(done)
        props.onDone?.(data)
        props.onClose()
      }}
    >
      <p className="soft">{text}</p>
      {props.children}
      <TextArea
        label={label}
        description={hint}
        value={words}
        maxLength={500}
        onChange={setWords}
      />
    </ConfirmDialog>
  )
}
