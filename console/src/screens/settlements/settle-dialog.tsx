import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Balance, Settings, Settlement } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { formatWallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Fact, Facts } from '../../parts/page'
import { settlementTexts } from './texts'

const words = settlementTexts.settle

/** Pays available naira now: an amount, or as much as possible. */
export function SettleDialog({ onClose }: { onClose: () => void }) {
  const [amount, setAmount] = useState<bigint | null>(null)
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Settlement>({ topics: ['payouts', 'balances'] })
  const balances = useRead<{ items: Balance[] }>('balances', '/v1/balances').data
  const isEnabled = useMay('settings.see')
  const settings = useRead<Settings>('settings', '/v1/settings', {}, { isEnabled }).data
  const available = balances?.items.find(({ asset }) => asset === 'NGN')?.available
  const settle = async () => {
    const body = amount === null ? {} : { amount: toWire(amount, 'NGN') }
    const made = await write('/v1/settlements', body)
    if (made === undefined) return
    onClose()
    const say = made.status === 'PENDING' ? words.waits : words.done
    void notify(say(formatMoney(made.amount, 'NGN')))
    await navigate({ to: `/settlements/${made.reference}` })
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={
        amount === null ? words.confirm : words.confirmAmount(formatMoney(amount, 'NGN'))
      }
      isBusy={isBusy}
      isDisabled={amount === 0n}
      refusal={refusal}
      atFields={['amount']}
      onConfirm={() => void settle()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <Facts>
        <Fact name={words.available}>
          {available !== undefined && <Money amount={available} asset="NGN" />}
        </Fact>
        <Fact name={words.reserve}>
          {settings && <Money amount={settings.settlement.reserve} asset="NGN" />}
        </Fact>
        <Fact name={words.paidTo}>{settings && describeDestination(settings.settlement)}</Fact>
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

function describeDestination({ payTo, asset, walletAddress }: Settings['settlement']): string {
  if (payTo === 'bank') return words.bank
  return words.wallet(asset, formatWallet(walletAddress ?? ''))
}
