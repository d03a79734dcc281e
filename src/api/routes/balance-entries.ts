import { stringify } from 'csv-stringify/sync'
import Type from 'typebox'
import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { purposes } from '../../ledger/purposes.js'
import { listStatementEntries, type StatementEntry } from '../../ledger/statement.js'
import { toWire } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import type { Queryable } from '../../postgres/tx.js'
import {
  anyAmount,
  anyAsset,
  referenceSample,
  resource,
  timestamp,
  withDescription,
} from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { readCursor, writeCursor } from '../edge/cursor.js'
import { success } from '../edge/envelope.js'
import { route } from '../edge/route.js'
import { closed, page, pageQuery } from '../edge/schemas.js'

export const balanceEntry = resource('BalanceEntry', {
  number: Type.Integer({
    description: 'Position in the statement of its asset: 1, 2, 3, … without gaps.',
    examples: [1],
  }),
  asset: anyAsset,
  type: Type.String({ description: 'Why the balance changed.', examples: ['test_funding'] }),
  effect: Type.Enum(['post', 'hold', 'release'], {
    description:
      '`post`: changes the balance at once. `hold`: reserves money for a payout. `release`: gives a reservation back.',
    examples: ['post'],
  }),
  amount: Type.Union([Type.Integer(), Type.String()], {
    description: 'Change of the available balance; negative if it fell.',
    examples: [1_250_000],
  }),
  balanceAfter: withDescription(anyAmount, 'Available balance after this entry.'),
  reference: Type.String({
    description: 'The payout, payment or other resource that caused the change.',
    examples: [referenceSample(prefixes.funding)],
  }),
  createdAt: timestamp('When the balance changed.'),
})

type Position = { asset: Asset; below: bigint }

export const balanceEntries = ({ openPage }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/balance-entries',
    access: 'secret',
    operation: 'listBalanceEntries',
    summary: 'List balance entries',
    description:
      'Returns every change of the available balance with the balance after it, newest first. Send `Accept: text/csv` for CSV with up to 10,000 rows per page; the `X-Next-Cursor` header holds the cursor of the next page.',
    tag: 'Balances',
    query: closed({
      asset: Type.Optional(withDescription(anyAsset, 'Only entries of this asset.')),
      ...pageQuery,
    }),
    answers: { 200: page(balanceEntry) },
    hasCsv: true,
    async handle({ environment, query, wantsCsv }) {
      const defaultLimit = wantsCsv ? limits.http.csvRowsMax : limits.http.pageSizeDefault
      const { db, cursor, toNext } = openPage(query.cursor)
      const positions = toPositions(query.asset as Asset | undefined, cursor)
      const { entries, next } = await readPage(db, environment.id, {
        positions,
        limit: query.limit ?? defaultLimit,
      })
      const nextCursor = toNext(next && writeCursor(next))
      const items = entries.map(toItem)
      if (!wantsCsv) return success(200, 'Balance entries', { items, nextCursor })
      return {
        status: 200,
        body: stringify(items, { header: true, columns: Object.keys(balanceEntry.properties) }),
        contentType: 'text/csv; charset=utf-8',
        headers: { vary: 'Accept', ...(nextCursor && { 'x-next-cursor': nextCursor }) },
      }
    },
  })

/** Merges the statements of several assets by time. The cursor holds a position in each. */
async function readPage(
  db: Queryable,
  environmentId: EnvironmentId,
  { positions, limit }: { positions: Position[]; limit: number },
): Promise<{ entries: StatementEntry[]; next: Record<string, string> | null }> {
  const lists: StatementEntry[][] = []
  // Sequential: a list may hold only one pool connection at a time (see list-reads.ts).
  for (const position of positions)
    lists.push(await listStatementEntries(db, { environmentId, ...position, limit: limit + 1 }))
  const entries = mergeNewestFirst(lists, limit)
  if (lists.flat().length <= limit) return { entries, next: null }
  const next = positions.map(({ asset }, index) => {
    const last = entries.findLast((entry) => entry.asset === asset)
    // An asset without entries on this page continues from its newest entry: anything added later
    // is newer than this page and must not appear on the next one.
    const newest = lists[index]![0]?.entryNumber ?? 0n
    return [asset, String(last?.entryNumber ?? newest + 1n)]
  })
  return { entries, next: Object.fromEntries(next) }
}

function toPositions(asset: Asset | undefined, cursor: string | undefined): Position[] {
  const assets = asset ? [asset] : assetNames
  if (cursor === undefined)
    return assets.map((name) => ({ asset: name, below: limits.money.ledgerMax }))
  const positionOf = readCursor(cursor)
  const isOfThisList =
    Object.keys(positionOf).length === assets.length &&
    assets.every((name) => isEntryNumber(positionOf[name]))
  if (!isOfThisList)
    throw new Refusal('validation_failed', {
      message: 'cursor belongs to another list. Use it with the same `asset` as the previous page.',
      details: [{ field: 'cursor', issue: 'must come from a page of the same list' }],
    })
  return assets.map((name) => ({ asset: name, below: BigInt(positionOf[name]!) }))
}

export function isEntryNumber(text: string | undefined): boolean {
  return /^\d{1,19}$/.test(text ?? '') && BigInt(text!) <= limits.money.ledgerMax
}

/** Keeps the order within each list: it is the order in which that balance changed. */
function mergeNewestFirst(lists: StatementEntry[][], limit: number): StatementEntry[] {
  const remaining = lists.map((list) => list.toReversed())
  const merged: StatementEntry[] = []
  while (merged.length < limit) {
    const nonEmpty = remaining.filter((list) => list.length > 0)
    if (nonEmpty.length === 0) break
    const newest = nonEmpty.reduce((left, right) =>
      right.at(-1)!.createdAt > left.at(-1)!.createdAt ? right : left,
    )
    merged.push(newest.pop()!)
  }
  return merged
}

export function toItem(entry: StatementEntry) {
  return {
    number: Number(entry.entryNumber),
    asset: entry.asset,
    type: entry.purpose,
    effect: entry.kind,
    amount: toWire(entry.change, entry.asset),
    balanceAfter: toWire(entry.availableAfter, entry.asset),
    reference: toReference(purposes[entry.purpose].causePrefix, entry.causeId),
    createdAt: entry.createdAt.toISOString(),
  }
}
