import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Move, Moves } from '../../src/collections/ports.js'
import { type Left, readHistory } from '../../src/wallets/read-history.js'
import type { TokenAccount } from '../../src/wallets/store-token-accounts.js'

const now = new Date('2026-01-05T09:00:00.000Z')

const fresh: TokenAccount = {
  rail: 'solana:test',
  address: 'coins',
  wallet: 'wallet',
  asset: 'USDC',
  amount: 0n,
  readTo: null,
  readSlot: 0n,
  isUnread: false,
  hasTrouble: false,
  busyUntil: now,
  auditedAt: now,
  looks: 1,
  unreadLooks: 0,
  kind: 'crypto_wallet',
  booked: null,
}

/** What happened to an account: coins came, or all of them left. */
function toHistory(changes: number[]): Move[] {
  let left = 0n
  return changes.map((change, index) => {
    const before = left
    left = change === 0 ? 0n : left + BigInt(change)
    return {
      signature: `s${index}`,
      slot: BigInt(index),
      at: now,
      change: left - before,
      left,
      sender: null,
      memo: null,
    }
  })
}

function apply(one: TokenAccount, left: Left): TokenAccount {
  const { amount, readTo, readSlot, isUnread, busyUntil, trouble } = left
  return { ...one, amount, readTo, readSlot, isUnread, busyUntil, hasTrouble: trouble !== null }
}

/** What a node shows: of the history it has, all after the transaction that is known. */
function show(history: Move[], { readTo }: TokenAccount): Move[] {
  return history.slice(history.findIndex(({ signature }) => signature === readTo) + 1)
}

const glance = fc.record({
  /** How much of the history the node has, how far ahead its balances are, what it loses. */
  listed: fc.nat(30),
  held: fc.nat(30),
  lost: fc.option(fc.nat(30)),
  unreadable: fc.option(fc.nat(30)),
  isAudit: fc.boolean(),
  hasForgotten: fc.boolean(),
})

// Nodes are behind, ahead, forgetful, and one and the same address may be several of them.
test('however nodes answer, every deposit is told of, and what is taken for read was', () => {
  const changes = fc.array(fc.nat(5), { maxLength: 30 })
  fc.assert(
    fc.property(changes, fc.array(glance, { maxLength: 12 }), (given, glances) => {
      const history = toHistory(given)
      const told = new Set<string>()
      let one = fresh
      const look = (held: bigint, reading: Moves) => {
        const left = readHistory(now, { ...one, booked: one.amount }, { held, reading })
        for (const { id } of left.deposits) told.add(id)
        one = apply(one, left)
      }
      for (const { listed, held, lost, unreadable, isAudit, hasForgotten } of glances) {
        const all =
          isAudit || hasForgotten ? history.slice(0, listed) : show(history.slice(0, listed), one)
        const hidden = unreadable === null ? undefined : all[unreadable]
        const moves = all.filter((move, index) => index !== lost && move !== hidden)
        look(history[held]?.left ?? 0n, {
          moves,
          unreadable: hidden ? [hidden.signature] : [],
        })
        const read = history.slice(
          0,
          history.findIndex(({ signature }) => signature === one.readTo) + 1,
        )
        for (const { signature, change } of read.filter((move) => move.change > 0n))
          expect(told.has(`${signature}:coins`), `${signature} of ${change}`).toBe(true)
      }
      const last = history.at(-1)?.left ?? 0n
      for (let honest = 0; honest < 2; honest += 1)
        look(last, { moves: show(history, one), unreadable: [] })
      const came = history.filter(({ change }) => change > 0n)
      expect([...told].toSorted()).toEqual(
        came.map(({ signature }) => `${signature}:coins`).toSorted(),
      )
      expect(one).toMatchObject({ amount: last, isUnread: false, hasTrouble: false })
    }),
    { numRuns: 5_000 },
  )
})

type Step = { change: number } | { listed: number; held: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ change: fc.nat(2) }),
  fc.record({ listed: fc.nat(3), held: fc.nat(3) }),
)

// Coins come, all of them are swept, the same amount comes again: the balance is what it was. The
// node that tells that the sweep landed is ahead of those that are asked for the rest, by moments.
test('a deposit of what was just swept is never missed, however far behind a node is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const changes: number[] = []
      const told = new Map<string, bigint>()
      let one = fresh
      const look = ({ listed, held }: { listed: number; held: number }) => {
        const history = toHistory(changes)
        const holds = history.slice(0, Math.max(0, history.length - held)).at(-1)?.left ?? 0n
        if (holds === one.amount && !one.isUnread && !one.hasTrouble) return
        const seen = history.slice(0, Math.max(0, history.length - listed))
        const moves = show(seen, one)
        const left = readHistory(now, one, { held: holds, reading: { moves, unreadable: [] } })
        for (const { id, amount } of left.deposits) told.set(id, amount)
        one = apply(one, left)
      }
      for (const each of steps) {
        if ('listed' in each) look(each)
        else changes.push(each.change)
        const swept = toHistory(changes).filter(({ change }) => change < 0n)
        const booked = [...told.values(), ...swept.map(({ change }) => change)]
        one = { ...one, booked: booked.reduce((sum, amount) => sum + amount, 0n) }
        if ('change' in each && each.change === 0) one = { ...one, isUnread: true }
      }
      for (let honest = 0; honest < 3; honest += 1) look({ listed: 0, held: 0 })
      const came = toHistory(changes).filter(({ change }) => change > 0n)
      expect([...told.keys()]).toEqual(came.map(({ signature }) => `${signature}:coins`))
    }),
    { numRuns: 5_000 },
  )
})

// Some nodes list the transactions of one slot in another order than the chain took them.
test('in whatever order those of a slot are listed, all is read and nothing is missing', () => {
  const changes = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 })
  const shuffles = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(changes, shuffles, fc.nat(20), fc.boolean(), (given, places, until, isAudit) => {
      const history = toHistory(given).map((move) => ({ ...move, slot: move.slot / 4n }))
      const listed = history.toSorted((one, other) => {
        const [first, second] = [one, other].map((move) => places[history.indexOf(move)]!)
        return Number(one.slot - other.slot) || first! - second!
      })
      let one = fresh
      const told = new Set<string>()
      const half = listed.findLastIndex(({ slot }) => slot <= BigInt(until) / 4n) + 1
      for (const known of [listed.slice(0, half), listed]) {
        const moves = isAudit ? known : show(known, one)
        const held = [...history].filter((move) => known.includes(move)).at(-1)!.left
        const left = readHistory(now, one, { held, reading: { moves, unreadable: [] } })
        for (const { id } of left.deposits) told.add(id)
        one = apply(one, left)
        expect(one).toMatchObject({ amount: held, isUnread: false, hasTrouble: false })
      }
      expect(told.size).toBe(history.filter(({ change }) => change > 0n).length)
    }),
    { numRuns: 5_000 },
  )
})

test('what is missing within a slot is seen all the same', () => {
  const history = toHistory([1, 2, 4]).map((move) => ({ ...move, slot: 1n }))
  const moves = [history[2]!, history[0]!]
  const left = readHistory(now, fresh, { held: 7n, reading: { moves, unreadable: [] } })
  expect(left).toMatchObject({ readTo: null, isUnread: true, trouble: { unreadable: [] } })
  expect(left.trouble!.holes).not.toEqual([])
})

test('anybody may write anything on a transaction, also what no database takes', () => {
  const [move] = toHistory([5])
  const memo = `\u0000invoice\u001b[31m 77${'!'.repeat(500)}`
  const { deposits } = readHistory(now, fresh, {
    held: 5n,
    reading: { moves: [{ ...move!, memo }], unreadable: [] },
  })
  expect(deposits[0]!.narration).toMatch(/^ invoice \[31m 77!{100,}$/)
  expect(deposits[0]!.narration).toHaveLength(200)
  const cut = readHistory(now, fresh, {
    held: 5n,
    reading: { moves: [{ ...move!, memo: `${'a'.repeat(199)}\u{1f600}` }], unreadable: [] },
  })
  expect(cut.deposits[0]!.narration).toBe(`${'a'.repeat(199)}\ufffd`)
})
