import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Recipient } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { DataTable } from '../../parts/data-table'
import { TextField } from '../../parts/fields'
import { AccountNumber, Reference, Wallet } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { CasesCard } from '../cases/cases-card'
import { subjectOf } from '../freezes/freeze'
import { FreezeRecipient } from '../freezes/freeze-recipient'
import { FrozenNote } from '../freezes/frozen-note'
import { amountColumn, createdColumn, statusColumn } from '../payouts/columns'
import type { Transfer } from '../payouts/transfer'
import { nameOf, placeOf } from './describe'
import { recipientTexts } from './texts'

const words = recipientTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/recipients/${reference}`
  const read = useRead<Recipient>('recipient', path)
  return (
    <ResourcePage path={path} read={read} heights={[320]}>
      {(recipient) => <RecipientPage recipient={recipient} />}
    </ResourcePage>
  )
}

function RecipientPage({ recipient }: { recipient: Recipient }) {
  const { reference, status } = recipient
  const title = nameOf(recipient)
  useEffect(
    () => noteRecent({ path: `/payouts/recipients/${reference}`, title }),
    [reference, title],
  )
  return (
    <>
      <PageHead
        parent={{
          to: '/payouts/recipients',
          label: recipientTexts.title,
          current: <Reference value={reference} />,
        }}
        title={title}
        beside={<Status of="recipient" value={status} />}
        actions={<Actions recipient={recipient} />}
      />
      <FrozenNote
        isShown={({ kind, subject }) => kind === 'recipient' && subject === subjectOf(recipient)}
      />
      {status === 'DISABLED' && (
        <Note tone="warn" title={words.disabledTitle}>
          <p>{words.disabledText}</p>
        </Note>
      )}
      <div className="with-aside">
        <Payouts reference={reference} />
        <div className="stack">
          <RecipientFacts recipient={recipient} />
          <CasesCard item={reference} />
        </div>
      </div>
    </>
  )
}

function RecipientFacts({ recipient }: { recipient: Recipient }) {
  const { kind, bankName, accountNumber, accountName, address, label } = recipient
  return (
    <JsonCard title={words.recipient} value={recipient} words={words}>
      <Facts>
        <Fact name={words.kind}>{recipientTexts.kinds[kind]}</Fact>
        <Fact name={words.accountName}>{accountName}</Fact>
        <Fact name={words.bank}>{bankName}</Fact>
        <Fact name={words.accountNumber}>
          {accountNumber && <AccountNumber value={accountNumber} />}
        </Fact>
        <Fact name={words.address}>{address && <Wallet value={address} />}</Fact>
        <Fact name={words.label}>{label}</Fact>
        <Fact name={words.activeSince}>
          <Time value={recipient.activeSince} />
        </Fact>
        <Fact name={words.firstPaid}>
          {recipient.firstPaidAt ? (
            <Time value={recipient.firstPaidAt} />
          ) : (
            recipientTexts.neverPaid
          )}
        </Fact>
        <Fact name={words.created}>
          <Time value={recipient.createdAt} />
        </Fact>
      </Facts>
    </JsonCard>
  )
}

const columns = [
  { ...createdColumn, phone: 1 as const, isGrowing: true, cell: showCreated },
  { ...statusColumn, phone: 3 as const },
  amountColumn,
]

function showCreated({ createdAt }: Transfer) {
  return <Time value={createdAt} />
}

function Payouts({ reference }: { reference: string }) {
  const list = usePages<Transfer>('/v1/disbursements', { recipient: reference }, { limit: 10 })
  return (
    <Card
      title={words.payouts}
      aside={
        list.rows.length > 0 && (
          <Button size="small" to={`/payouts?recipient=${reference}`}>
            {words.allPayouts}
          </Button>
        )
      }
    >
      <DataTable
        caption={words.payoutsCaption}
        columns={columns}
        list={list}
        keyOf={(transfer) => transfer.reference}
        pathOf={(transfer) => `/payouts/${transfer.reference}`}
        empty={<p className="soft hint">{words.noPayouts}</p>}
      />
    </Card>
  )
}

function Actions({ recipient }: { recipient: Recipient }) {
  const { status } = recipient
  const mayChange = useMay('recipients.change')
  const mayPay = useMay('payouts.create')
  const [opened, setOpened] = useState<'edit' | 'change' | null>(null)
  const isActive = status === 'ACTIVE'
  return (
    <>
      {mayChange && (
        <>
          <Button onClick={() => setOpened('edit')}>{words.edit}</Button>
          <Button {...(isActive && { kind: 'danger' })} onClick={() => setOpened('change')}>
            {isActive ? words.disable : words.enable}
          </Button>
        </>
      )}
      <FreezeRecipient recipient={recipient} place={placeOf(recipient)} />
      {mayPay && isActive && (
        <Button kind="primary" icon="payOut" to={payPath(recipient)}>
          {words.pay}
        </Button>
      )}
      {opened === 'edit' && <EditDialog recipient={recipient} onClose={() => setOpened(null)} />}
      {opened === 'change' && (
        <StatusDialog recipient={recipient} onClose={() => setOpened(null)} />
      )}
    </>
  )
}

/** The form with its account or wallet. */
function payPath({ bankCode, accountNumber, address }: Recipient): string {
  const place = new URLSearchParams(
    address === null
      ? { bankCode: bankCode ?? '', accountNumber: accountNumber ?? '' }
      : { address },
  )
  return `/payouts/new?${place}`
}

type DialogProps = { recipient: Recipient; onClose: () => void }

function StatusDialog({ recipient: { reference, status }, onClose }: DialogProps) {
  // As it was when the dialog opened: the page changes before the dialog is gone.
  const [isActive] = useState(status === 'ACTIVE')
  const { write, isBusy, refusal } = useWrite<Recipient>({
    topics: ['payouts'],
    reads: ['recipient'],
  })
  const { disableDialog, enableDialog } = recipientTexts
  const dialog = isActive ? disableDialog : enableDialog
  const change = async () => {
    const action = isActive ? 'disable' : 'enable'
    const changed = await write(`/v1/recipients/${reference}/${action}`)
    if (!changed) return
    onClose()
    void notify(isActive ? disableDialog.done : enableDialog.done(nameOf(changed)))
  }
  return (
    <ConfirmDialog
      title={dialog.title}
      confirmLabel={dialog.confirm}
      isDangerous={isActive}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      <p>{dialog.text}</p>
    </ConfirmDialog>
  )
}

function EditDialog({ recipient: { reference, label }, onClose }: DialogProps) {
  const [typed, setTyped] = useState(label ?? '')
  const { write, isBusy, refusal } = useWrite<Recipient>({
    method: 'PATCH',
    topics: ['payouts'],
    reads: ['recipient'],
  })
  const save = async () => {
    if (!(await write(`/v1/recipients/${reference}`, { label: typed.trim() || null }))) return
    onClose()
    void notify(recipientTexts.edit.done)
  }
  return (
    <ConfirmDialog
      title={recipientTexts.edit.title}
      confirmLabel={recipientTexts.edit.confirm}
      isBusy={isBusy}
      refusal={refusal}
      atFields={['label']}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.label}
        description={recipientTexts.form.labelHint}
        maxLength={100}
        value={typed}
        error={refusal?.issueOf('label')}
        onChange={setTyped}
      />
    </ConfirmDialog>
  )
}
