import { useEffect, useState } from 'react'
import type { Bank } from '../../../../sdk/src/types'
import { type Page, usePages, useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { BankField } from '../../parts/bank-field'
import { Button } from '../../parts/button'
import { Checkbox } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Column, DataTable } from '../../parts/data-table'
import { TextField } from '../../parts/fields'
import { AccountNumber, formatAccountNumber } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { keyTexts } from '../developers/key-texts'
import { SettingsPage } from './settings-page'
import { settingTexts } from './texts'

const words = settingTexts.bankAccounts

export type BankAccount = {
  reference: string
  bankCode: string
  accountNumber: string
  accountName: string
  isActive: boolean
  isPrimary: boolean
  /** Settlements wait until then. */
  usableFrom: string | null
  nameDiffers: boolean
  /** Settlements wait until another owner or admin, or the operator, confirms it. */
  needsConfirmation: boolean
  createdAt: string
}

const useBanks = () => useRead<Page<Bank>>('banks', '/v1/banks')

const waits = ({ usableFrom }: BankAccount) =>
  usableFrom !== null && Date.parse(usableFrom) > Date.now()

export function Screen() {
  const { mode } = useScope()
  const mayChange = useMay('business.change')
  const list = usePages<BankAccount>('/v1/bank-accounts', {}, { limit: 100 })
  const banks = useBanks()
  const [isAdding, setAdding] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const nameOf = (code: string) =>
    banks.data?.items.find((bank) => bank.code === code)?.name ?? code
  const waiting = list.rows.find((account) => account.isPrimary && waits(account))
  return (
    <SettingsPage
      tab="bankAccounts"
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )
      }
    >
      {waiting?.usableFrom && (
        <Note tone="warn" icon="clock" title={words.waitingTitle}>
          <p>
            {words.waits} <Time value={waiting.usableFrom} />. {words.waitingText}
          </p>
        </Note>
      )}
      <Card title={words.card} aside={<span className="soft small">{words.intro}</span>}>
        <DataTable
          caption={words.caption}
          columns={columnsOf({ nameOf, mayChange, choose: setChosen })}
          list={list}
          keyOf={({ reference }) => reference}
          empty={<EmptyState icon="bank">{words.empty}</EmptyState>}
        />
      </Card>
      {mode === 'live' && !waiting && (
        <Note tone="calm" icon="shield" title={words.liveWaitTitle}>
          <p>{words.liveWait}</p>
        </Note>
      )}
      {isAdding && (
        <AddDialog
          banks={banks.data?.items ?? []}
          onClose={() => setAdding(false)}
          onAdded={() => {
            setAdding(false)
            list.retry()
          }}
        />
      )}
      {chosen && (
        <ChangeDialog
          chosen={chosen}
          bank={nameOf(chosen.account.bankCode)}
          onClose={() => setChosen(null)}
          onChanged={() => {
            setChosen(null)
            list.retry()
          }}
        />
      )}
    </SettingsPage>
  )
}

type Chosen = { account: BankAccount; change: 'primary' | 'confirm' | 'deactivate' }

type AccountActions = {
  nameOf: (code: string) => string
  mayChange: boolean
  choose: (chosen: Chosen) => void
}

function columnsOf({ nameOf, mayChange, choose }: AccountActions): Column<BankAccount>[] {
  return [
    {
      name: 'account',
      head: words.holder,
      isGrowing: true,
      phone: 1,
      cell: ({ accountName, bankCode }) => (
        <>
          <span className="bold">{accountName}</span>
          <br />
          <span className="soft small">{nameOf(bankCode)}</span>
        </>
      ),
    },
    {
      name: 'number',
      head: words.accountNumber,
      phone: 3,
      cell: ({ accountNumber }) => <AccountNumber value={accountNumber} />,
    },
    {
      name: 'state',
      head: words.state,
      phone: 2,
      cell: (account) => <State account={account} />,
    },
    {
      name: 'added',
      head: words.added,
      isWideOnly: true,
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
    {
      name: 'actions',
      head: <span className="hidden">{keyTexts.actions}</span>,
      align: 'end',
      phone: 4,
      cell: (account) =>
        mayChange &&
        account.isActive && (
          <span className="actions-end">
            {account.needsConfirmation && (
              <Button size="small" onClick={() => choose({ account, change: 'confirm' })}>
                {words.confirm}
              </Button>
            )}
            {!account.isPrimary && (
              <>
                <Button size="small" onClick={() => choose({ account, change: 'primary' })}>
                  {words.makePrimary}
                </Button>
                <Button
                  size="small"
                  kind="danger"
                  onClick={() => choose({ account, change: 'deactivate' })}
                >
                  {words.deactivate}
                </Button>
              </>
            )}
          </span>
        ),
    },
  ]
}

function State({ account }: { account: BankAccount }) {
  const { isActive, isPrimary, usableFrom, needsConfirmation } = account
  if (!isActive) return <Chip>{words.inactive}</Chip>
  const tone = waits(account) ? 'warn' : 'good'
  return (
    <>
      <Chip tone={isPrimary ? tone : 'calm'}>{isPrimary ? words.primary : words.active}</Chip>
      {needsConfirmation && <Chip tone="warn">{words.unconfirmed}</Chip>}
      {isPrimary && waits(account) && usableFrom && (
        <span className="soft small">
          {' '}
          {words.waits} <Time value={usableFrom} />
        </span>
      )}
    </>
  )
}

type AddProps = { banks: Bank[]; onClose: () => void; onAdded: () => void }

/** The bank names the holder before the account is added. */
function AddDialog({ banks, onClose, onAdded }: AddProps) {
  const { mode } = useScope()
  const [bankCode, setBankCode] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const [isPrimary, setPrimary] = useState(true)
  const { write, isBusy, refusal, clear } = useWrite()
  const accountNumber = typed.replaceAll(/\D/g, '')
  const isComplete = bankCode !== null && accountNumber.length === 10
  const holder = useRead<{ accountName: string; bankName: string }>(
    'holder',
    '/v1/banks/resolve',
    { bankCode, accountNumber },
    { isEnabled: isComplete },
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another account was refused
  useEffect(clear, [bankCode, accountNumber])

  async function add() {
    const added = await write('/v1/bank-accounts', { bankCode, accountNumber, isPrimary })
    if (added === undefined) return
    void notify(words.addedNote)
    onAdded()
  }

  return (
    <ConfirmDialog
      title={words.addTitle}
      confirmLabel={words.add}
      isBusy={isBusy}
      isDisabled={!isComplete || !holder.data}
      refusal={refusal}
      onConfirm={() => void add()}
      onClose={onClose}
    >
      <BankField
        label={words.bank}
        banks={banks}
        noneFound={words.noBank}
        value={bankCode}
        onChange={setBankCode}
      />
      <TextField
        label={words.accountNumber}
        description={words.accountNumberHint}
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
      <div role="status">
        {isComplete && holder.isFetching && <p className="soft">{words.resolving}</p>}
        {isComplete && !holder.isFetching && holder.data && (
          <Note tone="good" icon="check" title={holder.data.accountName}>
            <p>
              {words.confirms(holder.data.bankName)} {words.checkName}
            </p>
          </Note>
        )}
      </div>
      {isComplete && <Refusal error={holder.error} />}
      <Checkbox label={words.makePrimaryNow} isOn={isPrimary} onChange={setPrimary} />
      {mode === 'live' && <p className="soft small">{words.liveWait}</p>}
    </ConfirmDialog>
  )
}

type ChangeProps = { chosen: Chosen; bank: string; onClose: () => void; onChanged: () => void }

function ChangeDialog({ chosen: { account, change }, bank, onClose, onChanged }: ChangeProps) {
  const { mode } = useScope()
  const { write, isBusy, refusal } = useWrite()
  const titles = {
    primary: words.makePrimaryTitle,
    confirm: words.confirmTitle,
    deactivate: words.deactivateTitle,
  }
  const labels = {
    primary: words.makePrimary,
    confirm: words.confirm,
    deactivate: words.deactivate,
  }
  const explanations = {
    primary: mode === 'live' && words.liveWait,
    confirm: words.confirmText,
    deactivate: words.deactivateText,
  }

  async function confirm() {
    if ((await write(`/v1/bank-accounts/${account.reference}/${change}`)) === undefined) return
    void notify(words.changedNote)
    onChanged()
  }

  return (
    <ConfirmDialog
      title={titles[change]}
      confirmLabel={labels[change]}
      isDangerous={change === 'deactivate'}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        <span className="bold">{account.accountName}</span>
        <br />
        {bank} {formatAccountNumber(account.accountNumber)}
      </p>
      {change === 'confirm' && account.nameDiffers && <p className="bold">{words.otherHolder}</p>}
      <p className="soft">{explanations[change]}</p>
    </ConfirmDialog>
  )
}
