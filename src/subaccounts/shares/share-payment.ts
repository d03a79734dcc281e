import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { type LedgerAccountKey, pendingName, subaccountName } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import type { Movement, MovementLine } from '../../ledger/movement.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { owedBy, receivableAccounts, recoverFirst } from '../receivables.js'
import { computeSplit, type SplitLine, wantedBy } from '../splits/compute-split.js'
import { releaseTimeOf } from '../splits/preview-split.js'
import type { Split } from '../splits/split.js'
import { netOf, type Share } from './share.js'

/** The part of a payment that is accepted now. */
export type AcceptedPart = {
  environmentId: EnvironmentId
  paymentId: string
  part: number
  asset: Asset
  /** What is accepted now, and the fee on it. */
  accepted: bigint
  fee: bigint
  /** What was accepted before, and what the lines got of it. */
  earlier: { accepted: bigint; shares: Pick<Share, 'line' | 'amount'>[] }
  paidAt: Date
  now: Date
}

/** Ledger accounts that the shares of a split may change; `ifAny` exist only after a refund. */
export function accountsOfSplit(
  { lines }: Split,
  { environmentId, asset }: Pick<AcceptedPart, 'environmentId' | 'asset'>,
): { keys: LedgerAccountKey[]; ifAny: LedgerAccountKey[] } {
  // A share that is due for release when its payment arrives is credited at once.
  const names = lines.flatMap(({ subaccountId, releaseAt, releaseAfterDays }) =>
    releaseAt === null && releaseAfterDays === null
      ? [subaccountName(subaccountId)]
      : [subaccountName(subaccountId), pendingName(subaccountId)],
  )
  const subaccountIds = lines.map(({ subaccountId }) => subaccountId)
  return {
    keys: names.map((name) => ({ environmentId, asset, name })),
    ifAny: receivableAccounts({ environmentId, asset }, subaccountIds),
  }
}

/**
 * Which of the sub-accounts are closed. Closing locks their ledger accounts, so the answer holds
 * for a caller that has locked them.
 */
export async function findClosed(
  tx: Tx,
  environmentIds: EnvironmentId[],
  splits: Split[],
): Promise<ReadonlySet<string>> {
  const ids = [
    ...new Set(splits.flatMap(({ lines }) => lines.map(({ subaccountId }) => subaccountId))),
  ]
  if (ids.length === 0) return new Set()
  const rows = await tx.rows(sql<{ id: string }>`
    select id from subaccounts where environment_id = any (${environmentIds}::int4[])
      and id = any (${ids}::uuid[]) and status = 'CLOSED'`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * The shares of what is accepted now. Lines get what they would of all that was accepted, less what
 * they got before. The line of a sub-account that was closed meanwhile gets nothing.
 */
export function sharePart(split: Split, closed: ReadonlySet<string>, part: AcceptedPart): Share[] {
  const total = part.earlier.accepted + part.accepted
  const lines = split.lines.map((line, index) => {
    if (closed.has(line.subaccountId)) return asFlat(line, 0n)
    const wanted = wantedBy(line, total)
    if (wanted === undefined || part.part === 0) return line
    const got = part.earlier.shares
      .filter((share) => share.line === index)
      .reduce((sum, { amount }) => sum + amount, 0n)
    return asFlat(line, wanted > got ? wanted - got : 0n)
  })
  const { accepted, fee } = part
  const computed = computeSplit({ lines, feeBearer: split.feeBearer, accepted, fee })
  return computed.lines.flatMap(({ amount, fee: borne, net }, index) => {
    // A share whose fee is all of it credits nothing.
    if (net === 0n) return []
    const line = split.lines[index]!
    const releaseAt = releaseTimeOf(line, part.paidAt)
    const isPending = releaseAt !== null && releaseAt > part.now
    const share: Share = {
      environmentId: part.environmentId,
      id: newId(part.now),
      paymentId: part.paymentId,
      part: part.part,
      line: index,
      splitId: split.id,
      subaccountId: line.subaccountId,
      asset: part.asset,
      amount,
      fee: borne,
      takenBack: 0n,
      takenPending: 0n,
      proportionAmount: null,
      proportionAccepted: null,
      proportionKept: null,
      status: isPending ? 'PENDING' : 'POSTED',
      releaseAt,
      releasedAt: null,
      createdAt: part.now,
    }
    return [share]
  })
}

function asFlat<Line extends SplitLine>(line: Line, flat: bigint): Line {
  return { ...line, flat, basisPoints: null, min: null, max: null }
}

/** Credits a share, after its payment: what the sub-account owes is paid first. */
export function toShareMovement(book: Book, share: Share): Movement {
  const { environmentId, asset, id, subaccountId, status } = share
  const amount = netOf(share)
  const isPending = status === 'PENDING'
  const credit = isPending ? pendingName(subaccountId) : subaccountName(subaccountId)
  const lines: MovementLine[] = [{ debit: 'available', credit, amount, purpose: 'split' }]
  if (!isPending) lines.push(...recover(book, share, amount))
  return { environmentId, asset, causeId: id, isHold: false, lines }
}

/** What a credit to the sub-account of a share pays of what it owes. */
export function recover(book: Book, share: Share, amount: bigint): MovementLine[] {
  const { subaccountId } = share
  return recoverFirst(
    { subaccountId, amount, owed: owedBy(book, share, subaccountId) },
    { money: 'split_recovered', debt: 'split_receivable_ended' },
  )
}
