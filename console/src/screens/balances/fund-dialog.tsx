import { Select } from '@mantine/core'
import { useState } from 'react'
import type { TestFunding } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Asset, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { texts } from '../../texts/en'

const words = texts.balances.fund
const assets: Asset[] = ['NGN', 'USDC', 'USDT']

type Props = { asset: Asset; onClose: () => void }

/** Puts money into a test balance. */
export function FundDialog({ asset: shown, onClose }: Props) {
  const [asset, setAsset] = useState(shown)
  const [amount, setAmount] = useState<bigint | null>(null)
  const { write, isBusy, refusal } = useWrite<TestFunding>({ topics: ['balances'] })
  const confirm = async () => {
    const funded = await write('/v1/test/balances/fund', {
      asset,
      amount: toWire(amount ?? 0n, asset),
    })
    if (!funded) return
    void notify(words.done)
    onClose()
  }
  return (
    <ConfirmDialog
      isOpen
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={amount === null}
      refusal={refusal}
      atFields={['amount']}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Select
        label={words.asset}
        data={assets.map((value) => ({ value, label: texts.balances.names[value] }))}
        value={asset}
        allowDeselect={false}
        onChange={(value) => {
          setAsset(value as Asset)
          setAmount(null)
        }}
      />
      <MoneyInput
        key={asset}
        asset={asset}
        label={words.amount}
        value={amount}
        onChange={setAmount}
        error={refusal?.issueOf('amount')}
        autoFocus
      />
    </ConfirmDialog>
  )
}
