import { Switch } from '../../parts/choices'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { Card } from '../../parts/page'
import { WhenRead } from '../../parts/when-read'
import { type FieldsOf, type Settings, SettingsForm, useSettings } from './settings-form'
import { SettingsPage } from './settings-page'
import { settingTexts } from './texts'

const words = settingTexts.payments

type Rules = Pick<Settings, 'policies' | 'paymentMethods' | 'lowBalance' | 'dedicatedAccounts'>
type Situation = keyof typeof words.situations
type Action = keyof typeof words.actions
type CustomerField = keyof typeof words.customerFields

const situations = Object.keys(words.situations) as Situation[]
const actions = Object.keys(words.actions) as Action[]
/** A return of coins needs a destination, which a deposit does not name. */
const coinActions = actions.filter((action) => action !== 'return')
const assets: Asset[] = ['NGN', 'USDC', 'USDT']
const customerFields = Object.keys(words.customerFields) as CustomerField[]

export function Screen() {
  const settings = useSettings()
  return (
    <SettingsPage tab="payments">
      <WhenRead read={settings}>
        {({ policies, paymentMethods, lowBalance, dedicatedAccounts }) => (
          <SettingsForm<Rules>
            saved={{ policies, paymentMethods, lowBalance, dedicatedAccounts }}
            toPatch={(rules) => rules}
            atFields={[
              ...assets.map((asset) => `lowBalance.${asset}`),
              ...customerFields.map((field) => `dedicatedAccounts.defaultCustomer.${field}`),
            ]}
          >
            {(form) => (
              <div className="stack">
                <Methods {...form} />
                <Policies {...form} />
                <LowBalances {...form} />
                <DefaultCustomer {...form} />
              </div>
            )}
          </SettingsForm>
        )}
      </WhenRead>
    </SettingsPage>
  )
}

function Methods({ fields, change, isDisabled }: FieldsOf<Rules>) {
  const { paymentMethods } = fields
  const set = (changed: Partial<Rules['paymentMethods']>) =>
    change({ paymentMethods: { ...paymentMethods, ...changed } })
  return (
    <Card title={words.methods} layout="form">
      <Switch
        label={words.bankTransfer}
        description={words.bankTransferHint}
        isOn={paymentMethods.bankTransfer}
        isDisabled={isDisabled}
        onChange={(bankTransfer) => set({ bankTransfer })}
      />
      <Switch
        label={words.crypto}
        description={words.cryptoHint}
        isOn={paymentMethods.crypto}
        isDisabled={isDisabled}
        onChange={(crypto) => set({ crypto })}
      />
    </Card>
  )
}

function Policies({ fields, change, isDisabled }: FieldsOf<Rules>) {
  const { policies } = fields
  const choice = (rail: 'bank' | 'crypto', situation: Situation) => (
    <SelectField
      hiddenLabel={words.policyLabel(
        words.situations[situation][0]!,
        rail === 'bank' ? words.bank : words.coins,
      )}
      options={rail === 'bank' ? actions : coinActions}
      labels={words.actions}
      value={policies[rail][situation]}
      isDisabled={isDisabled}
      onChange={(action) => {
        const changed = { ...policies[rail], [situation]: action }
        change({ policies: { ...policies, [rail]: changed } })
      }}
    />
  )
  return (
    <Card title={words.policies}>
      <p className="soft small hint">{words.policiesHint}</p>
      <table className="table rules-table">
        <thead>
          <tr>
            <th scope="col">{words.situation}</th>
            <th scope="col">{words.bank}</th>
            <th scope="col">{words.coins}</th>
          </tr>
        </thead>
        <tbody>
          {situations.map((situation) => (
            <tr key={situation}>
              <th scope="row">
                <span className="bold">{words.situations[situation][0]}</span>
                <br />
                <span className="soft small">{words.situations[situation][1]}</span>
              </th>
              <td data-label={words.bank}>{choice('bank', situation)}</td>
              <td data-label={words.coins}>{choice('crypto', situation)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function LowBalances({ fields, change, isDisabled, issueOf }: FieldsOf<Rules>) {
  const { lowBalance } = fields
  return (
    <Card title={words.low}>
      <p className="soft small hint">{words.lowHint}</p>
      <div className="padded three-columns no-top-padding">
        {assets.map((asset) => {
          const threshold = lowBalance[asset]
          return (
            <MoneyInput
              key={asset}
              asset={asset}
              label={words.lowLabel[asset]}
              description={words.off}
              value={threshold === null ? null : toUnits(threshold, asset)}
              isDisabled={isDisabled}
              error={issueOf(`lowBalance.${asset}`)}
              onChange={(units) =>
                change({
                  lowBalance: {
                    ...lowBalance,
                    [asset]: units === null || units === 0n ? null : toWire(units, asset),
                  },
                })
              }
            />
          )
        })}
      </div>
    </Card>
  )
}

function DefaultCustomer({ fields, change, isDisabled, issueOf }: FieldsOf<Rules>) {
  const { defaultCustomer } = fields.dedicatedAccounts
  return (
    <Card title={words.customer}>
      <p className="soft small hint">{words.customerHint}</p>
      <div className="padded three-columns no-top-padding">
        {customerFields.map((field) => (
          <TextField
            key={field}
            label={words.customerFields[field]}
            value={defaultCustomer[field] ?? ''}
            isDisabled={isDisabled}
            error={issueOf(`dedicatedAccounts.defaultCustomer.${field}`)}
            onChange={(typed) => {
              const changed = { ...defaultCustomer, [field]: typed || null }
              change({ dedicatedAccounts: { defaultCustomer: changed } })
            }}
          />
        ))}
      </div>
    </Card>
  )
}
