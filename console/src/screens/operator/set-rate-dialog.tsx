import { useState } from 'react'
import type { Coin, CurrentRate } from '../../api/answers'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { exchangeTexts } from './exchange-texts'

const t = exchangeTexts.set
const reads = ['rates', 'exchange', 'rate history', 'doctor', 'exchange actions', 'queues', 'pages']

type Props = { coin: Coin; rate: CurrentRate | null; onClose: () => void }

/** The operator's own rate. Another operator must confirm one that is far from the previous one. */
export function SetRateDialog({ coin, rate, onClose }: Props) {
  const [typed, setTyped] = useState({ buy: rate?.buy ?? '', sell: rate?.sell ?? '', hours: '' })
  const { write, isBusy, refusal, clear } = useWrite<{ state?: string }>({ reads, isKeyed: false })
  const plain = (text: string) => text.replace(/[\s,₦]/g, '')
  const isRate = (text: string) => /^\d{1,9}(\.\d{1,6})?$/.test(plain(text))
  const hours = typed.hours.trim()
  const isComplete = isRate(typed.buy) && isRate(typed.sell) && /^\d{0,4}$/.test(hours)
  const isFar = refusal?.reason === 'large_rate_change'
  const field = (name: keyof typeof typed) => ({
    value: typed[name],
    inputMode: 'decimal' as const,
    autoComplete: 'off',
    error: refusal?.issueOf(name),
    onChange: (text: string) => {
      setTyped({ ...typed, [name]: text })
      clear()
    },
  })
  return (
    <ConfirmDialog
      title={t.title(coin)}
      confirmLabel={isFar ? t.confirmFar : t.confirm}
      isDangerous={isFar}
      isBusy={isBusy}
      isDisabled={!isComplete}
      refusal={refusal}
      atFields={['buy', 'sell']}
      onClose={onClose}
      onConfirm={async () => {
        const answer = await write(`/operator/v1/rates/${coin}/set`, {
          buy: plain(typed.buy),
          sell: plain(typed.sell),
          ...(hours && { forHours: Number(hours) }),
          ...(isFar && { isProposal: true }),
        })
        if (answer === undefined) return
        void notify(answer.state === 'WAITING' ? t.proposed : t.done)
        onClose()
      }}
    >
      <p className="soft">{t.text}</p>
      <TextField label={`${t.buy} ${coin}`} prefix="₦" isFirst {...field('buy')} />
      <TextField label={`${t.sell} ${coin}`} prefix="₦" {...field('sell')} />
      <TextField label={t.hours} description={t.hoursHint} unit={t.unit} {...field('hours')} />
    </ConfirmDialog>
  )
}
