import { useQuery } from '@tanstack/react-query'
import type { BankTransferQuote, CryptoTransferQuote } from '../../../../sdk/src/types'
import { call } from '../../api/call'
import { useScope } from '../../api/scope'
import { type Asset, toWire } from '../../parts/money-format'
import { useSettled } from '../../parts/use-settled'
import { path } from './transfer'

type Wanted = {
  isToBank: boolean
  recipient: Record<string, string>
  asset: Asset
  units: bigint | null
  /** The asset whose balance will pay, if that of the transfer is too small. */
  payFrom: Asset | undefined
  /** The sub-account that pays; null: the merchant. */
  from: string | null
}

/** The fee of the transfer that is being typed, asked for when the typing pauses. */
export function useQuote({ isToBank, recipient, asset, units, payFrom, from }: Wanted) {
  const { merchant, mode } = useScope()
  const payer = from !== null && { from }
  const body =
    units === null || units === 0n
      ? null
      : isToBank
        ? { ...recipient, amount: toWire(units, 'NGN'), ...payer }
        : {
            destinationAddress: recipient.address,
            amount: String(toWire(units, asset)),
            asset,
            network: 'SOLANA',
            ...(payFrom && { fundFrom: { asset: payFrom } }),
            ...payer,
          }
  const text = useSettled(JSON.stringify(body))
  const { data, error } = useQuery({
    queryKey: [merchant, mode, 'quote', isToBank, text],
    enabled: text !== 'null',
    retry: false,
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      call<BankTransferQuote | CryptoTransferQuote>(
        `${path}/${isToBank ? 'bank-transfer' : 'crypto'}/quote`,
        {
          method: 'POST',
          body: JSON.parse(text),
          signal,
        },
      ),
  })
  return { quote: text === 'null' ? undefined : data, error: text === 'null' ? null : error }
}
