import type { EnvironmentId } from '../environment.js'
import { type Prefix, prefixes, toReference } from '../ids.js'
import type { Purpose } from '../ledger/purposes.js'
import type { Asset } from '../money/assets.js'
import type { Destination } from './ports.js'

export type PayoutKind = 'crypto_transfer' | 'bank_transfer'

export type PayoutStatus = 'SUBMITTED' | 'COMPLETED' | 'FAILED' | 'REVERSED'

/** Money leaving. */
export type Payout = {
  environmentId: EnvironmentId
  id: string
  kind: PayoutKind
  rail: string
  asset: Asset
  amount: bigint
  fee: bigint
  /** As the merchant wrote it. */
  requestedAmount: string
  destination: Destination
  merchantReference: string | null
  /** JSON text, untouched. */
  metadata: string
  status: PayoutStatus
  failureReason: string | null
  isReviewRequired: boolean
  eventSequence: number
  submittedAt: Date
  completedAt: Date | null
  failedAt: Date | null
  reversedAt: Date | null
  createdAt: Date
}

export type AttemptState = 'LIVE' | 'LANDED' | 'FAILED' | 'DEAD'

/** One try to carry a payout, as its payout shows it. */
export type Attempt = { number: number; token: string; state: AttemptState; createdAt: Date }

/** What differs between the kinds, in the books and in the names that callers see. */
export const kinds = {
  crypto_transfer: {
    prefix: prefixes.cryptoTransfer,
    purpose: 'crypto_payout',
    feePurpose: 'crypto_payout_fee',
    refusal: 'crypto_transfer_failed',
  },
  bank_transfer: {
    prefix: prefixes.bankTransfer,
    purpose: 'bank_payout',
    feePurpose: 'bank_payout_fee',
    refusal: 'bank_transfer_failed',
  },
} as const satisfies Record<
  PayoutKind,
  { prefix: Prefix; purpose: Purpose; feePurpose: Purpose; refusal: string }
>

export function referenceOf({ kind, id }: Pick<Payout, 'kind' | 'id'>): string {
  return toReference(kinds[kind].prefix, id)
}
