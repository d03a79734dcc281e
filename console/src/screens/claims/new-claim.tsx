import { useState } from 'react'
import type { Claim } from '../../../../sdk/src/types'
import { useMembership } from '../../api/session'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, formatMoney, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { ClaimLink } from './claim-link'
import { claimTexts } from './texts'

const words = claimTexts.form
const dayMs = 86_400_000
const shownFields = [
  'amount',
  'description',
  'recipientName',
  'email',
  'secretWord',
  'merchantReference',
]

type TextName = 'description' | 'recipientName' | 'email' | 'secretWord' | 'merchantReference'

/** Sets money aside, then shows the link: it is not stored, so only here. */
export function NewClaim({ onClose }: { onClose: () => void }) {
  const { clockOffsetMs = 0 } = useMembership() ?? {}
  const [asset, setAsset] = useState<Asset>('NGN')
  const [amount, setAmount] = useState<bigint | null>(null)
  const [days, setDays] = useState<keyof typeof words.dayOptions>('30')
  const [typed, setTyped] = useState<Partial<Record<TextName, string>>>({})
  const [created, setCreated] = useState<Claim | null>(null)
  const { write, isBusy, refusal } = useWrite<Claim>({ topics: ['balances', 'payouts'] })
  const create = async () => {
    const filled = Object.entries(typed).flatMap(([name, text]) =>
      text.trim() ? [[name, text.trim()]] : [],
    )
    const expiresAt = new Date(Date.now() + clockOffsetMs + Number(days) * dayMs).toISOString()
    const body = { asset, amount: toWire(amount!, asset), expiresAt, ...Object.fromEntries(filled) }
    const made = await write('/v1/claims', body)
    if (made) setCreated(made)
  }
  if (created) return <ClaimLink claim={created} onClose={onClose} />
  const field = (name: TextName, more: { hint?: string; placeholder?: string } = {}) => (
    <TextField
      label={words[name]}
      description={more.hint}
      placeholder={more.placeholder}
      value={typed[name] ?? ''}
      error={refusal?.issueOf(name)}
      onChange={(text) => setTyped({ ...typed, [name]: text })}
    />
  )
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={
        amount === null ? words.confirm : words.confirmAmount(formatMoney(amount, asset))
      }
      isBusy={isBusy}
      isDisabled={!amount || !typed.description?.trim()}
      refusal={refusal}
      atFields={shownFields}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
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
      {field('description', {
        hint: words.descriptionHint,
        placeholder: words.descriptionPlaceholder,
      })}
      <div className="two-columns">
        {field('recipientName')}
        {field('merchantReference')}
      </div>
      {field('email', { hint: words.emailHint, placeholder: 'ada@example.com' })}
      {field('secretWord', { hint: words.secretWordHint })}
      <SelectField
        label={words.days}
        options={words.dayOptions}
        value={days}
        onChange={(value) => setDays(value)}
      />
    </ConfirmDialog>
  )
}
