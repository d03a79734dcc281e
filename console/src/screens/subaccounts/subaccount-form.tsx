import { useState } from 'react'
import type { Bank, Subaccount } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useWrite } from '../../api/writes'
import { BankField } from '../../parts/bank-field'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { formatAccountNumber } from '../../parts/identifiers'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { subaccountTexts } from './texts'
import { path } from './use-subaccounts'

const words = subaccountTexts.form

type Schedule = Subaccount['settlement']['schedule']

type Typed = {
  name: string
  email: string
  externalReference: string
  bankCode: string
  accountNumber: string
  walletAddress: string
  schedule: Schedule
  reserve: bigint | null
  minimum: bigint | null
}

const emptyForm: Typed = {
  name: '',
  email: '',
  externalReference: '',
  bankCode: '',
  accountNumber: '',
  walletAddress: '',
  schedule: 'off',
  reserve: 0n,
  minimum: 100_000n,
}

function typedOf(subaccount: Subaccount): Typed {
  const { name, email, externalReference, bankAccount, walletAddress, settlement } = subaccount
  return {
    name,
    email: email ?? '',
    externalReference: externalReference ?? '',
    bankCode: bankAccount?.bankCode ?? '',
    accountNumber: bankAccount?.accountNumber ?? '',
    walletAddress: walletAddress ?? '',
    schedule: settlement.schedule,
    reserve: BigInt(settlement.reserve),
    minimum: BigInt(settlement.minimum),
  }
}

/** Empty fields are null; those that did not change are left out. */
function bodyOf(typed: Typed, before: Typed): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const name of ['name', 'email', 'externalReference', 'walletAddress'] as const) {
    const text = typed[name].trim()
    if (text !== before[name]) body[name] = text === '' ? null : text
  }
  const { bankCode, accountNumber } = typed
  if (bankCode !== before.bankCode || accountNumber !== before.accountNumber)
    body.bankAccount = accountNumber === '' ? null : { bankCode, accountNumber }
  const settlement: Record<string, unknown> = {}
  if (typed.schedule !== before.schedule) settlement.schedule = typed.schedule
  for (const name of ['reserve', 'minimum'] as const)
    if (typed[name] !== before[name]) settlement[name] = Number(typed[name] ?? 0n)
  if (Object.keys(settlement).length > 0) body.settlement = settlement
  return body
}

type CreateProps = { onClose: () => void; onCreated: (created: Subaccount) => void }

export function CreateDialog({ onClose, onCreated }: CreateProps) {
  const { write, ...writing } = useWrite<Subaccount>({
    topics: ['balances'],
    reads: ['subaccounts'],
    isKeyed: false,
  })
  return (
    <FormDialog
      title={words.createTitle}
      confirmLabel={words.create}
      before={emptyForm}
      writing={writing}
      onClose={onClose}
      onConfirm={async (body) => {
        const created = await write(path, body)
        if (!created) return
        onClose()
        void notify(words.created(created.name))
        onCreated(created)
      }}
    />
  )
}

type EditProps = { subaccount: Subaccount; onClose: () => void }

export function EditDialog({ subaccount, onClose }: EditProps) {
  // As it was when the dialog opened: a reload must not change what is being typed.
  const [before] = useState(() => typedOf(subaccount))
  const { write, ...writing } = useWrite<Subaccount>({
    method: 'PATCH',
    topics: ['balances'],
    reads: ['subaccount', 'subaccounts'],
  })
  return (
    <FormDialog
      title={words.editTitle(subaccount.name)}
      confirmLabel={words.save}
      before={before}
      writing={writing}
      onClose={onClose}
      onConfirm={async (body) => {
        if (!(await write(`${path}/${subaccount.reference}`, body))) return
        onClose()
        void notify(words.saved)
      }}
    />
  )
}

type FormProps = {
  title: string
  confirmLabel: string
  before: Typed
  writing: Pick<ReturnType<typeof useWrite>, 'isBusy' | 'refusal'>
  onClose: () => void
  onConfirm: (body: Record<string, unknown>) => Promise<void>
}

const atFields = [
  'name',
  'email',
  'externalReference',
  'walletAddress',
  'bankAccount.accountNumber',
  'settlement.reserve',
  'settlement.minimum',
]

function FormDialog({ title, confirmLabel, before, writing, onClose, onConfirm }: FormProps) {
  const [typed, setTyped] = useState(before)
  const { isBusy, refusal } = writing
  const change = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed })
  const { bankCode, accountNumber } = typed
  const isRemoved = accountNumber === '' && before.accountNumber !== ''
  const isPartial = !isRemoved && (bankCode === '') !== (accountNumber === '')
  const isAccount = bankCode !== '' && accountNumber.length === 10
  const banks = useRead<Page<Bank>>('banks', '/v1/banks').data?.items ?? []
  const holder = useRead<{ accountName: string }>(
    'account name',
    '/v1/banks/resolve',
    { bankCode, accountNumber },
    { isEnabled: isAccount },
  )
  const isWhole = accountNumber === '' || accountNumber.length === 10
  const body = bodyOf(typed, before)
  const isChanged = Object.keys(body).length > 0
  const field = (name: 'name' | 'email' | 'externalReference' | 'walletAddress') => ({
    value: typed[name],
    error: refusal?.issueOf(name),
    autoComplete: 'off',
    maxLength: 100,
    onChange: (text: string) => change({ [name]: text }),
  })
  const accountIssue =
    (accountNumber.length > 10 && words.accountIssue) ||
    refusal?.issueOf('bankAccount.accountNumber') ||
    (isAccount && holder.error ? toRefusal(holder.error).sentence : undefined)
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      isBusy={isBusy}
      isDisabled={typed.name.trim() === '' || isPartial || !isChanged || !isWhole}
      refusal={refusal}
      atFields={atFields}
      onConfirm={() => void onConfirm(body)}
      onClose={onClose}
    >
      <TextField label={words.name} isFirst {...field('name')} />
      <div className="two-columns">
        <TextField label={words.email} placeholder={words.optional} {...field('email')} />
        <TextField
          label={words.externalReference}
          placeholder="seller-17"
          {...field('externalReference')}
        />
      </div>
      <fieldset className="plain form">
        <legend className="bold">{words.paidTo}</legend>
        <div>
          <div className="two-columns">
            <BankField
              label={words.bank}
              placeholder={words.bankPlaceholder}
              noneFound={words.noBank}
              banks={banks}
              value={bankCode || null}
              onChange={(code) => change({ bankCode: code ?? '' })}
            />
            <TextField
              label={words.accountNumber}
              inputMode="numeric"
              autoComplete="off"
              value={formatAccountNumber(accountNumber)}
              error={accountIssue}
              onChange={(text) => change({ accountNumber: text.replace(/\D/g, '') })}
            />
          </div>
          <p className="hint" role="status">
            {isRemoved ? words.removed : isPartial && words.accountNeeded}
            {isAccount && holder.isLoading && words.resolving}
            {isAccount && holder.data && words.holder(holder.data.accountName)}
          </p>
        </div>
        <TextField
          label={words.wallet}
          description={words.walletHint}
          spellCheck={false}
          {...field('walletAddress')}
        />
      </fieldset>
      <fieldset className="plain form">
        <legend className="bold">{words.settled}</legend>
        <SelectField
          label={words.schedule}
          description={words.scheduleHint}
          options={subaccountTexts.schedules}
          value={typed.schedule}
          onChange={(schedule) => change({ schedule })}
        />
        {typed.schedule !== 'off' && (
          <div className="two-columns">
            <MoneyInput
              asset="NGN"
              label={words.reserve}
              value={typed.reserve}
              error={refusal?.issueOf('settlement.reserve')}
              onChange={(reserve) => change({ reserve })}
            />
            <MoneyInput
              asset="NGN"
              label={words.minimum}
              value={typed.minimum}
              error={refusal?.issueOf('settlement.minimum')}
              onChange={(minimum) => change({ minimum })}
            />
          </div>
        )}
      </fieldset>
    </ConfirmDialog>
  )
}
