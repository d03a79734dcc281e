import { toRefusal } from '../../api/refusal'
import { Button } from '../../parts/button'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { Fact, Facts, Note } from '../../parts/page'
import { balanceTexts } from '../balances/texts'
import { formatRate } from '../conversions/format-rate'
import { PriceTimer } from '../conversions/price-timer'
import { conversionTexts } from '../conversions/texts'
import type { Price } from '../conversions/use-conversion-quote'

const words = conversionTexts.funding

export type Balances = Partial<Record<Asset, bigint>>

/** Balances that can be converted to pay a transfer: one of the two assets is naira. */
export function sourcesOf(asset: Asset, balances: Balances): Asset[] {
  const others: Asset[] = asset === 'NGN' ? ['USDC', 'USDT'] : ['NGN']
  return others.filter((other) => (balances[other] ?? 0n) > 0n)
}

type OfferProps = { sources: Asset[]; onChoose: (asset: Asset) => void }

/** The balance is too small: another one can pay. */
export function FundingOffer({ sources, onChoose }: OfferProps) {
  return (
    <div className="padded no-top-padding form" role="status">
      <p className="bad">{sources.length === 0 ? words.none : words.offer}</p>
      {sources.map((source) => (
        <Button key={source} icon="swap" onClick={() => onChoose(source)}>
          {words.from[source]}
        </Button>
      ))}
    </div>
  )
}

type Props = {
  from: Asset
  asset: Asset
  /** What the transfer takes, with its fee. */
  total: bigint
  price: Price
  balances: Balances
  /** The price cannot change while an answer is missing. */
  isLocked: boolean
  onStop: () => void
}

/** What the conversion costs, and both balances after it and the transfer. */
export function Funding({ from, asset, total, price, balances, isLocked, onStop }: Props) {
  const { quote, error } = price
  const paid = quote && toUnits(quote.sourceAmount, from)
  const [source, target] = [balances[from], balances[asset]]
  const isShort = paid !== undefined && source !== undefined && paid > source
  return (
    <div className="top-line">
      <div className="card-head">
        <h3>{words.title(conversionTexts.names[from])}</h3>
        {!isLocked && (
          <button type="button" className="link small" onClick={onStop}>
            {words.stop}
          </button>
        )}
      </div>
      {error && (
        <div className="padded no-top-padding" role="alert">
          <Note tone="bad" title={toRefusal(error).sentence} />
        </div>
      )}
      {!quote && !error && (
        <p className="padded no-top-padding soft" role="status">
          {conversionTexts.form.asking}
        </p>
      )}
      {quote && (
        <>
          <Facts isSmall>
            <Fact name={words.rate}>{formatRate(quote.rate, from, asset)}</Fact>
            <Fact name={words.fee}>{formatMoney(quote.fee, from)}</Fact>
          </Facts>
          <div className="total">
            <Facts>
              <Fact name={words.paid}>
                <Money amount={quote.sourceAmount} asset={from} />
              </Fact>
            </Facts>
          </div>
          {isShort && (
            <p className="padded no-top-padding bad">{words.short(conversionTexts.names[from])}</p>
          )}
          {!isShort && source !== undefined && target !== undefined && (
            <Facts isSmall>
              <Fact name={words.after(balanceTexts.names[from])}>
                {formatMoney(source - paid!, from)}
              </Fact>
              <Fact name={words.after(balanceTexts.names[asset])}>
                {formatMoney(target + toUnits(quote.targetAmount, asset) - total, asset)}
              </Fact>
            </Facts>
          )}
          <div className="padded no-top-padding form">
            {!isLocked && <PriceTimer price={price} />}
            <p className="hint">{words.together}</p>
          </div>
        </>
      )}
    </div>
  )
}
