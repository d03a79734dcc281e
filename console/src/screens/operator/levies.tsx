import { useState } from 'react'
import type { Levies, Levy, LevyDebit, LevyMonth, LevyReport, Rails } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { Money } from '../../parts/money'
import { formatMoney, toUnits } from '../../parts/money-format'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Chip, type Tone } from '../../parts/status'
import { Time } from '../../parts/time'
import { currentTime } from '../../parts/time-format'
import { nameMonth } from '../balances/period'
import { DebitDialog, EndDialog, PresetDialog, SetLevyDialog } from './levy-dialogs'
import { type LevyState, stateOfLevy } from './levy-state'
import { TaxTabs } from './tax-tabs'
import { taxTexts } from './tax-texts'
import { usePolled } from './use-polled'
import './operator.css'

const t = taxTexts.levies

type Opened = 'preset' | 'set' | 'end' | null

/** Levies by date, rail and mode; what providers debit; and what is owed. */
export function Screen() {
  const read = usePolled<Levies>('levies', '/operator/v1/levies')
  const rails = useRead<Rails>('rails', '/operator/v1/rails').data
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const bankRails = [
    ...new Set(rails?.items.flatMap(({ rail, kind }) => (kind === 'bank' ? [rail] : [])) ?? []),
  ]
  const levies = read.data?.items ?? []
  const presetButton = (
    <Button
      kind={levies.length === 0 ? 'primary' : 'plain'}
      icon="play"
      onClick={() => setOpened('preset')}
    >
      {t.preset}
    </Button>
  )
  return (
    <>
      <PageHead
        title={taxTexts.title}
        tab={`${taxTexts.tabs.levies} · ${taxTexts.title}`}
        over={t.over}
        actions={
          <>
            {levies.some(({ amount }) => toUnits(amount, 'NGN') > 0n) && (
              <Button kind="danger" onClick={() => setOpened('end')}>
                {t.end}
              </Button>
            )}
            <Button icon="plus" onClick={() => setOpened('set')}>
              {t.set}
            </Button>
            {presetButton}
          </>
        }
      />
      <TaxTabs />
      <Card title={t.card}>
        <DataTable
          caption={t.caption}
          columns={levyColumns(levies)}
          list={toList(read)}
          keyOf={({ id }) => id}
          empty={
            <EmptyState icon="tag" action={presetButton}>
              {t.empty}
            </EmptyState>
          }
          foot={t.hint}
        />
      </Card>
      <Debits rails={bankRails} debits={read.data?.debits ?? []} />
      <Report />
      {opened === 'preset' && <PresetDialog onClose={close} />}
      {opened === 'set' && <SetLevyDialog rails={bankRails} onClose={close} />}
      {opened === 'end' && <EndDialog rails={bankRails} onClose={close} />}
    </>
  )
}

const tones: Record<LevyState, Tone> = {
  holds: 'good',
  later: 'brand',
  ended: 'calm',
  overridden: 'calm',
}

function describeLevy({ amount, threshold }: Levy): string {
  if (toUnits(amount, 'NGN') === 0n) return t.none
  return t.terms(formatMoney(amount, 'NGN'), formatMoney(threshold, 'NGN'))
}

function describeExemptions({ amount, exempts }: Levy): string {
  if (toUnits(amount, 'NGN') === 0n) return ''
  return exempts.map((name) => t.exemptions[name]).join(', ') || t.noExemption
}

const levyColumns = (levies: Levy[]): Column<Levy>[] => [
  {
    name: 'levy',
    head: t.levy,
    phone: 1,
    cell: (levy) => <b className="no-wrap">{describeLevy(levy)}</b>,
  },
  {
    name: 'mode',
    head: taxTexts.mode,
    phone: 4,
    cell: ({ mode }) => taxTexts.modes[mode],
  },
  {
    name: 'rail',
    head: t.rail,
    isWideOnly: true,
    cell: ({ rail }) => rail ?? <span className="soft">{t.allRails}</span>,
  },
  {
    name: 'exempts',
    head: t.exempts,
    isWideOnly: true,
    isSoft: true,
    cell: describeExemptions,
  },
  {
    name: 'from',
    head: t.from,
    phone: 3,
    cell: ({ holdsFrom }) => <Time value={holdsFrom} />,
  },
  {
    name: 'until',
    head: t.until,
    isWideOnly: true,
    cell: ({ holdsUntil }) => (holdsUntil ? <Time value={holdsUntil} /> : '–'),
  },
  {
    name: 'state',
    head: t.state,
    phone: 2,
    cell: (levy) => {
      const state = stateOfLevy(levy, levies, currentTime())
      return <Chip tone={tones[state]}>{t.states[state]}</Chip>
    },
  },
  {
    name: 'by',
    head: taxTexts.byWhom,
    isWideOnly: true,
    isSoft: true,
    cell: ({ createdBy }) => createdBy,
  },
]

type DebitRow = { rail: string; debit: LevyDebit | undefined }

function Debits({ rails, debits }: { rails: string[]; debits: LevyDebit[] }) {
  const words = taxTexts.debits
  const [chosen, setChosen] = useState<DebitRow | null>(null)
  // Newest first.
  const names = [...new Set([...rails, ...debits.map(({ rail }) => rail)])]
  const rows = names.map((rail) => ({ rail, debit: debits.find((one) => one.rail === rail) }))
  return (
    <Card title={words.card}>
      <p className="soft hint">{words.hint}</p>
      <DataTable
        caption={words.caption}
        list={{ rows }}
        keyOf={({ rail }) => rail}
        empty={<p className="soft hint">{words.empty}</p>}
        columns={[
          {
            name: 'rail',
            head: words.rail,
            phone: 1,
            isGrowing: true,
            cell: ({ rail }) => <b>{rail}</b>,
          },
          {
            name: 'kind',
            head: words.kind,
            phone: 3,
            cell: ({ debit }) => (
              <span className="no-wrap">{words.kinds[debit?.debits ?? 'no']}</span>
            ),
          },
          {
            name: 'since',
            head: words.since,
            phone: 4,
            isSoft: true,
            cell: ({ debit }) => debit && <Time value={debit.since} />,
          },
          {
            name: 'change',
            head: <span className="hidden">{words.change}</span>,
            align: 'end',
            phone: 2,
            cell: (row) => (
              <Button
                size="small"
                label={`${words.change} ${row.rail}`}
                onClick={() => setChosen(row)}
              >
                {words.change}
              </Button>
            ),
          },
        ]}
      />
      {chosen && (
        <DebitDialog
          rail={chosen.rail}
          debits={chosen.debit?.debits ?? 'no'}
          onClose={() => setChosen(null)}
        />
      )}
    </Card>
  )
}

const naira = (amount: LevyMonth['owed']) => <Money amount={amount} asset="NGN" />

function Report() {
  const words = taxTexts.report
  const read = usePolled<LevyReport>('levy report', '/operator/v1/levies/report')
  return (
    <Card title={words.card}>
      <p className="soft hint">{words.hint}</p>
      <DataTable
        caption={words.caption}
        list={toList(read)}
        keyOf={({ mode, rail, month }) => `${mode} ${rail} ${month}`}
        empty={<EmptyState icon="scale">{words.empty}</EmptyState>}
        columns={[
          {
            name: 'month',
            head: words.month,
            phone: 1,
            cell: ({ month }) => <b>{nameMonth(month)}</b>,
          },
          {
            name: 'rail',
            head: words.rail,
            phone: 3,
            isSoft: true,
            cell: ({ rail, mode }) => `${rail} · ${taxTexts.modes[mode]}`,
          },
          {
            name: 'transfers',
            head: words.transfers,
            align: 'end',
            isWideOnly: true,
            cell: ({ transfers }) => transfers.toLocaleString('en'),
          },
          {
            name: 'levied',
            head: words.levied,
            align: 'end',
            isWideOnly: true,
            cell: ({ levied }) => naira(levied),
          },
          {
            name: 'reversed',
            head: words.reversed,
            align: 'end',
            isWideOnly: true,
            cell: ({ reversed }) => naira(reversed),
          },
          {
            name: 'taken',
            head: words.taken,
            align: 'end',
            phone: 4,
            hasPhoneHead: true,
            cell: ({ taken }) => naira(taken),
          },
          {
            name: 'owed',
            head: words.owed,
            align: 'end',
            phone: 2,
            hasPhoneHead: true,
            cell: ({ owed }) => <b>{naira(owed)}</b>,
          },
        ]}
      />
    </Card>
  )
}
