import { PrintedHead } from './printed-head'
import { balanceTexts as words } from './texts'
import './balances.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { BalanceEntry, StatementSummary } from '../../../../sdk/src/types'
import { call, type Query } from '../../api/call'
import { type Page, useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { type Asset, formatMoney } from '../../parts/money-format'
import { ErrorState } from '../../parts/refusals'
import { currentTime, formatFull, formatWhen } from '../../parts/time-format'
import { subaccountTexts } from '../subaccounts/texts'
import { useSubaccount } from '../subaccounts/use-subaccounts'
import { describeCounterparty, describeEntry, findBreak } from './describe-entry'
import { nameDay, type Period } from './period'
import { Proof, Sums } from './sums'

const pageSize = 100
/** More would be a book: the CSV export has no limit. */
const entriesMax = 2_000

/** The statement of a period as a page to print, oldest entry first. */
export function Screen() {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const asset = (search.asset ?? 'NGN') as Asset
  const period: Period = {
    ...(search.from && { from: search.from }),
    ...(search.to && { to: search.to }),
  }
  const scope = useScope()
  const { subaccount } = search
  const owner = useSubaccount(subaccount ?? null)
  const query = { asset, ...period, ...(subaccount && { subaccount }) }
  const summary = useRead<StatementSummary>('summary', '/v1/balance-entries/summary', query)
  const entries = useQuery({
    queryKey: [scope.merchant, scope.mode, 'printed-statement', query],
    queryFn: ({ signal }) => readAll(query, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const title = owner
    ? words.printed.titleOf(owner.name, words.inTitle[asset])
    : words.printed.title(words.inTitle[asset])
  const error = summary.error ?? entries.error
  const now = currentTime().toISOString()
  return (
    <main className="sheet" style={{ maxWidth: 'none', display: 'block' }}>
      <div>
        <PrintedHead
          title={title}
          {...(subaccount && {
            back: { to: `/subaccounts/${subaccount}`, label: subaccountTexts.title },
          })}
        >
          <p className="soft">
            {period.from
              ? words.printed.period(
                  nameDay(period.from),
                  period.to ? nameDay(period.to) : formatFull(now),
                )
              : words.printed.until(period.to ? nameDay(period.to) : formatFull(now))}
          </p>
        </PrintedHead>
        {error && <ErrorState error={error} />}
        {summary.data && (
          <Sums
            summary={summary.data}
            period={period}
            {...(subaccount && { movedName: subaccountTexts.page.moved })}
          />
        )}
        {entries.isPending && !error && <p className="soft">{words.printed.loading}</p>}
        {entries.data && (
          <>
            {entries.data.isCut && (
              <p className="bold">{words.printed.tooLong(entriesMax.toLocaleString('en'))}</p>
            )}
            <Entries entries={entries.data.items} own={subaccount ? subaccountTexts.types : {}} />
            {summary.data && (
              <p className="small">
                <ProofOf summary={summary.data} entries={entries.data.items} />
              </p>
            )}
          </>
        )}
        <p className="soft small">{words.printed.made(formatFull(now))}</p>
      </div>
    </main>
  )
}

function ProofOf({ summary, entries }: { summary: StatementSummary; entries: BalanceEntry[] }) {
  const brokenAt = findBreak(entries)
  return <Proof summary={summary} {...(brokenAt !== undefined && { brokenAt })} />
}

async function readAll(query: Query, signal: AbortSignal) {
  const items: BalanceEntry[] = []
  let cursor: string | undefined
  do {
    const page: Page<BalanceEntry> = await call('/v1/balance-entries', {
      query: { ...query, limit: pageSize, cursor },
      signal,
    })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && items.length < entriesMax)
  return { items, isCut: cursor !== undefined }
}

type EntriesProps = { entries: BalanceEntry[]; own: Record<string, string> }

function Entries({ entries, own }: EntriesProps) {
  const { columns } = words
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{columns.number}</th>
          <th scope="col">{columns.when}</th>
          <th scope="col">{columns.what}</th>
          <th scope="col">{columns.reference}</th>
          <th scope="col" className="align-end">
            {columns.change}
          </th>
          <th scope="col" className="align-end">
            {columns.balance}
          </th>
        </tr>
      </thead>
      <tbody>
        {[...entries].reverse().map((entry) => (
          <tr key={entry.number}>
            <td className="phone-hidden">{entry.number.toLocaleString('en')}</td>
            <td className="phone-3 no-wrap">{formatWhen(entry.createdAt, new Date(0))}</td>
            <td className="phone-1">
              {describeEntry(entry, own)}{' '}
              <span className="soft">{describeCounterparty(entry)}</span>
            </td>
            <td className="phone-hidden mono">{entry.reference}</td>
            <td className="phone-2 align-end no-wrap">{formatMoney(entry.amount, entry.asset)}</td>
            <td className="phone-4 align-end no-wrap">
              {formatMoney(entry.balanceAfter, entry.asset)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
