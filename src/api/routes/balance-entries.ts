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
import type { Reader } from '../../postgres/tx.js'
import {
  anyAmount,
  anyAsset,
  referenceSample,
  resource,
  time,
  withDescription,
} from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { readCursor, writeCursor } from '../edge/cursor.js'
import { success } from '../edge/envelope.js'
import { route } from '../edge/route.js'
import { closed, page, pageQuery } from '../edge/schemas.js'

const entry = resource('BalanceEntry', {
  number: Type.Integer({
    description: 'Its place in the statement of its asset: 1, 2, 3, … without gaps.',
    examples: [1],
  }),
  asset: anyAsset,
  type: Type.String({ description: 'Why the balance changed.', examples: ['test_funding'] }),
  effect: Type.Enum(['post', 'hold', 'release'], {
    description: 'Counted at once, set aside for a payout, or given back by one.',
    examples: ['post'],
  }),
  amount: Type.Union([Type.Integer(), Type.String()], {
    description: 'The change of the available balance; negative where it fell.',
    examples: [1_250_000],
  }),
  balanceAfter: anyAmount,
  reference: Type.String({
    description: 'What caused it.',
    examples: [referenceSample(prefixes.funding)],
  }),
  createdAt: time,
})

type Position = { asset: Asset; below: bigint }

export const balanceEntries = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/balance-entries',
    access: 'secret',
    operation: 'listBalanceEntries',
    summary: 'List the statement',
    description:
      'Every change of the available balance, newest first, with the balance after it. With `Accept: text/csv` the answer is CSV, up to 10,000 lines; the header `X-Next-Cursor` leads on.',
    tag: 'Balances',
    query: closed({ asset: Type.Optional(withDescription(anyAsset, 'Only its.')), ...pageQuery }),
    answers: { 200: page(entry) },
    hasCsv: true,
    async handle({ environment, query, wantsCsv }) {
      const defaultLimit = wantsCsv ? limits.http.csvRows : limits.http.defaultPageSize
      const positions = toPositions(query.asset as Asset | undefined, query.cursor)
      const { entries, next } = await readPage(db, environment.id, {
        positions,
        limit: query.limit ?? defaultLimit,
      })
      const nextCursor = next && writeCursor(next)
      const items = entries.map(toItem)
      if (!wantsCsv) return success(200, 'Balance entries', { items, nextCursor })
      return {
        status: 200,
        body: stringify(items, { header: true, columns: Object.keys(entry.properties) }),
        contentType: 'text/csv; charset=utf-8',
        headers: { vary: 'Accept', ...(nextCursor && { 'x-next-cursor': nextCursor }) },
      }
    },
  })

/** Statements of several assets are merged by time; the cursor remembers the place in each. */
async function readPage(
  db: Reader,
  environmentId: EnvironmentId,
  { positions, limit }: { positions: Position[]; limit: number },
): Promise<{ entries: StatementEntry[]; next: Record<string, string> | null }> {
  const lists: StatementEntry[][] = []
  // One after the other: a list holds one connection of the pool at a time (list-reads.ts).
  for (const position of positions)
    lists.push(await listStatementEntries(db, { environmentId, ...position, limit: limit + 1 }))
  const entries = mergeNewestFirst(lists, limit)
  if (lists.flat().length <= limit) return { entries, next: null }
  const next = positions.map(({ asset }, index) => {
    const last = entries.findLast((shown) => shown.asset === asset)
    // Where nothing was shown the page still ends below what is newest now: what comes later is
    // newer than this page and must not appear on the next.
    const newest = lists[index]![0]?.entryNumber ?? 0n
    return [asset, String(last?.entryNumber ?? newest + 1n)]
  })
  return { entries, next: Object.fromEntries(next) }
}

function toPositions(asset: Asset | undefined, cursor: string | undefined): Position[] {
  const wanted = asset ? [asset] : assetNames
  if (cursor === undefined)
    return wanted.map((name) => ({ asset: name, below: limits.money.ledgerMax }))
  const position = readCursor(cursor)
  const isOurs =
    Object.keys(position).length === wanted.length &&
    wanted.every((name) => isEntryNumber(position[name]))
  if (!isOurs)
    throw new Refusal('validation_failed', {
      message: 'cursor belongs to another list. Use it with the `asset` it was made for.',
      details: [{ field: 'cursor', issue: 'must come from a page of the same list' }],
    })
  return wanted.map((name) => ({ asset: name, below: BigInt(position[name]!) }))
}

function isEntryNumber(text: string | undefined): boolean {
  return /^\d{1,19}$/.test(text ?? '') && BigInt(text!) <= limits.money.ledgerMax
}

/** Each list keeps its own order, which is that in which its balance really changed. */
function mergeNewestFirst(lists: StatementEntry[][], limit: number): StatementEntry[] {
  const waiting = lists.map((list) => list.toReversed())
  const merged: StatementEntry[] = []
  while (merged.length < limit) {
    const open = waiting.filter((list) => list.length > 0)
    if (open.length === 0) break
    const newest = open.reduce((left, right) =>
      right.at(-1)!.createdAt > left.at(-1)!.createdAt ? right : left,
    )
    merged.push(newest.pop()!)
  }
  return merged
}

function toItem(line: StatementEntry) {
  return {
    number: Number(line.entryNumber),
    asset: line.asset,
    type: line.purpose,
    effect: line.kind,
    amount: toWire(line.change, line.asset),
    balanceAfter: toWire(line.availableAfter, line.asset),
    reference: toReference(purposes[line.purpose].causePrefix, line.causeId),
    createdAt: line.createdAt.toISOString(),
  }
}
