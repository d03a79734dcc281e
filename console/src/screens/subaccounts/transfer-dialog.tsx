import { useState } from 'react'
import type { Balance, Subaccount, SubaccountTransfer } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { SubaccountField } from './subaccount-field'
import { subaccountTexts } from './texts'
import { path, useSubaccount } from './use-subaccounts'

const words = subaccountTexts.transfer
const merchant = { value: 'merchant', label: words.merchant }

type Direction = 'in' | 'out'

type Props = { subaccount: Subaccount; onClose: () => void }

/** Moves money to this sub-account or from it; the other end is the merchant or another one. */
export function TransferDialog({ subaccount, onClose }: Props) {
  const { reference, name } = subaccount
  const [direction, setDirection] = useState<Direction>('in')
  const [other, setOther] = useState('merchant')
  const [asset, setAsset] = useState<Asset>('NGN')
  const [amount, setAmount] = useState<bigint | null>(null)
  const [note, setNote] = useState('')
  const { write, isBusy, refusal } = useWrite<SubaccountTransfer>({
    topics: ['balances'],
    reads: ['subaccount', 'subaccounts', 'summary'],
  })
  const isIn = direction === 'in'
  const available = useAvailable(isIn ? other : reference, asset)
  const move = async () => {
    const body = {
      [isIn ? 'from' : 'to']: other,
      asset,
      amount: toWire(amount!, asset),
      ...(note.trim() && { note: note.trim() }),
    }
    const made = await write(`${path}/${reference}/transfers`, body)
    if (!made) return
    onClose()
    void notify(words.done(formatMoney(made.amount, made.asset)))
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={
        amount === null ? words.confirm : words.confirmAmount(formatMoney(amount, asset))
      }
      isBusy={isBusy}
      isDisabled={amount === null || amount === 0n}
      refusal={refusal}
      atFields={['amount', 'note', 'from', 'to']}
      onConfirm={() => void move()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <SelectField
        label={words.direction}
        options={{ in: words.directions.in(name), out: words.directions.out(name) }}
        value={direction}
        onChange={setDirection}
      />
      <SubaccountField
        label={isIn ? words.from : words.to}
        first={merchant}
        isFit={(one) => one.status !== 'CLOSED' && one.reference !== reference}
        value={other}
        error={refusal?.issueOf(isIn ? 'from' : 'to')}
        onChange={setOther}
      />
      <div className="two-columns">
        <SelectField
          label={words.asset}
          options={['NGN', 'USDC', 'USDT']}
          value={asset}
          onChange={(chosen) => {
            setAsset(chosen)
            setAmount(null)
          }}
        />
        <MoneyInput
          key={asset}
          asset={asset}
          label={words.amount}
          value={amount}
          error={refusal?.issueOf('amount')}
          onChange={setAmount}
        />
      </div>
      {available !== undefined && (
        <p className="hint">{words.available(formatMoney(available, asset))}</p>
      )}
      <TextField
        label={words.note}
        description={words.noteHint}
        maxLength={100}
        value={note}
        error={refusal?.issueOf('note')}
        onChange={setNote}
      />
    </ConfirmDialog>
  )
}

/** What the payer has; undefined until it is known. */
function useAvailable(payer: string, asset: Asset): bigint | undefined {
  const isMerchant = payer === 'merchant'
  const maySee = useMay('balances.see')
  const own = useRead<{ items: Balance[] }>(
    'balances',
    '/v1/balances',
    {},
    { isEnabled: isMerchant && maySee },
  ).data
  const subaccount = useSubaccount(isMerchant ? null : payer)
  const balances = isMerchant ? own?.items : subaccount?.balances
  const found = balances?.find((balance) => balance.asset === asset)
  return found && toUnits(found.available, asset)
}
