import { useState } from 'react'
import type { FeesOfMerchant, VatRate } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import type { Mode } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { DataTable } from '../../parts/data-table'
import { SelectField, TextField } from '../../parts/fields'
import { Money } from '../../parts/money'
import type { Amount } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Segments } from '../../parts/segments'
import { Chip, type Tone } from '../../parts/status'
import { Time } from '../../parts/time'
import { currentTime } from '../../parts/time-format'
import { latestMonths, nameMonth } from '../balances/period'
import { ModeField, startOfDay } from './levy-dialogs'
import { sumByAsset } from './sum-by-asset'
import { TaxTabs } from './tax-tabs'
import { taxTexts } from './tax-texts'
import './operator.css'

const t = taxTexts.vat

export function Screen() {
  const read = useRead<{ items: VatRate[] }>('vat rates', '/operator/v1/vat-rates')
  const [isSetting, setSetting] = useState(false)
  const rates = read.data?.items ?? []
  const button = (
    <Button kind="primary" icon="plus" onClick={() => setSetting(true)}>
      {t.set}
    </Button>
  )
  return (
    <>
      <PageHead
        title={taxTexts.title}
        tab={`${taxTexts.tabs.vat} · ${taxTexts.title}`}
        over={t.over}
        actions={button}
      />
      <TaxTabs />
      <Card title={t.card}>
        <DataTable
          caption={t.caption}
          list={toList(read)}
          keyOf={({ mode, holdsFrom, createdAt }) => `${mode} ${holdsFrom} ${createdAt}`}
          empty={
            <EmptyState icon="tag" action={button}>
              {t.empty}
            </EmptyState>
          }
          columns={[
            {
              name: 'rate',
              head: t.rate,
              phone: 1,
              cell: ({ basisPoints }) => <b>{t.percent(String(basisPoints / 100))}</b>,
            },
            {
              name: 'mode',
              head: taxTexts.mode,
              phone: 4,
              cell: ({ mode }) => taxTexts.modes[mode],
            },
            {
              name: 'from',
              head: t.from,
              phone: 3,
              cell: ({ holdsFrom }) => <Time value={holdsFrom} />,
            },
            {
              name: 'state',
              head: t.state,
              phone: 2,
              cell: (rate) => {
                const state = stateOf(rate, rates)
                return <Chip tone={tones[state]}>{t.states[state]}</Chip>
              },
            },
            {
              name: 'by',
              head: taxTexts.byWhom,
              isWideOnly: true,
              isSoft: true,
              cell: ({ givenBy }) => givenBy,
            },
            {
              name: 'set',
              head: t.setAt,
              isWideOnly: true,
              isSoft: true,
              cell: ({ createdAt }) => <Time value={createdAt} />,
            },
          ]}
        />
      </Card>
      <FeesOfMonth />
      {isSetting && <SetRateDialog onClose={() => setSetting(false)} />}
    </>
  )
}

type State = keyof typeof t.states
const tones: Record<State, Tone> = { holds: 'good', later: 'brand', ended: 'calm' }

/** The latest rate of a mode that has begun holds. */
function stateOf(rate: VatRate, rates: VatRate[]): State {
  const now = currentTime().getTime()
  if (Date.parse(rate.holdsFrom) > now) return 'later'
  const begun = rates.filter(
    ({ mode, holdsFrom }) => mode === rate.mode && Date.parse(holdsFrom) <= now,
  )
  const latest = Math.max(...begun.map(({ holdsFrom }) => Date.parse(holdsFrom)))
  return Date.parse(rate.holdsFrom) === latest ? 'holds' : 'ended'
}

const isRate = (text: string) => /^\d{1,3}(\.\d{1,2})?$/.test(text.trim())

function SetRateDialog({ onClose }: { onClose: () => void }) {
  const words = taxTexts.vatDialog
  const [mode, setMode] = useState<Mode>('live')
  const [rate, setRate] = useState('')
  const [from, setFrom] = useState('')
  const { write, isBusy, refusal } = useWrite({
    reads: ['vat rates', 'fee report'],
    isKeyed: false,
  })
  const send = async () => {
    const body = { mode, rate: rate.trim(), ...(from && { from: startOfDay(from) }) }
    if ((await write('/operator/v1/vat-rates', body)) === undefined) return
    void notify(words.done)
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={!isRate(rate)}
      refusal={refusal}
      atFields={['rate', 'from']}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <ModeField value={mode} onChange={setMode} />
      <div className="two-columns">
        <TextField
          label={words.rate}
          description={words.nigeria}
          isDescribedBelow
          unit="%"
          inputMode="decimal"
          autoComplete="off"
          value={rate}
          error={rate !== '' && !isRate(rate) ? words.issue : refusal?.issueOf('rate')}
          onChange={setRate}
        />
        <TextField
          type="date"
          label={words.from}
          description={words.fromHint}
          isDescribedBelow
          value={from}
          error={refusal?.issueOf('from')}
          onChange={setFrom}
        />
      </div>
    </ConfirmDialog>
  )
}

const monthsMax = 24

type Row = Pick<FeesOfMerchant, 'asset'> &
  Record<'fees' | 'vat' | 'net', Amount> & { key: string; name: string; isTotal: boolean }

/** Net and VAT of every merchant; sums are apart for each asset. */
function FeesOfMonth() {
  const words = taxTexts.fees
  const months = latestMonths(monthsMax, currentTime())
  const [month, setMonth] = useState(months[0]!)
  const [mode, setMode] = useState<Mode>('live')
  const read = useRead<{ items: FeesOfMerchant[] }>('fee report', '/operator/v1/fee-report', {
    mode,
    month,
  })
  const { rows: fees, ...list } = toList(read)
  const rows: Row[] = [
    ...fees.map((row) => ({
      ...row,
      key: `${row.merchant} ${row.asset}`,
      name: row.merchantName,
      isTotal: false,
    })),
    ...sumByAsset(fees, ['fees', 'vat', 'net']).map((sum) => ({
      ...sum,
      key: `total ${sum.asset}`,
      name: words.total,
      isTotal: true,
    })),
  ]
  const amount = (name: 'fees' | 'vat' | 'net') => (row: Row) => {
    const shown = <Money amount={row[name]} asset={row.asset} />
    return row.isTotal ? <b>{shown}</b> : shown
  }
  return (
    <Card
      title={words.card}
      aside={
        <Segments label={taxTexts.mode} value={mode} options={taxTexts.modes} onChange={setMode} />
      }
    >
      <div className="padded no-top-padding month-field">
        <SelectField
          label={words.month}
          options={Object.fromEntries(months.map((name) => [name, nameMonth(name)]))}
          value={month}
          onChange={setMonth}
        />
      </div>
      <DataTable
        caption={words.caption}
        list={{ ...list, rows }}
        keyOf={({ key }) => key}
        empty={<EmptyState icon="tag">{words.empty}</EmptyState>}
        columns={[
          {
            name: 'merchant',
            head: words.merchant,
            phone: 1,
            isGrowing: true,
            cell: ({ name, isTotal }) => (isTotal ? <b>{name}</b> : name),
          },
          {
            name: 'fees',
            head: words.fees,
            align: 'end',
            phone: 2,
            cell: amount('fees'),
          },
          {
            name: 'vat',
            head: words.vat,
            align: 'end',
            phone: 3,
            hasPhoneHead: true,
            cell: amount('vat'),
          },
          {
            name: 'net',
            head: words.net,
            align: 'end',
            phone: 4,
            hasPhoneHead: true,
            cell: amount('net'),
          },
        ]}
      />
    </Card>
  )
}
