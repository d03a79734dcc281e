import type { Mode } from '../../api/scope'
import type { Amount, Asset } from '../../parts/money-format'

/** Answers of /operator/v1. */

export type AssetAmount = { asset: Asset; amount: Amount }

export type Check = {
  check: string
  state: 'ok' | 'warning' | 'error'
  message: string
  fix?: string
  link: string | null
}

export type Doctor = { checkedAt: string; isHealthy: boolean; checks: Check[] }

export type Queues = {
  kyc: number
  notices: number
  payouts: number
  differences: number
  actions: number
  endpointsOff: number
}

export type Health = {
  received: { count: number; isMore: boolean; amounts: AssetAmount[] }
  webhookDelay: { p99Ms: number | null; measured: number }
  payouts: {
    open: number
    inReview: number
    oldestAgeMs: number | null
    perTenMinutes: { buckets: { start: string; count: number }[]; isMore: boolean }
  }
  overdue: { work: string; count: number }[]
  workers: { alive: number; missed: number; lateJobs: string[] }
  queues: Queues
}

export type Calls = {
  name: string
  answered: number
  failed: number
  averageMs: number | null
  p95Ms: number | null
}

export type Rail = {
  rail: string
  title: string
  mode: Mode
  kind: 'bank' | 'chain'
  pause: { reason: string; pausedAt: string; pausedBy: string } | null
  lastHour: { completed: number; failed: number }
  open: number
  oldestOpenAt: string | null
  reconciliation: { reconciledAt: string; differences: number } | null
  disputes: number
  calls: Calls | null
}

export type Rails = { items: Rail[]; endpoints: Calls[]; others: string[] }

export type Coin = {
  coin: string
  held: string
  promised: string
  floor: string | null
  arriving: string
  fill: number
  isShort: boolean
}

export type Treasury = {
  mode: Mode
  address: string
  qr: string
  rail: string | null
  coins: Coin[]
  failure: string | null
}

export type Float = {
  rail: string
  provider: string
  floor: Amount
  float: Amount | null
  isShort: boolean
  failure: string | null
}

export type Treasuries = { treasuries: Treasury[]; floats: Float[] }

export type KycStatus = 'NONE' | 'DRAFT' | 'SUBMITTED' | 'MORE_NEEDED' | 'APPROVED' | 'REJECTED'

export type ListedMerchant = {
  id: string
  name: string
  createdAt: string
  suspendedAt: string | null
  kycStatus: KycStatus
  members: number
  keys: number
  balances: Record<Mode, AssetAmount[]>
  received: Record<Mode, AssetAmount[]>
}

export type ApiKey = {
  reference: string
  mode: Mode
  kind: 'secret' | 'public'
  name: string
  hint: string
  state: string
  createdAt: string
  lastUsedAt: string | null
}

export type OneMerchant = ListedMerchant & { apiKeys: ApiKey[] }

export type OperatorAction = {
  id: string
  kind: string
  payload: Record<string, unknown>
  merchant: string | null
  merchantName: string | null
  state: string
  proposedBy: string
  isOwn: boolean
  proposedAt: string
  expiresAt: string
  confirmedBy: string | null
  endedAt: string | null
}
