import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Recipient } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import {
  AccountCheck,
  AccountFields,
  AddressField,
  type TypedAccount,
  useTypedAccount,
} from '../../parts/account-fields'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { recipientTexts } from './texts'

const words = recipientTexts.form

/** Saves an account once the name that the bank reports was shown, or a wallet. */
export function NewRecipient({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [kind, setKind] = useState<Recipient['kind']>('bank_account')
  const [typed, setTyped] = useState<TypedAccount>({ bankCode: '', accountNumber: '', address: '' })
  const [label, setLabel] = useState('')
  const { write, isBusy, refusal } = useWrite<Recipient>({ topics: ['payouts'] })
  const account = useTypedAccount(kind, typed)
  const change = (changed: Partial<TypedAccount>) => setTyped({ ...typed, ...changed })
  const save = async () => {
    const body = { ...account.destination, ...(label.trim() && { label: label.trim() }) }
    const saved = await write('/v1/recipients', body)
    if (!saved) return
    void notify(words.saved)
    const { reference } = saved
    await navigate({ to: '/payouts/recipients/$reference', params: { reference } as never })
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={account.isWallet ? !account.isComplete : account.accountName === undefined}
      refusal={refusal}
      atFields={['label']}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <SelectField
        label={words.kind}
        options={recipientTexts.kinds}
        value={kind}
        onChange={setKind}
      />
      {account.isWallet ? (
        <AddressField value={typed.address} onChange={(address) => change({ address })} />
      ) : (
        <AccountFields account={account} onChange={change} />
      )}
      <AccountCheck account={account}>{!account.isWallet && words.compare}</AccountCheck>
      <TextField
        label={words.label}
        description={words.labelHint}
        placeholder={words.labelPlaceholder}
        maxLength={100}
        value={label}
        error={refusal?.issueOf('label')}
        onChange={setLabel}
      />
    </ConfirmDialog>
  )
}
