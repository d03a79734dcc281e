import Type from 'typebox'
import type { EnvironmentId } from '../../../base/environment.js'
import { fromReferenceOfAnyKind, prefixes, toReference, unusedId } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import {
  accountName,
  accountNumber,
  anyAmount,
  anyAsset,
  bankName,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../../../base/shapes.js'
import {
  type Counterparty,
  findCounterparties,
} from '../../../collections/payments/find-counterparties.js'
import { mergeNewestFirst } from '../../../ledger/merge-statements.js'
import { isOfSplit, type Purpose, purposes } from '../../../ledger/purposes.js'
import {
  type EntryFilter,
  listStatementEntries,
  type StatementEntry,
  type StatementKey,
  type StatementPage,
} from '../../../ledger/statement.js'
import { toWire } from '../../../money/amounts.js'
import { type Asset, assetNames } from '../../../money/assets.js'
import { vatRates } from '../../../money/vat.js'
import { listLimits } from '../../../postgres/limits.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import { summarizeStatement } from '../../../reports/statement.js'
import { findSplitCauses, type SplitCause } from '../../../subaccounts/shares/split-causes.js'
import { findSubaccountId } from '../../../subaccounts/store-subaccounts.js'
import { seenWith, sees } from '../../../team/seen-with.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { closed, oneOf, page, pageQuery, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { answerList } from '../../server/answer-list.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { readCursor, writeCursor } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

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
  amount: withDescription(anyAmount, 'Change of the available balance; negative if it fell.'),
  feeVat: notYet(
    anyAmount,
    'Of a fee, the VAT that `amount` contains, with the sign of `amount`; null otherwise.',
  ),
  balanceAfter: withDescription(anyAmount, 'Available balance after this entry.'),
  resolution: notYet(
    Type.Enum(['open', 'settled', 'released']),
    'Of a `hold`, what became of the money: `open` while the payout is open, `settled` once it arrived, `released` if it was given back.',
  ),
  released: notYet(
    Type.Object({
      amount: withDescription(anyAmount, 'Held for the recipient.'),
      fee: withExample(withDescription(anyAmount, 'Held for the fee.'), 2_500),
      levy: withExample(withDescription(anyAmount, 'Held for the stamp duty.'), 0),
      feeVat: withExample(withDescription(anyAmount, 'VAT that `fee` contains.'), 0),
    }),
    'Of a `release`, what `amount` consists of; null otherwise.',
  ),
  reference: Type.String({
    description: 'The payout, payment or other resource that caused the change.',
    examples: [referenceSample(prefixes.funding)],
  }),
  payment: Type.Optional(
    Object.assign(
      reference(
        prefixes.payment,
        'Of a share of a sub-account, the payment that was split. Left out of other entries.',
      ),
      { 'x-left-out': true },
    ),
  ),
  refund: Type.Optional(
    Object.assign(
      reference(
        prefixes.paymentReturn,
        'Of what a sub-account gave back, the refund. Left out of other entries.',
      ),
      { 'x-left-out': true },
    ),
  ),
  counterparty: orNull(
    Type.Object({
      name: orNull(accountName),
      bankName: orNull(bankName),
      accountNumber: orNull(accountNumber),
      address: withExample(orNull(walletAddress), null),
    }),
    'Who paid or was paid; null if the change has no other side, such as a test funding.',
  ),
  createdAt: timestamp('When the balance changed.'),
})

/** Whose balance or statement a caller reads. */
export const ofSubaccount = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Reads this sub-account instead of your own balance.',
  examples: [referenceSample(prefixes.subaccount)],
})

const path = '/v1/balance-entries'
const base = { method: 'GET', access: 'secret', tag: 'Balances' } as const

export function balanceEntryRoutes(api: ApiParts): Route[] {
  return [list(api), summary(api)]
}

export const entryColumns = csvColumns(
  'number',
  'createdAt',
  'asset',
  'type',
  'effect',
  inBothUnits('amount'),
  inBothUnits('balanceAfter'),
  'reference',
  'counterparty.name',
  'counterparty.bankName',
  'counterparty.accountNumber',
  'counterparty.address',
  inBothUnits('released.amount'),
  inBothUnits('released.fee'),
  'resolution',
  inBothUnits('released.levy'),
  inBothUnits('feeVat'),
  inBothUnits('released.feeVat'),
  'payment',
  'refund',
)

const list = ({ db, openPage }: ApiParts) =>
  route({
    ...base,
    path,
    permission: 'balances.see',
    // The statement may be that of a sub-account.
    shows: ['balance_entry', 'subaccount'],
    operation: 'listBalanceEntries',
    summary: 'List balance entries',
    description:
      'Returns every change of the available balance with the balance after it, newest first. Send `Accept: text/csv` to export all of them.',
    query: closed({
      asset: Type.Optional(withDescription(anyAsset, 'Only entries of this asset.')),
      type: Type.Optional(oneOf(Object.keys(purposes), 'Only changes for this reason.')),
      reference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: limits.names.length,
          description: 'Only changes that this payment, payout or other resource caused.',
          examples: [referenceSample(prefixes.funding)],
        }),
      ),
      subaccount: Type.Optional(ofSubaccount),
      ...timeFilters,
      ...pageQuery,
    }),
    answers: { 200: page(balanceEntry) },
    refusals: ['not_found'],
    hasCsv: true,
    async handle(request) {
      const { environment, query } = request
      const { reference } = query
      const environmentId = environment.id
      if (query.subaccount !== undefined && !sees(request.permissions, 'subaccount'))
        throw refuseUnseen(request, seenWith.subaccount)
      const subaccountId = await findSubaccountId(db, environmentId, query.subaccount)
      const statement = { environmentId, subaccountId }
      const filter: EntryFilter = {
        ...readTimeRange(query),
        purpose: query.type as Purpose | undefined,
        causeId:
          reference === undefined ? undefined : (fromReferenceOfAnyKind(reference) ?? unusedId),
      }
      return answerList(request, {
        title: 'Balance entries',
        columns: entryColumns,
        async readPage({ cursor: sent, limit }) {
          const { db, cursor, toNext } = openPage(sent)
          const positions = toPositions(query.asset as Asset | undefined, cursor)
          const page = await readPage(db, statement, { positions, filter, limit })
          const items = await toItems(db, environmentId, page.entries)
          return {
            items: items.map((item) => toJson(item)),
            nextCursor: toNext(page.next && writeCursor(page.next)),
          }
        },
      })
    },
  })

const part = (example: number, description: string) =>
  withExample(withDescription(anyAmount, description), example)

const statementSummary = resource('StatementSummary', {
  asset: anyAsset,
  opening: withDescription(anyAmount, 'Available balance before the first entry.'),
  received: withDescription(
    anyAmount,
    'Payments, and held money that you kept; of a sub-account, its shares of payments.',
  ),
  added: part(0, 'Test money, and credits of the operator.'),
  converted: part(0, 'Converted into this asset, less what was converted out of it.'),
  moved: part(
    0,
    'Moved to sub-accounts, less what came from them; of a sub-account, moved to you, less what came from you.',
  ),
  refunded: part(0, 'Refunds that arrived, less those that came back.'),
  paidOut: part(
    0,
    'Payouts that arrived, less those that came back. Payouts that failed, were rejected or expired are not in it.',
  ),
  fees: part(12_500, 'Fees kept: charged, less what was given back.'),
  levies: part(0, 'Stamp duty on bank transfers: charged, less what was given back.'),
  feeVat: part(0, 'VAT that `fees` contains.'),
  setAside: part(
    0,
    'Held for payouts and refunds that did not arrive in the period; negative if more was held before it.',
  ),
  closing: part(
    2_487_500,
    'Available balance after the last entry: `opening` + `received` + `added` + `converted` − `moved` − `refunded` − `paidOut` − `fees` − `levies` − `setAside`.',
  ),
  firstNumber: notYet(Type.Integer(), 'Number of the first entry; null if there is none.'),
  lastNumber: notYet(Type.Integer(), 'Number of the last entry; null if there is none.'),
})

const summary = ({ db: primary, openPage }: ApiParts) =>
  route({
    ...base,
    path: `${path}/summary`,
    permission: 'balances.see',
    operation: 'summarizeBalanceEntries',
    summary: 'Summarize a statement',
    description:
      'Returns the opening and closing balance of a period and what changed it in between.',
    query: closed({
      asset: withDescription(anyAsset, 'The balance.'),
      subaccount: Type.Optional(ofSubaccount),
      ...timeFilters,
    }),
    answers: { 200: statementSummary },
    refusals: ['not_found', { code: 'validation_failed' }],
    isHeavy: true,
    async handle(request) {
      const { environment, query } = request
      if (query.subaccount !== undefined && !sees(request.permissions, 'subaccount'))
        throw refuseUnseen(request, seenWith.subaccount)
      const asset = query.asset as Asset
      const { db } = openPage(undefined)
      const subaccountId = await findSubaccountId(primary, environment.id, query.subaccount)
      const statement = { environmentId: environment.id, asset, subaccountId }
      const summary = await summarizeStatement(db, statement, readTimeRange(query))
      if (!summary) throw tooManyEntries()
      const { firstNumber, lastNumber } = summary
      return success(200, 'Statement summary', {
        asset,
        opening: toWire(summary.opening, asset),
        received: toWire(summary.received, asset),
        added: toWire(summary.added, asset),
        converted: toWire(summary.converted, asset),
        moved: toWire(summary.moved, asset),
        refunded: toWire(summary.refunded, asset),
        paidOut: toWire(summary.paidOut, asset),
        fees: toWire(summary.fees, asset),
        levies: toWire(summary.levies, asset),
        feeVat: toWire(summary.feeVat, asset),
        setAside: toWire(summary.setAside, asset),
        closing: toWire(summary.closing, asset),
        firstNumber: firstNumber === null ? null : Number(firstNumber),
        lastNumber: lastNumber === null ? null : Number(lastNumber),
      })
    },
  })

function tooManyEntries(): Refusal {
  const most = listLimits.entriesSummedMax.toLocaleString('en')
  return new Refusal('validation_failed', {
    message: `The period has more than ${most} entries. Send from and to of a shorter one.`,
    details: [{ field: 'from', issue: 'must begin a shorter period' }],
  })
}

type Position = { asset: Asset; below: bigint }

/** Merges the statements of several assets by time. The cursor holds a position in each. */
async function readPage(
  db: Queryable,
  statement: Omit<StatementKey, 'asset'>,
  { positions, filter, limit }: { positions: Position[]; filter: EntryFilter; limit: number },
): Promise<{ entries: StatementEntry[]; next: Record<string, string> | null }> {
  const lists: StatementPage[] = []
  // Sequential: a list may hold only one pool connection at a time (see list-reads.ts).
  for (const { asset, below } of positions) {
    const range = { ...statement, asset, first: 1n, below }
    lists.push(await listStatementEntries(db, range, { filter, limit: limit + 1 }))
  }
  const entries = mergeNewestFirst(lists, limit)
  const foundCount = lists.reduce((sum, list) => sum + list.entries.length, 0)
  const isSearched = lists.every(({ searchedTo }) => searchedTo === undefined)
  if (foundCount <= entries.length && isSearched) return { entries, next: null }
  const next = positions.map(({ asset, below }, index) => {
    const { entries: own, searchedTo } = lists[index]!
    const shown = entries.filter((entry) => entry.asset === asset)
    const isAllShown = shown.length === own.length
    if (isAllShown && searchedTo) return [asset, String(searchedTo.entryNumber)]
    const last = shown.at(-1)
    if (last) return [asset, String(last.entryNumber)]
    // An asset without entries on this page continues from its newest entry: anything added later
    // is newer than this page and must not appear on the next one.
    const newest = own[0]?.entryNumber
    return [asset, String(newest === undefined ? minimum(below, 1n) : newest + 1n)]
  })
  return { entries, next: Object.fromEntries(next) }
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b
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

function isEntryNumber(text: string | undefined): boolean {
  return /^\d{1,19}$/.test(text ?? '') && BigInt(text!) <= limits.money.ledgerMax
}

/** The entries with what caused them. */
export async function toItems(
  db: Queryable,
  environmentId: EnvironmentId,
  entries: StatementEntry[],
) {
  const causes = [...new Set(entries.map(({ causeId }) => causeId))]
  const counterparties = await findCounterparties(db, environmentId, causes)
  const ofSplits = entries.filter(({ purpose }) => isOfSplit(purpose))
  const splitIds = [...new Set(ofSplits.map(({ causeId }) => causeId))]
  const splits = await findSplitCauses(db, environmentId, splitIds)
  return entries.map((entry) => toItem(environmentId, entry, { counterparties, splits }))
}

type Causes = {
  counterparties: Map<string, Counterparty>
  splits: Map<string, SplitCause>
}

function toItem(
  environmentId: EnvironmentId,
  entry: StatementEntry,
  { counterparties, splits }: Causes,
) {
  const { asset, causeId, releasedFee, releasedLevy } = entry
  const vatOf = (fee: bigint) => vatRates.vatOf({ environmentId, causeId, fee })
  return {
    number: Number(entry.entryNumber),
    asset: entry.asset,
    type: entry.purpose,
    effect: entry.kind,
    amount: toWire(entry.change, entry.asset),
    feeVat:
      entry.feeBefore === null
        ? null
        : toWire(vatOf(entry.change - entry.feeBefore) + vatOf(entry.feeBefore), asset),
    balanceAfter: toWire(entry.availableAfter, entry.asset),
    resolution: entry.resolution,
    released:
      releasedFee === null || releasedLevy === null
        ? null
        : {
            amount: toWire(entry.change - releasedFee - releasedLevy, asset),
            fee: toWire(releasedFee, asset),
            levy: toWire(releasedLevy, asset),
            feeVat: toWire(vatOf(releasedFee), asset),
          },
    reference: toReference(purposes[entry.purpose].causePrefix, entry.causeId),
    ...showSplitCause(splits.get(causeId)),
    counterparty: counterparties.get(entry.causeId) ?? null,
    createdAt: entry.createdAt.toISOString(),
  }
}

function showSplitCause(cause: SplitCause | undefined) {
  if (!cause) return {}
  const { paymentId, returnId } = cause
  return {
    payment: toReference(prefixes.payment, paymentId),
    ...(returnId && { refund: toReference(prefixes.paymentReturn, returnId) }),
  }
}
