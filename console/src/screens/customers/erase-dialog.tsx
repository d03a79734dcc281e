import { useState } from 'react'
import type { Customer } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { customerTexts } from './texts'
import { path } from './use-customers'

const words = customerTexts.eraseDialog

type Props = { customer: Customer; onClose: () => void }

/** Cannot be undone, so the user types the name. */
export function EraseDialog({ customer: { reference, name }, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const { write, isBusy, refusal } = useWrite<Customer>({
    method: 'DELETE',
    topics: ['payments'],
    reads: ['customer', 'customers'],
  })
  const erase = async () => {
    if (!(await write(`${path}/${reference}`))) return
    onClose()
    void notify(words.done)
  }
  return (
    <ConfirmDialog
      title={words.title(name)}
      confirmLabel={words.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={typed.trim() !== name}
      refusal={refusal}
      onConfirm={() => void erase()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <TextField
        label={words.type(name)}
        value={typed}
        autoComplete="off"
        isFirst
        onChange={setTyped}
      />
    </ConfirmDialog>
  )
}
