import { after } from '../clock.js'
import type { Mode } from '../environment.js'
import { limits } from '../limits.js'
import type { Logger } from '../log.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { type AccountKind, isDedicated } from './account.js'
import type { PaymentLane } from './payment-lane.js'
import type { HistoryRange, Moves, WalletRail } from './ports.js'
import { type Left, readHistory } from './read-history.js'
import { insertNotices } from './store-notices.js'
import { insertTokenAccounts } from './store-wallets.js'

type Tools = { db: Database; rail: WalletRail; mode: Mode; lane: PaymentLane; logger: Logger }

/** Where coins of a wallet lie, as far as its history was read. */
export type TokenAccount = {
  rail: string
  address: string
  wallet: string
  asset: string
  amount: bigint
  readTo: string | null
  readSlot: bigint
  isUnread: boolean
  hasTrouble: boolean
  busyUntil: Date
  auditedAt: Date
  looks: number
  /** Of the account that the wallet is; null while it is being recorded. */
  kind: AccountKind | null
}

const tokenAccountsDue: DueTable = {
  table: 'token_accounts',
  key: ['rail', 'address'],
  open: 'true',
  of: 'rail',
  counter: 'looks',
  returning: `job.rail, job.address, job.wallet, job.asset, job.amount, job.read_to as "readTo",
    job.read_slot as "readSlot", job.is_unread as "isUnread", job.has_trouble as "hasTrouble",
    job.busy_until as "busyUntil", job.audited_at as "auditedAt", job.looks,
    (select a.kind from collection_accounts a where a.rail = job.rail and a.number = job.wallet)
      as kind`,
}

/**
 * Looks at the token accounts that are due, all in few calls; reads the history of those that
 * changed, or might have without showing it; keeps what came as notices, and has them judged. Says
 * how many there were.
 */
export async function watchWallets(tools: Tools, now: Date): Promise<number> {
  const { db, rail, mode, lane, logger } = tools
  if (!(await rail.hasMetItsChain())) return 0
  const { leaseMs, accountsAtOnce: limit } = limits.deposits
  const claim = { of: rail.name, now, leaseMs, limit }
  const claimed = await claimDue<TokenAccount>(db, tokenAccountsDue, claim)
  if (claimed.length === 0) return 0

  const amounts = await rail.readAmounts(claimed.map(({ address }) => address))
  const isDoubted = (one: TokenAccount, index: number) =>
    one.amount !== amounts[index] || one.isUnread || one.hasTrouble || isAuditDue(now, one)
  const doubted = claimed.filter(isDoubted)
  const histories = await rail.readMoves(doubted.map((one) => toRange(now, one)))
  const read = new Map(doubted.map((one, index) => [one, histories[index]!]))
  const left = claimed.map((one, index) =>
    look(tools, now, { one, held: amounts[index]!, moves: read.get(one) }),
  )
  const strays = await findStrays(rail, now, claimed)
  const notices = left.flatMap(({ deposits }) =>
    deposits.map((announced) => ({
      ...{ rail: rail.name, mode, id: announced.id, announced, body: null },
    })),
  )
  await db.transaction(async (tx) => {
    if (notices.length > 0) insertNotices(tx, { now, dueAt: now }, notices)
    insertTokenAccounts(tx, now, strays)
    writeLooks(tx, left)
  })
  await Promise.all(
    notices.map(({ body, announced, ...name }) =>
      lane.run(name).catch((error) => logger.error({ err: error, ...name }, 'a deposit waits')),
    ),
  )
  return claimed.length
}

function toRange(now: Date, one: TokenAccount): HistoryRange {
  const { address: tokenAccount, readTo } = one
  return isAuditDue(now, one)
    ? { tokenAccount, after: null, since: after(now, -limits.deposits.auditedMs) }
    : { tokenAccount, after: readTo }
}

/** Once a day, where something happened lately, the history is read from further back. */
function isAuditDue(now: Date, { auditedAt, busyUntil }: TokenAccount): boolean {
  const { auditEveryMs, auditedMs } = limits.deposits
  return auditedAt <= after(now, -auditEveryMs) && busyUntil > after(now, -auditedMs)
}

type Look = Left & { one: TokenAccount; dueAt: Date; auditedAt: Date }

function look(
  { logger }: Tools,
  now: Date,
  { one, held, moves }: { one: TokenAccount; held: bigint; moves: Moves | undefined },
): Look {
  const left = readHistory(now, one, { held, moves })
  const { address, wallet, rail } = one
  if (left.trouble)
    logger.error({ rail, wallet, address, ...left.trouble }, 'deposits may be hidden')
  const auditedAt = isAuditDue(now, one) ? now : one.auditedAt
  return { ...left, one, dueAt: after(now, nextLookMs(now, one, left)), auditedAt }
}

/** Often while something happens; of what rests, the longer it has rested the more seldom. */
function nextLookMs(now: Date, { kind }: TokenAccount, left: Left): number {
  const { lookEveryMs, longestLookMs, longestRestMs, troubleEveryMs } = limits.deposits
  if (left.trouble) return troubleEveryMs
  if (left.isUnread) return lookEveryMs
  const restedMs = now.getTime() - left.busyUntil.getTime()
  const isForGood = kind !== null && isDedicated({ kind })
  return Math.min(Math.max(lookEveryMs, restedMs / 10), isForGood ? longestLookMs : longestRestMs)
}

/** Other tokens that came to wallets are watched from then on, though never credited. */
async function findStrays(rail: WalletRail, now: Date, claimed: TokenAccount[]) {
  const audited = claimed.filter((one) => isAuditDue(now, one))
  if (audited.length === 0) return []
  const found = await rail.findStrayTokens([...new Set(audited.map(({ wallet }) => wallet))])
  return found.map((stray) => ({ ...stray, rail: rail.name, busyUntil: now }))
}

const write = listStatement({
  name: 'write_looks',
  columns: {
    ...{ rail: 'text', address: 'text', looks: 'int4', amount: 'int8', read_to: 'text' },
    ...{ read_slot: 'int8', is_unread: 'bool', has_trouble: 'bool', busy_until: 'timestamptz' },
    ...{ audited_at: 'timestamptz', due_at: 'timestamptz' },
  },
  text: (list) => `
    update token_accounts t set amount = list.amount, read_to = list.read_to,
      read_slot = list.read_slot, is_unread = list.is_unread, has_trouble = list.has_trouble,
      busy_until = list.busy_until, audited_at = list.audited_at, due_at = list.due_at
    from ${list} where t.rail = list.rail and t.address = list.address and t.looks = list.looks`,
})

/** Each names the look it follows from: a worker that outlived its lease writes nothing. */
function writeLooks(tx: Tx, looks: Look[]): void {
  const rows = looks.map(({ one, dueAt, auditedAt, ...left }) => ({
    rail: one.rail,
    address: one.address,
    looks: one.looks,
    amount: left.amount,
    read_to: left.readTo,
    read_slot: left.readSlot,
    is_unread: left.isUnread,
    has_trouble: left.trouble !== null,
    busy_until: left.busyUntil,
    audited_at: auditedAt,
    due_at: dueAt,
  }))
  tx.write(write(rows.sort((one, other) => (one.address < other.address ? -1 : 1))))
}
