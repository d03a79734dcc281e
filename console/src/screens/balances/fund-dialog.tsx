import { useState } from 'react'
import type { TestFunding } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField } from '../../parts/fields'
import { type Asset, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { balanceTexts } from './texts'

const words = balanceTexts.fund

type Props = { asset?: Asset; onClose: () => void }

const nairaProposed = 100_000_000n

/** Puts play money into a balance, in test mode only. */
export function FundDialog({ asset: shown = 'NGN', onClose }: Props) {
  const [asset, setAsset] = useState(shown)
  const [amount, setAmount] = useState(shown === 'NGN' ? nairaProposed : null)
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
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={amount === null}
      refusal={refusal}
      atFields={['amount']}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <SelectField
        label={words.asset}
        options={balanceTexts.names}
        value={asset}
        onChange={(value) => {
          setAsset(value)
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
