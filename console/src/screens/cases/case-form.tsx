import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Case } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import type { ApiRefusal } from '../../api/refusal'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextArea, TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import type { Member } from '../team/member'
import { changes, path } from './case'
import { lastDayOf } from './deadline'
import { caseTexts } from './texts'

const words = caseTexts.form
const fields = ['kind', 'title', 'description', 'externalReference', 'deadline', 'assignee']

type CaseForm = {
  kind: Case['kind']
  title: string
  description: string
  externalReference: string
  /** A day in Lagos, or empty. */
  deadline: string
  /** Identifies a member, or empty. */
  assignee: string
}

/** What a case says, and until when and by whom it is worked on. */
const formOf = (shown?: Case): CaseForm => ({
  kind: shown?.kind ?? 'COMPLAINT',
  title: shown?.title ?? '',
  description: shown?.description ?? '',
  externalReference: shown?.externalReference ?? '',
  deadline: shown?.deadline ? lastDayOf(shown.deadline) : '',
  assignee: shown?.assignee?.id ?? '',
})

const trimmed = (form: CaseForm): CaseForm => ({
  ...form,
  title: form.title.trim(),
  description: form.description.trim(),
  externalReference: form.externalReference.trim(),
})

type NewProps = {
  /** The payment, payout, recipient or customer that it is about. */
  item?: string
  onClose: () => void
}

export function NewCase({ item, onClose }: NewProps) {
  const navigate = useNavigate()
  const [form, setForm] = useState(formOf)
  const { write, isBusy, refusal } = useWrite<Case>(changes)
  const open = async () => {
    const given = Object.entries(trimmed(form)).filter(([, value]) => value !== '')
    const body = { ...Object.fromEntries(given), ...(item && { items: [item] }) }
    const opened = await write(path, body)
    if (!opened) return
    void notify(words.opened)
    const { reference } = opened
    await navigate({ to: '/cases/$reference', params: { reference } as never })
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={form.title.trim() === ''}
      refusal={refusal}
      atFields={fields}
      onConfirm={() => void open()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <CaseFields form={form} refusal={refusal} onChange={setForm} />
    </ConfirmDialog>
  )
}

export function EditCase({ shown, onClose }: { shown: Case; onClose: () => void }) {
  // As it was when the dialog opened: only what the user changes is sent.
  const [before] = useState(() => formOf(shown))
  const [form, setForm] = useState(before)
  const { write, isBusy, refusal } = useWrite<Case>({ ...changes, method: 'PATCH' })
  const given = Object.entries(trimmed(form)).filter(
    ([name, value]) => value !== before[name as keyof CaseForm],
  )
  const save = async () => {
    const body = Object.fromEntries(given.map(([name, value]) => [name, value || null]))
    if (!(await write(`${path}/${shown.reference}`, body))) return
    onClose()
    void notify(words.saved)
  }
  return (
    <ConfirmDialog
      title={words.editTitle}
      confirmLabel={words.save}
      isBusy={isBusy}
      isDisabled={form.title.trim() === '' || given.length === 0}
      refusal={refusal}
      atFields={fields}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <CaseFields form={form} refusal={refusal} onChange={setForm} />
    </ConfirmDialog>
  )
}

type FieldsProps = {
  form: CaseForm
  refusal: ApiRefusal | null
  onChange: (form: CaseForm) => void
}

function CaseFields({ form, refusal, onChange }: FieldsProps) {
  const team = useRead<{ items: Member[] }>('team', '/v1/team/users').data
  const members = (team?.items ?? []).filter(({ isDisabled }) => !isDisabled)
  const field = <Name extends keyof CaseForm>(name: Name) => ({
    value: form[name],
    error: refusal?.issueOf(name),
    onChange: (value: CaseForm[Name]) => onChange({ ...form, [name]: value }),
  })
  return (
    <>
      <SelectField label={words.kind} options={caseTexts.kinds} {...field('kind')} />
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        maxLength={200}
        isFirst
        {...field('title')}
      />
      <TextArea label={words.description} maxLength={2_000} {...field('description')} />
      <TextField
        label={words.external}
        description={words.externalHint}
        maxLength={100}
        {...field('externalReference')}
      />
      <TextField
        type="date"
        label={words.deadline}
        description={words.deadlineHint}
        {...field('deadline')}
      />
      <SelectField
        label={words.assignee}
        placeholder={words.nobody}
        options={Object.fromEntries(members.map(({ id, name }) => [id, name]))}
        {...field('assignee')}
        value={form.assignee || null}
        hasClearButton
        onClear={() => onChange({ ...form, assignee: '' })}
      />
    </>
  )
}
