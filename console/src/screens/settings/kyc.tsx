import { useState } from 'react'
import type { KycForm } from '../../api/answers'
import { useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Form } from '../../parts/form'
import { notify } from '../../parts/notify'
import { Card, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Chip, type Tone } from '../../parts/status'
import { Time } from '../../parts/time'
import { WhenRead } from '../../parts/when-read'
import { statusWords } from '../../texts/status'
import { Documents, type KycDocument } from './kyc-documents'
import { BusinessFields, ContactFields, PeopleFields } from './kyc-fields'
import { SettingsPage } from './settings-page'
import { settingTexts } from './texts'

const words = settingTexts.kyc

type Kyc = {
  status: keyof typeof statusWords.kyc
  isEditable: boolean
  form: KycForm
  /** Fields and documents that a submission needs. */
  missing: string[]
  documents: KycDocument[]
  decisions: { outcome: keyof typeof words.outcomes; note: string | null; createdAt: string }[]
  updatedAt: string | null
  submittedAt: string | null
}

const tones: Record<Kyc['status'], Tone> = {
  NONE: 'calm',
  DRAFT: 'calm',
  SUBMITTED: 'brand',
  MORE_NEEDED: 'warn',
  APPROVED: 'good',
  REJECTED: 'bad',
}

export function Screen() {
  const kyc = useRead<Kyc>('kyc', '/v1/kyc')
  return (
    <SettingsPage tab="kyc">
      <WhenRead read={kyc}>{(data) => <KycPage kyc={data} />}</WhenRead>
    </SettingsPage>
  )
}

function KycPage({ kyc }: { kyc: Kyc }) {
  const { status, isEditable, documents, missing } = kyc
  const [typed, setTyped] = useState<KycForm | null>(null)
  const [isSubmitting, setSubmitting] = useState(false)
  const save = useWrite({ method: 'PATCH', reads: ['kyc'] })
  const submit = useWrite({ reads: ['kyc'] })
  const form = typed ?? kyc.form
  const isChanged = JSON.stringify(form) !== JSON.stringify(kyc.form)

  async function saveDraft() {
    if ((await save.write('/v1/kyc', { form })) === undefined) return
    setTyped(null)
    void notify(words.saved)
  }

  async function confirmSubmit() {
    if ((await submit.write('/v1/kyc/submit')) === undefined) return
    setSubmitting(false)
    void notify(words.submitted)
  }

  const fields = {
    form,
    change: setTyped,
    isDisabled: !isEditable,
    issueOf: (field: string) => save.refusal?.issueOf(`form.${field}`),
    isMissing: (field: string) => isEditable && kyc.updatedAt !== null && missing.includes(field),
  }
  return (
    <div className="with-aside kyc">
      <div className="stack">
        <Form onSubmit={() => void saveDraft()}>
          <BusinessFields {...fields} />
          <ContactFields {...fields} />
          <PeopleFields {...fields} />
          <Refusal error={save.refusal} />
          {isEditable && (
            <div className="row wrap">
              <Button type="submit" kind="primary" isBusy={save.isBusy} isDisabled={!isChanged}>
                {words.save}
              </Button>
              {isChanged && <span className="soft small">{settingTexts.unsaved}</span>}
            </div>
          )}
        </Form>
        <Documents documents={documents} isEditable={isEditable} missing={missing} />
      </div>
      <div className="stack aside">
        <Card title={settingTexts.tabs.kyc} aside={<State status={status} />} layout="form">
          <p className="soft">{words.stateTexts[status]}</p>
          {isEditable && (
            <>
              <p className="bold">
                {missing.length === 0 ? words.nothingMissing : words.missing(missing.length)}
              </p>
              <Button
                kind="primary"
                isDisabled={missing.length > 0 || isChanged}
                onClick={() => setSubmitting(true)}
              >
                {words.submit}
              </Button>
              {isChanged && <p className="soft small">{words.saveFirst}</p>}
            </>
          )}
        </Card>
        <History kyc={kyc} />
      </div>
      {isSubmitting && (
        <ConfirmDialog
          title={words.submitTitle}
          confirmLabel={words.submit}
          isBusy={submit.isBusy}
          refusal={submit.refusal}
          onConfirm={() => void confirmSubmit()}
          onClose={() => setSubmitting(false)}
        >
          <p className="soft">{words.submitText}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function State({ status }: Pick<Kyc, 'status'>) {
  return <Chip tone={tones[status]}>{statusWords.kyc[status]}</Chip>
}

function History({ kyc: { decisions, status } }: { kyc: Kyc }) {
  const [latest, ...earlier] = decisions
  if (!latest) return null
  const asks = status === 'MORE_NEEDED' || status === 'REJECTED'
  return (
    <Card title={words.history} layout="form">
      <Note
        tone={asks ? 'warn' : 'calm'}
        icon={asks ? 'alert' : 'check'}
        title={words.outcomes[latest.outcome]}
      >
        {latest.note && <p>{latest.note}</p>}
        <p className="soft small">
          <Time value={latest.createdAt} />
        </p>
      </Note>
      {earlier.map(({ outcome, note, createdAt }) => (
        <p key={createdAt} className="small">
          <span className="bold">{words.outcomes[outcome]}</span> {note}{' '}
          <span className="soft">
            <Time value={createdAt} />
          </span>
        </p>
      ))}
    </Card>
  )
}
