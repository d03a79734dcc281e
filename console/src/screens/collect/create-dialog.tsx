import { useState } from 'react'
import type { SplitRule } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay, useMembership } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Checkbox } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { type Asset, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { apiPaths, type Collected, type Kind, referenceOf } from './kinds'
import { collectTexts } from './texts'

const words = collectTexts.form

type Typed = {
  amount: bigint | null
  coinAmount: bigint | null
  coin: 'USDC' | 'USDT'
  hasCoins: boolean
  /** A link is priced by the current rate, or by the merchant. */
  coinPrice: 'rate' | 'own'
  expiresMinutes: string
  /** Reference of the split rule; null: payments are the merchant's alone. */
  rule: string | null
  text: Record<string, string>
}

type Props = { kind: Kind; onCreated: (reference: string) => void; onClose: () => void }

/** The form of one kind. It asks only for what the kind needs. */
export function CreateDialog({ kind, onCreated, onClose }: Props) {
  const { clockOffsetMs = 0 } = useMembership() ?? {}
  const [typed, setTyped] = useState<Typed>({
    amount: null,
    coinAmount: null,
    coin: 'USDC',
    hasCoins: false,
    coinPrice: 'rate',
    expiresMinutes: '30',
    rule: null,
    text: {},
  })
  const set = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed })
  const { write, isBusy, refusal } = useWrite<Collected[Kind]>({ topics: ['payments'] })
  const rules = useRules(kind, typed.coin)
  const create = async () => {
    const body = bodyOf(kind, typed, Date.now() + clockOffsetMs)
    const splits = typed.rule !== null && { splits: { rule: typed.rule } }
    const made = await write(apiPaths[kind], { ...body, ...splits })
    if (!made) return
    onClose()
    onCreated(referenceOf(made))
  }
  const field = (name: string, label: string, placeholder?: string) => (
    <TextField
      label={label}
      placeholder={placeholder}
      value={typed.text[name] ?? ''}
      error={refusal?.issueOf(name)}
      onChange={(text) => set({ text: { ...typed.text, [name]: text } })}
    />
  )
  const coinChoice = (
    <SelectField
      label={words.coin}
      options={['USDC', 'USDT']}
      value={typed.coin}
      onChange={(coin) => set({ coin, coinAmount: null })}
    />
  )
  const coinAmount = (
    <MoneyInput
      key={typed.coin}
      asset={typed.coin as Asset}
      label={kind === 'wallets' ? words.amount : words.coinAmount}
      value={typed.coinAmount}
      error={refusal?.issueOf(kind === 'wallets' ? 'amount' : 'crypto.amount')}
      onChange={(value) => set({ coinAmount: value })}
    />
  )
  return (
    <ConfirmDialog
      title={words.titles[kind]}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={!isComplete(kind, typed)}
      refusal={refusal}
      atFields={shownFields}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      {(kind === 'links' || kind === 'accounts') && (
        <MoneyInput
          asset="NGN"
          label={words.amount}
          value={typed.amount}
          error={refusal?.issueOf('amount')}
          onChange={(value) => set({ amount: value })}
          autoFocus
        />
      )}
      {kind === 'wallets' && (
        <div className="two-columns">
          {coinChoice}
          {coinAmount}
        </div>
      )}
      {kind === 'links' && (
        <>
          {field('description', words.description, words.descriptionPlaceholder)}
          <div className="two-columns">
            {field('customer.name', words.customerName)}
            {field('customer.email', words.customerEmail)}
          </div>
          <fieldset className="plain-set">
            <legend className="bold">{words.methods}</legend>
            <Checkbox label={words.bankTransfer} isOn isDisabled />
            <Checkbox
              label={words.alsoCoins}
              isOn={typed.hasCoins}
              onChange={(hasCoins) => set({ hasCoins })}
            />
          </fieldset>
          {typed.hasCoins && (
            <div className="two-columns">
              {coinChoice}
              <SelectField
                label={words.coinPrice}
                options={words.coinPrices}
                value={typed.coinPrice}
                onChange={(coinPrice) => set({ coinPrice })}
              />
            </div>
          )}
          {typed.hasCoins && typed.coinPrice === 'own' && coinAmount}
          {typed.hasCoins && typed.coinPrice === 'rate' && (
            <p className="soft small">{words.coinPriceHint}</p>
          )}
        </>
      )}
      {kind === 'links' && field('merchantReference', words.referenceOptional)}
      {(kind === 'accounts' || kind === 'wallets') && field('merchantReference', words.reference)}
      {(kind === 'dedicated' || kind === 'dedicated-wallets') &&
        field('externalReference', words.reference)}
      {kind === 'dedicated' && (
        <div className="two-columns">
          {field('customer.name', words.customerName)}
          {field('customer.email', words.customerEmail)}
          {field('customer.phone', words.customerPhone)}
          {field('customer.bvn', words.customerBvn)}
        </div>
      )}
      {!kind.startsWith('dedicated') && (
        <SelectField
          label={words.expires}
          options={words.expiries}
          value={typed.expiresMinutes}
          onChange={(value) => set({ expiresMinutes: value ?? '30' })}
        />
      )}
      {Object.keys(rules).length > 0 && (
        <SelectField
          label={words.rule}
          description={words.ruleHint}
          placeholder={words.noRule}
          options={rules}
          value={typed.rule !== null && typed.rule in rules ? typed.rule : null}
          error={refusal?.issueOf('splits.rule')}
          onChange={(rule) => set({ rule })}
          onClear={() => set({ rule: null })}
          hasClearButton
        />
      )}
    </ConfirmDialog>
  )
}

const shownFields = [
  'amount',
  'crypto.amount',
  'description',
  'customer.name',
  'customer.email',
  'customer.phone',
  'customer.bvn',
  'merchantReference',
  'externalReference',
  'splits.rule',
]

/** Names of the newest rules that fit what is collected. A dedicated wallet takes every coin. */
function useRules(kind: Kind, coin: string): Record<string, string> {
  const { data } = useRead<Page<SplitRule>>(
    'split rules',
    '/v1/split-rules',
    { limit: 100 },
    { isEnabled: useMay('subaccounts.see') },
  )
  const asset = kind === 'wallets' ? coin : kind === 'dedicated-wallets' ? null : 'NGN'
  const fitting = data?.items.filter((rule) => rule.asset === null || rule.asset === asset) ?? []
  return Object.fromEntries(fitting.map(({ reference, name }) => [reference, name]))
}

function isComplete(kind: Kind, typed: Typed): boolean {
  const { amount, coinAmount, hasCoins, coinPrice, text } = typed
  const has = (name: string) => (text[name] ?? '').trim() !== ''
  if (kind === 'links')
    return (
      amount !== null &&
      ['description', 'customer.name', 'customer.email'].every(has) &&
      (!hasCoins || coinPrice === 'rate' || coinAmount !== null)
    )
  if (kind === 'accounts') return amount !== null && has('merchantReference')
  if (kind === 'wallets') return coinAmount !== null && has('merchantReference')
  return has('externalReference')
}

function bodyOf(kind: Kind, typed: Typed, nowMs: number): object {
  const { amount, coinAmount, coin, hasCoins, coinPrice, expiresMinutes, text } = typed
  const given = (name: string) => (text[name] ?? '').trim() || undefined
  const expiresAt = new Date(nowMs + Number(expiresMinutes) * 60_000).toISOString()
  const asked = { asset: coin, network: 'SOLANA' }
  const crypto = { ...asked, amount: toWire(coinAmount ?? 0n, coin) }
  const merchantReference = given('merchantReference')
  if (kind === 'links')
    return {
      amount: toWire(amount ?? 0n, 'NGN'),
      description: given('description'),
      customer: { name: given('customer.name'), email: given('customer.email') },
      merchantReference,
      expiresAt,
      crypto: hasCoins ? (coinPrice === 'rate' ? asked : crypto) : undefined,
    }
  if (kind === 'accounts')
    return { merchantReference, amount: toWire(amount ?? 0n, 'NGN'), expiresAt }
  if (kind === 'wallets') return { merchantReference, ...crypto, expiresAt }
  const externalReference = given('externalReference')
  if (kind === 'dedicated-wallets') return { externalReference, network: 'SOLANA' }
  const name = given('customer.name')
  const email = given('customer.email')
  const phone = given('customer.phone')
  const bvn = given('customer.bvn')
  const hasCustomer = Boolean(name || email || phone || bvn)
  return { externalReference, customer: hasCustomer ? { name, email, phone, bvn } : undefined }
}
