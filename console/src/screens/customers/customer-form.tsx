import { useState } from 'react'
import type { Customer } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { customerTexts } from './texts'
import { path } from './use-customers'

const words = customerTexts.form

const fields = ['name', 'email', 'phone', 'externalReference'] as const
type Typed = Record<(typeof fields)[number], string>

const emptyForm: Typed = { name: '', email: '', phone: '', externalReference: '' }

function typedOf({ name, email, phone, externalReference }: Customer): Typed {
  return {
    name,
    email: email ?? '',
    phone: phone ?? '',
    externalReference: externalReference ?? '',
  }
}

/** Empty fields are null; those that did not change are left out. */
function bodyOf(typed: Typed, before: Typed): Record<string, string | null> {
  const changed = fields.filter((name) => typed[name].trim() !== before[name])
  return Object.fromEntries(changed.map((name) => [name, typed[name].trim() || null]))
}

type CreateProps = { onClose: () => void; onCreated: (created: Customer) => void }

export function CreateDialog({ onClose, onCreated }: CreateProps) {
  const { write, ...writing } = useWrite<Customer>({
    topics: ['payments'],
    reads: ['customers'],
    isKeyed: false,
  })
  return (
    <FormDialog
      title={words.createTitle}
      confirmLabel={words.create}
      before={emptyForm}
      writing={writing}
      onClose={onClose}
      onConfirm={async (body) => {
        const created = await write(path, body)
        if (!created) return
        onClose()
        void notify(words.created(created.name))
        onCreated(created)
      }}
    />
  )
}

type EditProps = { customer: Customer; onClose: () => void }

export function EditDialog({ customer, onClose }: EditProps) {
  // As it was when the dialog opened: a reload must not change what is being typed.
  const [before] = useState(() => typedOf(customer))
  const { write, ...writing } = useWrite<Customer>({
    method: 'PATCH',
    topics: ['payments'],
    reads: ['customer', 'customers'],
  })
  return (
    <FormDialog
      title={words.editTitle(customer.name)}
      confirmLabel={words.save}
      before={before}
      writing={writing}
      onClose={onClose}
      onConfirm={async (body) => {
        if (!(await write(`${path}/${customer.reference}`, body))) return
        onClose()
        void notify(words.saved)
      }}
    />
  )
}

type FormProps = {
  title: string
  confirmLabel: string
  before: Typed
  writing: Pick<ReturnType<typeof useWrite>, 'isBusy' | 'refusal'>
  onClose: () => void
  onConfirm: (body: object) => Promise<void>
}

function FormDialog({ title, confirmLabel, before, writing, onClose, onConfirm }: FormProps) {
  const [typed, setTyped] = useState(before)
  const { isBusy, refusal } = writing
  const body = bodyOf(typed, before)
  const field = (name: keyof Typed) => ({
    label: words[name],
    value: typed[name],
    error: refusal?.issueOf(name),
    autoComplete: 'off',
    maxLength: name === 'email' ? 254 : 100,
    onChange: (text: string) => setTyped({ ...typed, [name]: text }),
  })
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      isBusy={isBusy}
      isDisabled={typed.name.trim() === '' || Object.keys(body).length === 0}
      refusal={refusal}
      atFields={[...fields]}
      onConfirm={() => void onConfirm(body)}
      onClose={onClose}
    >
      <TextField isFirst {...field('name')} />
      <TextField inputMode="email" description={words.emailHint} {...field('email')} />
      <div className="two-columns">
        <TextField inputMode="tel" placeholder="+2348012345678" {...field('phone')} />
        <TextField placeholder="customer-77" {...field('externalReference')} />
      </div>
    </ConfirmDialog>
  )
}
