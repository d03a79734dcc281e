import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Settlement, Subaccount } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Fact, Facts } from '../../parts/page'
import { subaccountTexts } from './texts'
import { path } from './use-subaccounts'

const words = subaccountTexts.settle

type Props = { subaccount: Subaccount; onClose: () => void }

/** Pays its available naira now: an amount, or as much as possible. */
export function SettleDialog({ subaccount, onClose }: Props) {
  const { reference, name, bankAccount, balances, settlement } = subaccount
  const [amount, setAmount] = useState<bigint | null>(null)
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Settlement>({
    topics: ['payouts', 'balances'],
    reads: ['subaccount', 'subaccounts'],
  })
  const available = balances.find(({ asset }) => asset === 'NGN')?.available ?? 0
  const settle = async () => {
    const body = amount === null ? {} : { amount: toWire(amount, 'NGN') }
    const made = await write(`${path}/${reference}/settlements`, body)
    if (made === undefined) return
    onClose()
    void notify(words.done(formatMoney(made.amount, 'NGN')))
    await navigate({ to: `/settlements/${made.reference}` })
  }
  return (
    <ConfirmDialog
      title={words.title(name)}
      confirmLabel={
        amount === null ? words.confirm : words.confirmAmount(formatMoney(amount, 'NGN'))
      }
      isBusy={isBusy}
      isDisabled={amount === 0n || !bankAccount}
      refusal={refusal}
      atFields={['amount']}
      onConfirm={() => void settle()}
      onClose={onClose}
    >
      <p>{bankAccount ? words.text : words.noBank}</p>
      <Facts>
        <Fact name={words.available}>
          <Money amount={available} asset="NGN" />
        </Fact>
        <Fact name={words.reserve}>
          <Money amount={settlement.reserve} asset="NGN" />
        </Fact>
        <Fact name={words.paidTo}>
          {bankAccount && (
            <>
              {bankAccount.accountName}
              <br />
              <span className="soft">{formatAccountNumber(bankAccount.accountNumber)}</span>
            </>
          )}
        </Fact>
      </Facts>
      <MoneyInput
        asset="NGN"
        label={words.amount}
        description={words.amountHint}
        value={amount}
        onChange={setAmount}
        error={refusal?.issueOf('amount')}
      />
    </ConfirmDialog>
  )
}
