import { Link } from '@tanstack/react-router'
import type { BankDisbursement, CryptoDisbursement, ListedPayment } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { formatWallet } from '../../parts/identifiers'
import { LiveBadge } from '../../parts/live-badge'
import { Money } from '../../parts/money'
import type { Amount, Asset } from '../../parts/money-format'
import { Card, EmptyState, SkeletonRows, Tile } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { nameOf, placeOf, purposeOf } from '../payments/describe-payment'
import { homeTexts } from './texts'

type Disbursement = BankDisbursement | CryptoDisbursement

type Line = {
  key: string
  path: string
  isIn: boolean
  name: string
  text: string
  amount: Amount
  asset: Asset
  status: string
  at: string
}

const limit = 6

/** Payments and payouts together, newest first. */
export function Latest() {
  const maySeePayouts = useMay('payouts.see')
  const payments = useRead<Page<ListedPayment>>('latest', '/v1/collections/payments', { limit })
  const payouts = useRead<Page<Disbursement>>(
    'latest',
    '/v1/disbursements',
    { limit },
    { isEnabled: maySeePayouts },
  )
  const lines = [
    ...(payments.data?.items ?? []).map(ofPayment),
    ...(payouts.data?.items ?? []).map(ofPayout),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, limit)
  return (
    <Card title={homeTexts.latest.title} aside={<LiveBadge />}>
      {payments.isPending ? (
        <SkeletonRows />
      ) : payments.error && !payments.data ? (
        <ErrorState error={payments.error} retry={() => void payments.refetch()} />
      ) : lines.length === 0 ? (
        <EmptyState icon="pulse">{homeTexts.latest.empty}</EmptyState>
      ) : (
        <div className="list">
          {lines.map((line) => (
            <LatestLine key={line.key} line={line} />
          ))}
        </div>
      )}
    </Card>
  )
}

function LatestLine({ line }: { line: Line }) {
  const { path, isIn, name, text, amount, asset, status, at } = line
  return (
    <Link to={path} data-row="">
      <Tile icon={isIn ? 'payIn' : 'payOut'} tone={isIn ? 'good' : 'calm'} />
      <div className="text">
        <p className="bold no-wrap">{name}</p>
        <p className="soft small no-wrap">{text}</p>
      </div>
      <div className="align-end">
        <p className="bold">
          <Money amount={amount} asset={asset} isNegative={!isIn} />
        </p>
        <p className="soft small">
          <Time value={at} />
        </p>
      </div>
      <span className="desktop-only align-end" style={{ width: 132 }}>
        <Status value={status} />
      </span>
    </Link>
  )
}

function ofPayment(payment: ListedPayment): Line {
  const { reference, amount, currency, status, createdAt } = payment
  return {
    key: reference,
    path: `/payments/${reference}`,
    isIn: true,
    name: nameOf(payment),
    text: [purposeOf(payment), placeOf(payment)].filter(Boolean).join(' · '),
    amount,
    asset: currency,
    status,
    at: createdAt,
  }
}

function ofPayout(payout: Disbursement): Line {
  const { reference, amount, status, createdAt, merchantReference } = payout
  const isBank = payout.kind === 'bank_transfer'
  const place = isBank
    ? `${payout.bankName} ••• ${payout.accountNumber.slice(-4)}`
    : homeTexts.latest.wallet
  return {
    key: reference,
    path: `/payouts/${reference}`,
    isIn: false,
    name: isBank ? payout.accountName : formatWallet(payout.destinationAddress),
    text: [place, merchantReference].filter(Boolean).join(' · '),
    amount,
    asset: isBank ? 'NGN' : payout.asset,
    status,
    at: createdAt,
  }
}
