import { useEffect, useState } from 'react'
import type { Settings } from '../../../../sdk/src/types'
import type { SettingChange } from '../../api/answers'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { RadioField } from '../../parts/choices'
import { Form } from '../../parts/form'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { WhenRead } from '../../parts/when-read'
import { ApproverList, useApprovers } from '../payouts/approvers'
import { payoutTexts } from '../payouts/texts'
import { ControlFields, fieldsOf } from './control-fields'
import {
  type Approvals,
  assets,
  compareRules,
  isEmptyLimit,
  type Limits,
  noControls,
  useEndpoints,
  withoutEmpty,
} from './controls'
import { settingTexts } from './texts'

const words = payoutTexts.rule
const controlWords = settingTexts.controls

/** Which payouts wait for a second member. */
export function ApprovalRule() {
  const read = useRead<Settings>('settings', '/v1/settings')
  const { data: changes } = useRead<{ items: SettingChange[] }>(
    'setting changes',
    '/v1/settings/changes',
  )
  const [waiting] = changes?.items ?? []
  return (
    <WhenRead read={read}>
      {({ approvals }) => (
        <>
          {waiting && <Waiting change={waiting} />}
          <RuleForm key={JSON.stringify(approvals)} saved={approvals} />
        </>
      )}
    </WhenRead>
  )
}

const reads = ['settings', 'setting changes', 'attention']

function RuleForm({ saved }: { saved: Approvals }) {
  const [rule, setRule] = useState(saved)
  const mayChange = useMay('approvals.change')
  const { write, isBusy, refusal, clear } = useWrite<{ change: SettingChange | null }>({
    method: 'PATCH',
    reads,
  })
  useEffect(() => setRule(saved), [saved])
  /** What was refused is not what the form says any more. */
  const change = (changed: Approvals) => {
    setRule(changed)
    clear()
  }
  const isChanged = JSON.stringify(withoutEmpty(rule)) !== JSON.stringify(withoutEmpty(saved))
  const controls = rule.controls ?? noControls
  const isComplete = !controls.velocity?.some(isEmptyLimit)
  // The check of a callback's address names the field as webhook endpoints do.
  const issueOf = (field: string) =>
    refusal?.issueOf(field) ??
    (field === 'controls.callback.url' ? refusal?.issueOf('url') : undefined)
  const set = (asset: Asset, field: 'each' | 'perDay', units: bigint | null) => {
    const before = rule[asset] as Limits
    const value = units === null || units === 0n ? null : toWire(units, asset)
    const next = { each: before?.each ?? null, perDay: before?.perDay ?? null, [field]: value }
    // A limit per day alone means that every single payout below it passes.
    const each = next.each ?? next.perDay
    change({ ...rule, [asset]: each === null ? null : { ...next, each } } as Approvals)
  }
  const save = async () => {
    const answer = await write('/v1/settings/approvals', withoutEmpty(rule))
    if (answer) await notify(answer.change ? words.proposed : words.saved)
  }
  return (
    <Card title={words.title}>
      <Form className="padded no-top-padding form" onSubmit={() => void save()}>
        <p className="soft">{words.intro}</p>
        {assets.map((asset) => {
          const limits = rule[asset] as Limits
          return (
            <fieldset key={asset} className="two-columns plain">
              <legend className="hidden">{words.assets[asset]}</legend>
              {(['each', 'perDay'] as const).map((field) => {
                const amount = limits?.[field] ?? null
                return (
                  <MoneyInput
                    key={field}
                    asset={asset}
                    label={`${words.assets[asset]}: ${words[field]}`}
                    description={words.off}
                    value={amount === null ? null : toUnits(amount, asset)}
                    isDisabled={!mayChange}
                    error={issueOf(`${asset}.${field}`)}
                    onChange={(units) => set(asset, field, units)}
                  />
                )
              })}
            </fieldset>
          )
        })}
        <RadioField
          label={words.appliesTo}
          value={rule.appliesTo}
          onChange={(appliesTo) => change({ ...rule, appliesTo })}
          choices={[
            { value: 'console', label: words.console, isDisabled: !mayChange },
            {
              value: 'all',
              label: words.all,
              description: words.allHint,
              isDisabled: !mayChange,
            },
          ]}
        />
        <ControlFields
          controls={controls}
          change={(changed) => change({ ...rule, controls: changed })}
          isDisabled={!mayChange}
          issueOf={issueOf}
        />
        <Refusal error={refusal} atFields={['url', ...fieldsOf(controls)]} />
        {mayChange ? (
          <div>
            <Button
              type="submit"
              kind="primary"
              icon="finger"
              isBusy={isBusy}
              isDisabled={!isChanged || !isComplete}
            >
              {words.save}
            </Button>
          </div>
        ) : (
          <p className="soft small">{words.mayNot}</p>
        )}
      </Form>
    </Card>
  )
}

/** A looser rule: another member than the one who proposed it confirms it. */
function Waiting({ change }: { change: SettingChange }) {
  const mayCancel = useMay('settings.change')
  const { own } = useApprovers(change.confirmers)
  const endpoints = useEndpoints()
  const confirming = useWrite({ reads })
  const cancelling = useWrite({ method: 'DELETE', reads })
  const confirm = async () => {
    const answer = await confirming.write(`/v1/settings/changes/${change.id}/confirm`)
    if (answer !== undefined) await notify(words.saved)
  }
  const cancel = async () => {
    const answer = await cancelling.write(`/v1/settings/changes/${change.id}`)
    if (answer !== undefined) await notify(words.cancelled)
  }
  return (
    <Note tone="warn" icon="shield" title={words.waits(change.proposedBy.name)}>
      <p>{words.waitsText}</p>
      <dl className="rule-changes">
        {compareRules(change.before, change.approvals, endpoints).map(({ name, before, after }) => (
          <div key={name}>
            <dt className="bold">{name}</dt>
            <dd>
              {controlWords.now}: {before}
              <br />
              {controlWords.afterwards}: {after}
            </dd>
          </div>
        ))}
      </dl>
      <ApproverList approvers={change.confirmers ?? []} verb="confirm" />
      <Refusal error={confirming.refusal ?? cancelling.refusal} />
      {mayCancel && (
        <div className="row" style={{ marginTop: 10 }}>
          {own?.mayNow && (
            <Button
              size="small"
              kind="primary"
              icon="finger"
              isBusy={confirming.isBusy}
              onClick={() => void confirm()}
            >
              {words.confirm}
            </Button>
          )}
          <Button size="small" isBusy={cancelling.isBusy} onClick={() => void cancel()}>
            {words.decline}
          </Button>
        </div>
      )}
    </Note>
  )
}
