import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { InvoiceSchedule } from '../../../../sdk/src/types'
import { invoiceLimits } from '../../../../src/customers/limits'
import { useWrite } from '../../api/writes'
import { SelectField, TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Card, PageHead } from '../../parts/page'
import { formatDay, formatLongDay } from '../../parts/time-format'
import { commonTexts } from '../../texts/common'
import { newDraft } from './draft-form'
import { DraftEditor, partsOf } from './invoice-form'
import { scheduleContent } from './paper'
import {
  dueAfterDaysOf,
  everyOf,
  firstOf,
  isMadeNow,
  newTerms,
  type TermsForm,
  toScheduleBody,
} from './schedule-terms'
import { scheduleTexts } from './schedule-texts'

const words = scheduleTexts.form
const daysOfMonth = Array.from({ length: 31 }, (_, index) => String(index + 1))

export function Screen() {
  const { customer = null } = useSearch({ strict: false }) as { customer?: string }
  const [draft, setDraft] = useState(() => newDraft(customer))
  const [terms, setTerms] = useState(newTerms)
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<InvoiceSchedule>({ reads: ['pages'] })
  const parts = partsOf(draft, setDraft, refusal)
  const save = async (body: object) => {
    const made = await write('/v1/invoice-schedules', body)
    if (!made) return
    void notify(words.created)
    await navigate({ to: `/invoices/schedules/${made.reference}` })
  }
  return (
    <DraftEditor
      head={
        <PageHead
          title={words.title}
          parent={{ to: '/invoices/schedules', label: scheduleTexts.title, current: words.crumb }}
        />
      }
      parts={parts}
      isNew
      body={toScheduleBody(draft, terms)}
      content={scheduleContent(draft)}
      saveLabel={words.save}
      isBusy={isBusy}
      refusal={refusal}
      onSave={(body) => void save(body)}
    >
      <Terms
        terms={terms}
        change={(changed) => setTerms({ ...terms, ...changed })}
        issueOf={parts.issueOf}
      />
    </DraftEditor>
  )
}

type TermsProps = {
  terms: TermsForm
  change: (changed: Partial<TermsForm>) => void
  issueOf: (field: string) => string | undefined
}

function Terms({ terms, change, issueOf }: TermsProps) {
  const { frequency, startsOn, endsOn } = terms
  const first = firstOf(terms)
  const endsTooSoon = endsOn !== '' && first !== null && endsOn < first
  return (
    <Card title={words.terms} layout="form">
      <div className="two-columns">
        <SelectField
          label={words.frequency}
          options={words.frequencies}
          value={frequency}
          onChange={(chosen) => change({ frequency: chosen })}
        />
        <TextField
          label={words.every[frequency]}
          inputMode="numeric"
          autoComplete="off"
          value={terms.every}
          error={
            everyOf(terms) === null
              ? words.everyIssue(invoiceLimits.scheduleIntervalMax)
              : issueOf('every')
          }
          onChange={(every) => change({ every })}
        />
      </div>
      <div className="two-columns">
        {frequency === 'monthly' ? (
          <SelectField
            label={words.day}
            description={Number(terms.day) > 28 ? words.dayHint : undefined}
            isDescribedBelow
            options={daysOfMonth}
            value={terms.day}
            error={issueOf('day')}
            onChange={(day) => change({ day })}
          />
        ) : (
          <SelectField
            label={words.weekday}
            options={commonTexts.weekdays}
            value={terms.weekday}
            error={issueOf('weekday')}
            onChange={(weekday) => change({ weekday })}
          />
        )}
        <TextField
          label={words.dueAfterDays}
          unit={words.days}
          inputMode="numeric"
          autoComplete="off"
          value={terms.dueAfterDays}
          error={
            dueAfterDaysOf(terms) === null
              ? words.daysIssue(invoiceLimits.scheduleDueAfterDaysMax)
              : issueOf('dueAfterDays')
          }
          onChange={(dueAfterDays) => change({ dueAfterDays })}
        />
      </div>
      <div className="two-columns">
        <TextField
          type="date"
          label={words.startsOn}
          value={startsOn}
          error={issueOf('startsOn')}
          onChange={(date) => change({ startsOn: date })}
        />
        <TextField
          type="date"
          label={words.endsOn}
          description={words.endsHint}
          isDescribedBelow
          value={endsOn}
          error={endsTooSoon ? words.endsIssue(formatDay(first)) : issueOf('endsOn')}
          onChange={(date) => change({ endsOn: date })}
        />
      </div>
      <div role="status">
        {first && <p>{isMadeNow(first) ? words.firstNow : words.first(formatLongDay(first))}</p>}
      </div>
      <p className="soft small">{words.final}</p>
    </Card>
  )
}
