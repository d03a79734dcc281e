import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { Asset } from '../money/assets.js'
import type { AccountKind, Amounts, Variance } from './account.js'
import type { BankSender, WalletSender } from './ports.js'

/** Money that arrived in a collection account. */
export type Payment = Amounts & {
  environmentId: EnvironmentId
  id: string
  accountId: string
  source: AccountKind
  rail: string
  /** The rail's own id of the payment. */
  railId: string
  asset: Asset
  amount: bigint
  fee: bigint
  variance: Variance
  sender: BankSender | WalletSender
  /** The bank's id of the transfer, `sessionId` in the API. Unrelated to checkout sessions. */
  bankSessionId: string | null
  narration: string | null
  eventSequence: number
  receivedAt: Date
  createdAt: Date
}

export function paymentReference({ id }: Pick<Payment, 'id'>): string {
  return toReference(prefixes.payment, id)
}
