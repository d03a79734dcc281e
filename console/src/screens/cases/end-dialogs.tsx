import { useState } from 'react'
import type { Case } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { RadioField } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextArea } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { changes, path } from './case'
import { caseTexts } from './texts'

type Props = { reference: string; onClose: () => void }
type Outcome = NonNullable<Case['outcome']>

const outcomes = Object.entries(caseTexts.outcomes).map(([value, label]) => ({
  value: value as Outcome,
  label,
}))

/** With how it ended. */
export function CloseCase({ reference, onClose }: Props) {
  const words = caseTexts.closeDialog
  const [outcome, setOutcome] = useState<Outcome>()
  const [typed, setTyped] = useState('')
  const { write, isBusy, refusal } = useWrite<Case>(changes)
  const outcomeNote = typed.trim()
  const close = async () => {
    const body = { outcome, ...(outcomeNote && { outcomeNote }) }
    if (!(await write(`${path}/${reference}/close`, body))) return
    onClose()
    void notify(words.done)
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={outcome === undefined || (outcome === 'OTHER' && outcomeNote === '')}
      refusal={refusal}
      atFields={['outcomeNote']}
      onConfirm={() => void close()}
      onClose={onClose}
    >
      <RadioField label={words.outcome} choices={outcomes} value={outcome} onChange={setOutcome} />
      <TextArea
        label={outcome === 'OTHER' ? words.note : words.optional}
        maxLength={500}
        value={typed}
        error={refusal?.issueOf('outcomeNote')}
        onChange={setTyped}
      />
      <p className="soft small">{words.text}</p>
    </ConfirmDialog>
  )
}

export function ReopenCase({ reference, onClose }: Props) {
  const words = caseTexts.reopenDialog
  const { write, isBusy, refusal } = useWrite<Case>(changes)
  const reopen = async () => {
    if (!(await write(`${path}/${reference}/reopen`))) return
    onClose()
    void notify(words.done)
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void reopen()}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </ConfirmDialog>
  )
}
