import './account-fields.css'
import type { ReactNode } from 'react'
import type { Bank, Recipient } from '../../../sdk/src/types'
import { type Page, useRead } from '../api/reads'
import { toRefusal } from '../api/refusal'
import { accountTexts as words } from '../texts/account'
import { BankField } from './bank-field'
import { TextField } from './fields'
import { Icon } from './icons'
import { formatAccountNumber, formatWallet } from './identifiers'
import { Note } from './page'
import { ErrorState } from './refusals'

export type TypedAccount = { bankCode: string; accountNumber: string; address: string }

/** The bank account or wallet that is typed, with the name that the bank reports. */
export function useTypedAccount(kind: Recipient['kind'], typed: TypedAccount) {
  const isWallet = kind === 'wallet'
  const accountNumber = typed.accountNumber.replace(/\D/g, '')
  const address = typed.address.trim()
  const destination: Record<string, string> = isWallet
    ? { address }
    : { bankCode: typed.bankCode, accountNumber }
  const isComplete = isWallet
    ? /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)
    : typed.bankCode !== '' && /^\d{10}$/.test(accountNumber)
  const banks = useRead<Page<Bank>>('banks', '/v1/banks')
  const isResolved = !isWallet && isComplete
  const name = useRead<{ accountName: string }>('account name', '/v1/banks/resolve', destination, {
    isEnabled: isResolved,
  })
  return {
    isWallet,
    destination,
    isComplete,
    banks,
    bankName: banks.data?.items.find(({ code }) => code === typed.bankCode)?.name ?? '',
    isResolving: isResolved && name.isLoading,
    nameError: isResolved ? name.error : null,
    accountName: isResolved ? name.data?.accountName : undefined,
  }
}

type Account = ReturnType<typeof useTypedAccount>

type FieldsProps = { account: Account; onChange: (typed: Partial<TypedAccount>) => void }

export function AccountFields({ account: { banks, destination }, onChange }: FieldsProps) {
  const { bankCode, accountNumber = '' } = destination
  return (
    <>
      {banks.error && !banks.data && (
        <ErrorState error={banks.error} retry={() => void banks.refetch()} />
      )}
      <div className="two-columns">
        <BankField
          label={words.bank}
          placeholder={words.bankPlaceholder}
          noneFound={words.noBank}
          banks={banks.data?.items ?? []}
          value={bankCode || null}
          onChange={(code) => onChange({ bankCode: code ?? '' })}
        />
        <TextField
          label={words.number}
          inputMode="numeric"
          autoComplete="off"
          value={formatAccountNumber(accountNumber)}
          error={accountNumber.length > 10 && words.numberIssue}
          onChange={(typed) => onChange({ accountNumber: typed })}
        />
      </div>
    </>
  )
}

type AddressProps = { value: string; onChange: (address: string) => void }

export function AddressField(props: AddressProps) {
  return <TextField label={words.address} autoComplete="off" spellCheck={false} {...props} />
}

/** What is known of the account or wallet, before it is saved or paid. */
export function AccountCheck({ account, children }: { account: Account; children?: ReactNode }) {
  const { isWallet, isComplete, destination, bankName, accountName } = account
  return (
    <div role="status">
      {account.isResolving && <p className="soft">{words.resolving}</p>}
      {account.nameError && <Note tone="bad" title={toRefusal(account.nameError).sentence} />}
      {accountName && (
        <div className="account-found">
          <span className="tile">
            <Icon name="check" />
          </span>
          <div>
            <p className="bold">{accountName}</p>
            <p className="small">
              {words.confirms(bankName)} {children}
            </p>
          </div>
        </div>
      )}
      {isWallet && isComplete && (
        <Note tone="warn" icon="coin" title={formatWallet(destination.address!)}>
          <p className="small">
            {words.checkWallet} {children}
          </p>
        </Note>
      )}
    </div>
  )
}
