import { Select, TextInput } from '@mantine/core'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { MoneyInput } from '../../parts/money-input'
import { Card, EmptyState, Fact, Facts } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { texts } from '../../texts/en'
import type { BankAccount } from './bank-accounts'
import { type FieldsOf, type Settings, SettingsForm, useSettings, WhenRead } from './settings-form'
import { SettingsPage } from './settings-page'

const words = texts.settings.settlements
type Settlement = Settings['settlement']

const choices = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

export function Screen() {
  const settings = useSettings()
  const maySeeAccounts = useMay('business.see')
  const maySeePayouts = useMay('payouts.see')
  return (
    <SettingsPage tab="settlements">
      <div className="two">
        <WhenRead read={settings}>
          {({ settlement }) => (
            <SettingsForm<Settlement>
              saved={settlement}
              toPatch={(fields) => ({ settlement: fields })}
              atFields={['settlement.time']}
            >
              {(form) => <Schedule {...form} />}
            </SettingsForm>
          )}
        </WhenRead>
        {maySeeAccounts && <PaidTo />}
      </div>
      {maySeePayouts && <Latest />}
    </SettingsPage>
  )
}

function Schedule({ fields, change, isDisabled, issueOf }: FieldsOf<Settlement>) {
  const isOn = fields.schedule !== 'off'
  return (
    <Card title={words.card}>
      <div className="pad frm top0">
        <p className="soft">{words.intro}</p>
        <Select
          label={words.schedule}
          data={choices(words.schedules)}
          value={fields.schedule}
          disabled={isDisabled}
          allowDeselect={false}
          onChange={(schedule) => change({ schedule: schedule as Settlement['schedule'] })}
        />
        {isOn && (
          <div className="g2">
            {fields.schedule === 'weekly' && (
              <Select
                label={words.weekday}
                data={choices(words.weekdays)}
                value={fields.weekday}
                disabled={isDisabled}
                allowDeselect={false}
                onChange={(weekday) => change({ weekday: weekday as Settlement['weekday'] })}
              />
            )}
            <TextInput
              type="time"
              label={words.time}
              value={fields.time}
              disabled={isDisabled}
              error={issueOf('settlement.time')}
              onChange={({ currentTarget }) => change({ time: currentTarget.value })}
            />
          </div>
        )}
        <div className="g2">
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
      </div>
    </Card>
  )
}

function PaidTo() {
  const { rows } = usePages<BankAccount>('/v1/bank-accounts', {}, { limit: 100 })
  const primary = rows.find(({ isPrimary }) => isPrimary)
  return (
    <Card
      title={words.primary}
      aside={
        <Button size="small" to="/settings/bank-accounts">
          {words.manage}
        </Button>
      }
    >
      {primary ? (
        <Facts>
          <Fact name={texts.settings.bankAccounts.holder}>{primary.accountName}</Fact>
          <Fact name={texts.settings.bankAccounts.accountNumber}>
            {formatAccountNumber(primary.accountNumber)}
          </Fact>
          <Fact name={texts.settings.bankAccounts.bank}>{primary.bankCode}</Fact>
        </Facts>
      ) : (
        <p className="soft hint">{words.noPrimary}</p>
      )}
    </Card>
  )
}

type MadeSettlement = {
  reference: string
  amount: number
  status: string
  createdAt: string
  accountNumber: string
  transferReference: string
}

const columns: Column<MadeSettlement>[] = [
  {
    name: 'time',
    head: texts.payouts.columns.created,
    phone: 3,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    name: 'reference',
    head: texts.payouts.columns.account,
    isGrowing: true,
    phone: 1,
    cell: ({ accountNumber }) => formatAccountNumber(accountNumber),
  },
  {
    name: 'state',
    head: texts.payouts.columns.status,
    phone: 4,
    cell: ({ status }) => <Status value={status} />,
  },
  {
    name: 'amount',
    head: texts.payouts.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount }) => <Money amount={amount} asset="NGN" />,
  },
]

function Latest() {
  const list = usePages<MadeSettlement>('/v1/settlements', {}, { limit: 10 })
  return (
    <Card title={words.latest}>
      <DataTable
        caption={words.latestCaption}
        columns={columns}
        list={list}
        keyOf={({ reference }) => reference}
        pathOf={({ transferReference }) => `/payouts/${transferReference}`}
        empty={<EmptyState icon="bank">{words.latestEmpty}</EmptyState>}
      />
    </Card>
  )
}
