import { useState } from 'react'
import type { OneMerchant } from '../../api/answers'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, formatDigits } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { ReasonDialog } from './reason-dialog'
import { operatorTexts as t } from './texts'

/** Money that arrived outside of the rails. Another operator confirms it. */
export function CreditDialog(props: { merchant: OneMerchant; onClose: () => void }) {
  const { merchant, onClose } = props
  const [mode, setMode] = useState('live')
  const [asset, setAsset] = useState<Asset>('NGN')
  const [amount, setAmount] = useState<bigint | null>(null)
  const [once, setOnce] = useState('')
  // A decimal in the main unit, as the command takes it.
  const decimal = amount === null ? '' : formatDigits(amount, asset).replaceAll(',', '')
  return (
    <ReasonDialog
      title={t.merchant.creditTitle(merchant.name)}
      text={`${t.merchant.creditText} ${t.proposedText}`}
      confirmLabel={t.propose}
      path={`/operator/v1/merchants/${merchant.id}/credits`}
      field="note"
      label={t.note}
      reads={['merchant']}
      done={t.proposed}
      body={{ mode, asset, amount: decimal, once: once.trim() }}
      isIncomplete={amount === null || amount === 0n || once.trim() === ''}
      onClose={onClose}
    >
      <div className="two-columns">
        <SelectField label={t.mode} options={['live', 'test']} value={mode} onChange={setMode} />
        <SelectField
          label={t.merchant.asset}
          options={['NGN', 'USDC', 'USDT']}
          value={asset}
          onChange={(value) => {
            setAsset(value)
            setAmount(null)
          }}
        />
      </div>
      <MoneyInput key={asset} asset={asset} label={t.amount} value={amount} onChange={setAmount} />
      <TextField
        label={t.merchant.once}
        description={t.merchant.onceHint}
        value={once}
        maxLength={200}
        onChange={setOnce}
      />
    </ReasonDialog>
  )
}
