import type { BalanceEntry } from '../../../../sdk/src/types'
import type { Column } from '../../parts/data-table'
import { Reference } from '../../parts/identifiers'
import { formatMoney, toUnits } from '../../parts/money-format'
import { Time } from '../../parts/time'
import { describeCounterparty, describeEntry } from './describe-entry'
import { balanceTexts as words } from './texts'

export const keyOfEntry = ({ asset, number }: BalanceEntry) => `${asset} ${number}`

/** `own` has other words for types of entries, such as those of a sub-account. */
export const entryColumnsWith = (own?: Record<string, string>): Column<BalanceEntry>[] => [
  {
    name: 'number',
    head: words.columns.number,
    cell: ({ number }) => <span className="soft">{number.toLocaleString('en')}</span>,
    isWideOnly: true,
  },
  {
    name: 'when',
    head: words.columns.when,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
    phone: 3,
  },
  {
    name: 'what',
    head: words.columns.what,
    cell: (entry) => (
      <>
        <b className="medium">{describeEntry(entry, own)}</b>{' '}
        <span className="soft small desktop-only">{describeCounterparty(entry)}</span>
      </>
    ),
    isGrowing: true,
    phone: 1,
  },
  {
    name: 'reference',
    head: words.columns.reference,
    cell: ({ reference }) => (
      <span className="soft no-wrap">
        <Reference value={reference} isShort />
      </span>
    ),
    isWideOnly: true,
  },
  {
    name: 'change',
    head: words.columns.change,
    cell: ({ amount, asset }) => {
      const units = toUnits(amount, asset)
      return (
        <b className={units > 0n ? 'up no-wrap' : 'no-wrap'}>
          {units > 0n && '+'}
          {formatMoney(units, asset)}
        </b>
      )
    },
    align: 'end',
    phone: 2,
  },
  {
    name: 'balance',
    head: words.columns.balance,
    cell: ({ balanceAfter, asset }) => (
      <span className="soft no-wrap">{formatMoney(balanceAfter, asset)}</span>
    ),
    align: 'end',
    phone: 4,
  },
]

export const entryColumns = entryColumnsWith()
