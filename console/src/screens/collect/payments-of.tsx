import type { ListedPayment } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { type Column, DataTable } from '../../parts/data-table'
import { formatWallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Card, EmptyState } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { type Collected, type Kind, referenceOf } from './kinds'
import { collectTexts as words } from './texts'

/** What was paid to a link, account or wallet. */
export function Payments({ one }: { one: Collected[Kind] }) {
  // A link is paid through its account or its wallet.
  const accounts = 'url' in one ? [one.virtualAccount, one.cryptoWallet] : [referenceOf(one)]
  const [first, second] = accounts.filter((reference) => reference !== undefined)
  return (
    <Card title={words.payments}>
      {first && <PaymentsInto accountReference={first} isEmptyShown={second === undefined} />}
      {second && <PaymentsInto accountReference={second} isEmptyShown />}
    </Card>
  )
}

type Props = { accountReference: string; isEmptyShown: boolean }

function PaymentsInto({ accountReference, isEmptyShown }: Props) {
  const list = usePages<ListedPayment>('/v1/collections/payments', { accountReference })
  return (
    <DataTable
      caption={words.payments}
      columns={columns}
      list={list}
      keyOf={({ reference }) => reference}
      pathOf={({ reference }) => `/payments/${reference}`}
      empty={isEmptyShown ? <EmptyState icon="payIn">{words.noPayments}</EmptyState> : null}
    />
  )
}

const columns: Column<ListedPayment>[] = [
  {
    name: 'amount',
    head: words.paymentColumns.amount,
    cell: ({ amount, currency }) => <Money amount={amount} asset={currency} />,
    align: 'end',
    phone: 1,
  },
  {
    name: 'status',
    head: words.paymentColumns.status,
    cell: ({ status }) => <Status value={status} />,
    phone: 2,
  },
  {
    name: 'from',
    head: words.paymentColumns.from,
    cell: ({ sender }) =>
      'name' in sender ? sender.name : sender.address && formatWallet(sender.address),
    isGrowing: true,
    phone: 3,
  },
  {
    name: 'received',
    head: words.paymentColumns.received,
    isSoft: true,
    cell: ({ receivedAt }) => <Time value={receivedAt} />,
    phone: 4,
  },
]
