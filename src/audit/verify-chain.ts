import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { lineColumns, readErasedLines } from './erased-lines.js'
import { type ChainedLine, hashLine, noHash } from './hash-line.js'
import { auditLimits } from './limits.js'

/** A head that was written down: the line with this number had this hash. */
export type KnownHead = { chain: string; number: bigint; hash: Buffer }

export type AuditFault = { chain: string; number: bigint; message: string }

export type ChainVerdict = {
  chain: string
  /** The head as stored; undefined if it was removed. */
  head: { number: bigint; hash: Buffer } | undefined
  /** How many lines were checked, and whether these are all of them. */
  lines: number
  isWhole: boolean
  faults: AuditFault[]
}

/** Where a proof stands: the last line that it read. */
type Place = { number: bigint; hash: Buffer | undefined }

/** Every chain that has lines, a head, or a head that was logged. */
export async function listChains(db: Queryable): Promise<string[]> {
  const rows = await db.rows(sql<{ chain: string }>`
    select chain from audit_heads union select chain from audit_logged_heads
    union select distinct chain from audit_lines order by chain`)
  return rows.map(({ chain }) => chain)
}

/**
 * Recomputes the hash of every line of a chain from its row and compares it with the line, the next
 * line and the head. Lines written meanwhile are left out. With `newest`, checks only that many
 * lines, and trusts what the first of them follows. A line from which a person was erased keeps its
 * hash; a later line of the chain must have the hash of what remains.
 */
export async function verifyChain(
  db: Queryable,
  chain: string,
  { known = [], newest }: { known?: KnownHead[]; newest?: number } = {},
): Promise<ChainVerdict> {
  const { head, last } = await readEnd(db, chain)
  const faults: AuditFault[] = []
  const report = (number: bigint, message: string) => {
    if (faults.length < auditLimits.faultsShownMax) faults.push({ chain, number, message })
  }
  if (!head && last > 0n) report(0n, 'the head of the chain is missing')
  if (head && last > head.number)
    report(last, `the head is at line ${head.number}, before the last line`)
  const start = newest === undefined ? 0n : maxOf(0n, last - BigInt(newest))
  const heads = [...known, ...(head ? [{ chain, ...head }] : [])]
  const hashesOf = new Map<bigint, Buffer[]>()
  for (const { number, hash } of heads)
    hashesOf.set(number, [...(hashesOf.get(number) ?? []), hash])
  let before: Place = { number: start, hash: start === 0n ? noHash : undefined }
  let lines = 0
  // Lines whose text is not the one that was hashed, with the hash of what they are now.
  const edited = new Map<bigint, string>()
  for (;;) {
    const page = await readLines(db, chain, { after: before.number, to: last })
    for (const line of page) {
      checkOrder(line, before, report)
      const found = hashLine(line)
      if (!found.equals(line.hash)) edited.set(line.number, found.toString('hex'))
      else
        for (const { number, hash } of readErasedLines(line))
          if (edited.get(number) === hash) edited.delete(number)
      for (const hash of hashesOf.get(line.number) ?? [])
        if (!hash.equals(line.hash))
          report(
            line.number,
            `line ${line.number} is not the one of the head that was written down`,
          )
      before = { number: line.number, hash: line.hash }
    }
    lines += page.length
    if (page.length < auditLimits.linesPerRead) break
  }
  for (const number of edited.keys()) report(number, `line ${number} was edited`)
  if (before.number < last) report(last, missing(before.number + 1n, last))
  const end = heads.reduce((most, { number }) => maxOf(most, number), 0n)
  if (end > maxOf(before.number, last)) report(end, missing(last + 1n, end))
  return { chain, head, lines, isWhole: start === 0n, faults }
}

function checkOrder(
  line: ChainedLine,
  before: Place,
  report: (number: bigint, message: string) => void,
): void {
  const { number, previousHash } = line
  if (number !== before.number + 1n) report(number, missing(before.number + 1n, number - 1n))
  else if (before.hash && !previousHash.equals(before.hash))
    report(number, `line ${number} does not follow line ${before.number}`)
}

function missing(from: bigint, to: bigint): string {
  if (from === to) return `line ${from} is missing`
  return from < to ? `lines ${from} to ${to} are missing` : `line ${to + 1n} is out of place`
}

/** In one query, so that a line written meanwhile does not look like a fault. */
async function readEnd(db: Queryable, chain: string) {
  const [row] = await db.rows(sql<{ number: bigint | null; hash: Buffer | null; last: bigint }>`
    select h.number, h.hash,
      coalesce((select max(number) from audit_lines where chain = ${chain}::uuid), 0) as last
    from (select) one left join audit_heads h on h.chain = ${chain}::uuid`)
  const { number, hash, last } = row!
  return { head: number === null ? undefined : { number, hash: hash! }, last }
}

async function readLines(
  db: Queryable,
  chain: string,
  { after, to }: { after: bigint; to: bigint },
): Promise<ChainedLine[]> {
  return db.rows(sql<ChainedLine>`
    select ${lineColumns}
    from audit_lines where chain = ${chain}::uuid and number > ${after} and number <= ${to}
    order by number limit ${auditLimits.linesPerRead}`)
}

function maxOf(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}

/** The head of each chain that was logged last. */
export function listLoggedHeads(db: Queryable): Promise<KnownHead[]> {
  return db.rows(sql<KnownHead>`select chain, number, hash from audit_logged_heads`)
}

/** Logged heads whose line the chain no longer has; reads one line per chain. */
export async function findLostHeads(db: Queryable): Promise<KnownHead[]> {
  return db.rows(sql<KnownHead>`
    select l.chain, l.number, l.hash from audit_logged_heads l
    left join audit_lines line
      on line.chain = l.chain and line.number = l.number and line.hash = l.hash
    where line.id is null order by l.chain limit ${auditLimits.faultsShownMax}`)
}
