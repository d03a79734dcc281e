import { splitTexts } from './texts'
import './split-rules.css'
import { type ReactNode, useState } from 'react'
import type { SplitRule } from '../../../../sdk/src/types'
import type { ApiRefusal } from '../../api/refusal'
import { Button } from '../../parts/button'
import { SelectField, TextField } from '../../parts/fields'
import { Form } from '../../parts/form'
import { Icon } from '../../parts/icons'
import type { Asset } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { Card, EmptyState } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { SubaccountField } from '../subaccounts/subaccount-field'
import { useSubaccounts } from '../subaccounts/use-subaccounts'
import { isDays, isPercent, type LineForm, newLine, toBody, typedLines } from './line-form'
import { PreviewCard, usePreview, useTried } from './preview'

const words = splitTexts.form
const linesMax = 20

type Props = {
  head: ReactNode
  /** The rule whose next version is typed; absent: a new rule. */
  rule?: SplitRule
  saveLabel: string
  isBusy: boolean
  refusal: ApiRefusal | null
  onSave: (body: object) => void
}

/** Name, asset and lines of a rule, and beside them what they make of a payment. */
export function RuleForm({ head, rule, saveLabel, isBusy, refusal, onSave }: Props) {
  const [name, setName] = useState('')
  const [asset, setAsset] = useState<Asset | null>(rule ? rule.asset : 'NGN')
  const [bearer, setBearer] = useState(rule?.feeBearer ?? 'merchant')
  const [lines, setLines] = useState<LineForm[]>(() => (rule ? typedLines(rule) : [newLine()]))
  const { items, isRead, error, retry } = useSubaccounts()
  const bodies = lines.map((line) => toBody(line, asset))
  const isComplete = bodies.every((body) => body !== null)
  const bearers = bearersOf(lines, items)
  // The line of the one who bore it may be gone.
  const feeBearer = bearer in bearers ? bearer : 'merchant'
  const tried = useTried(asset)
  const divided = usePreview(isComplete ? { feeBearer, lines: bodies } : null, tried)
  const issueOf = (field: string) =>
    refusal?.issueOf(field) ?? divided.refusal?.issueOf(`splits.${field}`)
  const change = (id: number, changed: Partial<LineForm>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...changed } : line)))
  const isReady = isComplete && (rule !== undefined || name.trim() !== '')
  const save = () => {
    const terms = { feeBearer, lines: bodies }
    onSave(rule ? terms : { name: name.trim(), asset, ...terms })
  }
  if (error)
    return (
      <>
        {head}
        <Card>
          <ErrorState error={error} retry={retry} />
        </Card>
      </>
    )
  if (isRead && items.length === 0)
    return (
      <>
        {head}
        <Card>
          <EmptyState
            icon="store"
            action={<Button to="/subaccounts">{words.toSubaccounts}</Button>}
          >
            {words.noSubaccounts}
          </EmptyState>
        </Card>
      </>
    )
  return (
    <Form
      onSubmit={() => {
        if (isReady) save()
      }}
    >
      {head}
      <div className="with-aside wide-aside">
        <div className="stack">
          <Card isPadded className="form">
            {!rule && (
              <div className="two-columns">
                <TextField
                  label={words.name}
                  placeholder={words.namePlaceholder}
                  maxLength={100}
                  value={name}
                  error={refusal?.issueOf('name')}
                  onChange={setName}
                />
                <SelectField
                  label={words.asset}
                  options={words.assets}
                  value={asset ?? 'any'}
                  onChange={(chosen) => {
                    setAsset(chosen === 'any' ? null : chosen)
                    setLines(lines.map((line) => ({ ...line, flat: null, min: null, max: null })))
                  }}
                />
              </div>
            )}
            <SelectField
              label={words.bearer}
              options={bearers}
              value={feeBearer}
              error={issueOf('feeBearer')}
              onChange={setBearer}
            />
          </Card>
          {lines.map((line, index) => (
            <Line
              key={line.id}
              line={line}
              index={index}
              asset={asset}
              issueOf={(field) => issueOf(`lines.${index}${field && `.${field}`}`)}
              onChange={(changed) => change(line.id, changed)}
              onUp={index === 0 ? undefined : () => setLines(moveUp(lines, index))}
              onRemove={
                lines.length === 1
                  ? undefined
                  : () => setLines(lines.filter(({ id }) => id !== line.id))
              }
            />
          ))}
          <div>
            <Button
              icon="plus"
              isDisabled={lines.length >= linesMax}
              onClick={() => setLines([...lines, newLine()])}
            >
              {words.addLine}
            </Button>
            {lines.length >= linesMax && <span className="soft small"> {words.linesMax}</span>}
          </div>
        </div>
        <div className="stack">
          <PreviewCard tried={tried} divided={divided} />
          <div className="sticky-actions">
            <Button
              type="submit"
              kind="primary"
              size="big"
              isWide
              isBusy={isBusy}
              isDisabled={!isReady}
            >
              {saveLabel}
            </Button>
          </div>
          <Refusal error={refusal} atFields={refusal?.details.map(({ field }) => field) ?? []} />
        </div>
      </div>
    </Form>
  )
}

function moveUp(lines: LineForm[], index: number): LineForm[] {
  const moved = [...lines]
  moved.splice(index - 1, 2, lines[index]!, lines[index - 1]!)
  return moved
}

/** Groups, and each sub-account of the lines. */
function bearersOf(
  lines: LineForm[],
  named: { reference: string; name: string }[],
): Record<string, string> {
  const chosen = lines.flatMap(({ subaccount }) => (subaccount === null ? [] : [subaccount]))
  return {
    ...splitTexts.bearers,
    ...Object.fromEntries(
      chosen.map((reference) => [
        reference,
        named.find((one) => one.reference === reference)?.name ?? reference,
      ]),
    ),
  }
}

type LineProps = {
  line: LineForm
  index: number
  asset: Asset | null
  /** What was refused at a field of the line; '' is the line itself. */
  issueOf: (field: string) => string | undefined
  onChange: (changed: Partial<LineForm>) => void
  onUp: (() => void) | undefined
  onRemove: (() => void) | undefined
}

function Line({ line, index, asset, issueOf, onChange, onUp, onRemove }: LineProps) {
  const { subaccount, kind, percent, flat, min, max, release, days, date } = line
  const [isOpen, setOpen] = useState(min !== null || max !== null || release !== 'now')
  const kinds = asset === null ? withoutFlat : words.kinds
  const hasBounds = kind !== 'remainder' && asset !== null
  return (
    <Card
      title={words.line(index + 1)}
      aside={
        <span className="row">
          {onUp && <LineButton icon="chevron" isUp label={words.up(index + 1)} onClick={onUp} />}
          {onRemove && (
            <LineButton icon="close" label={words.remove(index + 1)} onClick={onRemove} />
          )}
        </span>
      }
    >
      <div className="padded no-top-padding form">
        {issueOf('') && <p className="bad small">{issueOf('')}</p>}
        <SubaccountField
          label={words.who}
          value={subaccount}
          error={issueOf('subaccount')}
          onChange={(reference) => onChange({ subaccount: reference })}
        />
        <div className="two-columns">
          <SelectField
            label={words.kind}
            options={kinds}
            value={kind}
            error={issueOf('remainder')}
            onChange={(chosen) => onChange({ kind: chosen })}
          />
          {kind === 'percent' && (
            <TextField
              label={words.percent}
              unit="%"
              inputMode="decimal"
              autoComplete="off"
              value={percent}
              error={
                percent !== '' && !isPercent(percent) ? words.percentIssue : issueOf('percent')
              }
              onChange={(text) => onChange({ percent: text })}
            />
          )}
          {kind === 'flat' && asset !== null && (
            <MoneyInput
              key={asset}
              asset={asset}
              label={words.flat}
              value={flat}
              error={issueOf('flat')}
              onChange={(units) => onChange({ flat: units })}
            />
          )}
        </div>
        {!isOpen && (
          <button type="button" className="link small line-more" onClick={() => setOpen(true)}>
            {words.bounds}
          </button>
        )}
        {isOpen && hasBounds && (
          <div className="two-columns">
            <MoneyInput
              key={`min ${asset}`}
              asset={asset}
              label={words.min}
              value={min}
              error={issueOf('min')}
              onChange={(units) => onChange({ min: units })}
            />
            <MoneyInput
              key={`max ${asset}`}
              asset={asset}
              label={words.max}
              value={max}
              error={issueOf('max')}
              onChange={(units) => onChange({ max: units })}
            />
          </div>
        )}
        {isOpen && (
          <div className="two-columns">
            <SelectField
              label={words.release}
              options={words.releases}
              value={release}
              onChange={(chosen) => onChange({ release: chosen })}
            />
            {release === 'days' && (
              <TextField
                label={words.days}
                inputMode="numeric"
                value={days}
                error={isDays(days) ? issueOf('releaseAfterDays') : words.daysIssue}
                onChange={(text) => onChange({ days: text })}
              />
            )}
            {release === 'date' && (
              <TextField
                type="date"
                label={words.date}
                value={date}
                error={issueOf('releaseAt')}
                onChange={(text) => onChange({ date: text })}
              />
            )}
          </div>
        )}
      </div>
    </Card>
  )
}

const withoutFlat = {
  percent: words.kinds.percent,
  remainder: words.kinds.remainder,
} as typeof words.kinds

type LineButtonProps = {
  icon: 'chevron' | 'close'
  isUp?: boolean
  label: string
  onClick: () => void
}

function LineButton({ icon, isUp = false, label, onClick }: LineButtonProps) {
  return (
    <button
      type="button"
      className={isUp ? 'icon-button compact upwards' : 'icon-button compact'}
      aria-label={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
