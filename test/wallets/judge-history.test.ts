import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TokenHistory, TokenTransaction } from '../../src/collections/ports.js'
import { judgeHistory } from '../../src/wallets/judge-history.js'
import type { HistoryVerdict, TokenAccount } from '../../src/wallets/token-account.js'
import { isLongRun } from '../support/long-run.js'

const now = new Date('2026-01-05T09:00:00.000Z')

const fresh: TokenAccount = {
  rail: 'solana:test',
  address: 'coins',
  wallet: 'wallet',
  walletCreatedAt: now,
  asset: 'USDC',
  amount: 0n,
  readTo: null,
  readSlot: 0n,
  isUnread: false,
  hasTrouble: false,
  busyUntil: now,
  auditedAt: now,
  polls: 1,
  unreadPolls: 0,
  kind: 'crypto_wallet',
  booked: null,
}

/** A positive change is a deposit, 0 a sweep of everything. */
function toHistory(changes: number[]): TokenTransaction[] {
  let balance = 0n
  return changes.map((change, index) => {
    const before = balance
    balance = change === 0 ? 0n : balance + BigInt(change)
    return {
      signature: `s${index}`,
      slot: BigInt(index),
      at: now,
      change: balance - before,
      left: balance,
      sender: null,
      memo: null,
    }
  })
}

function apply(account: TokenAccount, verdict: HistoryVerdict): TokenAccount {
  const { amount, readTo, readSlot, isUnread, busyUntil, trouble } = verdict
  return { ...account, amount, readTo, readSlot, isUnread, busyUntil, hasTrouble: trouble !== null }
}

/** What an endpoint lists: everything after the last known transaction. */
function listAfter(history: TokenTransaction[], { readTo }: TokenAccount): TokenTransaction[] {
  return history.slice(history.findIndex(({ signature }) => signature === readTo) + 1)
}

const response = fc.record({
  /** How much of the history and of the balances the endpoint has, and what it omits. */
  listed: fc.nat(30),
  held: fc.nat(30),
  lost: fc.option(fc.nat(30)),
  unreadable: fc.option(fc.nat(30)),
  isAudit: fc.boolean(),
  isReadToUnknown: fc.boolean(),
})

// Endpoints lag, are ahead or have pruned, and several nodes may serve one URL.
test('every deposit is reported, and only what was read counts as read', () => {
  const changes = fc.array(fc.nat(5), { maxLength: 30 })
  fc.assert(
    fc.property(changes, fc.array(response, { maxLength: 12 }), (given, responses) => {
      const history = toHistory(given)
      const reported = new Set<string>()
      let account = fresh
      const poll = (balance: bigint, reading: TokenHistory) => {
        const booked = { ...account, booked: account.amount }
        const verdict = judgeHistory(now, booked, { balance, reading })
        for (const { id } of verdict.deposits) reported.add(id)
        account = apply(account, verdict)
      }
      for (const { listed, held, lost, unreadable, isAudit, isReadToUnknown } of responses) {
        const all =
          isAudit || isReadToUnknown
            ? history.slice(0, listed)
            : listAfter(history.slice(0, listed), account)
        const hidden = unreadable === null ? undefined : all[unreadable]
        const moves = all.filter((move, index) => index !== lost && move !== hidden)
        poll(history[held]?.left ?? 0n, {
          moves,
          unreadable: hidden ? [hidden.signature] : [],
        })
        const read = history.slice(
          0,
          history.findIndex(({ signature }) => signature === account.readTo) + 1,
        )
        for (const { signature, change } of read.filter((move) => move.change > 0n))
          expect(reported.has(`${signature}:coins`), `${signature} of ${change}`).toBe(true)
      }
      const last = history.at(-1)?.left ?? 0n
      for (let honest = 0; honest < 2; honest += 1)
        poll(last, { moves: listAfter(history, account), unreadable: [] })
      const incoming = history.filter(({ change }) => change > 0n)
      expect([...reported].toSorted()).toEqual(
        incoming.map(({ signature }) => `${signature}:coins`).toSorted(),
      )
      expect(account).toMatchObject({ amount: last, isUnread: false, hasTrouble: false })
    }),
    { numRuns: isLongRun ? 5_000 : 1_000 },
  )
})

type Step = { change: number } | { listed: number; held: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ change: fc.nat(2) }),
  fc.record({ listed: fc.nat(3), held: fc.nat(3) }),
)

// A deposit is swept and the same amount is deposited again, so the balance is the same. The
// endpoint that reported the landed sweep is slightly ahead of the others.
test('a deposit equal to the last sweep is never missed, however far an endpoint lags', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const changes: number[] = []
      const reported = new Map<string, bigint>()
      let account = fresh
      const poll = ({ listed, held }: { listed: number; held: number }) => {
        const history = toHistory(changes)
        const balance = history.slice(0, Math.max(0, history.length - held)).at(-1)?.left ?? 0n
        if (balance === account.amount && !account.isUnread && !account.hasTrouble) return
        const seen = history.slice(0, Math.max(0, history.length - listed))
        const moves = listAfter(seen, account)
        const reading = { moves, unreadable: [] }
        const verdict = judgeHistory(now, account, { balance, reading })
        for (const { id, amount } of verdict.deposits) reported.set(id, amount)
        account = apply(account, verdict)
      }
      for (const each of steps) {
        if ('listed' in each) poll(each)
        else changes.push(each.change)
        const swept = toHistory(changes).filter(({ change }) => change < 0n)
        const booked = [...reported.values(), ...swept.map(({ change }) => change)]
        account = { ...account, booked: booked.reduce((sum, amount) => sum + amount, 0n) }
        if ('change' in each && each.change === 0) account = { ...account, isUnread: true }
      }
      for (let honest = 0; honest < 3; honest += 1) poll({ listed: 0, held: 0 })
      const incoming = toHistory(changes).filter(({ change }) => change > 0n)
      expect([...reported.keys()]).toEqual(incoming.map(({ signature }) => `${signature}:coins`))
    }),
    { numRuns: isLongRun ? 5_000 : 1_000 },
  )
})

// Some endpoints list the transactions of one slot in another order than the chain.
test('the listed order within a slot does not matter', () => {
  const changes = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 })
  const shuffles = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(changes, shuffles, fc.nat(20), fc.boolean(), (given, places, until, isAudit) => {
      const history = toHistory(given).map((move) => ({ ...move, slot: move.slot / 4n }))
      const listed = history.toSorted((one, other) => {
        const [first, second] = [one, other].map((move) => places[history.indexOf(move)]!)
        return Number(one.slot - other.slot) || first! - second!
      })
      let account = fresh
      const reported = new Set<string>()
      const half = listed.findLastIndex(({ slot }) => slot <= BigInt(until) / 4n) + 1
      for (const known of [listed.slice(0, half), listed]) {
        const moves = isAudit ? known : listAfter(known, account)
        const balance = [...history].filter((move) => known.includes(move)).at(-1)!.left
        const reading = { moves, unreadable: [] }
        const verdict = judgeHistory(now, account, { balance, reading })
        for (const { id } of verdict.deposits) reported.add(id)
        account = apply(account, verdict)
        expect(account).toMatchObject({ amount: balance, isUnread: false, hasTrouble: false })
      }
      expect(reported.size).toBe(history.filter(({ change }) => change > 0n).length)
    }),
    { numRuns: isLongRun ? 5_000 : 1_000 },
  )
})

test('a transaction missing within a slot is noticed', () => {
  const history = toHistory([1, 2, 4]).map((move) => ({ ...move, slot: 1n }))
  const moves = [history[2]!, history[0]!]
  const verdict = judgeHistory(now, fresh, { balance: 7n, reading: { moves, unreadable: [] } })
  expect(verdict).toMatchObject({ readTo: null, isUnread: true, trouble: { unreadable: [] } })
  expect(verdict.trouble!.holes).not.toEqual([])
})

test('memos are cleaned of characters that the database rejects', () => {
  const [move] = toHistory([5])
  const memo = `\u0000invoice\u001b[31m 77${'!'.repeat(500)}`
  const { deposits } = judgeHistory(now, fresh, {
    balance: 5n,
    reading: { moves: [{ ...move!, memo }], unreadable: [] },
  })
  expect(deposits[0]!.narration).toMatch(/^ invoice \[31m 77!{100,}$/)
  expect(deposits[0]!.narration).toHaveLength(200)
  const cut = judgeHistory(now, fresh, {
    balance: 5n,
    reading: { moves: [{ ...move!, memo: `${'a'.repeat(199)}\u{1f600}` }], unreadable: [] },
  })
  expect(cut.deposits[0]!.narration).toBe(`${'a'.repeat(199)}\ufffd`)
})

test.each([
  ['just before the wallet was stored', -30 * 60_000, true],
  ['after it', 60_000, true],
  ['slightly ahead of our clock', 3_600_000 + 4 * 60_000, true],
  ['long before the wallet existed', -61 * 60_000, false],
  ['in 1970', -now.getTime(), false],
  ['in the future', 3_600_000 + 6 * 60_000, false],
  ['unknown', null, false],
])('a deposit whose block time is %s', (_, offsetMs, isBelieved) => {
  const seenAt = new Date(now.getTime() + 3_600_000)
  const at = offsetMs === null ? null : new Date(now.getTime() + offsetMs)
  const moves = toHistory([5]).map((move) => ({ ...move, at }))
  const reading = { moves, unreadable: [] }
  const { deposits } = judgeHistory(seenAt, fresh, { balance: 5n, reading })
  expect(deposits[0]!.receivedAt).toEqual(isBelieved ? at : seenAt)
})
