import type { Balance } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { toUnits } from '../../parts/money-format'
import { SubaccountField } from '../subaccounts/subaccount-field'
import { useSubaccount, useSubaccounts } from '../subaccounts/use-subaccounts'
import type { Balances } from './funding'
import { payoutTexts } from './texts'

const words = payoutTexts.form

/** The choice that is no sub-account. */
export const merchant = { value: 'merchant', label: words.ownBalance }

/** Balances of the one who pays: of the merchant if `from` is null, else of the sub-account. */
export function useAvailable(from: string | null): Balances {
  const maySee = useMay('balances.see')
  const own = useRead<{ items: Balance[] }>(
    'balances',
    '/v1/balances',
    {},
    { isEnabled: maySee && from === null },
  ).data
  const subaccount = useSubaccount(from)
  const balances = from === null ? own?.items : subaccount?.balances
  return Object.fromEntries(
    balances?.map(({ asset, available }) => [asset, toUnits(available, asset)]) ?? [],
  )
}

type Props = { value: string; onChange: (payer: string) => void }

/** Who pays. Merchants without sub-accounts have no choice. */
export function PayerField({ value, onChange }: Props) {
  const { items } = useSubaccounts()
  if (items.length === 0) return null
  return (
    <SubaccountField
      label={words.payer}
      first={merchant}
      isFit={({ status }) => status === 'ACTIVE'}
      value={value}
      onChange={onChange}
    />
  )
}
