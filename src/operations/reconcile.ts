import { setTimeout as sleep } from 'node:timers/promises'
import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { comparePayments } from '../collections/compare-payments.js'
import type { CollectionRail, WalletRail } from '../collections/ports.js'
import {
  type Carried,
  compareBooks,
  type Difference,
  findUnseen,
} from '../payouts/compare-books.js'
import { compareTreasury } from '../payouts/compare-treasury.js'
import { listDisputes, type OpenDispute } from '../payouts/disputes.js'
import { type BookedPayout, listBooked } from '../payouts/list-booked.js'
import { readLandedAttempts } from '../payouts/live-attempts.js'
import type { Finding, PayoutRail } from '../payouts/ports.js'
import {
  type Agreed,
  claimReconciliation,
  recordReconciliation,
} from '../payouts/reconciliations.js'
import { readTreasuryBooks } from '../payouts/treasury-books.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { SolanaRail, TreasuryTransfer } from '../rails/solana/rail.js'
import { compareDeposits } from '../wallets/compare-deposits.js'
import { readArriving } from '../wallets/store-sweeps.js'

export type Reconciled = { rail: string; differences: Difference[]; position: bigint }

/** A bank that lists what it carried out. A page ends with where the next one begins. */
export type ReconcilableBank = Pick<PayoutRail, 'name' | 'check'> &
  CollectionRail & {
    statement(period: { from: Date; to: Date; after?: StatementPosition }): Promise<{
      lines: { token: string; reference: string; amount: bigint; state: Carried['state'] }[]
      next: StatementPosition | null
    }>
  }

type StatementPosition = { receivedAt: Date; reference: string }

export type ReconcilableRails = {
  solana: Record<Mode, SolanaRail | undefined>
  sandboxBank: ReconcilableBank | undefined
}

/** Where to begin: what the books made since a time, what a chain took since a slot. */
type Since = { from: Date; slot: bigint }

type Told = { carried: Carried[]; position: bigint; isComplete: boolean }

/** A rail that can tell what it carried, and what it holds of ours where it holds it. */
type Side = {
  rail: Pick<PayoutRail, 'name' | 'check'>
  everyMs: number
  /** Whether it is known which one it is. A chain that never answered has no name yet. */
  isKnown(): Promise<boolean>
  tell(since: Since): Promise<Told>
  /** What the rail holds of ours, or took in for us. */
  compareRest(db: Database, since: Since): Promise<Difference[]>
}

const beginning = new Date(0)

type Tools = {
  db: Database
  rails: ReconcilableRails
  /** Between the two looks; less only where nothing moves by itself. */
  lookAgainMs?: number
}

/**
 * Compares everything and keeps the result; or of the chain only what it took since a slot, which
 * says too little to be kept.
 */
export async function reconcile(
  { db, rails, lookAgainMs }: Tools,
  now: Date,
  slot?: bigint,
): Promise<Reconciled[]> {
  const results: Reconciled[] = []
  for (const side of sidesOf(rails, now)) {
    if (!(await side.isKnown())) throw new Error('A chain does not answer. Try again later.')
    const result = await reconcileSide(
      { db, side, lookAgainMs },
      { from: beginning, slot: slot ?? 0n },
    )
    if (slot === undefined) await keep(db, now, side, result)
    results.push(result)
  }
  return results
}

/**
 * The same for rails that are due, from where they last agreed. Differences are logged, one by one:
 * none of them puts itself right. Says how many rails there were.
 */
export async function reconcileDue(
  { db, rails, logger, lookAgainMs }: Tools & { logger: Logger },
  now: Date,
): Promise<number> {
  let done = 0
  for (const side of sidesOf(rails, now)) {
    if (!(await side.isKnown())) continue
    const agreed = await claimReconciliation(db, now, side.rail.name)
    if (!agreed) continue
    const result = await reconcileSide({ db, side, lookAgainMs }, toSince(agreed))
    await keep(db, now, side, result)
    for (const difference of result.differences)
      logger.error({ rail: result.rail, ...difference }, 'books and rail differ')
    done += 1
  }
  return done
}

function keep(
  db: Database,
  now: Date,
  { everyMs }: Side,
  { rail, differences, position }: Reconciled,
): Promise<void> {
  const dueAt = after(now, everyMs)
  return recordReconciliation(db, now, { rail, dueAt, differences: differences.length, position })
}

function toSince({ agreedAt, position }: Agreed): Since {
  const { overlapMs, overlapSlots } = limits.reconcile
  return {
    from: agreedAt ? after(agreedAt, -overlapMs) : beginning,
    slot: position > overlapSlots ? position - overlapSlots : 0n,
  }
}

/** A difference counts when it is there twice: what was under way at the first look is through. */
async function reconcileSide(
  tools: { db: Database; side: Side; lookAgainMs: number | undefined },
  since: Since,
): Promise<Reconciled> {
  const { lookAgainMs = limits.reconcile.lookAgainMs } = tools
  const first = await look(tools, since)
  if (first.differences.length > 0) await sleep(lookAgainMs)
  const last = first.differences.length > 0 ? await look(tools, since) : first
  const before = new Set(first.differences.map(nameOf))
  const differences = last.differences.filter((difference) => before.has(nameOf(difference)))
  return { rail: tools.side.rail.name, differences, position: last.position }
}

function nameOf({ kind, name }: Difference): string {
  return `${kind} ${name}`
}

/**
 * The rail is read first and the books after it: whatever left was in the books before it left.
 * What the books call arrived and the rail did not show, the rail is asked for by name.
 */
async function look({ db, side }: { db: Database; side: Side }, since: Since) {
  const { rail } = side
  const { carried, position, isComplete } = await side.tell(since)
  const tokens = carried.map(({ token }) => token)
  const booked = await db.transaction((tx) => {
    tx.write(sql`set transaction isolation level repeatable read, read only`)
    tx.liftTimeouts()
    return listBooked(tx, { rail: rail.name, from: since.from, tokens })
  })
  const asked = await askFor({ db, rail }, findUnseen(booked, carried))
  const differences = [
    ...compareBooks(booked, [...carried, ...asked]),
    ...(await side.compareRest(db, since)),
    ...(isComplete ? [] : [notCompared(rail.name)]),
  ]
  return { differences, position }
}

async function askFor(
  { db, rail }: { db: Database; rail: Side['rail'] },
  unseen: BookedPayout[],
): Promise<Carried[]> {
  const told: Carried[] = []
  const { askedAtOnce } = limits.reconcile
  for (let start = 0; start < unseen.length; start += askedAtOnce) {
    const attempts = await readLandedAttempts(db, unseen.slice(start, start + askedAtOnce))
    const findings = await rail.check(attempts)
    for (const [index, { token, asset }] of attempts.entries()) {
      const state = toldStates[findings[index]!.state]
      if (state) told.push({ token, asset, memo: null, amount: null, state })
    }
  }
  return told
}

/** Null: the rail looked and has nothing of it. */
const toldStates: Record<Finding['state'], Carried['state'] | null> = {
  landed: 'landed',
  failed: 'failed',
  pending: 'unknown',
  unseen: null,
  gone: null,
}

function notCompared(rail: string): Difference {
  const atRail = 'more than can be read at once: begin later, with --since-slot'
  return { kind: 'not_compared', name: rail, inBooks: 'not compared in full', atRail }
}

function sidesOf({ solana, sandboxBank }: ReconcilableRails, now: Date): Side[] {
  const chains = (['test', 'live'] as const).flatMap((mode) => {
    const rail = solana[mode]
    if (!rail) return []
    const side = chainSide(rail, mode, now)
    return rail.wallets ? [side, depositSide(rail.wallets, now)] : [side]
  })
  return [...chains, ...(sandboxBank ? [bankSide(sandboxBank, now)] : [])]
}

function chainSide(rail: SolanaRail, mode: Mode, now: Date): Side {
  return {
    rail,
    everyMs: limits.reconcile.everyMs,
    isKnown: () => rail.hasMetItsChain(),
    async tell({ slot }) {
      const { transfers, isComplete } = await rail.findTransfersByMemo(slot)
      const position = transfers.reduce((last, one) => (one.slot > last ? one.slot : last), slot)
      // What came in is no payout; whether it is in the books, the balance says.
      const out = transfers.filter(({ amountOut, hasFailed }) => hasFailed || amountOut !== 0n)
      const carried = out.filter(({ amountOut }) => (amountOut ?? 0n) >= 0n).map(toCarried)
      return { carried, position, isComplete }
    },
    async compareRest(db) {
      const differences: Difference[] = []
      for (const asset of ['USDC', 'USDT'] as const) {
        const before = await readTreasuryBooks(db, { mode, asset })
        const { [asset]: held } = await rail.treasuryBalances()
        // First what arrives, then what came: a sweep that ends in between is in both.
        const arriving = await readArriving(db, rail.name, asset)
        const last = await readTreasuryBooks(db, { mode, asset })
        differences.push(...compareTreasury(asset, held, { before, after: last, arriving }))
      }
      const disputes = (await listDisputes(db, now)).filter((one) => one.rail === rail.name)
      return [...differences, ...disputes.map(toDisputed)]
    },
  }
}

/** Wallets are compared more often than the rest, and under a name of their own. */
function depositSide(wallets: WalletRail, now: Date): Side {
  const rail = {
    // The chain may not have reported its name yet when this is made.
    get name() {
      return `${wallets.name} deposits`
    },
    check: async () => [],
  }
  return {
    rail,
    everyMs: limits.reconcile.depositsEveryMs,
    isKnown: () => wallets.hasMetItsChain(),
    tell: async () => ({ carried: [], position: 0n, isComplete: true }),
    async compareRest(db, { from }) {
      const { differences, isComplete } = await compareDeposits(db, wallets, { now, from })
      return isComplete ? differences : [...differences, notCompared(rail.name)]
    },
  }
}

function toDisputed({ subject, hosts, firstSeenAt }: OpenDispute): Difference {
  const atRail = `${hosts} contradict each other since ${firstSeenAt.toISOString()}`
  return {
    kind: 'endpoints_disagree',
    name: subject,
    inBooks: 'as a majority says, or still open',
    atRail,
  }
}

function toCarried({ signature, memo, asset, amountOut, hasFailed }: TreasuryTransfer): Carried {
  const state = hasFailed ? 'failed' : 'completed'
  return { token: signature, memo, asset, amount: amountOut, state }
}

/** What the sandbox bank holds is not compared: it keeps no account of ours. */
function bankSide(bank: ReconcilableBank, now: Date): Side {
  return {
    rail: bank,
    everyMs: limits.reconcile.everyMs,
    isKnown: async () => true,
    async tell({ from }) {
      const carried: Carried[] = []
      // The bank's clock is its own: what it received by its future is there, too.
      const period = { from, to: after(now, limits.reconcile.overlapMs) }
      let page = await bank.statement(period)
      for (let pages = 1; ; pages += 1) {
        for (const { token, reference, amount, state } of page.lines)
          carried.push({
            token,
            memo: reference,
            asset: 'NGN',
            amount,
            state,
          })
        const isEnough = pages === limits.reconcile.statementPages
        if (!page.next || isEnough) return { carried, position: 0n, isComplete: !page.next }
        page = await bank.statement({ ...period, after: page.next })
      }
    },
    async compareRest(db, { from }) {
      const period = { from, to: after(now, limits.reconcile.overlapMs) }
      const { differences, isComplete } = await comparePayments(
        db,
        { rail: bank, mode: 'test' },
        period,
      )
      return isComplete ? differences : [...differences, notCompared(bank.name)]
    },
  }
}
