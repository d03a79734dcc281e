import { SelectField } from '../../parts/fields'
import { Form } from '../../parts/form'
import { balanceTexts } from '../balances/texts'
import './conversions.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Balance, Conversion, ConversionQuote, Rate } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { type ApiRefusal, toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { formatRate, formatRateNaira } from './format-rate'
import { PriceTimer } from './price-timer'
import { conversionTexts } from './texts'
import { useConversionQuote, type Wanted } from './use-conversion-quote'

const words = conversionTexts.form
const assets: Asset[] = ['NGN', 'USDC', 'USDT']

/** One of the two is naira. */
const targetsOf = (from: Asset): Asset[] => (from === 'NGN' ? ['USDC', 'USDT'] : ['NGN'])

function readWanted({ from, to }: Record<string, unknown>): Wanted {
  const source = assets.find((asset) => asset === from) ?? 'NGN'
  const targets = targetsOf(source)
  return {
    from: source,
    to: targets.find((asset) => asset === to) ?? targets[0]!,
    side: 'source',
    units: null,
  }
}

export function Screen() {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const [wanted, setWanted] = useState<Wanted>(() => readWanted(search))
  const { from, to, side, units } = wanted
  const price = useConversionQuote(wanted)
  const { quote } = price
  const navigate = useNavigate()
  const { mode } = useScope()
  const maySeeBalances = useMay('balances.see')
  const { write, isBusy, refusal } = useWrite<Conversion>({ topics: ['balances'] })
  const isUnknown = hasUnknownOutcome(refusal)
  const balances = useBalances(maySeeBalances)
  const available = balances[from]
  const paid = quote ? toUnits(quote.sourceAmount, from) : side === 'source' ? units : null
  const isShort = available !== undefined && paid !== null && paid > available
  // After an unknown outcome the same quote is sent again, whatever the time: it converts once.
  const isReady = quote !== undefined && (isUnknown || (!price.isExpired && !isShort))

  const choose = (source: Asset, target?: Asset) =>
    setWanted(readWanted({ from: source, to: target }))
  const shownUnits = (which: Wanted['side']) => {
    if (which === side) return units
    if (!quote) return null
    return which === 'source' ? toUnits(quote.sourceAmount, from) : toUnits(quote.targetAmount, to)
  }
  const convert = async () => {
    const made = await write('/v1/conversions', { quote: quote!.reference })
    if (!made) return
    await notify(words.done(formatMoney(made.targetAmount, to)))
    await navigate(
      maySeeBalances
        ? {
            to: '/balances/conversions/$reference',
            params: { reference: made.reference } as never,
          }
        : { to: '/' },
    )
  }
  return (
    <Form
      onSubmit={() => {
        if (isReady) void convert()
      }}
    >
      <PageHead
        title={words.title}
        parent={{ to: '/balances', label: balanceTexts.title, current: words.crumb }}
      />
      <div className="with-aside wide-aside">
        <Card isPadded className="form">
          <fieldset className="plain form" disabled={isUnknown}>
            <div className="amount-field">
              <div className="pair">
                <MoneyInput
                  key={`source ${from}`}
                  asset={from}
                  label={words.pay}
                  value={shownUnits('source')}
                  autoFocus
                  onChange={(typed) => setWanted({ ...wanted, side: 'source', units: typed })}
                />
                <SelectField
                  label={words.from}
                  options={assets}
                  labels={balanceTexts.names}
                  value={from}
                  onChange={(asset) => choose(asset, to)}
                />
              </div>
              <p className="hint row spread">
                <span>
                  {available !== undefined && words.available(formatMoney(available, from))}
                </span>
                {available !== undefined && available > 0n && (
                  <button
                    type="button"
                    className="link no-wrap"
                    onClick={() => setWanted({ ...wanted, side: 'source', units: available })}
                  >
                    {words.everything}
                  </button>
                )}
              </p>
            </div>
            <div className="swap">
              <Button size="small" icon="swap" onClick={() => choose(to, from)}>
                {words.swap}
              </Button>
            </div>
            <div className="amount-field">
              <div className="pair">
                <MoneyInput
                  key={`target ${to}`}
                  asset={to}
                  label={words.get}
                  value={shownUnits('target')}
                  onChange={(typed) => setWanted({ ...wanted, side: 'target', units: typed })}
                />
                <SelectField
                  label={words.to}
                  options={targetsOf(from)}
                  labels={balanceTexts.names}
                  value={to}
                  onChange={(asset) => choose(from, asset)}
                />
              </div>
            </div>
          </fieldset>
        </Card>
        <div className="stack">
          <Card title={words.summary}>
            {quote ? (
              <Summary quote={quote} balances={balances} isShort={isShort} />
            ) : (
              <p className="padded no-top-padding soft" role="status">
                {units && !price.error ? words.asking : !price.error && words.type}
              </p>
            )}
            {price.error && (
              <div className="padded no-top-padding" role="alert">
                <Note tone="bad" title={toRefusal(price.error).sentence} />
              </div>
            )}
            <div className="padded top-line">
              {!isUnknown && <PriceTimer price={price} />}
              <div className="sticky-actions">
                <Button
                  type="submit"
                  kind="primary"
                  size="big"
                  icon={mode === 'live' ? 'finger' : 'swap'}
                  isWide
                  isBusy={isBusy}
                  isDisabled={!isReady}
                >
                  {quote
                    ? words.confirm(formatMoney(quote.sourceAmount, from))
                    : words.confirmEmpty}
                </Button>
              </div>
              <p className="hint centered">{mode === 'live' ? words.proof : words.atOnce}</p>
              <Refusal error={refusal} />
              {isUnknown && <p className="soft small">{words.unknown}</p>}
            </div>
          </Card>
          <Rates />
        </div>
      </div>
    </Form>
  )
}

const hasUnknownOutcome = (refusal: ApiRefusal | null) =>
  refusal !== null && (refusal.status === 0 || refusal.status >= 500)

/** What is available of each asset; empty if the user may not see it. */
function useBalances(isEnabled: boolean): Partial<Record<Asset, bigint>> {
  const { data } = useRead<{ items: Balance[] }>('balances', '/v1/balances', {}, { isEnabled })
  const pairs = data?.items.map(({ asset, available }) => [asset, toUnits(available, asset)])
  return Object.fromEntries(pairs ?? [])
}

type SummaryProps = {
  quote: ConversionQuote
  balances: Partial<Record<Asset, bigint>>
  isShort: boolean
}

function Summary({ quote, balances, isShort }: SummaryProps) {
  const { from, to, sourceAmount, fee, targetAmount, rate } = quote
  const [source, target] = [balances[from], balances[to]]
  return (
    <>
      <Facts>
        <Fact name={words.paid}>
          <Money amount={sourceAmount} asset={from} />
        </Fact>
        <Fact name={words.fee}>
          <Money amount={fee} asset={from} />
        </Fact>
        <Fact name={words.rate}>{formatRate(rate, from, to)}</Fact>
      </Facts>
      <div className="total">
        <Facts>
          <Fact name={words.got}>
            <Money amount={targetAmount} asset={to} />
          </Fact>
        </Facts>
      </div>
      {source !== undefined && target !== undefined && !isShort && (
        <Facts isSmall>
          <Fact name={words.after(balanceTexts.names[from])}>
            {formatMoney(source - toUnits(sourceAmount, from), from)}
          </Fact>
          <Fact name={words.after(balanceTexts.names[to])}>
            {formatMoney(target + toUnits(targetAmount, to), to)}
          </Fact>
        </Facts>
      )}
      {isShort && (
        <p className="padded no-top-padding bad">{words.short(conversionTexts.names[from])}</p>
      )}
    </>
  )
}

function Rates() {
  const { data, error, refetch } = useRead<Page<Rate>>('rates', '/v1/rates')
  if (error && !data)
    return (
      <Card title={words.rates}>
        <ErrorState error={error} retry={() => void refetch()} />
      </Card>
    )
  if (!data) return null
  return (
    <Card title={words.rates}>
      {data.items.length === 0 ? (
        <p className="padded no-top-padding soft">{words.noRates}</p>
      ) : (
        <>
          <Facts isSmall>
            {data.items.map(({ asset, buy, sell }) => [
              <Fact key={`${asset} sell`} name={words.buyCoin(asset)}>
                {formatRateNaira(sell)}
              </Fact>,
              <Fact key={`${asset} buy`} name={words.sellCoin(asset)}>
                {formatRateNaira(buy)}
              </Fact>,
            ])}
          </Facts>
          <p className="hint">{words.ratesHint}</p>
        </>
      )}
    </Card>
  )
}
