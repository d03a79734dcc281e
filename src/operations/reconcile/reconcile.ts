import { setTimeout as sleep } from 'node:timers/promises'
import { after, type RealTime } from '../../base/clock.js'
import { type Mode, modes } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import { comparePayments } from '../../collections/notices/compare-payments.js'
import type { BankRail, WalletRail } from '../../collections/ports.js'
import type { Rails } from '../../collections/rails.js'
import { coins } from '../../money/assets.js'
import { readLandedAttempts } from '../../payouts/attempts/live-attempts.js'
import { reconcileLimits } from '../../payouts/limits.js'
import type { AttemptFinding, PayoutRail } from '../../payouts/ports.js'
import {
  compareBooks,
  type Difference,
  findMissingAtRail,
  type RailTransfer,
} from '../../payouts/reconciliation/compare-books.js'
import { compareTreasury } from '../../payouts/reconciliation/compare-treasury.js'
import { listDisputes, type OpenDispute } from '../../payouts/reconciliation/disputes.js'
import { type BookedPayout, listBooked } from '../../payouts/reconciliation/list-booked.js'
import {
  type AgreedPosition,
  claimReconciliation,
  recordReconciliation,
} from '../../payouts/reconciliation/reconciliations.js'
import { readTreasuryBooks } from '../../payouts/reconciliation/treasury-books.js'
import { listUnservedRails } from '../../payouts/requests/unserved-rails.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { SolanaRail, TreasuryTransfer } from '../../rails/solana/rail.js'
import { compareDeposits } from '../../wallets/compare-deposits.js'
import { sumLiveSweeps } from '../../wallets/store-sweeps.js'

export type Reconciled = {
  rail: string
  differences: Difference[]
  position: bigint
  /** Null for a rail that could not be compared. */
  compared: Compared | null
}

/** What a comparison covered. */
export type Compared = {
  /** Null: from the beginning. */
  from: Date | null
  to: Date
  /** For a chain: the first slot, and the last one with a transfer. */
  slots: { first: bigint; last: bigint } | null
  /** How many of each kind were compared, such as payouts in the books. */
  counts: Record<string, number>
}

export type ReconcilableRails = {
  solana: Record<Mode, SolanaRail | undefined>
  rails: Rails
}

/** Start of the comparison: a time for the books, a slot for a chain. */
type Since = { from: Date; slot: bigint }

type RailReport = { executed: RailTransfer[]; position: bigint; isComplete: boolean }

/** One rail to compare with the books. */
type Counterpart = {
  rail: Pick<PayoutRail, 'name' | 'check'>
  everyMs: number
  /** False while a chain has never responded, and so has no name yet. */
  isKnown(): Promise<boolean>
  /** False for deposit wallets, which only receive. */
  paysOut: boolean
  /** Whether it reports by slot. */
  hasSlots: boolean
  /** What the rail executed. */
  report(since: Since): Promise<RailReport>
  /** Differences in what the rail holds or received. */
  compareHoldings(db: Database, since: Since): Promise<Holdings>
}

type Holdings = { differences: Difference[]; counts: Record<string, number> }

const beginning = new Date(0)

type ReconcileDependencies = {
  db: Database
  rails: ReconcilableRails
  /** Shortened in tests where nothing moves by itself. */
  confirmDelayMs?: number
}

/** Compares every rail with the books. With `slot`, only a part of the chain: not recorded. */
export async function reconcile(
  { db, rails, confirmDelayMs }: ReconcileDependencies,
  now: Date,
  slot?: bigint,
): Promise<Reconciled[]> {
  const results: Reconciled[] = []
  const counterparts = counterpartsOf(rails, now)
  for (const counterpart of counterparts) {
    if (!(await counterpart.isKnown()))
      throw new Error('A Solana chain does not respond. Try again later.')
    const result = await reconcileOne(
      { db, counterpart, confirmDelayMs, now },
      { from: beginning, slot: slot ?? 0n },
    )
    if (slot === undefined) await recordResult(db, now, counterpart, result)
    results.push(result)
  }
  const names = counterparts.map(({ rail }) => rail.name)
  return [...results, ...(await listUnserved(db, names))]
}

/** Open payouts at a rail that is not configured: nothing polls or compares them. */
async function listUnserved(db: Database, servedNames: string[]): Promise<Reconciled[]> {
  const unserved = await listUnservedRails(db, servedNames)
  return unserved.map(({ rail, payouts }) => ({
    rail,
    position: 0n,
    compared: null,
    differences: [
      {
        kind: 'not_compared',
        name: rail,
        inBooks: `${payouts} open payouts`,
        atRail: 'not configured: set its variables until they have ended',
      },
    ],
  }))
}

/**
 * Compares the rails that are due, from where they last agreed. Logs every difference as an error,
 * because none resolves itself. Returns the number of rails.
 */
export async function reconcileDue(
  { db, rails, logger, confirmDelayMs }: ReconcileDependencies & { logger: Logger },
  now: Date,
): Promise<number> {
  let done = 0
  for (const counterpart of counterpartsOf(rails, now)) {
    if (!(await counterpart.isKnown())) continue
    const agreed = await claimReconciliation(db, now, counterpart.rail.name)
    if (!agreed) continue
    // A rail that does not answer must not keep the others from being compared.
    await reconcileAndRecord({ db, logger, confirmDelayMs }, { now, counterpart, agreed }).catch(
      (error) => logger.warn({ err: error, rail: counterpart.rail.name }, 'rail was not compared'),
    )
    done += 1
  }
  return done
}

async function reconcileAndRecord(
  {
    db,
    logger,
    confirmDelayMs,
  }: Pick<ReconcileDependencies, 'db' | 'confirmDelayMs'> & { logger: Logger },
  { now, counterpart, agreed }: { now: Date; counterpart: Counterpart; agreed: AgreedPosition },
): Promise<void> {
  const result = await reconcileOne({ db, counterpart, confirmDelayMs, now }, toSince(agreed))
  await recordResult(db, now, counterpart, result)
  const { rail, differences } = result
  logger.info({ rail, differences: differences.length }, 'books and rail compared')
  for (const difference of result.differences)
    logger.error({ rail: result.rail, ...difference }, 'books and rail differ')
}

function recordResult(
  db: Database,
  now: RealTime,
  { everyMs }: Counterpart,
  { rail, differences, position }: Reconciled,
): Promise<void> {
  const dueAt = after(now, everyMs)
  return recordReconciliation(db, now, { rail, dueAt, differences, position })
}

function toSince({ agreedAt, position }: AgreedPosition): Since {
  const { overlapMs, overlapSlots } = reconcileLimits
  return {
    from: agreedAt ? after(agreedAt, -overlapMs) : beginning,
    slot: position > overlapSlots ? position - overlapSlots : 0n,
  }
}

/** Reports only differences that appear in two comparisons: others were in flight at the first. */
async function reconcileOne(
  dependencies: {
    db: Database
    counterpart: Counterpart
    confirmDelayMs: number | undefined
    now: Date
  },
  since: Since,
): Promise<Reconciled> {
  const { counterpart, now, confirmDelayMs = reconcileLimits.confirmDelayMs } = dependencies
  const first = await compareOnce(dependencies, since)
  if (first.differences.length > 0) await sleep(confirmDelayMs)
  const last = first.differences.length > 0 ? await compareOnce(dependencies, since) : first
  const before = new Set(first.differences.map(nameOf))
  const differences = last.differences.filter((difference) => before.has(nameOf(difference)))
  return {
    rail: counterpart.rail.name,
    differences,
    position: last.position,
    compared: {
      from: since.from === beginning ? null : since.from,
      to: now,
      slots: counterpart.hasSlots ? { first: since.slot, last: last.position } : null,
      counts: last.counts,
    },
  }
}

function nameOf({ kind, name }: Difference): string {
  return `${kind} ${name}`
}

/**
 * Reads the rail first and the books second: every payout is in the books before it is sent.
 * Payouts that the books call completed and the rail did not list are checked one by one.
 */
async function compareOnce(
  { db, counterpart }: { db: Database; counterpart: Counterpart },
  since: Since,
) {
  const { rail } = counterpart
  const { executed, position, isComplete } = await counterpart.report(since)
  const tokens = executed.map(({ token }) => token)
  const booked = await db.transaction((tx) => {
    tx.write(sql`set transaction isolation level repeatable read, read only`)
    tx.liftTimeouts()
    return listBooked(tx, { rail: rail.name, from: since.from, tokens })
  })
  const checked = await checkUnseen({ db, rail }, findMissingAtRail(booked, executed))
  const holdings = await counterpart.compareHoldings(db, since)
  const differences = [
    ...compareBooks(booked, [...executed, ...checked]),
    ...holdings.differences,
    ...(isComplete ? [] : [notCompared(rail.name)]),
  ]
  const counts: Holdings['counts'] = counterpart.paysOut
    ? { 'payouts in the books': booked.length, 'transfers at the rail': executed.length }
    : {}
  return { differences, position, counts: { ...counts, ...holdings.counts } }
}

async function checkUnseen(
  { db, rail }: { db: Database; rail: Counterpart['rail'] },
  unseen: BookedPayout[],
): Promise<RailTransfer[]> {
  const seen: RailTransfer[] = []
  const { attemptsPerCheckMax } = reconcileLimits
  for (let start = 0; start < unseen.length; start += attemptsPerCheckMax) {
    const attempts = await readLandedAttempts(db, unseen.slice(start, start + attemptsPerCheckMax))
    const findings = await rail.check(attempts)
    for (const [index, { token, asset }] of attempts.entries()) {
      const state = executedStates[findings[index]!.state]
      if (state) seen.push({ token, asset, memo: null, amount: null, state })
    }
  }
  return seen
}

/** Null: the rail does not have it. */
const executedStates: Record<AttemptFinding['state'], RailTransfer['state'] | null> = {
  landed: 'landed',
  failed: 'failed',
  pending: 'unknown',
  unseen: null,
  gone: null,
}

function notCompared(rail: string): Difference {
  const atRail =
    'too much to read in one run (start later with --since-slot), or unreadable rows (see the log)'
  return { kind: 'not_compared', name: rail, inBooks: 'not fully compared', atRail }
}

function counterpartsOf({ solana, rails }: ReconcilableRails, now: Date): Counterpart[] {
  const chains = modes.flatMap((mode) => {
    const rail = solana[mode]
    if (!rail) return []
    const treasury = treasuryOf(rail, mode, now)
    return rail.wallets ? [treasury, depositsOf(rail.wallets, now)] : [treasury]
  })
  const banks = modes.flatMap((mode) => rails.banksOf(mode).map((bank) => bankOf(bank, mode, now)))
  return [...chains, ...banks]
}

function treasuryOf(rail: SolanaRail, mode: Mode, now: Date): Counterpart {
  return {
    rail,
    everyMs: reconcileLimits.intervalMs,
    paysOut: true,
    hasSlots: true,
    isKnown: () => rail.isChainKnown(),
    async report({ slot }) {
      const { transfers, isComplete } = await rail.findTransfersByMemo(slot)
      const position = transfers.reduce(
        (last, transfer) => (transfer.slot > last ? transfer.slot : last),
        slot,
      )
      // Incoming transfers are no payouts; the comparison of balances covers them.
      const out = transfers.filter(({ amountOut, hasFailed }) => hasFailed || amountOut !== 0n)
      const executed = out.filter(({ amountOut }) => (amountOut ?? 0n) >= 0n).map(toRailTransfer)
      return { executed, position, isComplete }
    },
    async compareHoldings(db) {
      const differences: Difference[] = []
      for (const asset of coins) {
        const before = await readTreasuryBooks(db, { mode, asset })
        const { [asset]: held } = await rail.treasuryBalances()
        // Arriving sweeps first: one that ends in between is counted in both.
        const arriving = await sumLiveSweeps(db, rail.name, asset)
        const last = await readTreasuryBooks(db, { mode, asset })
        differences.push(...compareTreasury(asset, held, { before, after: last, arriving }))
      }
      const disputes = (await listDisputes(db, now)).filter((dispute) => dispute.rail === rail.name)
      return {
        differences: [...differences, ...disputes.map(toDisputed)],
        counts: { 'treasury balances': coins.length },
      }
    },
  }
}

/** Deposit wallets are compared more often, and under their own name. */
function depositsOf(wallets: WalletRail, now: Date): Counterpart {
  const rail = {
    // The chain may not have reported its name yet when this is made.
    get name() {
      return `${wallets.name} deposits`
    },
    check: async () => [],
  }
  return {
    rail,
    everyMs: reconcileLimits.depositsIntervalMs,
    paysOut: false,
    hasSlots: false,
    isKnown: () => wallets.isChainKnown(),
    report: async () => ({ executed: [], position: 0n, isComplete: true }),
    async compareHoldings(db, { from }) {
      const compared = await compareDeposits(db, wallets, { now, from })
      return toHoldings(rail.name, compared, { 'wallet balances': compared.accounts })
    },
  }
}

function toHoldings(
  rail: string,
  { differences, isComplete }: { differences: Difference[]; isComplete: boolean },
  counts: Holdings['counts'],
): Holdings {
  return { differences: isComplete ? differences : [...differences, notCompared(rail)], counts }
}

function toDisputed({ subject, hosts, firstSeenAt }: OpenDispute): Difference {
  const atRail = `${hosts} disagree since ${firstSeenAt.toISOString()}`
  return { kind: 'endpoints_disagree', name: subject, inBooks: 'as the majority, or open', atRail }
}

function toRailTransfer({
  signature,
  memo,
  asset,
  amountOut,
  hasFailed,
}: TreasuryTransfer): RailTransfer {
  const state = hasFailed ? 'failed' : 'completed'
  return { token: signature, memo, asset, amount: amountOut, state }
}

/**
 * No balance is compared: a provider settles what it collected to an account elsewhere, and people
 * top up the balance for payouts.
 */
function bankOf(bank: BankRail, mode: Mode, now: Date): Counterpart {
  return {
    rail: bank,
    everyMs: reconcileLimits.intervalMs,
    paysOut: true,
    hasSlots: false,
    isKnown: async () => true,
    async report({ from }) {
      // By the bank's id: while transfers are made, a page may repeat lines of the previous one.
      const executed = new Map<string, RailTransfer>()
      // The bank's clock may be ahead of ours.
      const period = { from, to: after(now, reconcileLimits.overlapMs) }
      let page = await bank.statement({ ...period, after: undefined })
      let unreadable = 0
      for (let pages = 1; ; pages += 1) {
        unreadable += page.unreadable
        for (const { id, token, reference, amount, levy, state } of page.lines)
          executed.set(id, { token, memo: reference, asset: 'NGN', amount, levy, state })
        const isLastPage = !page.next || pages === reconcileLimits.statementPagesMax
        if (isLastPage)
          return {
            executed: [...executed.values()],
            position: 0n,
            isComplete: !page.next && unreadable === 0,
          }
        page = await bank.statement({ ...period, after: page.next! })
      }
    },
    async compareHoldings(db, { from }) {
      const period = { from, to: after(now, reconcileLimits.overlapMs) }
      const compared = await comparePayments(db, { rail: bank, mode }, period)
      return toHoldings(bank.name, compared, { 'payments at the rail': compared.payments })
    },
  }
}
