import { useQueryClient } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, withQuery } from '../../api/call'
import { toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choices'
import { TextArea, TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Card } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { useSettled } from '../../parts/use-settled'
import { WhenRead } from '../../parts/when-read'
import { type FieldsOf, type Settings, SettingsForm, useSettings } from './settings-form'
import { SettingsPage } from './settings-page'
import { shrinkPicture } from './shrink-picture'
import { settingTexts } from './texts'

const words = settingTexts.checkout

/** As typed: empty texts stand for what is not set. */
type Look = {
  displayName: string
  colour: string
  supportEmail: string
  supportPhone: string
  showCustomer: boolean
  returnAutomatically: boolean
  frameOrigins: string
  receipts: boolean
  testAddresses: string
}

export function Screen() {
  const maySee = useMay('settings.see')
  const settings = useSettings()
  if (!maySee) return <Navigate to="/settings/bank-accounts" replace />
  return (
    <SettingsPage tab="checkout">
      <WhenRead read={settings}>{(data) => <CheckoutForm settings={data} />}</WhenRead>
    </SettingsPage>
  )
}

function CheckoutForm({ settings }: { settings: Settings }) {
  const { checkout, mails } = settings
  return (
    <SettingsForm<Look>
      saved={{
        displayName: checkout.displayName,
        colour: checkout.colour ?? '',
        supportEmail: checkout.supportEmail ?? '',
        supportPhone: checkout.supportPhone ?? '',
        showCustomer: checkout.showCustomer,
        returnAutomatically: checkout.returnAutomatically,
        frameOrigins: checkout.frameOrigins.join('\n'),
        receipts: mails.receipts,
        testAddresses: mails.testAddresses.join('\n'),
      }}
      toPatch={(look) => ({
        checkout: {
          displayName: look.displayName,
          colour: look.colour.trim() || null,
          supportEmail: look.supportEmail.trim() || null,
          supportPhone: look.supportPhone.replaceAll(' ', '') || null,
          showCustomer: look.showCustomer,
          returnAutomatically: look.returnAutomatically,
          frameOrigins: look.frameOrigins.split(/\s+/).filter(Boolean),
        },
        mails: {
          receipts: look.receipts,
          testAddresses: look.testAddresses.split(/\s+/).filter(Boolean),
        },
      })}
      atFields={[...Object.keys(checkout).map((name) => `checkout.${name}`), 'mails.testAddresses']}
    >
      {(form) => (
        <div className="with-aside wide-aside">
          <div className="stack">
            <LookCard form={form} logo={checkout.logo} />
            <HelpCard form={form} />
            <BehaviourCard form={form} />
            <MailsCard form={form} />
          </div>
          <Preview look={form.fields} logo={checkout.logo} />
        </div>
      )}
    </SettingsForm>
  )
}

type CardProps = { form: FieldsOf<Look> }

function LookCard({ form, logo }: CardProps & { logo: string | null }) {
  const { fields, change, isDisabled, issueOf } = form
  return (
    <Card title={words.look} layout="form">
      <TextField
        label={words.displayName}
        value={fields.displayName}
        isDisabled={isDisabled}
        maxLength={100}
        error={issueOf('checkout.displayName')}
        onChange={(displayName) => change({ displayName })}
      />
      <div className="row colour">
        <TextField
          label={words.colour}
          description={words.colourHint}
          value={fields.colour}
          isDisabled={isDisabled}
          maxLength={7}
          error={issueOf('checkout.colour')}
          onChange={(colour) => change({ colour })}
        />
        <input
          type="color"
          aria-label={words.colourPick}
          value={isColour(fields.colour) ? fields.colour : '#8a5a12'}
          disabled={isDisabled}
          onChange={({ currentTarget }) => change({ colour: currentTarget.value })}
        />
        {fields.colour !== '' && !isDisabled && (
          <Button size="small" onClick={() => change({ colour: '' })}>
            {words.noColour}
          </Button>
        )}
      </div>
      <Logo logo={logo} isDisabled={isDisabled} />
    </Card>
  )
}

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** Saved at once: the preview shows what is saved. */
function Logo({ logo, isDisabled }: { logo: string | null; isDisabled: boolean }) {
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  async function run(change: () => Promise<unknown>) {
    setBusy(true)
    setError(null)
    try {
      await change()
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === 'settings' })
      void notify(words.logoSaved)
    } catch (refused) {
      setError(toRefusal(refused))
    } finally {
      setBusy(false)
    }
  }

  const upload = (file: File) =>
    run(async () => {
      const small = await shrinkPicture(file)
      if (!small) throw new Error(words.logoUnreadable)
      await call('/v1/settings/logo', { method: 'POST', body: small })
    })
  const remove = () =>
    run(() => call('/v1/settings', { method: 'PATCH', body: { checkout: { logo: null } } }))

  return (
    <fieldset className="plain">
      <legend className="bold">{words.logo}</legend>
      <p className="soft small">{words.logoHint}</p>
      <div className="row wrap" style={{ marginTop: 8 }}>
        {logo && <img className="picture" src={logo} alt={words.logo} width={44} height={44} />}
        <Button
          size="small"
          isBusy={isBusy}
          isDisabled={isDisabled}
          onClick={() => input.current?.click()}
        >
          {logo ? words.logoReplace : words.logoPick}
        </Button>
        {logo && (
          <Button size="small" isBusy={isBusy} isDisabled={isDisabled} onClick={remove}>
            {words.logoRemove}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp"
          aria-label={words.logoPick}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            currentTarget.value = ''
            if (file) void upload(file)
          }}
        />
      </div>
      <Refusal error={error} />
    </fieldset>
  )
}

function HelpCard({ form: { fields, change, isDisabled, issueOf } }: CardProps) {
  return (
    <Card title={words.help} layout="two-columns">
      <TextField
        label={words.supportEmail}
        type="email"
        value={fields.supportEmail}
        isDisabled={isDisabled}
        error={issueOf('checkout.supportEmail')}
        onChange={(supportEmail) => change({ supportEmail })}
      />
      <TextField
        label={words.supportPhone}
        type="tel"
        value={fields.supportPhone}
        isDisabled={isDisabled}
        error={issueOf('checkout.supportPhone')}
        onChange={(supportPhone) => change({ supportPhone })}
      />
    </Card>
  )
}

function BehaviourCard({ form: { fields, change, isDisabled, issueOf } }: CardProps) {
  return (
    <Card title={words.behaviour} layout="form">
      <Switch
        label={words.showCustomer}
        description={words.showCustomerHint}
        isOn={fields.showCustomer}
        isDisabled={isDisabled}
        onChange={(showCustomer) => change({ showCustomer })}
      />
      <Switch
        label={words.returnAutomatically}
        description={words.returnAutomaticallyHint}
        isOn={fields.returnAutomatically}
        isDisabled={isDisabled}
        onChange={(returnAutomatically) => change({ returnAutomatically })}
      />
      <TextArea
        label={words.frameOrigins}
        description={words.frameOriginsHint}
        rows={2}
        value={fields.frameOrigins}
        isDisabled={isDisabled}
        error={issueOf('checkout.frameOrigins') ?? issueOf('checkout.frameOrigins.0')}
        onChange={(frameOrigins) => change({ frameOrigins })}
      />
    </Card>
  )
}

function MailsCard({ form: { fields, change, isDisabled, issueOf } }: CardProps) {
  const { mode } = useScope()
  return (
    <Card title={words.mails} layout="form">
      <Switch
        label={words.receipts}
        description={words.receiptsHint}
        isOn={fields.receipts}
        isDisabled={isDisabled}
        onChange={(receipts) => change({ receipts })}
      />
      {mode === 'test' && (
        <TextArea
          label={words.testAddresses}
          description={words.testAddressesHint}
          rows={2}
          value={fields.testAddresses}
          isDisabled={isDisabled}
          error={issueOf('mails.testAddresses') ?? issueOf('mails.testAddresses.0')}
          onChange={(testAddresses) => change({ testAddresses })}
        />
      )}
    </Card>
  )
}

const typingMs = 300

/** The page itself, in a frame in which nothing can act. */
function Preview({ look, logo }: { look: Look; logo: string | null }) {
  const { merchant, mode } = useScope()
  const shown = useSettled(look, typingMs)
  const src = withQuery('/checkout/preview', {
    merchant,
    mode,
    displayName: shown.displayName.trim(),
    colour: isColour(shown.colour) ? shown.colour : undefined,
    supportEmail: shown.supportEmail,
    supportPhone: shown.supportPhone,
  })
  return (
    <Card title={words.preview} className="preview">
      <p className="soft small hint">{words.previewHint}</p>
      {/* Another logo is another page. */}
      <iframe key={logo} title={words.previewTitle} src={src} sandbox="" />
    </Card>
  )
}
