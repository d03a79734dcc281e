import type { RecipientHistory } from '../../../../sdk/src/types'
import { SelectField, TextField } from '../../parts/fields'
import { Form } from '../../parts/form'
import { payoutTexts } from './texts'
import './payouts.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ApprovalCheck } from '../../api/answers'
import { useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { useWrite } from '../../api/writes'
import {
  AccountCheck,
  AccountFields,
  AddressField,
  useTypedAccount,
} from '../../parts/account-fields'
import { Button } from '../../parts/button'
import type { IconName } from '../../parts/icons'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead, Tile } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { formatDay, formatUntil } from '../../parts/time-format'
import { useConversionQuote } from '../conversions/use-conversion-quote'
import { RecipientField } from '../recipients/recipient-field'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { amountInWords } from './amount-in-words'
import { WaitReasons } from './approval'
import { ApproverList } from './approvers'
import { Funding, FundingOffer, sourcesOf } from './funding'
import { merchant, PayerField, useAvailable } from './payer'
import { path, type Transfer } from './transfer'
import { useQuote } from './use-quote'

const words = payoutTexts.form

type PayoutForm = {
  way: 'bank' | 'wallet'
  bankCode: string
  accountNumber: string
  address: string
  coin: 'USDC' | 'USDT'
  units: bigint | null
  narration: string
  merchantReference: string
  /** The balance that pays if that of the asset is too small. */
  payFrom: Asset | null
  /** Who pays: the merchant, or the reference of a sub-account. */
  from: string
}

/** What "Copy as new" and links pass on. */
function readForm(search: Record<string, unknown>): PayoutForm {
  const text = (name: string) => String(search[name] ?? '')
  const coin = text('coin') === 'USDT' ? 'USDT' : 'USDC'
  const isWallet = text('address') !== '' || search.coin !== undefined
  const amount = text('amount')
  const asset = isWallet ? coin : 'NGN'
  const isAmount = /^\d+(\.\d{1,6})?$/.test(amount)
  return {
    way: isWallet ? 'wallet' : 'bank',
    bankCode: text('bankCode'),
    accountNumber: text('accountNumber'),
    address: text('address'),
    coin,
    units: isAmount ? toUnits(asset === 'NGN' ? BigInt(amount) : amount, asset) : null,
    narration: text('narration'),
    merchantReference: '',
    payFrom: null,
    from: text('from') || merchant.value,
  }
}

export function Screen() {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const [form, setForm] = useState<PayoutForm>(() => readForm(search))
  const change = (changed: Partial<PayoutForm>) => {
    // What was asked to be confirmed is another payout now.
    if (isDuplicate) clear()
    setForm({ ...form, ...changed })
  }
  const navigate = useNavigate()
  const { mode } = useScope()
  const { write, isBusy, refusal, clear } = useWrite<Transfer>({
    topics: ['payouts', 'approvals', 'balances'],
    reads: ['attention', 'waiting payouts'],
  })
  const isDuplicate = refusal?.reason === 'possible_duplicate'
  const isToBank = form.way === 'bank'
  const asset: Asset = isToBank ? 'NGN' : form.coin
  const kind = isToBank ? 'bank_account' : 'wallet'
  const account = useTypedAccount(kind, form)
  const { destination: recipient, isComplete: hasRecipient, accountName } = account

  const history = useRead<RecipientHistory>('recipient', `${path}/recipients`, recipient, {
    isEnabled: hasRecipient,
  }).data
  const from = form.from === merchant.value ? null : form.from
  const availableOf = useAvailable(from)
  const available = availableOf[asset] ?? null
  // A sub-account pays from its own balance of the asset only.
  const sources = from === null ? sourcesOf(asset, availableOf) : []
  const isOver = available !== null && form.units !== null && form.units > available
  const { quote, error: quoteError } = useQuote({
    isToBank,
    recipient,
    asset,
    units: hasRecipient && !account.nameError ? form.units : null,
    payFrom: isOver ? sources[0] : undefined,
    from,
  })
  const check = useRead<ApprovalCheck>(
    'approval check',
    `${path}/approval-check`,
    {
      currency: asset,
      amount: form.units === null ? '' : String(toWire(form.units, asset)),
      ...(hasRecipient && { ...recipient, accountName }),
    },
    { isEnabled: form.units !== null && form.units > 0n },
  ).data
  const fee = quote ? toUnits(quote.fee, asset) : null
  const levy = quote && 'levy' in quote ? toUnits(quote.levy, asset) : 0n
  const total = form.units !== null && fee !== null ? form.units + fee + levy : null
  const isShort = available !== null && total !== null && total > available
  const payFrom = isShort ? (sources.find((one) => one === form.payFrom) ?? null) : null
  const price = useConversionQuote(
    payFrom && { from: payFrom, to: asset, side: 'target', units: total },
  )
  // After an unknown outcome the same request is sent again, with the same quote: it pays once.
  const isUnknown = refusal !== null && (refusal.status === 0 || refusal.status >= 500)
  const isFunded =
    payFrom !== null &&
    price.quote !== undefined &&
    (isUnknown ||
      (!price.isExpired && toUnits(price.quote.sourceAmount, payFrom) <= availableOf[payFrom]!))
  const isNamed = !isToBank || accountName !== undefined
  const isCovered = !isShort || isFunded
  const isReady = hasRecipient && isNamed && form.units !== null && form.units > 0n && isCovered

  const send = async (confirmDuplicate = false) => {
    const { narration, merchantReference } = form
    const shared = {
      ...(merchantReference.trim() && { merchantReference: merchantReference.trim() }),
      ...(payFrom && { fundFrom: { asset: payFrom, quote: price.quote!.reference } }),
      ...(from !== null && { from }),
      ...(confirmDuplicate && { confirmDuplicate }),
    }
    const body = isToBank
      ? {
          ...recipient,
          amount: toWire(form.units!, 'NGN'),
          accountName,
          ...(narration.trim() && { narration: narration.trim() }),
          ...shared,
        }
      : {
          destinationAddress: recipient.address,
          amount: String(toWire(form.units!, asset)),
          asset,
          network: 'SOLANA',
          ...shared,
        }
    const created = await write(`${path}/${isToBank ? 'bank-transfer' : 'crypto'}`, body)
    if (!created) return
    await notify(created.status === 'PENDING' ? words.waits : words.sent)
    await navigate({ to: '/payouts/$reference', params: { reference: created.reference } as never })
  }

  const isWaiting = check?.needed === true
  const direct = check?.asksCallback ? words.asksCallback : words.noProof
  // The same refusal asks whether it is a duplicate when it is sent, and a quote says most others.
  const isForeseen = check?.refusal?.reason !== 'possible_duplicate' && quoteError === null
  const foreseen = isForeseen && refusal === null ? check?.refusal : null
  const atFields = ['merchantReference', 'narration', 'amount']
  return (
    <Form
      onSubmit={() => {
        if (isReady) void send()
      }}
    >
      <PageHead
        title={words.title}
        parent={{ to: '/payouts', label: payoutTexts.title, current: words.crumb }}
      />
      <div className="with-aside wide-aside">
        <Card isPadded className="form">
          <div className="payout-ways" role="radiogroup" aria-label={words.payTo}>
            <Way
              icon="bank"
              name={words.bank}
              hint={words.bankHint}
              isOn={isToBank}
              onClick={() => change({ way: 'bank', units: null })}
            />
            <Way
              icon="coin"
              name={words.wallet}
              hint={words.walletHint}
              isOn={!isToBank}
              onClick={() => change({ way: 'wallet', units: null })}
            />
          </div>
          <PayerField value={form.from} onChange={(chosen) => change({ from: chosen })} />
          <RecipientField
            key={form.way}
            kind={kind}
            place={recipient}
            onChange={(chosen) =>
              change({
                bankCode: chosen.bankCode ?? '',
                accountNumber: chosen.accountNumber ?? '',
                address: chosen.address ?? '',
              })
            }
          />
          {isToBank ? (
            <AccountFields account={account} onChange={change} />
          ) : (
            <div className="two-columns">
              <AddressField value={form.address} onChange={(address) => change({ address })} />
              <SelectField
                label={words.coin}
                options={['USDC', 'USDT']}
                value={form.coin}
                onChange={(coin) => change({ coin: coin, units: null })}
              />
            </div>
          )}
          <AccountCheck account={account}>{tellHistory(history)}</AccountCheck>
          <div className="amount-field">
            <MoneyInput
              key={`${form.way}${form.coin}`}
              asset={asset}
              label={words.amount}
              value={form.units}
              error={refusal?.issueOf('amount')}
              onChange={(units) => change({ units })}
            />
            <p className="hint row spread">
              <span>{form.units !== null && amountInWords(form.units, asset)}</span>
              {available !== null && available > 0n && (
                <button
                  type="button"
                  className="link no-wrap"
                  onClick={() => change({ units: everything(available, (fee ?? 0n) + levy) })}
                >
                  {words.everything}
                </button>
              )}
            </p>
          </div>
          <div className="two-columns">
            {isToBank && (
              <TextField
                label={<Optional>{words.narration}</Optional>}
                description={words.narrationHint}
                isDescribedBelow
                maxLength={100}
                value={form.narration}
                error={refusal?.issueOf('narration')}
                onChange={(narration) => change({ narration })}
              />
            )}
            <TextField
              label={<Optional>{words.reference}</Optional>}
              description={words.referenceHint}
              isDescribedBelow
              maxLength={100}
              value={form.merchantReference}
              error={refusal?.issueOf('merchantReference')}
              onChange={(merchantReference) => change({ merchantReference })}
            />
          </div>
        </Card>
        <div className="stack">
          <Card title={words.summary}>
            <Facts>
              <Fact name={words.from}>{from !== null && <SubaccountLink reference={from} />}</Fact>
              <Fact name={words.to}>
                {isToBank
                  ? accountName && (
                      <>
                        <b>{accountName}</b>
                        <br />
                        <span className="soft">
                          {account.bankName} {formatAccountNumber(recipient.accountNumber!)}
                        </span>
                      </>
                    )
                  : hasRecipient && <b>{formatWallet(recipient.address!)}</b>}
              </Fact>
              <Fact name={words.amount}>
                {form.units !== null ? <Money amount={form.units} asset={asset} /> : '–'}
              </Fact>
              <Fact name={words.fee}>
                {fee !== null ? <Money amount={fee} asset={asset} /> : '–'}
              </Fact>
              <Fact name={words.levy}>{levy > 0n && <Money amount={levy} asset={asset} />}</Fact>
            </Facts>
            <div className="total">
              <Facts>
                <Fact name={words.total}>
                  {total !== null ? <Money amount={total} asset={asset} /> : '–'}
                </Fact>
              </Facts>
            </div>
            {available !== null && (
              <Facts isSmall>
                <Fact name={words.available}>{formatMoney(available, asset)}</Fact>
                <Fact name={words.after}>
                  {total !== null && !isShort ? formatMoney(available - total, asset) : null}
                </Fact>
              </Facts>
            )}
            {isShort && from !== null && (
              <p className="padded no-top-padding bad" role="status">
                {words.subaccountShort}
              </p>
            )}
            {isShort && !payFrom && from === null && (
              <FundingOffer sources={sources} onChoose={(one) => change({ payFrom: one })} />
            )}
            {payFrom && total !== null && (
              <Funding
                from={payFrom}
                asset={asset}
                total={total}
                price={price}
                balances={availableOf}
                isLocked={isUnknown}
                onStop={() => change({ payFrom: null })}
              />
            )}
            {quoteError !== null && !account.nameError && (
              <div className="padded no-top-padding">
                <Note tone="bad" title={toRefusal(quoteError).sentence} />
              </div>
            )}
          </Card>
          <Card {...(isWaiting && { title: words.mustApprove })}>
            <div className={isWaiting ? 'padded no-top-padding' : 'padded'}>
              {isWaiting && (
                <>
                  <p className="soft">{words.mustApproveText}</p>
                  <WaitReasons reasons={check.reasons} screening={check.screening} />
                  <ApproverList approvers={check.approvers} />
                  <p className="hint spaced">{words.expires(formatUntil(check.expiresAt))}</p>
                </>
              )}
              {foreseen && <Note tone="bad" title={foreseen.message} />}
              <div className="sticky-actions">
                <Button
                  type="submit"
                  kind="primary"
                  size="big"
                  icon={isWaiting || mode === 'live' ? 'finger' : 'payOut'}
                  isWide
                  isBusy={isBusy}
                  isDisabled={!isReady}
                >
                  {isWaiting ? words.sendForApproval : words.send}
                </Button>
              </div>
              <p className="hint centered">
                {mode === 'live' ? words.proof : !isWaiting && direct}
              </p>
              {isDuplicate && form.units !== null ? (
                <Duplicate
                  amount={formatMoney(form.units, asset)}
                  to={accountName ?? formatWallet(form.address.trim())}
                  isBusy={isBusy}
                  onConfirm={() => void send(true)}
                />
              ) : (
                <Refusal error={refusal} atFields={atFields} />
              )}
            </div>
          </Card>
        </div>
      </div>
    </Form>
  )
}

type DuplicateProps = { amount: string; to: string; isBusy: boolean; onConfirm: () => void }

/** The same was paid recently: asks whether this is another payout. */
function Duplicate({ amount, to, isBusy, onConfirm }: DuplicateProps) {
  return (
    <div role="alert">
      <Note tone="warn" title={words.duplicateTitle}>
        <p>{words.duplicateText(amount, to)}</p>
        <p style={{ marginTop: 10 }}>
          <Button size="small" isBusy={isBusy} onClick={onConfirm}>
            {words.sendAnyway}
          </Button>
        </p>
      </Note>
    </div>
  )
}

/** The whole balance less fee and stamp duty; those of an unknown amount count as none. */
function everything(available: bigint, costs: bigint): bigint {
  const rest = available - costs
  return rest > 0n ? rest : 0n
}

function tellHistory(history: RecipientHistory | null | undefined): string {
  if (!history) return ''
  const { count, last } = history
  if (!last) return words.neverPaid
  const amount = formatMoney(last.amount, last.currency)
  return words.paidBefore(count, amount, formatDay(last.createdAt))
}

function Optional({ children }: { children: ReactNode }) {
  return (
    <>
      {children} <span className="soft">{words.optional}</span>
    </>
  )
}

type WayProps = { icon: IconName; name: string; hint: string; isOn: boolean; onClick: () => void }

function Way({ icon, name, hint, isOn, onClick }: WayProps) {
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isOn}
      className={isOn ? 'selected' : ''}
      onClick={onClick}
    >
      <Tile icon={icon} tone={isOn ? 'brand' : 'calm'} />
      <span>
        <b>{name}</b>
        <br />
        <span className="soft small">{hint}</span>
      </span>
    </button>
  )
}
