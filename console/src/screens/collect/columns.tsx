import type { Column } from '../../parts/data-table'
import { AccountNumber, Wallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { toUnits } from '../../parts/money-format'
import { Time } from '../../parts/time'
import type { Collected, Kind } from './kinds'
import { State } from './state'
import { collectTexts } from './texts'

const words = collectTexts.columns

const status = {
  name: 'status',
  head: words.status,
  cell: ({ status: value }: { status: string }) => <State value={value} />,
  phone: 2,
} as const

const created = {
  name: 'created',
  head: words.created,
  isSoft: true,
  cell: ({ createdAt }: { createdAt: string }) => <Time value={createdAt} />,
  phone: 4,
} as const

const ownReference = {
  name: 'reference',
  head: words.reference,
  cell: (row: { merchantReference?: string; externalReference?: string }) => (
    <span className="soft">{row.merchantReference ?? row.externalReference}</span>
  ),
  isGrowing: true,
  phone: 3,
} as const

/** The columns of each list. */
export const columns: { [K in Kind]: Column<Collected[K]>[] } = {
  links: [
    {
      name: 'amount',
      head: words.amount,
      cell: ({ amount }) => <Money amount={amount} asset="NGN" />,
      align: 'end',
      phone: 1,
    },
    status,
    {
      name: 'customer',
      head: words.customer,
      cell: ({ customer }) => <span className="no-wrap">{customer.name}</span>,
      phone: 3,
    },
    {
      name: 'for',
      head: words.for,
      cell: ({ description }) => <span className="soft">{description}</span>,
      isGrowing: true,
    },
    created,
  ],
  accounts: [
    {
      name: 'amount',
      head: words.amount,
      cell: ({ amount }) => <Money amount={amount} asset="NGN" />,
      align: 'end',
      phone: 1,
    },
    status,
    {
      name: 'account',
      head: words.account,
      cell: ({ accountNumber, bankName }) => (
        <span className="no-wrap">
          <AccountNumber value={accountNumber} /> <span className="soft small">{bankName}</span>
        </span>
      ),
    },
    ownReference,
    received('NGN'),
    created,
  ],
  dedicated: [
    {
      name: 'account',
      head: words.name,
      cell: ({ accountName }) => <span className="no-wrap">{accountName}</span>,
      phone: 1,
    },
    status,
    {
      name: 'number',
      head: words.account,
      cell: ({ accountNumber, bankName }) => (
        <span className="no-wrap">
          <AccountNumber value={accountNumber} /> <span className="soft small">{bankName}</span>
        </span>
      ),
    },
    ownReference,
    created,
  ],
  wallets: [
    {
      name: 'amount',
      head: words.amount,
      cell: ({ amount, asset }) => <Money amount={amount} asset={asset} />,
      align: 'end',
      phone: 1,
    },
    status,
    { name: 'address', head: words.address, cell: ({ address }) => <Wallet value={address} /> },
    ownReference,
    received(),
    created,
  ],
  'dedicated-wallets': [
    { ...ownReference, isGrowing: false, phone: 1 },
    status,
    {
      name: 'address',
      head: words.address,
      cell: ({ address }) => <Wallet value={address} />,
      phone: 3,
    },
    {
      name: 'coins',
      head: words.coins,
      cell: ({ assets }) => <span className="soft">{assets.join(', ')}</span>,
      isGrowing: true,
    },
    created,
  ],
}

/** Without an asset, it is that of the row. */
function received<Row extends { amountReceived: number | string }>(asset?: 'NGN'): Column<Row> {
  return {
    name: 'received',
    head: words.received,
    cell: (row) => {
      const own = asset ?? (row as { asset?: 'USDC' | 'USDT' }).asset!
      return toUnits(row.amountReceived, own) === 0n ? (
        ''
      ) : (
        <Money amount={row.amountReceived} asset={own} />
      )
    },
    align: 'end',
    isWideOnly: true,
  }
}
