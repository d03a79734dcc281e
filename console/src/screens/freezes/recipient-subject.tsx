import { useState } from 'react'
import type { Recipient } from '../../../../sdk/src/types'
import {
  AccountFields,
  AddressField,
  type TypedAccount,
  useTypedAccount,
} from '../../parts/account-fields'
import { SelectField } from '../../parts/fields'
import { RecipientField } from '../recipients/recipient-field'
import { recipientTexts } from '../recipients/texts'
import { subjectOf } from './freeze'
import { freezeTexts } from './texts'

/** A saved recipient, or a bank account or wallet. */
export function RecipientSubject({ onChange }: { onChange: (subject: string | null) => void }) {
  const [kind, setKind] = useState<Recipient['kind']>('bank_account')
  const [typed, setTyped] = useState<TypedAccount>({
    bankCode: '',
    accountNumber: '',
    address: '',
  })
  // The bank that the account is at names its holder; a freeze does not wait for it.
  const account = useTypedAccount(kind, typed)
  const { accountName } = account
  const change = (changed: Partial<TypedAccount>) => {
    const next = { ...typed, ...changed }
    setTyped(next)
    onChange(nameOf(kind, next))
  }
  return (
    <>
      <SelectField
        label={freezeTexts.form.recipientKind}
        options={recipientTexts.kinds}
        value={kind}
        onChange={(chosen) => {
          setKind(chosen)
          onChange(nameOf(chosen, typed))
        }}
      />
      <RecipientField
        kind={kind}
        place={typed}
        onChange={(saved) =>
          change({
            bankCode: saved.bankCode ?? '',
            accountNumber: saved.accountNumber ?? '',
            address: saved.address ?? '',
          })
        }
      />
      {account.isWallet ? (
        <AddressField
          value={typed.address}
          onChange={(address) => change({ address: address.trim() })}
        />
      ) : (
        <AccountFields
          account={account}
          onChange={(changed) =>
            change({
              ...changed,
              ...(changed.accountNumber !== undefined && {
                accountNumber: changed.accountNumber.replace(/\D/g, ''),
              }),
            })
          }
        />
      )}
      <div role="status">{accountName && <p>{freezeTexts.form.holder(accountName)}</p>}</div>
    </>
  )
}

/** Null: not complete yet. */
function nameOf(kind: Recipient['kind'], { bankCode, accountNumber, address }: TypedAccount) {
  if (kind === 'wallet')
    return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) ? subjectOf({ address }) : null
  const isComplete = bankCode !== '' && /^\d{10}$/.test(accountNumber)
  return isComplete ? subjectOf({ bankCode, accountNumber }) : null
}
