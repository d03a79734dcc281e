import type { ReactNode } from 'react'
import { settingsLimits } from '../../../../src/merchants/limits'
import { Button } from '../../parts/button'
import { RadioField, Switch } from '../../parts/choices'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { assets, type Controls, isEmptyLimit, useEndpoints, type VelocityLimit } from './controls'
import { settingTexts } from './texts'

const words = settingTexts.controls

type Props = {
  controls: Controls
  change: (controls: Controls) => void
  isDisabled: boolean
  issueOf: (field: string) => string | undefined
}

/** What payouts pass besides the limits. */
export function ControlFields(props: Props) {
  return (
    <section className="form" aria-labelledby="controls">
      <div>
        <h3 id="controls">{words.title}</h3>
        <p className="soft small">{words.intro}</p>
      </div>
      <CallbackFields {...props} />
      <VelocityFields {...props} />
      <DuplicateFields {...props} />
      <RecipientFields {...props} />
    </section>
  )
}

/** Fields of the refusal that are shown here. */
export function fieldsOf({ velocity }: Controls): string[] {
  const limits = (velocity ?? []).flatMap((_, index) =>
    ['amount', 'count'].map((name) => `velocity.${index}.${name}`),
  )
  const cooling = assets.map((asset) => `recipients.coolingOff.above.${asset}`)
  return [
    'callback.url',
    'callback.signedBy',
    'callback.retryMinutes',
    'duplicates.minutes',
    'recipients.coolingOff.hours',
    ...cooling,
    ...limits,
  ].map((name) => `controls.${name}`)
}

type ControlProps = {
  label: string
  description: string
  isOn: boolean
  isDisabled: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}

/** A control that is off, or has fields. */
function Control({ children, ...toggle }: ControlProps) {
  return (
    <div className="control form">
      <Switch {...toggle} />
      {toggle.isOn && (
        <fieldset className="plain form">
          <legend className="hidden">{toggle.label}</legend>
          {children}
        </fieldset>
      )}
    </div>
  )
}

type NumberProps = {
  label: string
  description?: string
  value: number | null
  isDisabled: boolean
  error: string | undefined
  maxLength: number
  onChange: (value: number | null) => void
}

/** A whole number; null while nothing is typed. */
function NumberField({ value, onChange, ...rest }: NumberProps) {
  return (
    <TextField
      {...rest}
      inputMode="numeric"
      autoComplete="off"
      value={value === null || value === 0 ? '' : String(value)}
      onChange={(typed) => {
        const digits = typed.replaceAll(/\D/g, '')
        onChange(digits === '' ? null : Number(digits))
      }}
    />
  )
}

function CallbackFields({ controls, change, isDisabled, issueOf }: Props) {
  const { callback } = controls
  const endpoints = useEndpoints()
  const [first = ''] = Object.keys(endpoints)
  const set = (changed: Partial<NonNullable<Controls['callback']>>) =>
    change({ ...controls, callback: { ...callback!, ...changed } })
  const fresh = { url: '', signedBy: first, retryMinutes: 60 }
  const signedBy = callback?.signedBy ?? ''
  return (
    <Control
      label={words.names.callback}
      description={words.callbackHint}
      isOn={callback !== null}
      isDisabled={isDisabled}
      onChange={(isOn) => change({ ...controls, callback: isOn ? fresh : null })}
    >
      <TextField
        label={words.url}
        description={words.urlHint}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={callback?.url ?? ''}
        isDisabled={isDisabled}
        error={issueOf('controls.callback.url')}
        onChange={(url) => set({ url: url.trim() })}
      />
      <div className="two-columns">
        <SelectField
          label={words.signedBy}
          description={first || isDisabled ? words.signedByHint : words.noEndpoint}
          options={{ ...(signedBy && { [signedBy]: signedBy }), ...endpoints }}
          value={signedBy || null}
          isDisabled={isDisabled}
          error={issueOf('controls.callback.signedBy')}
          onChange={(chosen) => set({ signedBy: chosen })}
        />
        <NumberField
          label={words.retryMinutes}
          description={words.retryMinutesHint}
          value={callback?.retryMinutes ?? null}
          isDisabled={isDisabled}
          maxLength={4}
          error={issueOf('controls.callback.retryMinutes')}
          onChange={(retryMinutes) => set({ retryMinutes: retryMinutes ?? 0 })}
        />
      </div>
    </Control>
  )
}

const newLimit: VelocityLimit = {
  per: 'recipient',
  window: 'day',
  currency: 'NGN',
  amount: null,
  count: null,
  above: 'approve',
}

function VelocityFields({ controls, change, isDisabled, issueOf }: Props) {
  const limits = controls.velocity ?? []
  const set = (velocity: VelocityLimit[]) =>
    change({ ...controls, velocity: velocity.length === 0 ? null : velocity })
  return (
    <Control
      label={words.names.velocity}
      description={words.velocityHint}
      isOn={limits.length > 0}
      isDisabled={isDisabled}
      onChange={(isOn) => set(isOn ? [newLimit] : [])}
    >
      {limits.map((limit, index) => (
        <LimitFields
          // biome-ignore lint/suspicious/noArrayIndexKey: limits have no name; fields keep no text
          key={index}
          number={index + 1}
          limit={limit}
          isDisabled={isDisabled}
          issueOf={(name) => issueOf(`controls.velocity.${index}.${name}`)}
          set={(changed) =>
            set(limits.map((other, at) => (at === index ? { ...other, ...changed } : other)))
          }
          remove={() => set(limits.filter((_, at) => at !== index))}
        />
      ))}
      {!isDisabled && limits.length < settingsLimits.velocityLimitsMax && (
        <div>
          <Button icon="plus" size="small" onClick={() => set([...limits, newLimit])}>
            {words.addLimit}
          </Button>
        </div>
      )}
    </Control>
  )
}

type LimitProps = {
  number: number
  limit: VelocityLimit
  isDisabled: boolean
  issueOf: (name: string) => string | undefined
  set: (changed: Partial<VelocityLimit>) => void
  remove: () => void
}

function LimitFields({ number, limit, isDisabled, issueOf, set, remove }: LimitProps) {
  const { per, window, currency, amount, count, above } = limit
  return (
    <fieldset className="plain velocity-limit">
      <legend className="bold">{words.limit(number)}</legend>
      <div className="three-columns">
        <SelectField
          label={words.perLabel}
          options={words.per}
          value={per}
          isDisabled={isDisabled}
          onChange={(chosen) => set({ per: chosen })}
        />
        <SelectField
          label={words.window}
          options={words.windows}
          value={window}
          isDisabled={isDisabled}
          onChange={(chosen) => set({ window: chosen })}
        />
        <SelectField
          label={words.currency}
          options={words.currencies}
          value={currency}
          isDisabled={isDisabled}
          onChange={(chosen) => set({ currency: chosen, amount: null })}
        />
        <AmountField
          asset={currency}
          label={words.amount}
          amount={amount}
          isDisabled={isDisabled}
          error={issueOf('amount') ?? (isEmptyLimit(limit) ? words.emptyLimit : undefined)}
          onChange={(changed) => set({ amount: changed })}
        />
        <NumberField
          label={words.count}
          value={count}
          isDisabled={isDisabled}
          maxLength={7}
          error={issueOf('count')}
          onChange={(changed) => set({ count: changed })}
        />
        <SelectField
          label={words.aboveLabel}
          options={words.above}
          value={above}
          isDisabled={isDisabled}
          onChange={(chosen) => set({ above: chosen })}
        />
      </div>
      {!isDisabled && (
        <p style={{ marginTop: 10 }}>
          <Button size="small" kind="danger" label={words.removeLimit(number)} onClick={remove}>
            {words.remove}
          </Button>
        </p>
      )}
    </fieldset>
  )
}

type AmountProps = {
  asset: Asset
  label: string
  description?: string
  amount: number | string | null
  isDisabled: boolean
  error: string | undefined
  onChange: (amount: number | string | null) => void
}

/** An amount as the rule writes it; null if it is empty. */
function AmountField({ asset, amount, onChange, ...rest }: AmountProps) {
  return (
    <MoneyInput
      key={asset}
      asset={asset}
      {...rest}
      value={amount === null ? null : toUnits(amount, asset)}
      onChange={(units) => onChange(units === null || units === 0n ? null : toWire(units, asset))}
    />
  )
}

function DuplicateFields({ controls, change, isDisabled, issueOf }: Props) {
  const { duplicates } = controls
  const set = (changed: Partial<NonNullable<Controls['duplicates']>>) =>
    change({ ...controls, duplicates: { ...duplicates!, ...changed } })
  const fresh = { minutes: 60, requires: 'confirmation' } as const
  return (
    <Control
      label={words.names.duplicates}
      description={words.duplicatesHint}
      isOn={duplicates !== null}
      isDisabled={isDisabled}
      onChange={(isOn) => change({ ...controls, duplicates: isOn ? fresh : null })}
    >
      <div className="two-columns">
        <NumberField
          label={words.minutes}
          value={duplicates?.minutes ?? null}
          isDisabled={isDisabled}
          maxLength={5}
          error={issueOf('controls.duplicates.minutes')}
          onChange={(minutes) => set({ minutes: minutes ?? 0 })}
        />
        <RadioField
          label={words.requiresLabel}
          value={duplicates?.requires}
          onChange={(requires) => set({ requires })}
          choices={(['confirmation', 'approval'] as const).map((value) => ({
            value,
            label: words.requires[value],
            isDisabled,
          }))}
        />
      </div>
    </Control>
  )
}

type Recipients = NonNullable<Controls['recipients']>

const newRecipients: Recipients = { onlySaved: true, approveFirst: false, coolingOff: null }
const newCoolingOff = { hours: 24, above: { NGN: null, USDC: null, USDT: null } }

function RecipientFields({ controls, change, isDisabled, issueOf }: Props) {
  const { recipients } = controls
  const { onlySaved, approveFirst, coolingOff } = recipients ?? newRecipients
  const set = (changed: Partial<Recipients>) =>
    change({ ...controls, recipients: { ...recipients!, ...changed } })
  const setCooling = (changed: Partial<NonNullable<Recipients['coolingOff']>>) =>
    set({ coolingOff: { ...coolingOff!, ...changed } })
  return (
    <Control
      label={words.names.recipients}
      description={words.recipientsHint}
      isOn={recipients !== null}
      isDisabled={isDisabled}
      onChange={(isOn) => change({ ...controls, recipients: isOn ? newRecipients : null })}
    >
      <Switch
        label={words.onlySaved}
        isOn={onlySaved}
        isDisabled={isDisabled}
        onChange={(isOn) => set({ onlySaved: isOn })}
      />
      <Switch
        label={words.approveFirst}
        isOn={approveFirst}
        isDisabled={isDisabled}
        onChange={(isOn) => set({ approveFirst: isOn })}
      />
      <Switch
        label={words.coolingOff}
        description={words.coolingOffHint}
        isOn={coolingOff !== null}
        isDisabled={isDisabled}
        onChange={(isOn) => set({ coolingOff: isOn ? newCoolingOff : null })}
      />
      {coolingOff && (
        <div className="two-columns">
          <NumberField
            label={words.hours}
            description={words.hoursHint}
            value={coolingOff.hours}
            isDisabled={isDisabled}
            maxLength={3}
            error={issueOf('controls.recipients.coolingOff.hours')}
            onChange={(hours) => setCooling({ hours: hours ?? 0 })}
          />
          {assets.map((asset) => (
            <AmountField
              key={asset}
              asset={asset}
              label={words.coolingAbove(words.currencies[asset])}
              description={words.anyAmount}
              amount={coolingOff.above[asset]}
              isDisabled={isDisabled}
              error={issueOf(`controls.recipients.coolingOff.above.${asset}`)}
              onChange={(amount) =>
                setCooling({
                  above: { ...coolingOff.above, [asset]: amount } as typeof coolingOff.above,
                })
              }
            />
          ))}
        </div>
      )}
    </Control>
  )
}
