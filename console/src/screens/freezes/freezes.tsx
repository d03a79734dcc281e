import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { PayoutFreeze } from '../../api/answers'
import { toList } from '../../api/reads'
import { useMay, useSession } from '../../api/session'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { PayoutTabs } from '../payouts/payout-tabs'
import { payoutTexts } from '../payouts/texts'
import { type ThawStep, thawStepOf, useFreezes, useFrozenWords } from './freeze'
import { FreezeDialog } from './freeze-dialog'
import { freezeTexts as words } from './texts'
import { ThawDialog } from './thaw-dialog'

type Chosen = { freeze: PayoutFreeze; step: 'ask' | 'agree' | 'thaw' }

export function Screen() {
  const mayFreeze = useMay('payouts.freeze')
  const { user } = useSession()
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { new?: string }
  const open = useFreezes('FROZEN')
  const thawed = useFreezes('THAWED')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const say = useFrozenWords([open, thawed].flatMap(({ data }) => data?.items ?? []))
  const isFreezing = mayFreeze && search.new === 'freeze'
  const setFreezing = (isOpen: boolean) =>
    void navigate({
      to: '/payouts/freezes',
      search: isOpen ? { new: 'freeze' } : {},
      replace: true,
    })
  const create = mayFreeze && (
    <Button kind="danger" icon="snow" onClick={() => setFreezing(true)}>
      {words.create}
    </Button>
  )
  const stepOf = (freeze: PayoutFreeze) => thawStepOf(freeze, user.id)
  const past = toList(thawed)
  return (
    <>
      <PageHead
        title={payoutTexts.title}
        tab={`${words.title} · ${payoutTexts.title}`}
        actions={create}
      />
      <PayoutTabs />
      <Card title={words.open}>
        <DataTable
          caption={words.openCaption}
          list={toList(open)}
          keyOf={({ id }) => id}
          empty={
            <EmptyState icon="snow" action={create}>
              {words.nothing}
            </EmptyState>
          }
          columns={[
            {
              ...whatColumn(say),
              cell: (freeze) => (
                <>
                  <What freeze={freeze} what={say(freeze)} />
                  {freeze.thawAskedBy && (
                    <span className="under-name small">
                      {words.asked(freeze.thawAskedBy.name)}
                      {', '}
                      <Time value={freeze.thawAskedAt!} />
                    </span>
                  )}
                  {mayFreeze && <Waits step={stepOf(freeze)} />}
                </>
              ),
            },
            frozenColumn,
            ...(mayFreeze ? [thawColumn(stepOf, setChosen)] : []),
          ]}
        />
      </Card>
      {(past.rows.length > 0 || past.error) && (
        <Card title={words.thawed}>
          <DataTable
            caption={words.thawedCaption}
            list={past}
            keyOf={({ id }) => id}
            empty={null}
            columns={thawedColumns(say)}
          />
        </Card>
      )}
      {isFreezing && <FreezeDialog onClose={() => setFreezing(false)} />}
      {chosen && (
        <ThawDialog {...chosen} what={say(chosen.freeze)} onClose={() => setChosen(null)} />
      )}
    </>
  )
}

type Say = (freeze: PayoutFreeze) => string

function What({ freeze, what }: { freeze: PayoutFreeze; what: string }) {
  return (
    <>
      <span className="under-name bold">{what}</span>
      <span className="under-name soft small">{freeze.reason}</span>
    </>
  )
}

/** On one line on phones, and on two in a narrow column. */
function Who({ name, at }: { name: string; at: string }) {
  return (
    <>
      <span className="no-wrap">{name},</span> <Time value={at} />
    </>
  )
}

/** Why this user has no button. */
function Waits({ step }: { step: ThawStep }) {
  if (step !== 'operator' && step !== 'self' && step !== 'asked') return null
  return <span className="under-name soft small">{words.waits[step]}</span>
}

const whatColumn = (say: Say): Column<PayoutFreeze> => ({
  name: 'what',
  head: words.columns.what,
  phone: 1,
  isGrowing: true,
  cell: (freeze) => <What freeze={freeze} what={say(freeze)} />,
})

const frozenColumn: Column<PayoutFreeze> = {
  name: 'frozen',
  head: words.columns.frozen,
  phone: 3,
  hasPhoneHead: true,
  isSoft: true,
  cell: (freeze) => <FrozenBy freeze={freeze} />,
}

/** On phones, all of it is below what was frozen. */
function thawedColumns(say: Say): Column<PayoutFreeze>[] {
  const { frozen, thawed } = words.columns
  return [
    {
      ...whatColumn(say),
      cell: (freeze) => (
        <>
          <What freeze={freeze} what={say(freeze)} />
          <span className="under-name soft small phone-only">
            {frozen}: <FrozenBy freeze={freeze} />
          </span>
          <span className="under-name soft small phone-only">
            {thawed}: <ThawedBy freeze={freeze} />
          </span>
        </>
      ),
    },
    {
      name: 'frozen',
      head: frozen,
      isSoft: true,
      cell: (freeze) => <FrozenBy freeze={freeze} />,
    },
    {
      name: 'thawed',
      head: thawed,
      isSoft: true,
      cell: (freeze) => <ThawedBy freeze={freeze} />,
    },
  ]
}

const FrozenBy = ({ freeze: { frozenBy, frozenAt } }: { freeze: PayoutFreeze }) => (
  <Who name={frozenBy.name} at={frozenAt} />
)

const ThawedBy = ({ freeze }: { freeze: PayoutFreeze }) => (
  <>
    <Who name={freeze.thawedBy?.name ?? ''} at={freeze.thawedAt ?? ''} />
    {freeze.thawAskedBy && (
      <span className="under-name small">{words.askedBefore(freeze.thawAskedBy.name)}</span>
    )}
  </>
)

const thawColumn = (
  stepOf: (freeze: PayoutFreeze) => ThawStep,
  choose: (chosen: Chosen) => void,
): Column<PayoutFreeze> => ({
  name: 'thaw',
  head: <span className="hidden">{words.columns.action}</span>,
  align: 'end',
  phone: 2,
  cell: (freeze) => {
    const step = stepOf(freeze)
    if (step === 'operator' || step === 'self' || step === 'asked') return null
    return (
      <Button
        size="small"
        {...(step !== 'ask' && { kind: 'primary' })}
        onClick={() => choose({ freeze, step })}
      >
        {words.thaw}
      </Button>
    )
  },
})
