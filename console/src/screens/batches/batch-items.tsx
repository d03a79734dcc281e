import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePages } from '../../api/reads'
import { CountTab, CountTabs } from '../../parts/count-tab'
import { type Column, DataTable } from '../../parts/data-table'
import { useFilters } from '../../parts/filters'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Card, EmptyState } from '../../parts/page'
import { Chip, type Tone } from '../../parts/status'
import { statusWords } from '../../texts/status'
import { type Batch, type Item, path, recipientOf } from './batch'
import { batchTexts } from './texts'

const words = batchTexts.items

const tones: Record<Item['status'], Tone> = {
  PENDING: 'calm',
  VALID: 'good',
  INVALID: 'bad',
  SUBMITTED: 'brand',
  COMPLETED: 'good',
  FAILED: 'bad',
}

/** The items in the order of the file, by state or with warnings. */
export function BatchItems({ batch }: { batch: Batch }) {
  const { reference, counts, items, submittedAt } = batch
  const { values, change } = useFilters([], ['status', 'hasWarnings'])
  const list = usePages<Item>(`${path}/${reference}/items`, values, {
    keyOfRow: ({ row }) => String(row),
  })
  const isSubmitted = submittedAt !== null
  const nameOf = (status: Item['status']) =>
    status === 'VALID' && isSubmitted ? words.queued : statusWords.item[status]
  const byStatus: Record<Item['status'], number> = {
    PENDING: counts.pending,
    VALID: counts.valid,
    INVALID: counts.invalid,
    SUBMITTED: counts.submitted,
    COMPLETED: counts.completed,
    FAILED: counts.failed,
  }
  const chosen = values.status as Item['status'] | undefined
  const chosenCount = chosen && byStatus[chosen]
  // Items leave the list of a state when they reach the next one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the number changed
  useEffect(() => {
    if (chosenCount !== undefined) list.retry()
  }, [chosenCount])
  const shown = (Object.keys(byStatus) as Item['status'][]).filter(
    (status) => byStatus[status] > 0 || values.status === status,
  )
  return (
    <Card title={words.title} className="batch-items">
      <CountTabs label={words.groups}>
        <CountTab
          name={words.all}
          count={items}
          isOn={!values.status && !values.hasWarnings}
          onClick={() => change({ status: undefined, hasWarnings: undefined })}
        />
        {shown.map((status) => (
          <CountTab
            key={status}
            name={nameOf(status)}
            count={byStatus[status]}
            isOn={values.status === status}
            onClick={() => change({ status, hasWarnings: undefined })}
          />
        ))}
        {(counts.warnings > 0 || values.hasWarnings) && (
          <CountTab
            name={words.warnings}
            count={counts.warnings}
            isOn={values.hasWarnings === 'true'}
            onClick={() => change({ status: undefined, hasWarnings: 'true' })}
          />
        )}
      </CountTabs>
      <DataTable
        caption={words.caption}
        columns={columnsOf(nameOf, isSubmitted)}
        list={list}
        keyOf={({ row }) => String(row)}
        pathOf={({ transferReference }) =>
          transferReference ? `/payouts/${transferReference}` : undefined
        }
        empty={<EmptyState icon="search">{words.empty}</EmptyState>}
      />
    </Card>
  )
}

const columnsOf = (
  nameOf: (status: Item['status']) => string,
  isSubmitted: boolean,
): Column<Item>[] => [
  {
    name: 'row',
    head: words.columns.row,
    align: 'end',
    phone: 3,
    cell: ({ row }) => (
      <span className="soft">
        <span className="phone-only">{words.columns.row} </span>
        {row.toLocaleString('en')}
      </span>
    ),
  },
  {
    name: 'to',
    head: words.columns.to,
    isGrowing: true,
    phone: 1,
    cell: (item) => <Recipient item={item} />,
  },
  {
    name: 'amount',
    head: words.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount, asset }) => (
      <b className="bold">
        <Money amount={amount} asset={asset} />
      </b>
    ),
  },
  {
    name: 'fee',
    head: words.columns.fee,
    align: 'end',
    isWideOnly: true,
    cell: ({ fee, asset }) =>
      fee !== null && (
        <span className="soft">
          <Money amount={fee} asset={asset} />
        </span>
      ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: ({ status }) => (
      <Chip tone={isSubmitted && status === 'VALID' ? 'calm' : tones[status]}>
        {nameOf(status)}
      </Chip>
    ),
  },
]

function Recipient({ item }: { item: Item }) {
  const { accountName, sentAccountName, warnings, problem } = item
  const { accountNumber, bankName, bankCode } = item
  const isOther =
    accountName && sentAccountName && accountName.toLowerCase() !== sentAccountName.toLowerCase()
  return (
    <>
      <span className="under-name">{recipientOf(item)}</span>
      {accountNumber && (
        <span className="under-name soft small">
          {bankName ?? bankCode}{' '}
          <span className="no-wrap">{formatAccountNumber(accountNumber)}</span>
        </span>
      )}
      {isOther && <span className="under-name soft small">{words.sent(sentAccountName)}</span>}
      {problem && <p className="item-problem">{problem.message}</p>}
      {warnings.map(({ code, message }) => (
        <p key={code + message} className="item-problem warn">
          {message}
        </p>
      ))}
    </>
  )
}

export const WarningsLink = ({ reference }: { reference: string }) => (
  <Link
    className="link small"
    to={`/payouts/batches/${reference}`}
    search={{ hasWarnings: 'true' } as never}
  >
    {batchTexts.page.showThem}
  </Link>
)
