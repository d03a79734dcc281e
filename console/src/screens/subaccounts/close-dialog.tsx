import { useState } from 'react'
import type { Subaccount, SubaccountBalance } from '../../../../sdk/src/types'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { RadioField } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { formatMoney, toUnits } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { subaccountTexts } from './texts'
import { path } from './use-subaccounts'

const words = subaccountTexts.closeDialog

type Props = { subaccount: Subaccount; onClose: () => void }

/** Says what becomes of its money, and what must happen first. */
export function CloseDialog({ subaccount, onClose }: Props) {
  const { reference, name, bankAccount, balances } = subaccount
  const [balance, setBalance] = useState<'move' | 'pay_out'>('move')
  const mayPay = useMay('payouts.create')
  const { write, isBusy, refusal } = useWrite<Subaccount>({
    topics: ['balances', 'payouts'],
    reads: ['subaccount', 'subaccounts'],
  })
  const blocks = balances.flatMap(blocksOf)
  const kept = balances.filter(({ available, asset }) => toUnits(available, asset) > 0n)
  const hasCoins = kept.some(({ asset }) => asset !== 'NGN')
  const hasNaira = kept.some(({ asset }) => asset === 'NGN')
  const mayPayOut = hasNaira && !hasCoins && bankAccount !== null && mayPay
  const close = async () => {
    const closed = await write(`${path}/${reference}/close`, { balance })
    if (!closed) return
    onClose()
    void notify(closed.closing ? words.closing : words.done)
  }
  const amounts = kept.map(({ available, asset }) => formatMoney(available, asset)).join(', ')
  return (
    <ConfirmDialog
      title={words.title(name)}
      confirmLabel={balance === 'pay_out' ? words.confirmPayOut : words.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={blocks.length > 0}
      refusal={refusal}
      onConfirm={() => void close()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {blocks.map((block) => (
        <Note key={block} tone="warn" title={block} />
      ))}
      {blocks.length === 0 && kept.length === 0 && <p className="soft">{words.nothing}</p>}
      {blocks.length === 0 && kept.length > 0 && (
        <RadioField
          label={words.balance}
          value={balance}
          onChange={setBalance}
          choices={[
            { value: 'move', label: words.move(amounts), description: words.moveHint },
            ...(bankAccount
              ? [
                  {
                    value: 'pay_out' as const,
                    label: words.payOut(bankAccount.accountName),
                    description: hasCoins ? words.coins : words.payOutHint,
                    isDisabled: !mayPayOut,
                  },
                ]
              : []),
          ]}
        />
      )}
    </ConfirmDialog>
  )
}

/** Money that closing must wait for. */
function blocksOf({ asset, available, held, pending, owed }: SubaccountBalance): string[] {
  // What it has pays what it owes.
  const isCovered = toUnits(owed, asset) <= toUnits(available, asset)
  const say = (amount: number | string, words: (text: string) => string) =>
    toUnits(amount, asset) > 0n ? [words(formatMoney(amount, asset))] : []
  return [
    ...say(held, words.blockedHeld),
    ...say(pending, words.blockedPending),
    ...(isCovered ? [] : say(owed, words.blockedOwed)),
  ]
}
