import type { RecipientHistory } from '../../../../sdk/src/types'
import { SelectField, TextField } from '../../parts/fields'
import { Form } from '../../parts/form'
import { payoutTexts } from './texts'
import './payouts.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ApprovalCheck } from '../../api/answers'
import { type Page, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { BankField } from '../../parts/bank-field'
import { Button } from '../../parts/button'
import { Icon, type IconName } from '../../parts/icons'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead, Tile } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { formatDay, formatUntil } from '../../parts/time-format'
import { useConversionQuote } from '../conversions/use-conversion-quote'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { amountInWords } from './amount-in-words'
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
  const change = (changed: Partial<PayoutForm>) => setForm({ ...form, ...changed })
  const navigate = useNavigate()
  const { mode } = useScope()
  const { write, isBusy, refusal } = useWrite<Transfer>({
    topics: ['payouts', 'approvals', 'balances'],
    reads: ['attention', 'waiting payouts'],
  })
  const isToBank = form.way === 'bank'
  const asset: Asset = isToBank ? 'NGN' : form.coin
  const accountNumber = form.accountNumber.replace(/\D/g, '')
  const isAccount = form.bankCode !== '' && /^\d{10}$/.test(accountNumber)
  const isWallet = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(form.address.trim())
  const hasRecipient = isToBank ? isAccount : isWallet
  const recipient: Record<string, string> = isToBank
    ? { bankCode: form.bankCode, accountNumber }
    : { address: form.address.trim() }

  const listed = useRead<Page<{ code: string; name: string }>>('banks', '/v1/banks')
  const banks = listed.data?.items
  const bankName = banks?.find(({ code }) => code === form.bankCode)?.name ?? ''
  const name = useRead<{ accountName: string }>('account name', '/v1/banks/resolve', recipient, {
    isEnabled: isToBank && isAccount,
  })
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
    units: hasRecipient && !name.error ? form.units : null,
    payFrom: isOver ? sources[0] : undefined,
    from,
  })
  const check = useRead<ApprovalCheck>(
    'approval check',
    `${path}/approval-check`,
    { currency: asset, amount: form.units === null ? '' : String(toWire(form.units, asset)) },
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
  const isNamed = !isToBank || Boolean(name.data)
  const isCovered = !isShort || isFunded
  const isReady = hasRecipient && isNamed && form.units !== null && form.units > 0n && isCovered

  const send = async () => {
    const { narration, merchantReference } = form
    const shared = {
      ...(merchantReference.trim() && { merchantReference: merchantReference.trim() }),
      ...(payFrom && { fundFrom: { asset: payFrom, quote: price.quote!.reference } }),
      ...(from !== null && { from }),
    }
    const body = isToBank
      ? {
          ...recipient,
          amount: toWire(form.units!, 'NGN'),
          accountName: name.data!.accountName,
          ...(narration.trim() && { narration: narration.trim() }),
          ...shared,
        }
      : {
          destinationAddress: form.address.trim(),
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
          {isToBank && listed.error && !banks && (
            <ErrorState error={listed.error} retry={() => void listed.refetch()} />
          )}
          {isToBank ? (
            <div className="two-columns">
              <BankField
                label={words.bankName}
                placeholder={words.bankPlaceholder}
                noneFound={words.noBank}
                banks={banks ?? []}
                value={form.bankCode || null}
                onChange={(code) => change({ bankCode: code ?? '' })}
              />
              <TextField
                label={words.accountNumber}
                inputMode="numeric"
                autoComplete="off"
                value={formatAccountNumber(accountNumber)}
                error={accountNumber.length > 10 && words.accountIssue}
                onChange={(accountNumber) => change({ accountNumber })}
              />
            </div>
          ) : (
            <div className="two-columns">
              <TextField
                label={words.address}
                autoComplete="off"
                spellCheck={false}
                value={form.address}
                onChange={(address) => change({ address })}
              />
              <SelectField
                label={words.coin}
                options={['USDC', 'USDT']}
                value={form.coin}
                onChange={(coin) => change({ coin: coin, units: null })}
              />
            </div>
          )}
          <div role="status">
            {isToBank && isAccount && name.isLoading && <p className="soft">{words.resolving}</p>}
            {isToBank && isAccount && name.error && (
              <Note tone="bad" title={toRefusal(name.error).sentence} />
            )}
            {isToBank && isAccount && name.data && (
              <Found name={name.data.accountName}>
                {words.confirms(bankName)} {tellHistory(history)}
              </Found>
            )}
            {!isToBank && isWallet && (
              <Note tone="warn" icon="coin" title={formatWallet(form.address.trim())}>
                <p className="small">
                  {words.checkWallet} {tellHistory(history)}
                </p>
              </Note>
            )}
          </div>
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
                  ? name.data && (
                      <>
                        <b>{name.data.accountName}</b>
                        <br />
                        <span className="soft">
                          {bankName} {formatAccountNumber(accountNumber)}
                        </span>
                      </>
                    )
                  : isWallet && <b>{formatWallet(form.address.trim())}</b>}
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
            {quoteError !== null && !name.error && (
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
                  <ApproverList approvers={check.approvers} />
                  <p className="hint spaced">{words.expires(formatUntil(check.expiresAt))}</p>
                </>
              )}
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
                {mode === 'live' ? words.proof : !isWaiting && words.noProof}
              </p>
              <Refusal error={refusal} atFields={atFields} />
            </div>
          </Card>
        </div>
      </div>
    </Form>
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

function Found({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="account-found">
      <span className="tile">
        <Icon name="check" />
      </span>
      <div>
        <p className="bold">{name}</p>
        <p className="small">{children}</p>
      </div>
    </div>
  )
}
