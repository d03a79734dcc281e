import type { PaymentLink } from '../../../../sdk/src/types'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { linkTexts as words } from './link-texts'

/** What a payer pays: one price, or what the payer may choose. */
export function LinkPrice({ link }: { link: PaymentLink }) {
  const { amount, minAmount, maxAmount } = link
  if (amount !== null) return <Money amount={amount} asset="NGN" />
  const show = (kobo: number) => formatMoney(kobo, 'NGN')
  if (minAmount !== null && maxAmount !== null)
    return <>{words.between(show(minAmount), show(maxAmount))}</>
  if (minAmount !== null) return <>{words.from(show(minAmount))}</>
  return <>{maxAmount === null ? words.payerChooses : words.upTo(show(maxAmount))}</>
}
