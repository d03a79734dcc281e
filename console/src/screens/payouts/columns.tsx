import type { Column } from '../../parts/data-table'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { payoutTexts as words } from './texts'
import { amountOf, assetOf, isBank, nameOf, statusOf, type Transfer } from './transfer'

export const amountColumn: Column<Transfer> = {
  name: 'amount',
  head: words.columns.amount,
  align: 'end',
  phone: 2,
  cell: (transfer) => (
    <b className="bold">
      <Money amount={amountOf(transfer)} asset={assetOf(transfer)} />
    </b>
  ),
}

export const toColumn: Column<Transfer> = {
  name: 'to',
  head: words.columns.to,
  isGrowing: true,
  phone: 1,
  cell: (transfer) => (
    <>
      <span className="under-name">{nameOf(transfer)}</span>
      {isBank(transfer) && (
        <span className="under-name soft small">
          {transfer.bankName}{' '}
          <span className="no-wrap">{formatAccountNumber(transfer.accountNumber)}</span>
        </span>
      )}
    </>
  ),
}

export const statusColumn: Column<Transfer> = {
  name: 'status',
  head: words.columns.status,
  phone: 4,
  cell: (transfer) => <Status value={statusOf(transfer)} />,
}

export const createdColumn: Column<Transfer> = {
  name: 'created',
  head: words.columns.created,
  phone: 3,
  isSoft: true,
  cell: (transfer) => <Time value={transfer.createdAt} show="clock" />,
}
