import { useState } from 'react'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { collectTexts } from './texts'

const words = collectTexts.pay

/** Where a simulated customer can send money. Without an amount, the user chooses it. */
export type PayTarget =
  | { accountNumber: string; amount: number | null }
  | { address: string; asset: 'USDC' | 'USDT' | null; amount: string | null }

/** Test mode: pays as the customer would, exactly or too much or too little. */
export function PayDialog({ targets, onClose }: { targets: PayTarget[]; onClose: () => void }) {
  const [at, setAt] = useState(0)
  const target = targets[at]!
  const isBank = 'accountNumber' in target
  const [coin, setCoin] = useState<'USDC' | 'USDT'>('USDC')
  const asset: Asset = isBank ? 'NGN' : (target.asset ?? coin)
  const proposed = target.amount === null ? null : toUnits(target.amount, asset)
  const [typed, setTyped] = useState<bigint | null | undefined>(undefined)
  const amount = typed === undefined ? proposed : typed
  const [name, setName] = useState('')
  const { write, isBusy, refusal } = useWrite({
    topics: ['payments', 'balances'],
    reads: ['collected'],
  })
  const pay = async () => {
    const wire = toWire(amount ?? 0n, asset)
    const sender = name.trim() === '' ? undefined : { name: name.trim() }
    const paid = isBank
      ? await write('/v1/test/bank-transfers', {
          accountNumber: target.accountNumber,
          amount: wire,
          sender,
        })
      : await write('/v1/test/crypto-deposits', { address: target.address, asset, amount: wire })
    if (!paid) return
    void notify(isBank ? words.paid : words.sent)
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
      onConfirm={() => void pay()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      {targets.length > 1 && (
        <SelectField
          label={words.method}
          options={targets.map((_, index) => String(index))}
          labels={Object.fromEntries(
            targets.map((one, index) => [index, 'accountNumber' in one ? words.bank : words.chain]),
          )}
          value={String(at)}
          onChange={(value) => {
            setAt(Number(value))
            setTyped(undefined)
          }}
        />
      )}
      {!isBank && target.asset === null && (
        <SelectField
          label={words.coin}
          options={['USDC', 'USDT']}
          value={coin}
          onChange={setCoin}
        />
      )}
      <MoneyInput
        key={`${at} ${asset}`}
        asset={asset}
        label={words.amount}
        value={amount}
        error={refusal?.issueOf('amount')}
        onChange={setTyped}
        autoFocus
      />
      {isBank && (
        <TextField label={words.name} placeholder="CHUKA OKAFOR" value={name} onChange={setName} />
      )}
    </ConfirmDialog>
  )
}
