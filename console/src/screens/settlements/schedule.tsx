import { type ReactNode, useState } from 'react'
import { usePages, useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { formatAccountNumber } from '../../parts/identifiers'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, PageHead } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { WhenRead } from '../../parts/when-read'
import { commonTexts } from '../../texts/common'
import type { BankAccount } from '../settings/bank-accounts'
import { type FieldsOf, type Settings, SettingsForm, useSettings } from '../settings/settings-form'
import { settingTexts } from '../settings/texts'
import { SettlementTabs } from './settlement-tabs'
import { settlementTexts } from './texts'

const words = settlementTexts.schedule
type Settlement = Settings['settlement']

export function Screen() {
  const settings = useSettings()
  const maySeeAccounts = useMay('business.see')
  const { mode } = useScope()
  return (
    <>
      <PageHead
        title={settlementTexts.title}
        tab={`${settlementTexts.tabs.schedule} · ${settlementTexts.title}`}
        beside={<span className="soft small">{settingTexts.ofMode(mode)}</span>}
      />
      <SettlementTabs />
      <div className="with-aside">
        <WhenRead read={settings}>
          {({ settlement }) => (
            <SettingsForm<Settlement>
              saved={settlement}
              toPatch={({ payTo, asset, walletAddress, ...fields }) => ({ settlement: fields })}
              atFields={['settlement.time']}
            >
              {(form) => <Schedule {...form} />}
            </SettingsForm>
          )}
        </WhenRead>
        {maySeeAccounts && <PaidTo />}
      </div>
    </>
  )
}

function Schedule({ fields, change, isDisabled, issueOf }: FieldsOf<Settlement>) {
  const isOn = fields.schedule !== 'off'
  return (
    <Card title={words.card} layout="form">
      <p className="soft">{words.intro}</p>
      <SelectField
        label={words.schedule}
        options={words.schedules}
        value={fields.schedule}
        isDisabled={isDisabled}
        onChange={(schedule) => change({ schedule: schedule })}
      />
      {isOn && (
        <div className="two-columns">
          {fields.schedule === 'weekly' && (
            <SelectField
              label={words.weekday}
              options={commonTexts.weekdays}
              value={fields.weekday}
              isDisabled={isDisabled}
              onChange={(weekday) => change({ weekday: weekday })}
            />
          )}
          <TextField
            type="time"
            label={words.time}
            value={fields.time}
            isDisabled={isDisabled}
            error={issueOf('settlement.time')}
            onChange={(time) => change({ time })}
          />
        </div>
      )}
      <div className="two-columns">
        <MoneyInput
          asset="NGN"
          label={words.reserve}
          description={words.reserveHint}
          value={BigInt(fields.reserve)}
          isDisabled={isDisabled}
          onChange={(units) => change({ reserve: Number(units ?? 0n) })}
        />
        <MoneyInput
          asset="NGN"
          label={words.minimum}
          description={words.minimumHint}
          value={BigInt(fields.minimum)}
          isDisabled={isDisabled}
          onChange={(units) => change({ minimum: Number(units ?? 0n) })}
        />
      </div>
    </Card>
  )
}

type Destination = Pick<Settlement, 'payTo' | 'asset' | 'walletAddress'> & {
  /** When settlements to the wallet begin, in live mode or under an approval rule. */
  usableFrom: string | null
  /** Settlements wait until another owner or admin confirms the destination. */
  needsConfirmation: boolean
}

function PaidTo() {
  const { data } = useRead<Destination>(
    'settlement-destination',
    '/v1/settings/settlement-destination',
  )
  const mayChange = useMay('business.change')
  const [isChanging, setChanging] = useState(false)
  if (!data) return null
  const change = mayChange && (
    <Button size="small" onClick={() => setChanging(true)}>
      {words.change}
    </Button>
  )
  return (
    <div className="stack">
      {data.payTo === 'wallet' ? (
        <Wallet chosen={data} aside={change} />
      ) : (
        <Primary chosen={data} aside={change} />
      )}
      {isChanging && <DestinationDialog saved={data} onClose={() => setChanging(false)} />}
    </div>
  )
}

function Wallet({ chosen, aside }: { chosen: Destination; aside: ReactNode }) {
  const { asset, walletAddress, usableFrom } = chosen
  const waits = usableFrom !== null && Date.parse(usableFrom) > Date.now()
  return (
    <Card title={words.primary} aside={aside}>
      <Facts>
        <Fact name={words.coin}>{asset}</Fact>
        <Fact name={words.wallet}>
          <span className="mono">{walletAddress}</span>
        </Fact>
      </Facts>
      {waits && (
        <p className="soft hint">
          {words.waits} <Time value={usableFrom} />
        </p>
      )}
      {chosen.needsConfirmation && <ConfirmWallet walletAddress={chosen.walletAddress} />}
    </Card>
  )
}

function ConfirmWallet({ walletAddress }: { walletAddress: string | null }) {
  const mayChange = useMay('business.change')
  const { write, isBusy, refusal } = useWrite({ reads: ['settlement-destination', 'attention'] })
  const confirm = async () => {
    // The address that is shown: another member may have changed it since.
    const path = '/v1/settings/settlement-destination/confirm'
    if ((await write(path, { walletAddress })) === undefined) return
    void notify(words.confirmedNote)
  }
  return (
    <div className="padded no-top-padding">
      <p className="soft">{words.walletUnconfirmed}</p>
      {mayChange && (
        <Button size="small" isBusy={isBusy} onClick={() => void confirm()}>
          {words.confirmWallet}
        </Button>
      )}
      <Refusal error={refusal} />
    </div>
  )
}

function DestinationDialog({ saved, onClose }: { saved: Destination; onClose: () => void }) {
  const { mode } = useScope()
  const [payTo, setPayTo] = useState(saved.payTo)
  const [asset, setAsset] = useState(saved.asset)
  const [typed, setTyped] = useState(saved.walletAddress ?? '')
  const { write, isBusy, refusal } = useWrite({
    method: 'PATCH',
    reads: ['settings', 'settlement-destination'],
  })
  const walletAddress = typed.trim()
  const isWallet = payTo === 'wallet'

  async function confirm() {
    const body = isWallet ? { payTo, asset, walletAddress } : { payTo }
    if ((await write('/v1/settings/settlement-destination', body)) === undefined) return
    void notify(words.changedNote)
    onClose()
  }

  return (
    <ConfirmDialog
      title={words.changeTitle}
      confirmLabel={words.change}
      isBusy={isBusy}
      isDisabled={isWallet && walletAddress === ''}
      refusal={refusal}
      atFields={['walletAddress']}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <SelectField
        label={words.payTo}
        options={words.destinations}
        value={payTo}
        onChange={setPayTo}
      />
      {isWallet && (
        <>
          <SelectField
            label={words.coin}
            options={['USDC', 'USDT']}
            value={asset}
            onChange={setAsset}
          />
          <TextField
            label={words.walletAddress}
            description={words.walletHint}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            error={refusal?.issueOf('walletAddress')}
            onChange={setTyped}
          />
          {mode === 'live' && <p className="soft small">{words.liveWait}</p>}
        </>
      )}
    </ConfirmDialog>
  )
}

function Primary({ chosen, aside }: { chosen: Destination; aside: ReactNode }) {
  const { rows } = usePages<BankAccount>('/v1/bank-accounts', {}, { limit: 100 })
  const primary = rows.find(({ isPrimary }) => isPrimary)
  return (
    <Card title={words.primary} aside={aside}>
      {primary ? (
        <Facts>
          <Fact name={settingTexts.bankAccounts.holder}>{primary.accountName}</Fact>
          <Fact name={settingTexts.bankAccounts.accountNumber}>
            {formatAccountNumber(primary.accountNumber)}
          </Fact>
          <Fact name={settingTexts.bankAccounts.bank}>{primary.bankCode}</Fact>
        </Facts>
      ) : (
        <p className="soft hint">{words.noPrimary}</p>
      )}
      {chosen.needsConfirmation && <p className="soft hint">{words.accountUnconfirmed}</p>}
      <div className="padded no-top-padding">
        <Button size="small" to="/settings/bank-accounts">
          {words.manage}
        </Button>
      </div>
    </Card>
  )
}
