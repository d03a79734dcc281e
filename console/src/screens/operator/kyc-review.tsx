import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Kyc, KycForm, KycStatus, OneMerchant } from '../../api/answers'
import { useRead } from '../../api/reads'
import { Button } from '../../parts/button'
import { Card, EmptyState, Fact, Facts, ListItem, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorPage } from '../../parts/refusals'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { ReasonDialog } from './reason-dialog'
import { operatorTexts as t } from './texts'
import './operator.css'

type Outcome = 'approve' | 'ask' | 'reject'

/** What can be decided in each state, as the server allows it. */
const decidable: Record<Outcome, KycStatus[]> = {
  approve: ['SUBMITTED', 'MORE_NEEDED', 'REJECTED'],
  ask: ['SUBMITTED', 'REJECTED'],
  reject: ['SUBMITTED', 'MORE_NEEDED'],
}

const outcomes: Outcome[] = ['reject', 'ask', 'approve']

export function Screen() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data: kyc, error, refetch } = useRead<Kyc>('kyc', `/operator/v1/kyc/${id}`)
  const { data: merchant } = useRead<OneMerchant>('merchant', `/operator/v1/merchants/${id}`)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  if (error) return <ErrorPage error={error} retry={() => void refetch()} />
  if (!kyc)
    return (
      <Card>
        <SkeletonRows />
      </Card>
    )
  const name = merchant?.name ?? ''
  return (
    <>
      <PageHead
        title={name}
        parent={{ to: '/operator/kyc', label: t.kyc.title, current: name }}
        beside={
          <Status of="kyc" value={kyc.status} tone={kyc.status === 'APPROVED' ? 'good' : 'brand'} />
        }
        actions={outcomes
          .filter((one) => decidable[one].includes(kyc.status))
          .map((one) => (
            <Button
              key={one}
              kind={one === 'approve' ? 'primary' : one === 'reject' ? 'danger' : 'plain'}
              onClick={() => setOutcome(one)}
            >
              {t.kyc[one]}
            </Button>
          ))}
      />
      <div className="with-aside">
        <Stated form={kyc.form} />
        <div className="stack">
          <Documents id={id} kyc={kyc} />
          <History kyc={kyc} />
        </div>
      </div>
      {outcome && (
        <ReasonDialog
          title={t.kyc.titleOf[outcome](name)}
          text={t.kyc.textOf[outcome]}
          confirmLabel={t.kyc[outcome]}
          path={`/operator/v1/kyc/${id}/${outcome}`}
          field="note"
          label={t.kyc.noteFor[outcome]}
          hint={t.kyc.noteHint}
          isOptional={outcome === 'approve'}
          isDangerous={outcome === 'reject'}
          reads={['kyc', 'merchant']}
          done={t.kyc.decidedText[outcome]}
          onClose={() => setOutcome(null)}
        />
      )}
    </>
  )
}

/** `legalName` → `Legal name`. */
function labelOf(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return field === 'bvn' ? 'BVN' : words.charAt(0).toUpperCase() + words.slice(1)
}

function Fields({ values }: { values: Record<string, string | number | null> }) {
  return (
    <Facts>
      {Object.entries(values).map(([field, value]) => (
        <Fact key={field} name={labelOf(field)}>
          {value === null ? <span className="soft">{t.kyc.empty}</span> : String(value)}
        </Fact>
      ))}
    </Facts>
  )
}

function Stated({ form }: { form: KycForm }) {
  return (
    <div className="stack">
      <Card title={t.kyc.business}>
        <Fields values={form.business} />
      </Card>
      <Card title={t.kyc.contact}>
        <Fields values={form.contact} />
      </Card>
      {form.people.map((person, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: people have no other name
        <Card key={at} title={person.name ?? t.kyc.people}>
          <Fields values={person} />
        </Card>
      ))}
    </div>
  )
}

function Documents({ id, kyc }: { id: string; kyc: Kyc }) {
  return (
    <Card title={t.kyc.documents}>
      {kyc.documents.length === 0 ? (
        <EmptyState icon="file">{t.kyc.noDocuments}</EmptyState>
      ) : (
        <ul className="list">
          {kyc.documents.map(({ reference, name, kind, sizeBytes }) => (
            <ListItem
              key={reference}
              title={<span className="no-wrap">{name}</span>}
              text={`${kind} · ${Math.ceil(sizeBytes / 1_024)} kB`}
            >
              <a
                className="button small"
                href={`/operator/v1/kyc/${id}/documents/${reference}`}
                download={name}
              >
                {t.kyc.download}
              </a>
            </ListItem>
          ))}
        </ul>
      )}
      <p className="soft small padded">{t.kyc.audited}</p>
    </Card>
  )
}

function History({ kyc: { decisions, submittedAt } }: { kyc: Kyc }) {
  return (
    <Card title={t.kyc.history}>
      {decisions.length === 0 && !submittedAt && <p className="soft padded">{t.kyc.noHistory}</p>}
      <ul className="list">
        {decisions.map(({ outcome, note, decidedBy, createdAt }) => (
          <li key={createdAt}>
            <div className="text">
              <p className="bold">{t.kyc.decidedText[outcome]}</p>
              {note && <p>{note}</p>}
              <p className="soft small">
                {decidedBy}, <Time value={createdAt} />
              </p>
            </div>
          </li>
        ))}
        {submittedAt && <ListItem title={t.kyc.submitted} text={<Time value={submittedAt} />} />}
      </ul>
    </Card>
  )
}
